"""Locks in all their forms, beyond the collection."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.lock import lock_from_metadata, moment, parse_lock, parse_lock_object
from kumoss_console.model.lock.decoding import is_engine_time

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-30T12:00:00Z", NOON),
        ("2026-11-30t12:00:00z", NOON),
        ("2026-11-30T12:00:00.5Z", NOON + timedelta(milliseconds=500)),
        ("2026-11-30T17:30:00+05:30", NOON),
        ("2026-11-30T12:00:00.0000001Z", NOON + timedelta(microseconds=1)),
        ("2026-11-30T11:59:59.9999999Z", NOON),
        ("2026-11-30 12:00:00 +0000 UTC", NOON),
        ("2026-11-30 13:00:00.25 +0100 CET m=+0.1", NOON + timedelta(milliseconds=250)),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01 00:00:00 +0000 UTC", None),
        ("2026-02-30T12:00:00Z", None),
        ("2026-11-30T25:00:00Z", None),
        ("9999-12-31T23:59:59-23:59", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_moments_in_both_spellings_of_go(text: str, expected: datetime | None) -> None:
    assert moment(text) == expected


def lock(**members: object) -> bytes:
    return json.dumps({"ID": "b1f6", "Who": "ops@runner-7", "Created": "2026-11-30T11:00:00Z", **members}).encode()


@pytest.mark.parametrize(
    ("holder", "expected"),
    [
        ("ops@runner-7", ("ops", "runner-7")),
        ("ACME\\jörg@nested@WS-17", ("ACME\\jörg@nested", "WS-17")),
        ("ops", ("ops", "")),
        ("", ("", "")),
    ],
)
def test_user_and_host_are_split_at_the_last_at_sign(holder: str, expected: tuple[str, str]) -> None:
    found = parse_lock(lock(Who=holder)).lock
    assert found is not None
    assert found.user_and_host == expected


def test_a_holder_whose_clock_is_ahead_gives_a_negative_age_and_not_a_wrong_one() -> None:
    found = parse_lock(lock(Created="2026-11-30T12:00:00.5Z")).lock
    assert found is not None
    assert found.age_seconds(NOON) == -1


def test_a_lock_without_an_id_says_that_force_unlock_cannot_name_it() -> None:
    (finding,) = parse_lock(lock(ID="")).findings
    assert finding.code == "lock.no_id"
    assert finding.remedy


def test_an_unknown_member_is_no_fault() -> None:
    assert parse_lock(lock(New={"a": 1})).readable


def test_the_base64_of_blob_metadata_holds_the_same_lock() -> None:
    assert lock_from_metadata(base64.b64encode(lock()).decode()).lock == parse_lock(lock()).lock
    assert lock_from_metadata("é").reason == "metadata is not base64"


def test_a_leased_blob_without_metadata_is_locked_by_somebody_unknown() -> None:
    found = parse_lock(json.dumps({"headers": {"x-ms-lease-status": "locked"}}).encode())
    assert (found.lock, found.reason) == (None, "leased without lock metadata")


def test_boxed_engine_output_is_read_through_its_frame() -> None:
    lines = ["╷", "│ Error: Error acquiring the state lock", "│ ", "│ Lock Info:", "│   ID:        b1f6", "│   Who:       a@b"]
    text = "\n".join([*lines, "│   Created:   2026-11-30 11:00:00 +0000 UTC", "╵", ""])
    found = parse_lock(text.encode()).lock
    assert found is not None
    assert (found.id, found.holder, found.age_seconds(NOON)) == ("b1f6", "a@b", 3600)


@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_fail(raw: bytes) -> None:
    found = parse_lock(raw)
    assert found.readable or found.reason


@pytest.mark.parametrize(
    ("text", "reason", "engine"),
    [
        ('{"ID": "b1f6", "Who": "o', "truncated JSON", "unexpected end of JSON input"),
        ('{"ID": "b1f6", "Who": "\x01"}', "malformed JSON: invalid character", "invalid character"),
        ('{"ID": "b1f6", }', "malformed JSON: trailing comma in object", "invalid character"),
        ('{"ID": "b1f6"} {"ID": "2"}', "malformed JSON: trailing characters", "invalid character"),
        ('{"ID": "b1f6", "a": ' + "[" * 100_000, "JSON that is nested too deep", "exceeded max depth"),
    ],
    ids=["cut off", "a control character", "a comma", "two", "deep"],
)
def test_a_lock_that_was_cut_off_is_told_from_one_that_was_written_wrong(text: str, reason: str, engine: str) -> None:
    found = parse_lock(text.encode())
    assert found.lock is None
    assert found.reason.startswith(reason)
    assert found.engine_error is not None
    assert found.engine_error.endswith(engine)
    assert found.id_hint == "b1f6"
    assert lock_from_metadata(base64.b64encode(text.encode()).decode()).reason == found.reason


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"id": "T", "path": "p"}', "T"),
        ('{"ID": "LAST", "id": "last2"}', "last2"),
        ('{"ID": "a", "iD": null}', "a"),
        ('{"ID": "a", "Created": null}', "a"),
        ("null", ""),
    ],
)
def test_members_are_taken_as_engines_take_them_in_any_case_the_last_one_and_no_null(text: str, named: str) -> None:
    found = parse_lock_object(text.encode()).lock
    assert found is not None
    assert found.id == named


@pytest.mark.parametrize("created", ["yesterday", "", "+0000", "2026-11-30 20:00:00", "2026-11-30T12:00:00z", 1, {"a": 1}])
def test_a_lock_with_a_time_that_engines_do_not_read_is_none_that_can_be_read_and_its_id_is_a_hint(created: object) -> None:
    found = parse_lock_object(lock(Created=created))
    assert (found.lock, found.id_hint, [one.code for one in found.findings]) == (None, "b1f6", ["lock.unreadable"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0000-02-29T00:00:00Z", True),
        ("2026-11-30T12:00:00.5+23:59", True),
        ("2026-02-29T12:00:00Z", False),
        ("2026-11-30T24:00:00Z", False),
        ("2026-11-30T12:00:00,5Z", False),
        ("2026-11-30T12:00:00+24:00", False),
        ("2026-11-30T12:00:00+0000", False),
        ("2026-11-30T12:00:00Z\n", False),
    ],
)
def test_a_time_is_rfc_3339_to_the_letter(text: str, expected: bool) -> None:
    assert is_engine_time(text) is expected


@pytest.mark.parametrize(
    "text",
    ["\ufeff" + lock().decode(), json.dumps([{"LockID": "a", "Info": lock().decode()}]), "Lock Info:\n  ID:  b1f6\n  Who: a@b\n"],
    ids=["a byte order mark", "items of a table", "an engine's words"],
)
def test_a_lock_object_is_the_plain_document_and_no_other_form_of_a_lock(text: str) -> None:
    assert not parse_lock_object(text.encode()).readable
    assert not lock_from_metadata(base64.b64encode(text.encode()).decode()).readable
