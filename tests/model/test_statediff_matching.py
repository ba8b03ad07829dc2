"""Which object is which: by what it is before where it lies. And what a restore would let go of, or bring back."""

from __future__ import annotations

import pytest

from kumoss_console.model.statediff import RestorePlan, plan_restore
from tests.model.state_documents import compared, document, instance, resource, state

ARN = "arn:aws:ec2:eu-west-1:123456789012:instance/i-1"


def planned(old: bytes, newest: bytes) -> RestorePlan:
    return plan_restore(old, state(old, "old"), state(newest, "active"))


def told(old: bytes, newest: bytes) -> tuple[list[str | None], list[str | None]]:
    """Identifiers of what would be unmanaged, and of what would come back."""
    plan = planned(old, newest)
    return [one.before_id for one in plan.unmanaged], [one.after_id for one in plan.returning]


def test_where_indexes_were_shifted_the_objects_moved_and_the_one_that_is_gone_was_removed() -> None:
    old = document(resource("c", *(instance(f"i-{n}", index_key=n) for n in range(3))))
    new = document(resource("c", *(instance(f"i-{n + 1}", index_key=n) for n in range(2))), serial=2)

    found = compared(old, new)

    assert [(change.kind.value, change.before_address, change.address) for change in found.changes] == [
        ("removed", "aws_vpc.c[0]", "aws_vpc.c[0]"),
        ("moved", "aws_vpc.c[1]", "aws_vpc.c[0]"),
        ("moved", "aws_vpc.c[2]", "aws_vpc.c[1]"),
    ]
    assert told(old, new) == ([], ["i-0"])
    assert told(new, old) == (["i-0"], [])


def test_an_object_whose_address_was_taken_by_another_one_moved_and_the_other_was_added() -> None:
    old = document(resource("a", instance("i-1")))
    new = document(resource("b", instance("i-1")), resource("a", instance("i-9")), serial=2)

    found = compared(old, new)

    assert [(change.kind.value, change.before_address, change.address) for change in found.changes] == [
        ("added", "aws_vpc.a", "aws_vpc.a"),
        ("moved", "aws_vpc.a", "aws_vpc.b"),
    ]
    assert told(old, new) == (["i-9"], [])
    assert told(new, old) == ([], ["i-9"])


def test_two_objects_that_changed_places_moved() -> None:
    old = document(resource("a", instance("i-1")), resource("b", instance("i-2")))
    new = document(resource("a", instance("i-2")), resource("b", instance("i-1")), serial=2)
    assert [change.kind.value for change in compared(old, new).changes] == ["moved", "moved"]
    assert told(old, new) == ([], [])


def test_a_deposed_object_is_managed_too() -> None:
    old = document(resource("a", instance("i-1")))
    new = document(resource("a", instance("i-2"), instance("i-1", deposed="abcd1234")), serial=2)
    assert told(old, new) == (["i-2"], [])
    assert told(new, old) == ([], ["i-2"])


def test_a_deposed_object_that_the_old_state_does_not_know_would_be_unmanaged() -> None:
    old = document(resource("a", instance("i-1")))
    new = document(resource("a", instance("i-1"), instance("i-0", deposed="abcd1234")), serial=2)
    (gone,) = planned(old, new).unmanaged
    assert (gone.before_id, gone.deposed) == ("i-0", "abcd1234")


@pytest.mark.parametrize(("identifier", "unmanaged"), [("the-hash-of-a-file", ["the-hash-of-a-file"]), (ARN, [])])
def test_an_identifier_that_objects_share_tells_nothing_unless_it_can_only_name_one(
    identifier: str, unmanaged: list[str]
) -> None:
    old = document(resource("a", instance(identifier)))
    new = document(resource("a", instance(identifier)), resource("b", instance(identifier)), serial=2)
    assert told(old, new) == (unmanaged, [])


def test_objects_of_another_type_with_the_same_identifier_are_others() -> None:
    old = document(resource("a", instance("main"), type_="aws_sns_topic"))
    new = document(resource("a", instance("main"), type_="aws_sqs_queue"), serial=2)
    assert told(old, new) == (["main"], ["main"])


def held(identifier: str, name: str = "a", **attributes: str) -> bytes:
    return document(resource(name, instance(identifier, attributes=attributes)))


GROUP = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/RG/providers/Microsoft.Network/virtualNetworks/v"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (held("abc123"), held("abc123", arn="arn:aws:appsync:eu-west-1:111122223333:apis/abc123")),
        (held(GROUP), held(GROUP.replace("/resourceGroups/RG", "/resourcegroups/rg"))),
    ],
    ids=["a provider that learnt to write the ARN", "another case of the letters at Azure"],
)
def test_an_object_that_is_only_called_in_another_way_is_the_same(old: bytes, new: bytes) -> None:
    assert [change.kind.value for change in compared(old, new).changes] == ["changed"]
    assert told(old, new) == told(new, old) == ([], [])


def test_an_object_that_got_an_arn_and_another_address_is_managed_by_both_states() -> None:
    old, new = held("i-0123456789abcdef0"), held("i-0123456789abcdef0", "b", arn=ARN)
    assert [change.kind.value for change in compared(old, new).changes] == ["moved"]
    # An id that may name several objects does not prove a move, nor does it let go of one.
    old, new = held("role:policy"), held("role:policy", "b", arn=ARN)
    assert [change.kind.value for change in compared(old, new).changes] == ["removed", "added"]
    assert told(old, new) == ([], [])


def test_equal_ids_with_two_arns_are_two_objects() -> None:
    old, new = (held("table", arn=f"arn:aws:dynamodb:{region}:111122223333:table/table") for region in ("eu-west-1", "us-east-1"))
    assert [change.kind.value for change in compared(old, new).changes] == ["replaced"]


def test_an_id_that_names_nothing_makes_no_object_of_two() -> None:
    old, new = held("none", "old", result="x"), held("none", "new", result="y")
    assert [change.kind.value for change in compared(old, new).changes] == ["removed", "added"]
    assert told(old, new) == (["none"], ["none"])
    # What is recorded in the same words is the same one.
    assert [change.kind.value for change in compared(old, held("none", "new", result="x")).changes] == ["moved"]
