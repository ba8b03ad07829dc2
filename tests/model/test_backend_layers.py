"""Layers over layers: what wins, what it beats, what is erased, and what stays secret."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumoss_console.model.backend import Bound, differences, parse_engine, read_bound
from kumoss_console.model.backend.options import option_files
from kumoss_console.model.backend.schema import schema_for
from kumoss_console.model.backend.snapshot import Entry
from kumoss_console.model.backend.tables import SECRETS, TABLES
from kumoss_console.text import Secret
from tests.model.backends import errors, local, read, s3, values


def test_a_value_names_all_it_beats_the_nearest_first() -> None:
    effective = read(
        {"main.tf": s3(), "a_override.tf": s3('acl = "x"'), "b_override.tf": s3()},
        options=["key=one", "f.hcl", "key=two"],
        option_files={"f.hcl": 'key = "file"\n'},
    )
    assert effective.bound is not None
    key = next(attribute for attribute in effective.bound.attributes if attribute.name == "key")

    assert [(key.value, key.origin.at)] == [("two", "-backend-config=key=two")]
    assert [(shadow.value, shadow.origin.at, shadow.erased) for shadow in key.shadows] == [
        ("file", "f.hcl:1", False),
        ("one", "-backend-config=key=one", False),
        ("k", "b_override.tf:4", False),
        ("k", "a_override.tf:4", True),
        ("k", "main.tf:4", True),
    ]
    assert [(shadow.name, shadow.origin.at) for shadow in effective.erased] == [("acl", "a_override.tf:6")]


def test_null_takes_a_value_away_and_the_loss_is_told() -> None:
    effective = read({"main.tf": s3('acl = "x"')}, options=["f.hcl"], option_files={"f.hcl": "acl = null\n"}, engine="terraform")
    assert "acl" not in values(effective.bound)
    assert [(shadow.name, shadow.value, shadow.erased) for shadow in effective.erased] == [("acl", "x", False)]


def test_maps_are_replaced_not_merged() -> None:
    effective = read({"main.tf": s3('endpoints = { s3 = "http://a", sts = "http://b" }')}, options=['endpoints={s3="http://c"}'])
    assert values(effective.bound)["endpoints"] == {"s3": "http://c"}


def test_blocks_of_an_option_file_replace_those_of_the_backend() -> None:
    block = 'organization = "o"\n    workspaces {\n      name = "a"\n    }\n'
    files = {"main.tf": f'terraform {{\n  backend "remote" {{\n    {block}  }}\n}}\n'}
    effective = read(files, options=["f.hcl"], option_files={"f.hcl": 'workspaces {\n  prefix = "p-"\n}\n'})
    assert values(effective.bound) == {"organization": "o", "workspaces": {"prefix": "p-"}}


def test_files_are_told_from_pairs_by_the_equals_sign() -> None:
    assert option_files(["a.hcl", "key=v", "b=c.hcl", "a.hcl", "/etc/x.hcl"]) == ("a.hcl", "/etc/x.hcl")
    assert option_files([""]) == ()
    assert option_files(["", "x"]) == (".", "x")


def test_one_empty_option_removes_what_was_kept_and_makes_the_engine_lenient() -> None:
    strict, lenient = read({"main.tf": s3("nope = 1")}), read({"main.tf": s3("nope = 1")}, options=[""])
    assert errors(strict) == [("Unsupported argument", "main.tf:6")]
    assert errors(lenient) == []
    assert [origin.at for origin in lenient.dropped] == ["main.tf:6"]


def test_options_with_no_block_at_all_end_in_local_state_without_an_error() -> None:
    effective = read({"main.tf": "output a {\n}\n"}, options=["absent.hcl"])
    assert effective.bound is not None
    assert (effective.bound.type, effective.bound.at, errors(effective)) == ("local", None, [])
    assert [problem.summary for problem in effective.problems] == ["Missing backend configuration"]


def test_options_are_refused_with_a_cloud_block() -> None:
    files = {"main.tf": 'terraform {\n  cloud {\n    organization = "a"\n  }\n}\n'}
    assert errors(read(files, options=["x=1"])) == [("Invalid command-line option", "")]


@pytest.mark.parametrize("backend", sorted(TABLES))
@pytest.mark.parametrize("engine", ["terraform", "tofu"])
def test_every_credential_that_a_backend_knows_is_wrapped(backend: str, engine: str) -> None:
    schema = schema_for(backend, parse_engine(engine))
    if schema is None or backend == "cloud":
        pytest.skip("the engine has no such type")
    names = sorted(SECRETS & schema.arguments.keys())
    body = "".join(f'    {name} = "s3cret-{name}"\n' for name in names)
    effective = read({"main.tf": f'terraform {{\n  backend "{backend}" {{\n{body}  }}\n}}\n'}, engine)

    assert effective.written is not None
    assert {attribute.name for attribute in effective.written.attributes if isinstance(attribute.value, Secret)} >= set(names)
    assert "s3cret" not in repr(effective.written) + repr(effective.kept) + repr(effective.bound)


def test_secrets_inside_objects_urls_and_pairs_are_wrapped_too() -> None:
    files = {
        "main.tf": s3(
            'assume_role_with_web_identity = { web_identity_token = "s3cret-1", role_arn = "arn:aws:iam::1:role/x" }',
            'endpoints = { s3 = "https://user:s3cret-2@h" }',
        )
    }
    effective = read(files, options=["secret_key=s3cret-3", "access_key=s3cret-4"])

    assert effective.bound is not None
    shown = repr(effective.bound)
    assert "s3cret" not in shown
    assert "arn:aws:iam::1:role/x" in shown
    assert [attribute.origin.file for attribute in effective.bound.attributes if attribute.name == "secret_key"] == [
        "-backend-config=secret_key=********"
    ]


def _pointer(**config: object) -> Bound:
    document = {"version": 3, "terraform_version": "1.11.4", "backend": {"type": "s3", "config": config, "hash": 1}}
    return read_bound(Entry(name="p", raw=json.dumps(document).encode()))


def test_what_is_bound_is_compared_value_by_value() -> None:
    written = read(
        {"main.tf": s3('endpoints = { s3 = "http://a" }', "max_retries = 5", 'allowed_account_ids = ["2", "1"]')}
    ).bound
    assert written is not None
    same = {"bucket": "b", "key": "k", "region": "r", "max_retries": 5, "allowed_account_ids": ["1", "2"], "acl": None}

    assert differences(written, _pointer(**same, endpoints={"s3": "http://a", "sts": None})) == ()
    other = differences(written, _pointer(**{**same, "key": "other"}, encrypt=True))
    assert [(item.name, item.written, item.bound) for item in other] == [
        ("key", "k", "other"),
        ("endpoints", {"s3": "http://a"}, None),
        ("encrypt", None, True),
    ]


def test_secrets_are_compared_and_never_shown() -> None:
    written = read({"main.tf": s3('access_key = "a"', 'secret_key = "s3cret"')}).bound
    assert written is not None
    found = differences(written, _pointer(bucket="b", key="k", region="r", access_key="a", secret_key="another-s3cret"))

    assert [item.name for item in found] == ["secret_key"]
    assert "s3cret" not in repr(found)


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"", "unreadable"),
        (b"\xff", "unreadable"),
        (b"[]", "unreadable"),
        (b"[" * 100_000, "unreadable"),
        (b"{}", "absent"),
        (b'{"backend": null}', "absent"),
        (b'{"backend": {"type": 5}}', "absent"),
        (b'{"backend": {"type": "s3", "config": []}}', "bound"),
    ],
)
def test_a_damaged_pointer_file_is_said_to_be_one(raw: bytes, status: str) -> None:
    assert read_bound(Entry(name="p", raw=raw)).status == status
    assert read_bound(None).status == "absent"


_WORDS = "terraform backend cloud local s3 path = { } [ ] ( ) , : ? . * ${ %{ if else endif for in <<E <<-E E var.a local.b"
_SIGNS = ("\n", '"', '"a"', "\\", "\\u", "#", "/*", "*/", "\x00", "\ufeff", "null", "1.5e3", "...", "=>", "'", "~}", "\r\n", " ")
_PIECES = st.sampled_from((*_WORDS.split(), *_SIGNS))


@settings(max_examples=300, deadline=None)
@given(st.lists(_PIECES, max_size=40), st.lists(_PIECES, max_size=12), st.sampled_from(["terraform", "tofu"]))
def test_no_text_makes_the_reader_fail(pieces: list[str], option: list[str], engine: str) -> None:
    text = "".join(pieces)
    files = {"main.tf": f'terraform {{\n  backend "local" {{\n{text}', "x.tf.json": text, "y_override.tf": text}
    files |= {"v.tf": f"locals {{\n  b = {text}", "terraform.tfvars": text}
    effective = read(files, engine, options=["f.hcl", f"path={''.join(option)}"], option_files={"f.hcl": text})
    assert effective.engine.name == engine


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_fail(raw: bytes) -> None:
    read({"main.tf": b"terraform {\n" + raw, "a.tf.json": b'{"terraform":' + raw, "b.tf": local('"a"').encode()})
