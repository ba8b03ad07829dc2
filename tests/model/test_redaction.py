"""What an export holds of a plan: readable as one, without what is marked and without what reads like a secret."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kumoss_console.model.plan import parse_plan
from kumoss_console.model.redaction import redacted_show
from tests.model.plan_documents import document, resource
from tests.model.plan_worlds import FIXTURES

MADE = sorted(path.relative_to(FIXTURES).as_posix() for path in FIXTURES.rglob("*.json"))


@pytest.mark.parametrize("name", MADE)
def test_a_plan_that_left_is_the_same_plan_and_holds_no_secret(name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    left = redacted_show(text)
    assert "hunter2" not in left
    assert parse_plan(left).headline == parse_plan(text).headline
    assert [change.address for change in parse_plan(left).changes] == [change.address for change in parse_plan(text).changes]


def test_what_is_named_like_a_secret_goes_although_nobody_marked_it() -> None:
    change: dict[str, Any] = {"actions": ["create"], "before": None, "after": "by-its-output", "after_sensitive": False}
    text = document(
        resource(before=None, after={"password": "by-its-name", "region": "eu"}), output_changes={"db_password": change}
    ).decode()
    left = redacted_show(text)
    assert "by-its" not in left
    assert json.loads(left)["resource_changes"][0]["change"]["after"]["region"] == "eu"


@pytest.mark.parametrize("text", ["Error: no plan", '[{"password": "x"}]', '{"format_version": "1.2", "variables": {"p"'])
def test_what_is_no_document_stays_here(text: str) -> None:
    assert redacted_show(text).startswith("[left out of the export")
