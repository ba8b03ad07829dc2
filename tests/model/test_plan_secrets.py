"""No sensitive value of a plan is kept, shown or copied; that it changes is still told."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kumoss_console.model.plan import Change, diff, shape, words
from tests.model.plan_documents import change_of, diff_of, made, plan, resource

SECRET = "hunter2-before"


def everything(change: Change) -> str:
    """All that can be read from a change, what its values hold included."""
    shown = [words(leaf) + leaf.note + str(leaf.lines) for leaf in diff(change, unchanged=True).leaves]
    return "\n".join([*shown, repr(change.values.open()), repr(change)])


@pytest.mark.parametrize("world", ["mixed", "destroy"])
def test_no_marked_value_survives_the_reading(world: str) -> None:
    read = made(world)
    for change in read.changes:
        # The engine repeats a sensitive input as a plain output, without a mark.
        assert "hunter2" not in everything(change)
    for output in read.outputs:
        assert "hunter2" not in repr(output.values.open())


def test_a_marked_value_that_changes_is_told_without_either_value() -> None:
    leaves = {leaf.name: leaf for leaf in diff(change_of(made("mixed"), "terraform_data.secret")).leaves}
    assert words(leaves["input.password"]) == "(sensitive value) → (sensitive value)"
    assert leaves["input.user"].before is not None
    assert leaves["input.user"].before.text == '"app"'


def test_a_marked_value_that_stays_is_no_change_even_where_the_mark_goes() -> None:
    found = diff(change_of(made("mixed"), "terraform_data.secret_untouched"))
    assert "input.password" not in [leaf.name for leaf in found.leaves]


def test_copies_of_a_marked_value_are_hidden_with_it() -> None:
    url = f"postgres://app:{SECRET}@db/x"
    change = plan(
        resource(
            before={"password": SECRET, "copy": SECRET, "url": url, "list": [SECRET], "user": "app"},
            after={"password": "another-one", "copy": "another-one", "url": url, "list": [SECRET], "user": "app"},
            before_sensitive={"password": True},
            after_sensitive={"password": True},
        )
    ).changes[0]
    assert SECRET not in everything(change)
    assert "another-one" not in everything(change)
    assert [leaf.name for leaf in diff(change).leaves] == ["copy", "password"]


def test_a_short_marked_value_hides_no_word_that_happens_to_hold_it() -> None:
    found = diff_of({"pin": "app"}, {"pin": "app", "note": "an application"}, after_sensitive={"pin": True})
    assert [words(leaf) for leaf in found.leaves] == ['"an application"']


def test_a_whole_object_marked_sensitive_is_one_hidden_value() -> None:
    found = diff_of(
        {"s": {"a": "one-secret", "b": 1}},
        {"s": {"a": "one-secret", "b": 2}},
        before_sensitive={"s": True},
        after_sensitive={"s": True},
    )
    assert [(leaf.name, words(leaf)) for leaf in found.leaves] == [("s", "(sensitive value) → (sensitive value)")]


@pytest.mark.parametrize("marks", [True, {"s": [True, False]}, {"s": [False, {"deep": True}]}])
def test_marks_reach_into_lists_and_whole_resources(marks: Any) -> None:
    values = {"s": ["first-secret", {"deep": "second-secret"}]}
    change = plan(resource(actions=("create",), before=None, after=values, after_sensitive=marks)).changes[0]
    shown = everything(change)
    if marks is True or marks == {"s": [True, False]}:
        assert "first-secret" not in shown
    if marks is True or marks == {"s": [False, {"deep": True}]}:
        assert "second-secret" not in shown


def test_what_is_named_like_a_secret_is_masked_without_any_mark() -> None:
    found = diff_of({"db": {"password": "old", "size": 1}}, {"db": {"password": "new", "size": 2}})
    assert [(leaf.name, words(leaf)) for leaf in found.leaves] == [
        ("db.password", "******** → ********"),
        ("db.size", "1 → 2"),
    ]


def test_an_output_named_like_a_secret_is_masked_without_any_mark() -> None:
    read = plan(output_changes={"db_password": {"actions": ["update"], "before": "s3cr3t-1", "after": "s3cr3t-2"}})
    output = read.outputs[0]
    assert [words(leaf) for leaf in diff(output).leaves] == ["******** → ********"]
    assert "s3cr3t" not in str(shape(output))


def test_the_document_that_is_copied_is_masked_like_the_lines() -> None:
    for change in made("mixed").changes:
        assert "hunter2" not in str(shape(change))


def test_secrets_inside_json_and_lines_are_masked_too() -> None:
    found = diff_of(
        {"doc": '{"client_secret":"s3cr3t-1"}', "script": "set -e\nexport PASSWORD=s3cr3t-1\n"},
        {"doc": '{"client_secret":"s3cr3t-2"}', "script": "set -e\nexport PASSWORD=s3cr3t-2\n"},
    )
    shown = "".join(words(leaf) + str(leaf.lines) for leaf in found.leaves)
    assert len(found.leaves) == 2
    assert "s3cr3t" not in shown


def test_variables_and_the_copies_of_the_values_elsewhere_are_never_read() -> None:
    read = plan(resource(), variables={"p": {"value": SECRET}}, prior_state={"values": {"p": SECRET}})
    assert SECRET not in repr(read)


def test_what_nests_beyond_reason_beside_a_mark_is_hidden_whole() -> None:
    deep: Any = SECRET
    for _ in range(300):
        deep = [deep]
    change = plan(
        resource(actions=("create",), before=None, after={"d": deep, "s": "x-secret"}, after_sensitive={"s": True})
    ).changes[0]
    assert SECRET not in everything(change)


def test_the_values_of_a_plan_do_not_travel() -> None:
    with pytest.raises(TypeError):
        pickle.dumps(made("create").changes[0])
