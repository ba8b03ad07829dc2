"""What is not a plan is refused with what it is and what to do instead."""

from __future__ import annotations

import json

import pytest

from kumoss_console.errors import BadAnswer
from kumoss_console.model.plan import parse_plan
from tests.hostile import HOSTILE
from tests.model.plan_documents import document, resource
from tests.model.plan_worlds import FIXTURES


def refusal(raw: bytes | str) -> BadAnswer:
    with pytest.raises(BadAnswer) as caught:
        parse_plan(raw)
    return caught.value


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "plan.empty"),
        (" \n", "plan.empty"),
        (b"PK\x03\x04 and so on", "plan.not_json"),
        (b"Terraform used the selected providers", "plan.not_json"),
        (b"\xff\xfe{\x00", "plan.not_json"),
        (b"null", "plan.not_a_plan"),
        (b"[]", "plan.not_a_plan"),
        (b"{}", "plan.not_a_plan"),
        (b'{"format_version": 1}', "plan.not_a_plan"),
        (b'{"format_version": "new"}', "plan.not_a_plan"),
        (b'{"format_version": "1.0"}', "plan.not_a_plan"),
        (b'{"format_version": "1.0", "terraform_version": "1.9.0", "values": {}}', "plan.not_a_plan"),
        (b'{"version": 4, "serial": 3, "lineage": "x"}', "plan.not_a_plan"),
        (b'{"@level":"info","@message":"Terraform 1.11.4"}\n{"@level":"info"}\n', "plan.not_a_plan"),
        (b'{"format_version": "1.2", "planned_values": {}} trailing', "plan.not_json"),
        (b'{"format_version": "1.2", "resource_changes": [{"address": "t.x"}]}', "plan.malformed"),
        (b'{"format_version": "1.2", "resource_changes": {}}', "plan.malformed"),
        (b'{"format_version": "1.2", "planned_values": {}, "output_changes": []}', "plan.malformed"),
        (b'{"format_version": "1.2", "planned_values": {}, "checks": [1]}', "plan.malformed"),
    ],
)
def test_each_kind_of_wrong_document_has_its_own_words(raw: bytes | str, code: str) -> None:
    error = refusal(raw)
    assert error.code == code
    assert error.hint


@pytest.mark.parametrize("version", ["2.0", "2.0-beta", "10.1", "99999999999999999999999.0"])
def test_a_newer_major_format_is_refused_however_well_the_rest_reads(version: str) -> None:
    error = refusal(json.dumps({"format_version": version, "resource_changes": "another shape"}))
    assert error.code == "plan.format_too_new"
    assert version[:30] in error.title
    assert "Upgrade" in error.hint


@pytest.mark.parametrize("version", ["0.2", "1.0", "1.1", "1.2", "1.99"])
def test_every_format_of_the_known_major_is_read(version: str) -> None:
    raw = document(resource(), field_of_tomorrow={"a": 1}, format_version=version)
    assert parse_plan(raw).format_version == version


@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9, 0.999])
def test_a_plan_that_was_cut_off_is_never_read_as_far_as_it_goes(share: float) -> None:
    whole = (FIXTURES / "mixed.json").read_bytes()
    error = refusal(whole[: int(len(whole) * share)])
    assert error.code == "plan.truncated"
    assert "Run show again" in error.hint


@pytest.mark.parametrize("text", HOSTILE)
def test_an_error_never_carries_what_a_terminal_would_obey(text: str) -> None:
    for error in (refusal(text), refusal(json.dumps({"format_version": f"7.{text}"}))):
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in str(error))
        assert len(str(error)) < 1_000


def test_nesting_beyond_reason_is_cut_and_does_not_end_the_program() -> None:
    deep = b"[" * 5_000 + b"]" * 5_000
    raw = document(resource("t.deep")).replace(b'"actions"', b'"after": ' + deep + b', "actions"')
    assert parse_plan(raw).changes[0].address == "t.deep"
