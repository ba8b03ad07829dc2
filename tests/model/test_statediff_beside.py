"""What differs beside the values of objects is a difference, and is named."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from kumoss_console.model.statediff import ChangeKind
from tests.model.state_documents import compared, document, instance, resource

MARKS = [[{"type": "get_attr", "value": "pin"}]]
SECRET = "hunter22-hunter22"


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ({"dependencies": ["aws_vpc.a"]}, {"dependencies": ["aws_vpc.b"]}, "dependencies: + aws_vpc.b, - aws_vpc.a"),
        ({}, {"create_before_destroy": True}, "create_before_destroy false → true"),
        ({"schema_version": 0}, {"schema_version": 2}, "schema version 0 → 2"),
        ({"private": "aHVudGVyMjI="}, {"private": "b3RoZXI="}, "what the provider keeps for itself differs"),
        ({"sensitive_attributes": MARKS}, {"sensitive_attributes": []}, "other attributes are marked sensitive"),
        ({"identity": {"id": "a"}}, {"identity": {"id": "b"}}, "identity differs"),
        ({"something_new": 1}, {"something_new": 2}, "something_new differs"),
    ],
)
def test_a_member_of_an_object_that_differs_is_a_note_on_it_in_both_directions(
    before: dict[str, Any], after: dict[str, Any], note: str
) -> None:
    one, other = document(resource("it", instance(**before))), document(resource("it", instance(**after)), serial=2)
    (change,) = compared(one, other).changes
    (back,) = compared(other, one).changes
    assert (change.kind, change.notes) == (ChangeKind.CHANGED, (note,))
    assert len(back.notes) == 1
    assert "aHVudGVyMjI" not in repr(change)
    assert compared(one, other).differ


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"dependencies": ["aws_vpc.a", "aws_vpc.b"]}, {"dependencies": ["aws_vpc.b", "aws_vpc.a"]}),
        ({"dependencies": []}, {}),
        ({"create_before_destroy": False}, {}),
        ({"private": "bnVsbA=="}, {"private": ""}),
        ({"identity": {"a": 1, "b": 2}}, {"identity": {"b": 2, "a": 1}}),
        ({"status": ""}, {}),
    ],
)
def test_two_ways_to_write_the_same_are_no_difference(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = compared(document(resource("it", instance(**before))), document(resource("it", instance(**after)), serial=2))
    assert (found.changes, found.differ, found.unchanged) == ((), False, 1)


def test_many_dependencies_are_counted_and_some_are_named() -> None:
    before = document(resource("it", instance(dependencies=[f"aws_vpc.n{number}" for number in range(8)])))
    (change,) = compared(before, document(resource("it", instance()), serial=2)).changes
    assert change.notes[0].endswith("- aws_vpc.n4 and 3 more")


def check(status: str, message: str = "it holds hunter22") -> dict[str, Any]:
    objects = [{"object_addr": "check.web", "status": status, "failure_messages": [message]}]
    return {"object_kind": "check", "config_addr": "check.web", "status": status, "objects": objects}


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ({"terraform_version": "1.9.0"}, {"terraform_version": "1.11.4"}, "written by engine 1.9.0 → 1.11.4"),
        ({"check_results": [check("pass")]}, {"check_results": [check("fail")]}, "check results: check.web pass → fail"),
        ({"check_results": None}, {"check_results": [check("pass")]}, "check results: check.web absent → pass"),
        (
            {"check_results": [check("fail")]},
            {"check_results": [check("fail", "other")]},
            "check results: check.web fail as before, for other reasons",
        ),
        ({}, {"from_a_later_engine": [1]}, "from_a_later_engine differs"),
    ],
)
def test_what_differs_beside_objects_and_outputs_is_named_without_values(
    before: dict[str, Any], after: dict[str, Any], note: str
) -> None:
    found = compared(document(**before), document(serial=2, **after))
    assert (found.changes, found.outputs, found.notes, found.differ) == ((), (), (note,), True)
    assert "hunter22" not in note


def test_an_output_that_only_becomes_sensitive_or_of_another_type_is_named() -> None:
    before = document(outputs={"a": {"value": "x", "type": "string"}, "b": {"value": [], "type": ["list", "string"]}})
    after = document(
        serial=2,
        outputs={"a": {"value": "x", "type": "string", "sensitive": True}, "b": {"value": [], "type": ["set", "string"]}},
    )
    assert [(output.name, output.notes) for output in compared(before, after).outputs] == [
        ("a", ("sensitive now",)),
        ("b", ("type differs",)),
    ]


@pytest.mark.parametrize(("one", "other"), [(True, 1), ([True, 1], [1, True]), ('{"a": true}', '{"a": 1}')])
def test_a_value_of_another_type_shows_beside_another_attribute_that_changed(one: Any, other: Any) -> None:
    before = document(resource("it", instance(attributes={"x": one, "n": 1})))
    after = document(resource("it", instance(attributes={"x": other, "n": 2})), serial=2)
    (change,) = compared(before, after).changes
    assert {leaf.name == "n" for leaf in change.leaves().leaves} == {True, False}


def test_what_is_null_on_one_side_and_absent_on_the_other_is_a_change_without_a_leaf() -> None:
    (change,) = compared(
        document(resource("it", instance(attributes={"x": None}))), document(resource("it", instance()), serial=2)
    ).changes
    assert (change.kind, change.notes, change.leaves().leaves) == (ChangeKind.CHANGED, (), ())


@pytest.mark.parametrize(
    "copy",
    [
        SECRET,
        SECRET.upper(),
        base64.b64encode(SECRET.encode()).decode(),
        f"x{base64.b64encode(b'ab' + SECRET.encode()).decode()}",
        SECRET[:12],
    ],
    ids=["as it is", "other case", "base64", "inside base64", "cut off"],
)
def test_copies_of_a_marked_value_are_hidden_in_a_difference_as_they_are_when_a_state_is_shown(copy: str) -> None:
    def built(serial: int, text: str) -> bytes:
        attributes = {"pin": SECRET, "note": text, "tags": {SECRET: f"{serial}"}}
        return document(resource("it", instance(attributes=attributes, sensitive_attributes=MARKS)), serial=serial)

    (change,) = compared(built(1, copy), built(2, "nothing")).changes
    shown = json.dumps([(leaf.name, leaf.before and leaf.before.text, leaf.lines) for leaf in change.leaves().leaves])
    assert [leaf.name for leaf in change.leaves().leaves if leaf.name == "note"]
    assert copy not in shown
    assert SECRET not in shown
