"""What changes inside a resource: leaf by leaf, with what forces a replacement and what is not known yet."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kumoss_console.model.plan import Sign, diff, parse_plan, words
from kumoss_console.model.plan.leaves import MOST_LEAVES
from kumoss_console.model.plan.values import LONGEST
from tests.model.plan_documents import change_of, diff_of, made, plan, resource


def lines(before: Any, after: Any, **rest: Any) -> list[str]:
    return [f"{leaf.sign} {leaf.name} {words(leaf)}" for leaf in diff_of(before, after, **rest).leaves]


def test_only_what_changes_is_listed_and_the_rest_counted() -> None:
    found = diff(change_of(made("mixed"), "terraform_data.updated"))
    assert [f"{leaf.sign} {leaf.name} {words(leaf)}" for leaf in found.leaves[:3]] == [
        "~ input.size 1 → 2",
        '+ input.tags.cost "42"',
        '- input.tags.env "prod" → null',
    ]
    assert found.leaves[3].unknown
    assert found.same == 3


def test_what_stays_is_listed_when_asked_for() -> None:
    found = diff_of({"a": 1, "b": 2}, {"a": 1, "b": 3}, unchanged=True)
    assert [(leaf.name, leaf.sign) for leaf in found.leaves] == [("a", Sign.SAME), ("b", Sign.CHANGE)]
    assert found.same == 1


def test_what_forces_the_replacement_is_marked_at_the_attribute() -> None:
    read = made("mixed")
    forcing = [leaf.name for leaf in diff(change_of(read, "terraform_data.replaced")).leaves if leaf.forces]
    assert forcing == ["triggers_replace[0]"]
    forcing = [leaf.name for leaf in diff(change_of(read, "terraform_data.replaced_create_first")).leaves if leaf.forces]
    assert forcing == ["triggers_replace.release"]
    assert not any(leaf.forces for leaf in diff(change_of(read, "terraform_data.triggered")).leaves)


def test_a_forcing_path_without_a_leaf_of_its_own_is_not_lost() -> None:
    found = diff_of({"a": 1, "set": ["x"]}, {"a": 2, "set": ["x"]}, replace_paths=[["a"], ["set"]])
    assert [leaf.name for leaf in found.leaves if leaf.forces] == ["a"]
    assert found.forced_by == ("set",)


def test_values_not_known_yet_are_said_in_the_engines_words() -> None:
    assert lines({"id": "i-1"}, {}, after_unknown={"id": True, "arn": True}) == [
        "+ arn (known after apply)",
        '~ id "i-1" → (known after apply)',
    ]


def test_an_unknown_element_of_a_list_is_one_leaf() -> None:
    second = change_of(made("create"), "terraform_data.second")
    names = [(leaf.name, leaf.unknown) for leaf in diff(second).leaves]
    assert ("input.list[0]", True) in names
    assert ("input.list[1]", False) in names


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (["a", "b", "c"], ["new", "a", "b", "c"], ['+ l[0] "new"']),
        (["a", "b", "c"], ["a", "c"], ['- l[1] "b" → null']),
        (["a", "b"], ["a", "x"], ['~ l[1] "b" → "x"']),
        ([{"p": 1}, {"p": 3}], [{"p": 3}, {"p": 1}], ["+ l[0].p 3", "- l[1].p 3 → null"]),
        ([], ["a"], ['+ l[0] "a"']),
        (["a"], [], ['- l[0] "a" → null']),
    ],
)
def test_an_insertion_into_a_list_is_one_line(before: Any, after: Any, expected: list[str]) -> None:
    assert lines({"l": before}, {"l": after}) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, {}, ["+ v {}"]),
        ({}, None, ["- v {} → null"]),
        ({}, [], ["~ v {} → []"]),
        ({}, {}, []),
        (None, None, []),
        ("1", 1, ['~ v "1" → 1']),
        (True, False, ["~ v true → false"]),
        ({"a": 1}, "text", ['~ v {"a":1} → "text"']),
        (0.1, 0.10, []),
        (12345678901234567890123, 12345678901234567890124, ["~ v 12345678901234567890123 → 12345678901234567890124"]),
    ],
)
def test_kinds_of_values_are_never_confused(before: Any, after: Any, expected: list[str]) -> None:
    assert lines({"v": before}, {"v": after}) == expected


def test_numbers_that_differ_beyond_a_double_are_a_change() -> None:
    raw = b'{"format_version":"1.2","resource_changes":[{"address":"t.x","change":{"actions":["update"],"before":{"v":0.1},'
    raw += b'"after":{"v":0.10000000000000000001}}}]}'
    assert [words(leaf) for leaf in diff(parse_plan(raw).changes[0]).leaves] == ["0.1 → 0.10000000000000000001"]


def test_a_text_that_is_json_is_compared_inside() -> None:
    before, after = ({"Statement": [{"Effect": effect, "Action": "s3:*"}]} for effect in ("Allow", "Deny"))
    assert lines({"policy": json.dumps(before)}, {"policy": json.dumps(after)}) == [
        '~ jsondecode(policy).Statement[0].Effect "Allow" → "Deny"'
    ]
    created = diff(plan(resource(actions=("create",), before=None, after={"policy": json.dumps(after)})).changes[0])
    assert [leaf.name for leaf in created.leaves] == [
        "jsondecode(policy).Statement[0].Action",
        "jsondecode(policy).Statement[0].Effect",
    ]


def test_json_that_only_changes_its_whitespace_says_so() -> None:
    found = diff_of({"p": '{"a":1}'}, {"p": '{ "a": 1 }'})
    assert [(leaf.name, leaf.note) for leaf in found.leaves] == [("p", "only the whitespace of the JSON changes")]


def test_a_text_of_several_lines_shows_the_lines_that_change() -> None:
    found = diff(change_of(made("mixed"), "terraform_data.lists"))
    script = next(leaf for leaf in found.leaves if leaf.name == "input.script")
    assert [(line.sign, line.text) for line in script.lines] == [
        ("…", ""),
        (" ", "set -e"),
        ("-", "echo before"),
        ("+", "echo after"),
        (" ", "exit 0"),
    ]


def test_what_is_forgotten_loses_no_attribute() -> None:
    found = diff(made("forget_only").changes[0])
    assert (found.leaves, found.same) == ((), 3)


def test_a_moved_resource_has_nothing_but_what_stays() -> None:
    found = diff(made("move_only").changes[0])
    assert (found.leaves, found.same) == ((), 3)


def test_an_output_has_one_leaf_without_a_name() -> None:
    found = {output.name: diff(output).leaves for output in made("mixed").outputs}
    assert [(leaf.name, words(leaf)) for leaf in found["plain"]] == [("", "1 → 2")]
    assert [leaf.unknown for leaf in found["later"]] == [True]


def test_a_huge_value_is_cut_and_says_by_how_much() -> None:
    leaf = diff_of({"v": "a" * 3_000_000}, {"v": "b"}).leaves[0]
    assert leaf.before is not None
    assert (len(leaf.before.text), leaf.before.cut) == (LONGEST + 2, 3_000_000 - LONGEST)


def test_more_leaves_than_anybody_reads_are_counted() -> None:
    found = diff_of({}, {f"k{number:05}": number for number in range(MOST_LEAVES + 17)})
    assert (len(found.leaves), found.left_out) == (MOST_LEAVES, 17)


def test_two_long_lists_are_compared_in_bearable_time() -> None:
    found = diff_of({"l": list(range(0, 20_000, 2))}, {"l": list(range(1, 20_001, 2))})
    assert len(found.leaves) + found.left_out == 10_000


def test_names_that_are_no_identifiers_are_quoted() -> None:
    assert lines({}, {"a b": {'c"d': 1}, "e.f": {"0": 2}}) == ['+ ["a b"]["c\\"d"] 1', '+ ["e.f"]["0"] 2']
