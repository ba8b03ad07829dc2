"""State documents beyond the collection: what an engine refuses, what can still be read, and what is never given out."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.state import DocumentKind, Form, StateDocument, parse_state, repair, state_shape
from kumoss_console.model.state.sensitive import masked
from kumoss_console.text import MASK

AWS = 'provider["registry.terraform.io/hashicorp/aws"]'
NOW = datetime(2026, 11, 30, 15, tzinfo=UTC)


def instance(**members: Any) -> dict[str, Any]:
    return {"schema_version": 0, "attributes": {"id": "vpc-1"}, "sensitive_attributes": [], **members}


def resource(*instances: Any, **members: Any) -> dict[str, Any]:
    return {"mode": "managed", "type": "aws_vpc", "name": "v", "provider": AWS, "instances": list(instances), **members}


def state(*resources: Any, **members: Any) -> bytes:
    document = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 7,
        "lineage": "3f0c",
        "outputs": {},
        "resources": resources,
    }
    return json.dumps(document | members).encode()


def codes(document: StateDocument) -> list[str]:
    return [finding.code for finding in document.findings]


# Each seen with Terraform 1.15's `state list`.
REFUSED = {
    "the same instance twice": (
        state(resource(instance(), instance())),
        "Instance aws_vpc.v appears multiple times in the state file.",
    ),
    "a key that is no key": (
        state(resource(instance(index_key=True))),
        "Resource aws_vpc.v has an instance with the invalid instance key true.",
    ),
    "a negative serial": (state(serial=-1), 'The state file field "serial" has invalid value number'),
    "a serial beyond 64 bits": (
        state(serial=2**64),
        'The state file field "serial" has invalid value number 18446744073709551616',
    ),
    "a lineage that is a number": (state(lineage=5), 'The state file field "lineage" has invalid value number'),
    "instances that are a text": (
        state({**resource(), "instances": "x"}),
        'The state file field "resources.instances" has invalid value string',
    ),
    "a version that is a fraction": (state(version=4.5), "The version in the state file is number 4.5."),
    "a negative version": (state(version=-4), "The version in the state file is number -4."),
    "a version that is true": (state(version=True), "The version in the state file is bool."),
    "no version": (state(version=None), 'The state file does not have a "version" attribute'),
    "an engine version that is none": (state(terraform_version="abc"), "which is not a valid version string."),
    "a module that is no address": (state(resource(instance(), module="not a module!!")), "Invalid module address"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_an_engine_refuses_is_refused_in_its_words(name: str) -> None:
    raw, told = REFUSED[name]
    document = parse_state(raw)
    assert not document.readable
    assert document.ids == ()
    assert told in (document.engine_error or "")
    assert document.findings[0].severity is Severity.ERROR
    assert document.findings[0].remedy


def test_a_deposed_object_is_counted_on_its_own_and_its_identifier_is_told() -> None:
    raw = state(resource(instance(), instance(deposed="abcd1234", status="tainted", attributes={"id": "vpc-old"})))
    document = parse_state(raw)
    assert document.readable
    assert document.counts is not None
    assert (document.counts.instances_managed, document.counts.deposed, document.counts.tainted) == (1, 1, 0)
    assert (document.ids, document.ids_only_from_deposed) == (("vpc-1", "vpc-old"), ("vpc-old",))
    assert "state.deposed" in codes(document)


def test_instance_keys_are_written_as_engines_write_them() -> None:
    keys = {'a"b\\c${d}\n\x1bé': 'aws_vpc.v["a\\"b\\\\c$${d}\\n\\u001bé"]', 1.5: "aws_vpc.v[1]", 0: "aws_vpc.v[0]"}
    for key, address in keys.items():
        document = parse_state(state(resource(instance(index_key=key))))
        assert [row.address for item in document.resources for row in item.instances] == [address]


def test_a_resource_without_a_provider_is_pointed_out_since_engines_pass_over_it() -> None:
    assert "state.no_provider" in codes(parse_state(state(resource(instance(), provider=""))))


def test_a_state_that_nothing_was_ever_applied_to_is_said_to_be_one() -> None:
    assert codes(parse_state(state(serial=0))) == ["state.fresh"]
    assert codes(parse_state(state(serial=1))) == []
    assert "state.fresh" not in codes(parse_state(state(resource(instance()), serial=0)))


def test_a_compressed_state_counts_its_ids() -> None:
    for number, words in ((1, "1 id"), (2, "2 ids")):
        raw = gzip.compress(state(*(resource(instance(attributes={"id": f"x{at}"}), name=f"v{at}") for at in range(number))))
        assert parse_state(raw).reason.endswith(f"contains a valid state with {words}")


def twice(type_: str, attributes: dict[str, str], *, other_provider: str = AWS) -> list[Finding]:
    one = resource(instance(attributes=attributes), type=type_)
    other = resource(instance(attributes=attributes), type=type_, module="module.copy", provider=other_provider)
    return [item for item in parse_state(state(one, other)).findings if item.code == "state.managed_twice"]


@pytest.mark.parametrize(
    ("type_", "attributes"),
    [
        ("aws_vpc", {"id": "vpc-0a1b2c3d4e5f67890"}),
        ("aws_instance", {"id": "i-0a1b2c3d"}),
        ("aws_s3_bucket", {"id": "logs", "arn": "arn:aws:s3:::logs"}),
        ("azurerm_resource_group", {"id": "/subscriptions/6f1c0000-0000-0000-0000-000000000001/resourceGroups/rg"}),
        ("google_compute_network", {"id": "projects/acme/global/networks/main"}),
        ("google_x", {"id": "https://www.googleapis.com/compute/v1/projects/acme/global/networks/main"}),
    ],
)
def test_an_object_managed_twice_is_pointed_out_and_nothing_is_to_be_removed_for_it(
    type_: str, attributes: dict[str, str]
) -> None:
    (finding,) = twice(type_, attributes)
    told = attributes.get("arn", attributes["id"])
    assert finding.message == f"{told} is the id of 2 addresses in this state: {type_}.v, module.copy.{type_}.v"
    assert finding.severity is Severity.WARNING
    assert finding.remedy.startswith("find out which address is right before anything is removed")


@pytest.mark.parametrize(
    ("type_", "attributes"),
    [
        ("random_password", {"id": "none"}),
        ("helm_release", {"id": "ingress"}),
        ("local_file", {"id": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}),
        ("kubernetes_namespace", {"id": "monitoring"}),
        ("aws_s3_bucket_policy", {"id": "logs"}),
        ("x_y", {"id": "my-app-deadbeef"}),
        ("aws_secretsmanager_secret_version", {"id": "x", "arn": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbC"}),
    ],
)
def test_an_id_that_several_objects_can_have_tells_nothing_managed_twice(type_: str, attributes: dict[str, str]) -> None:
    assert twice(type_, attributes) == []


def test_the_same_id_through_another_provider_is_another_object() -> None:
    assert twice("aws_vpc", {"id": "vpc-0a1b2c3d"}, other_provider=f"{AWS}.us") == []


@pytest.mark.parametrize(
    ("written", "read"),
    [(r"\ud83d", "�"), (r"\udc00x", "�x"), (r"a\ud83d\ud83d\ude80b", "a�🚀b"), (r"\\ud83d", r"\ud83d")],
    ids=["high half", "low half", "half before a pair", "no escape at all"],
)
def test_halves_of_a_surrogate_pair_are_replaced_as_engines_do(written: str, read: str) -> None:
    raw = state(resource(instance(attributes={"id": "HERE"}))).replace(b"HERE", written.encode())
    document = parse_state(raw)
    assert (document.readable, document.ids, document.size) == (True, (read,), len(raw))


def test_a_sensitive_identifier_is_left_out_and_said_so() -> None:
    marked = instance(sensitive_attributes=[[{"type": "get_attr", "value": "id"}]])
    document = parse_state(state(resource(marked)))
    assert document.ids == ()
    assert [item.reason for item in document.skipped] == ["id is marked sensitive"]
    assert "vpc-1" not in repr(document)


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("plain", {"value": "hunter2", "type": "string", "sensitive": True}),
        ("db_password", {"value": "hunter2", "type": "string"}),
        ("connection", {"value": {"admin": {"api_key": "hunter2"}}, "type": "dynamic"}),
        ("listed", {"value": [{"client_secret": "hunter2"}], "type": "dynamic"}),
        ("url", {"value": "https://ops:hunter2@db.example/x", "type": "string"}),
        ("pem", {"value": "-----BEGIN RSA PRIVATE KEY-----\nhunter2", "type": "string"}),
        ("kubeconfig", {"value": "users: hunter2", "type": "string"}),
    ],
)
def test_secrets_in_outputs_are_masked_whether_marked_or_not(name: str, output: dict[str, Any]) -> None:
    document = parse_state(state(outputs={name: output}))
    assert "hunter2" not in repr(document) + json.dumps(state_shape(document, NOW))
    assert MASK in document.outputs[0].value


def test_credentials_in_a_backend_cache_are_masked() -> None:
    config = {
        "bucket": "acme",
        "access_key": "AKIA1",
        "secret_key": "hunter2",
        "endpoints": {"s3": "https://u:hunter2@x"},
        "token": None,
    }
    document = parse_state(json.dumps({"version": 3, "backend": {"type": "s3", "config": config}}).encode())
    assert document.form is Form.BACKEND_CACHE
    assert document.backend is not None
    shown = dict(document.backend.config)
    assert (shown["bucket"], shown["access_key"], shown["secret_key"]) == ("acme", MASK, MASK)
    assert "token" not in shown
    assert "hunter2" not in repr(document) + json.dumps(state_shape(document, NOW))


def test_a_gzip_bomb_is_refused_before_it_unpacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "MAX_UNPACKED", 1000)
    document = parse_state(gzip.compress(b" " * 100_000))
    assert (document.form, document.readable) == (Form.COMPRESSED, False)
    assert "unpacks to more" in document.reason


@pytest.mark.parametrize(
    "raw",
    [gzip.compress(state(), mtime=0)[:40], b"\x1f\x8b", gzip.compress(gzip.compress(state(), mtime=0)), b"\x1f\x8b" + b"x" * 50],
    ids=["cut off", "the mark alone", "packed twice", "the mark and noise"],
)
def test_a_gzip_stream_that_cannot_be_unpacked_says_why(raw: bytes) -> None:
    document = parse_state(raw)
    assert (document.form, document.kind, document.readable) == (Form.COMPRESSED, DocumentKind.UNKNOWN, False)
    assert "gzip" in document.reason


def test_nesting_far_beyond_what_decoders_bear_is_cut_and_the_rest_is_read() -> None:
    deep = "[" * 9_000 + "]" * 9_000
    raw = state(resource(instance(attributes={"id": "x", "v": "DEEP"}))).replace(b'"DEEP"', deep.encode())
    document = parse_state(raw)
    assert document.ids == ("x",)
    assert "state.deep_nesting" in codes(document)


def test_brackets_in_texts_are_not_nesting() -> None:
    raw = b'{"a": "[[[\\"[{", "b": [1, 2]}'
    assert repair.shallow(raw) == raw


def test_a_lock_under_any_name_is_read_as_a_lock() -> None:
    document = parse_state(b'{"ID":"x","Who":"a@b","Created":"2026-11-30T14:00:00Z"}', name="whatever")
    assert document.kind is DocumentKind.LOCK
    assert state_shape(document, NOW)["lock"]["age_seconds"] == 3600


def test_the_shape_has_the_promised_keys_in_order_for_every_kind() -> None:
    promised = ["kind", "readable", "format_version", "engine_version", "serial", "lineage", "counts", "ids", "lock", "findings"]
    for raw in (state(), b"", b"{}", b"\x1f\x8b", b"PK\x03\x04", b'{"ID":"1","Who":"x"}', b'{"encrypted_data":"x"}'):
        assert list(state_shape(parse_state(raw), NOW))[: len(promised)] == promised


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
MEMBERS = [
    "version",
    "serial",
    "lineage",
    "resources",
    "outputs",
    "modules",
    "backend",
    "encrypted_data",
    "meta",
    "ID",
    "Who",
    "Created",
]


@given(st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=6), st.sampled_from([0, 1, 3, 4, 5, None]))
def test_no_json_makes_the_reader_fail(document: dict[str, Any], version: int | None) -> None:
    if version is not None:
        document["version"] = version
    for name in ("", "x.tflock", "x.lock.hcl"):
        found = parse_state(json.dumps(document).encode("utf-8", "surrogatepass"), name=name)
        assert found.readable or found.reason
        json.dumps(state_shape(found, NOW))


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"\x1f\x8b", b"\xff\xfe", b"\xef\xbb\xbf", b"{", b'{"version":4,', b"PK\x03\x04", b"<"]),
)
def test_no_bytes_make_the_reader_fail(tail: bytes, head: bytes) -> None:
    for name in ("", "x.tflock", "x.lock.hcl"):
        parse_state(head + tail, name=name)


@given(JSON)
def test_masking_is_stable(value: Any) -> None:
    once = masked(value)
    assert masked(once) == once


@pytest.mark.parametrize("identifier", ["hunter22-hunter22", "https://host/hunter22-hunter22/x", "aHVudGVyMjItaHVudGVyMjI="])
def test_an_identifier_that_repeats_a_sensitive_value_of_its_object_is_not_told(identifier: str) -> None:
    marked = [[{"type": "get_attr", "value": "pin"}]]
    objects = [
        {"attributes": {"id": identifier, "pin": "hunter22-hunter22"}, "sensitive_attributes": marked},
        {"attributes": {"id": "vpc-1", "pin": "hunter22-hunter22"}, "sensitive_attributes": marked, "index_key": 1},
    ]
    resource = {"mode": "managed", "type": "a_b", "name": "c", "provider": "p", "instances": objects}
    raw = json.dumps({"version": 4, "serial": 1, "lineage": "l", "terraform_version": "1.9.0", "resources": [resource]}).encode()

    found = parse_state(raw)

    assert found.ids == ("vpc-1",)
    assert [item.reason for item in found.skipped] == ["id repeats a value that is marked sensitive"]
    assert "hunter22" not in repr(found)
