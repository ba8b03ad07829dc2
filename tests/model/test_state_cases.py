"""Every document of the collection is read as the engines were seen to read it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.model.identifiers import resource_ids
from kumoss_console.model.lock import parse_lock
from kumoss_console.model.state import StateDocument, parse_state, state_shape

FOLDER = Path(__file__).parent / "fixtures" / "state"
EXPECTED = {path.name.removesuffix(".expected.json"): json.loads(path.read_text()) for path in FOLDER.glob("*.expected.json")}
KIND = {
    "state": "state",
    "damaged-state": "state",
    "empty": "unknown",
    "not-a-state": "unknown",
    "backend-cache": "unknown",
    "compressed": "state",
    "encrypted-state": "encrypted",
    "plan-file": "plan",
    "lock": "lock",
    "dependency-lock": "dependency_lock",
}


def cases(*kinds: str, key: str | None = None) -> pytest.MarkDecorator:
    names = [
        name for name, case in sorted(EXPECTED.items()) if (not kinds or case["kind"] in kinds) and (key is None or key in case)
    ]
    assert names
    return pytest.mark.parametrize("name", names)


def read(name: str) -> StateDocument:
    case = EXPECTED[name]
    raw = (FOLDER / case["file"]).read_bytes()
    return parse_state(raw, name=case["file"])


@cases()
def test_form_and_readability(name: str) -> None:
    document, case = read(name), EXPECTED[name]
    assert (document.form.value, document.kind.value) == (case["kind"], KIND[case["kind"]])
    assert document.readable is case["readable"]


@cases()
def test_every_document_that_cannot_be_read_says_why_and_what_to_do(name: str) -> None:
    document = read(name)
    if document.readable:
        return
    assert document.reason
    assert document.findings[0].message
    assert document.findings[0].remedy


@cases(key="engine_error")
def test_what_the_engine_says_of_it(name: str) -> None:
    document, case = read(name), EXPECTED[name]
    if case["engine_error"] is None:
        assert document.engine_error is None
    else:
        assert all(re.search(part, document.engine_error or "") for part in case["engine_error"].split("|"))


@cases("state", key="counts")
def test_versions_counts_and_identifiers_of_a_state(name: str) -> None:
    document, case = read(name), EXPECTED[name]
    assert document.counts is not None
    assert asdict(document.counts) == case["counts"]
    assert list(document.ids) == case["ids"]
    assert list(document.ids_only_from_deposed) == case["ids_only_from_deposed"]
    assert [asdict(item) for item in document.skipped] == case["skipped"]
    assert document.format_version == case["format_version"]
    assert document.engine_version == case["terraform_version"]
    assert (document.serial, document.lineage) == (case["serial"], case["lineage"])


@pytest.mark.parametrize("name", [name for name in sorted(EXPECTED) if name.startswith("s")])
def test_what_is_legible_of_a_state_that_cannot_be_read(name: str) -> None:
    document, case = read(name), EXPECTED[name]
    assert list(document.ids) == case["ids"]
    for key in ("ids_best_effort", "ids_after_repair", "ids_after_decompression"):
        if key in case:
            assert list(document.recovered_ids) == case[key]
    told = case | case.get("hints", {})
    for key, value in (("serial", document.serial), ("lineage", document.lineage), ("version", document.format_version)):
        if key in told:
            assert value == told[key]
    for key in ("encryption_version",):
        if key in case:
            assert document.encryption_version == case[key]
    if "key_providers" in case:
        assert list(document.key_providers) == case["key_providers"]
    if "backend" in case:
        assert document.backend is not None
        assert (document.backend.type, dict(document.backend.config)) == (case["backend"]["type"], case["backend"]["config"])


@cases("lock", key="lock")
def test_a_lock_and_its_age(name: str) -> None:
    document, case = read(name), EXPECTED[name]
    now = datetime.fromisoformat(case["now"])
    shown = state_shape(document, now)["lock"]
    age = shown.pop("age_seconds")
    expected: dict[str, Any] = dict(case["lock"])
    assert age == expected.pop("age_seconds_at_now")
    assert shown == expected
    assert document.lock is not None
    for key, value in (("digest", document.lock.digest), ("lease", document.lock.lease)):
        assert value == case.get(key)
    assert document.lock.lock is not None
    assert document.lock.lock.workspace == case.get("workspace")


@cases("lock", key="reason")
def test_a_lock_that_cannot_be_read_still_locks(name: str) -> None:
    document, case = read(name), EXPECTED[name]
    assert document.lock is not None
    assert document.lock.lock is None
    assert document.lock.reason == case["reason"]
    assert document.lock.id_hint == case.get("lock_id_hint")
    assert "locks the state all the same" in document.findings[0].message


@pytest.mark.parametrize(
    "name", ["l11-dynamodb-items", "l12-azurerm-metadata", "l14-azurerm-bad-base64", "l16-lock-info-from-stderr"]
)
def test_a_lock_is_known_by_its_content_and_read_as_its_adapter_reads_it(name: str) -> None:
    raw = (FOLDER / EXPECTED[name]["file"]).read_bytes()
    for called in ("", "old.tfstate", EXPECTED[name]["file"]):
        assert parse_state(raw, name=called).lock == parse_lock(raw)


@pytest.mark.parametrize(
    "text",
    [
        '[{"LockID": {"S": "b/k-md5"}, "Digest": {"S": "00"}}]',
        "[]",
        "[1]",
        '{"headers": {"x-ms-lease-status": "unlocked"}}',
        '{"headers": {}}',
        "Lock Info:\n  Path: x\n",
        '{"LockID": 5, "Info": "x"}',
    ],
)
def test_what_only_resembles_a_lock_is_none(text: str) -> None:
    assert parse_state(text.encode()).lock is None


@cases("dependency-lock")
def test_the_providers_a_dependency_lock_pins(name: str) -> None:
    assert [asdict(provider) for provider in read(name).providers] == EXPECTED[name]["providers"]


@cases(key="reason")
def test_the_reason_is_the_one_that_was_seen(name: str) -> None:
    if EXPECTED[name]["kind"] in {"damaged-state", "compressed"}:
        return
    assert read(name).reason == EXPECTED[name]["reason"]


@cases("state", key="counts")
def test_identifiers_agree_with_the_rule_the_service_follows(name: str) -> None:
    document = read(name)
    if document.format_version != 4 or name in {"s53-deep-nesting", "s13-attributes-flat"}:
        return  # engines hand the service format 4 only, and no flat attributes
    raw = (FOLDER / EXPECTED[name]["file"]).read_bytes()
    assert document.ids == resource_ids(json.loads(raw.decode(errors="replace")))


def test_no_secret_of_a_state_is_in_anything_the_model_gives_out() -> None:
    now = datetime.fromisoformat("2026-11-30T15:00:00Z")
    for name in ("s06-sensitive-attributes", "s23-v3-legacy"):
        document = read(name)
        for text in (repr(document), json.dumps(state_shape(document, now))):
            assert not [secret for secret in ("not-a-real-password", "not-real", "bm90aGluZw==") if secret in text]


@cases("state", key="counts")
def test_addresses_are_those_the_engine_lists(name: str) -> None:
    document, listed = read(name), EXPECTED[name]["engine_observed"]["addresses"]
    if name == "s49-opentofu-instance-provider":
        assert not listed
        assert "state.provider_on_instances" in [finding.code for finding in document.findings]
        return
    found = {row.address for resource in document.resources for row in resource.instances}
    assert found == set(listed)
