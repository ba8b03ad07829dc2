"""Keys of maps are shown everywhere: those that repeat a marked value are not, on no surface."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from kumoss_console.model.plan.leaves import diff as opened
from kumoss_console.model.state import parse_state
from kumoss_console.model.state.inside import Inside
from kumoss_console.model.state.leaves import members
from kumoss_console.model.state.raw import document_pieces
from kumoss_console.model.statediff.diff import diff
from kumoss_console.model.statediff.recorded import recorded
from kumoss_console.text import MASK
from tests.model.plan_documents import plan
from tests.model.plan_documents import resource as planned
from tests.model.test_state import instance, resource, state

SECRET = "hunter2-Fjord-A"
MARKS = [[{"type": "get_attr", "value": "password"}]]
KEYS = [SECRET, f"pre-{SECRET}", SECRET.lower(), base64.b64encode(SECRET.encode()).decode()]


def keyed(key: str, value: str, **more: Any) -> bytes:
    attributes = {"id": "db", "password": SECRET, "labels": {key: value, "team": "a", **more}}
    return state(resource(instance(attributes=attributes, sensitive_attributes=MARKS)))


@pytest.mark.parametrize("key", KEYS)
def test_a_key_that_repeats_a_marked_value_is_shown_nowhere(key: str) -> None:
    raw = keyed(key, "on")
    document, inside = parse_state(raw), Inside(raw)
    held = inside.object("aws_vpc.v", 0)
    assert held is not None
    labels = held.values()["labels"]
    assert labels == {MASK: "on", "team": "a"}
    assert held.reveal(("labels", MASK)) is None
    assert key not in "".join(document_pieces(inside.text, document))
    changes = diff(recorded(raw, label="before"), recorded(keyed(key, "off"), label="after")).changes
    told = [(leaf.name, leaf.before and leaf.before.text, leaf.after and leaf.after.text) for leaf in changes[0].leaves().leaves]
    assert len(told) == 1
    assert key not in str(told)
    assert told[0][1:] == ('"on"', '"off"')


def test_two_keys_that_are_hidden_stay_two() -> None:
    held = Inside(keyed(SECRET, "1", **{f"{SECRET}-b": "2"})).object("aws_vpc.v", 0)
    assert held is not None
    labels = held.values()["labels"]
    assert sorted(labels.values()) == ["1", "2", "a"]
    rows = [row for row in members(labels) if row.name.startswith(MASK)]
    assert len(rows) == 2
    assert all(held.reveal(("labels", row.name)) is None for row in rows)


def test_names_of_attributes_stay_where_nothing_repeats_them() -> None:
    held = Inside(keyed("master_username", "x")).object("aws_vpc.v", 0)
    assert held is not None
    assert held.values()["labels"] == {"master_username": "x", "team": "a"}


def test_a_plan_hides_such_keys_in_what_is_unknown_and_in_what_forces_a_replacement() -> None:
    made = plan(
        planned(
            actions=("delete", "create"),
            before={"password": SECRET, "labels": {SECRET: "on"}},
            after={"password": SECRET, "labels": {}},
            after_unknown={"labels": {SECRET: True}},
            before_sensitive={"password": True},
            after_sensitive={"password": True},
            replace_paths=[["labels", SECRET]],
        )
    )
    (found,) = made.changes
    shown = opened(found)
    assert SECRET not in str(found.replace_paths)
    assert [(leaf.forces, leaf.unknown) for leaf in shown.leaves] == [(True, True)]
    assert SECRET not in shown.leaves[0].name
    assert shown.forced_by == ()
