"""Of a large module only the files that can say something about the backend are parsed."""

from __future__ import annotations

import time

import pytest

from kumoss_console.model.backend import Engine, Entry, Snapshot, effective_backend
from kumoss_console.model.backend.triage import implausible, may_forbid, mentions_state
from tests.model.backends import read, s3

_LARGE = "".join(f'resource "null_resource" "r{n}" {{\n  count = 1\n}}\n' for n in range(2_000))


@pytest.mark.parametrize(
    ("name", "text", "mentioned"),
    [
        ("a.tf", 'terraform {\n  backend "s3" {}\n}', True),
        ("a.tf", "\ufeffterraform {\r\n\tcloud {}\r\n}", True),
        ("a.tf", 'terraform { backend "s3" {} }', True),
        ("a.tf", "terraform {\n/* why */ backend s3 {}\n}", True),
        ("a.tf", "terraform {\n" + " " * 500 + "backend s3 {}\n}", True),
        ("a.tf", 'terraform {\n  required_version = ">= 1"\n}\nresource "x" "backend" {\n  name = "the cloud"\n}', False),
        ("a.tf", "terraform {\n}\n  backend_port = 1\n  cloud-init = 2\n", False),
        ("a.tf", "  backend {\n    group = 1\n  }\n", False),
        ("a.tf.json", '{"terraform": {"backend": {"s3": {}}}}', True),
        ("a.tf.json", '{"terraform": {"required_version": "1"}}', False),
        ("a.tf.json", '{"terraform": {"\\u0062ackend": {"s3": {}}}}', True),
    ],
)
def test_only_items_called_backend_or_cloud_count(name: str, text: str, mentioned: bool) -> None:
    assert mentions_state(name, text.encode()) is mentioned


@pytest.mark.parametrize(
    ("name", "text", "odd"),
    [
        ("a.tf", "", False),
        ("a.tf", "\ufeff# c\n// d\n/* e * / */ \r\n locals {\n}", False),
        ("a.tf", "é = 1", False),
        ("a.tf", "\0", True),
        ("a.tf", "a = 1 # \0", True),
        ("a.tf", "/* a", True),
        ("a.tf", "/*/*/*", True),
        ("a.tf.json", ' {"a": 1}', False),
        ("a.tf.json", "locals {}", True),
        ("a.tf.json", '{"locals": {', True),
        ("a.tf", 'locals {\n  a = "b', True),
        ("a.tf", 'locals {\n  a = "${b}"\n}', False),
    ],
)
def test_what_does_not_begin_like_configuration_is_parsed_for_what_is_wrong(name: str, text: str, odd: bool) -> None:
    assert implausible(name, text.encode()) is odd


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ('  required_version = ">= 1.3, < 2"', False),
        ('"required_version": "~> 1.3"', False),
        ('required_version = "< 1.0"', True),
        ("required_version = local.version", True),
        ("required_version = <<E\n< 1\nE", True),
        ("required_providers {}", False),
    ],
)
def test_a_version_is_looked_at_where_it_may_forbid_the_engine(text: str, may: bool) -> None:
    assert may_forbid(text.encode(), (1, 12, 6)) is may


@pytest.mark.parametrize(("name", "text"), [("cut.tf", "locals {\n  a = 1\n"), ("cut.tf.json", '{"locals": {"a": 1}')])
def test_a_file_that_was_cut_short_is_told_in_a_large_module_too(name: str, text: str) -> None:
    told = read({"a.tf": _LARGE, name: text, "z.tf": s3()}, "tofu@1.9")

    assert {problem.file for problem in told.problems} == {name}
    assert told.bound is None


def test_a_version_that_forbids_the_engine_is_told_in_a_large_module_and_not_out_of_a_text() -> None:
    forbidding = 'terraform {\n  required_version = "< 1.0"\n}\n'
    told = read({"a.tf": _LARGE, "v.tf": forbidding, "z.tf": s3()}, "tofu@1.9")
    quoted = read({"a.tf": _LARGE, "v.tf": f"locals {{\n  a = <<E\n{forbidding}E\n}}\n", "z.tf": s3()}, "tofu@1.9")

    assert [problem.at for problem in told.problems] == ["v.tf:2"]
    assert told.bound is None
    assert quoted.bound is not None


def test_two_thousand_files_with_a_terraform_block_each_cost_no_parse_each() -> None:
    resource = 'resource "null_resource" "r" {\n  triggers = {\n    a = "b${var.x}"\n  }\n}\n'
    raw = ('terraform {\n  required_version = ">= 1.3"\n}\n' + resource * 8).encode()
    entries = tuple(Entry(name=f"f{n}.tf", raw=raw) for n in range(2_000))
    snapshot = Snapshot(folder="ws", entries=(*entries, Entry(name="z.tf", raw=s3().encode())))

    start = time.process_time()
    found = effective_backend(snapshot, Engine(name="tofu", version=(1, 9, 0)))

    # A parse of each takes four seconds and more.
    assert time.process_time() - start < 0.5
    assert found.bound is not None


def test_a_line_full_of_the_words_costs_time_in_proportion() -> None:
    raw = b"# " + b"terraform backend cloud " * 150_000
    start = time.process_time()
    assert not mentions_state("a.tf", raw)
    assert time.process_time() - start < 2
