"""Two states against each other, and the way back to the older one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.errors import ConsoleError
from kumoss_console.model.plan.values import SENSITIVE
from kumoss_console.model.statediff import ChangeKind, RecordedState, diff, plan_restore, recorded
from kumoss_console.model.statediff.history import Moment, history_findings
from kumoss_console.model.statediff.marks import marks
from kumoss_console.text import MASK
from tests.model.state_documents import LINEAGE, compared, document, instance, resource, state


def test_every_kind_of_change_is_told_apart_and_the_gravest_comes_first() -> None:
    before = document(
        resource("gone", instance("a")),
        resource("other", instance("b")),
        resource("here", instance("c")),
        resource("same", instance("d")),
        resource("set", instance("e", attributes={"cidr": "10.0.0.0/16"})),
    )
    after = document(
        resource("new", instance("z")),
        resource("other", instance("b2")),
        resource("there", instance("c"), module="module.net"),
        resource("same", instance("d")),
        resource("set", instance("e", attributes={"cidr": "10.1.0.0/16"})),
        serial=2,
    )

    found = compared(before, after)

    assert [(change.kind.value, change.address) for change in found.changes] == [
        ("removed", "aws_vpc.gone"),
        ("replaced", "aws_vpc.other"),
        ("added", "aws_vpc.new"),
        ("changed", "aws_vpc.set"),
        ("moved", "module.net.aws_vpc.there"),
    ]
    assert found.changes[4].before_address == "aws_vpc.here"
    assert found.unchanged == 1
    (leaf,) = found.changes[3].leaves().leaves
    assert leaf.before is not None
    assert leaf.after is not None
    assert (leaf.name, leaf.before.text, leaf.after.text) == ("cidr", '"10.0.0.0/16"', '"10.1.0.0/16"')
    assert found.differ


def test_instances_are_told_apart_by_their_keys_and_deposed_objects_by_theirs() -> None:
    before = document(resource("it", instance("a", index_key="x"), instance("b", index_key="y")))
    after = document(resource("it", instance("a", index_key="x"), instance("old", index_key="x", deposed="deadbeef")), serial=2)

    found = compared(before, after)

    assert [(change.kind.value, change.address, change.deposed) for change in found.changes] == [
        ("removed", 'aws_vpc.it["y"]', ""),
        ("added", 'aws_vpc.it["x"]', "deadbeef"),
    ]


def test_data_sources_come_after_all_managed_objects_and_do_not_count_as_them() -> None:
    before = document(resource("image", instance("a"), type_="aws_ami", mode="data"))
    after = document(resource("image", instance("b"), type_="aws_ami", mode="data"), resource("vpc", instance("c")), serial=2)

    found = compared(before, after)

    assert [change.address for change in found.changes] == ["aws_vpc.vpc", "data.aws_ami.image"]
    assert found.changes[1].kind is ChangeKind.CHANGED
    assert found.counted()[ChangeKind.CHANGED] == 0


def test_a_sensitive_attribute_is_said_to_change_and_neither_value_is_in_the_difference() -> None:
    path = [[{"type": "get_attr", "value": "token_value"}]]
    before = document(resource("it", instance(attributes={"token_value": "hunter22"}, sensitive_attributes=path)))
    after = document(resource("it", instance(attributes={"token_value": "correct horse"}, sensitive_attributes=path)), serial=2)

    (change,) = compared(before, after).changes
    (leaf,) = change.leaves().leaves

    assert leaf.before is not None
    assert leaf.after is not None
    assert (leaf.name, leaf.before.text, leaf.after.text) == ("token_value", SENSITIVE, SENSITIVE)
    assert "hunter22" not in repr(change)


def test_a_value_that_is_sensitive_on_one_side_alone_is_hidden_on_both() -> None:
    before = document(resource("it", instance(attributes={"note": "hunter22", "size": 1})))
    after = document(
        resource(
            "it",
            instance(attributes={"note": "hunter22", "size": 2}, sensitive_attributes=[[{"type": "get_attr", "value": "note"}]]),
        ),
        serial=2,
    )

    (change,) = compared(before, after).changes

    assert [leaf.name for leaf in change.leaves().leaves] == ["size"]


def test_the_text_of_a_sensitive_output_is_shown_in_no_object() -> None:
    def told(secret: str, serial: int) -> bytes:
        output = {"value": secret, "type": "string", "sensitive": True}
        attributes = {"note": f"login with {secret}", "size": serial}
        return document(resource("it", instance(attributes=attributes)), serial=serial, outputs={"entry": output})

    (change,) = compared(told("Zq7-hunter2-A", 1), told("Zq7-hunter2-B", 2)).changes

    shown = {leaf.name: (leaf.before and leaf.before.text, leaf.after and leaf.after.text) for leaf in change.leaves().leaves}
    assert shown == {"note": (SENSITIVE, SENSITIVE), "size": ("1", "2")}


def test_an_output_named_like_a_secret_is_compared_and_masked() -> None:
    before = document(outputs={"db_password": {"value": "one", "type": "string"}, "url": {"value": "a", "type": "string"}})
    after = document(
        serial=2,
        outputs={"db_password": {"value": "two", "type": "string"}, "url": {"value": "a", "type": "string"}},
    )

    (output,) = compared(before, after).outputs
    (leaf,) = output.leaves().leaves

    assert output.name == "db_password"
    assert leaf.before is not None
    assert leaf.before.text == MASK


def test_the_order_of_members_is_no_difference() -> None:
    before = document(resource("it", instance(attributes={"a": 1, "b": 2})))
    after = document(resource("it", instance(attributes={"b": 2, "a": 1})), serial=9)

    found = compared(before, after)

    assert not found.differ
    assert found.unchanged == 1


@pytest.mark.parametrize(
    ("serials", "lineages", "code"),
    [((1, 2), (LINEAGE, "other"), "state.other_lineage"), ((5, 3), (LINEAGE, LINEAGE), "state.serial_falls")],
)
def test_two_histories_and_a_falling_serial_are_findings(serials: tuple[int, int], lineages: tuple[str, str], code: str) -> None:
    found = compared(document(serial=serials[0], lineage=lineages[0]), document(serial=serials[1], lineage=lineages[1]))

    assert [finding.code for finding in found.findings] == [code]


def test_other_contents_at_one_serial_are_a_finding() -> None:
    found = compared(document(resource("a", instance())), document())

    assert [finding.code for finding in found.findings] == ["state.same_serial"]


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"", "zero bytes"),
        (b'{"version": 4, "serial": 1, "lineage": "x", "resources": [', "JSON"),
        (b'{"serial": 3, "lineage": "x", "meta": {}, "encrypted_data": "abc", "encryption_version": "v0"}', "encryption"),
        (b'{"version": 3, "serial": 1, "lineage": "x", "modules": []}', "format 3"),
    ],
)
def test_what_is_no_state_of_today_is_refused_with_the_reason(raw: bytes, word: str) -> None:
    with pytest.raises(ConsoleError) as refused:
        state(raw, "version 7")

    assert refused.value.code == "state.not_comparable"
    assert refused.value.title.startswith("version 7 cannot be compared")
    assert word in str(refused.value)


def test_a_restore_keeps_the_content_and_takes_the_active_lineage_and_the_next_serial() -> None:
    old = document(resource("it", instance("old", attributes={"big": 12345678901234567890})), serial=3, lineage="first")
    plan = plan_restore(old, state(old, "old"), state(document(serial=41), "active"))

    pushed = json.loads(plan.content.reveal())

    assert (pushed["serial"], pushed["lineage"]) == (42, LINEAGE)
    assert {**pushed, "serial": 3, "lineage": "first"} == json.loads(old)
    assert "12345678901234567890" in plan.content.reveal()
    assert next(finding.code for finding in plan.findings) == "restore.other_lineage"
    assert "old" not in repr(plan.content)


def test_a_restore_names_what_would_be_left_unmanaged_and_what_would_come_back() -> None:
    old = document(resource("back", instance("b")), resource("swap", instance("s1")), serial=3)
    newest = document(resource("added_since", instance("n")), resource("swap", instance("s2")), serial=4)

    plan = plan_restore(old, state(old, "old"), state(newest, "active"))

    assert [(one.before_address, one.before_id) for one in plan.unmanaged] == [
        ("aws_vpc.added_since", "n"),
        ("aws_vpc.swap", "s2"),
    ]
    assert [(one.address, one.after_id) for one in plan.returning] == [("aws_vpc.swap", "s1"), ("aws_vpc.back", "b")]


def test_nothing_is_planned_on_a_state_without_a_lineage_or_at_the_last_serial() -> None:
    old = document(serial=1)
    for newest in (document(serial=2, lineage=""), document(serial=2**64 - 1)):
        with pytest.raises(ConsoleError) as refused:
            plan_restore(old, state(old), state(newest))
        assert refused.value.code == "state.no_base"


def test_a_history_is_judged_in_the_order_of_time_and_passes_over_what_was_not_read() -> None:
    newest_first = [
        Moment(name="v5", serial=2, lineage="b"),
        Moment(name="v4", serial=None, lineage=None),
        Moment(name="v3", serial=1, lineage="a"),
        Moment(name="v2", serial=7, lineage="a"),
    ]

    assert [finding.code for finding in history_findings("k", newest_first)] == [
        "history.serial_falls",
        "history.lineage_changes",
    ]


@pytest.mark.parametrize(
    ("paths", "value", "tree"),
    [
        ([], {"a": 1}, None),
        ([[{"type": "get_attr", "value": "a"}]], {"a": 1}, {"a": True}),
        (
            [[{"type": "get_attr", "value": "m"}, {"type": "index", "value": {"value": "k", "type": "string"}}]],
            {"m": {"k": 1, "l": 2}},
            {"m": {"k": True}},
        ),
        (
            [[{"type": "get_attr", "value": "l"}, {"type": "index", "value": {"value": 0, "type": "number"}}]],
            {"l": ["x", "y"]},
            {"l": True},
        ),
        ([[{"type": "get_attr", "value": "a"}, {"type": "get_attr", "value": "b"}]], {"a": ["not", "an", "object"]}, {"a": True}),
        ([[]], {"a": 1}, True),
        ("nonsense", {"a": 1}, True),
    ],
)
def test_marks_hide_the_deepest_thing_that_a_path_surely_names(paths: Any, value: Any, tree: Any) -> None:
    assert marks(json.dumps(paths).encode() if paths else b"[]", value) == tree


_NAMES = st.sampled_from(["a", "b", "c"])
_STATES = st.dictionaries(_NAMES, st.tuples(st.sampled_from(["1", "2", "3"]), st.integers(0, 2)), max_size=3)


@given(_STATES, _STATES)
def test_a_difference_read_backwards_is_the_difference_of_the_other_order(
    one: dict[str, tuple[str, int]], other: dict[str, tuple[str, int]]
) -> None:
    def built(objects: dict[str, tuple[str, int]], serial: int) -> bytes:
        return document(
            *(resource(name, instance(id_, attributes={"n": n})) for name, (id_, n) in objects.items()), serial=serial
        )

    there, back = compared(built(one, 1), built(other, 2)), compared(built(other, 1), built(one, 2))
    mirror = {ChangeKind.ADDED: ChangeKind.REMOVED, ChangeKind.REMOVED: ChangeKind.ADDED}

    assert there.unchanged == back.unchanged
    assert sorted((mirror.get(c.kind, c.kind).value, c.before_address, c.address) for c in there.changes) == sorted(
        (c.kind.value, c.address, c.before_address) for c in back.changes
    )
    assert there.differ == (one != other)


def test_objects_that_only_changed_their_way_of_counting_have_moved() -> None:
    before = document(resource("it", *(instance(f"i-{key}", index_key=number) for number, key in enumerate("abc"))))
    after = document(resource("it", *(instance(f"i-{key}", index_key=key) for key in "abd")), serial=2)
    found = compared(before, after)
    assert [(change.kind.value, change.before_address, change.address) for change in found.changes] == [
        ("removed", "aws_vpc.it[2]", "aws_vpc.it[2]"),
        ("added", 'aws_vpc.it["d"]', 'aws_vpc.it["d"]'),
        ("moved", "aws_vpc.it[0]", 'aws_vpc.it["a"]'),
        ("moved", "aws_vpc.it[1]", 'aws_vpc.it["b"]'),
    ]


def test_an_identifier_that_two_objects_share_names_neither() -> None:
    found = compared(
        document(resource("a", instance("same")), resource("b", instance("same"))), document(resource("c", instance("same")))
    )
    assert {change.kind.value for change in found.changes} == {"removed", "added"}


def test_another_provider_is_said_though_no_attribute_differs() -> None:
    other = resource("it", instance())
    other["provider"] = 'provider["registry.opentofu.org/hashicorp/aws"].west'
    (change,) = compared(document(resource("it", instance())), document(other, serial=2)).changes
    assert change.kind is ChangeKind.CHANGED
    assert "registry.opentofu.org" in change.notes[0]


def test_what_is_put_into_a_set_is_one_addition_wherever_it_is_sorted_to() -> None:
    before, after = ({"ids": ["b", "c", "d"]}, {"ids": ["a", "b", "c", "d"]})
    found = compared(
        document(resource("it", instance(attributes=before))), document(resource("it", instance(attributes=after)), serial=2)
    )
    (leaf,) = found.changes[0].leaves().leaves
    assert (leaf.sign.value, leaf.after and leaf.after.text) == ("+", '"a"')


@pytest.mark.parametrize(("one", "other"), [("1", "true"), ("0", "false"), ("9007199254740993.5", "9007199254740993.25")])
def test_values_that_python_takes_for_equal_differ_as_the_engines_see_it(one: str, other: str) -> None:
    raw = document(resource("it", instance(attributes={"x": "HERE"})))
    before, after = (raw.replace(b'"HERE"', text.encode()) for text in (one, other))
    assert [change.kind for change in compared(before, after).changes] == [ChangeKind.CHANGED]


@pytest.mark.parametrize("identifier", ["hunter22-hunter22", "prefix/hunter22-hunter22", "aHVudGVyMjItaHVudGVyMjI="])
def test_an_identifier_that_repeats_a_sensitive_value_is_masked_and_still_tells_objects_apart(identifier: str) -> None:
    def state(id_: str) -> RecordedState:
        pin = {"attributes": {"pin": "hunter22-hunter22"}, "sensitive_attributes": [[{"type": "get_attr", "value": "pin"}]]}
        return recorded(document(resource("a", instance(id_, **pin))), label=id_[:3])

    (change,) = diff(state("plain-id"), state(identifier)).changes
    assert change.kind is ChangeKind.REPLACED
    assert (change.before_id, change.after_id) == ("plain-id", MASK)
    (gone,) = diff(state(identifier), recorded(document(), label="none")).changes
    assert gone.before_id == MASK
