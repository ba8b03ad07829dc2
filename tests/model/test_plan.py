"""Plans that an engine made, read as an operator needs them."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from kumoss_console.model.plan import Action, Plan, parse_plan
from tests.hostile import HOSTILE
from tests.model.plan_documents import change_of, document, human, made, plan, resource
from tests.model.plan_generated import generated
from tests.model.plan_worlds import FIXTURES, WORLDS


@pytest.mark.parametrize("world", WORLDS)
def test_the_counts_are_those_of_the_engines_own_line(world: str) -> None:
    lines = [line for line in human(world).splitlines() if line.startswith("Plan:")]
    read = made(world)
    assert [read.headline] == lines or (not lines and not read.changes)


@pytest.mark.parametrize(
    ("world", "headline"), [("nothing", "No changes."), ("outputs_only", "Only outputs change."), ("errored", None)]
)
def test_a_plan_without_a_line_of_the_engine_says_what_it_is(world: str, headline: str | None) -> None:
    read = made(world)
    if headline is not None:
        assert read.headline == headline
    assert read.errored is (world == "errored")


def test_a_plan_that_failed_before_its_first_change_says_so() -> None:
    assert plan(errored=True).headline == "Planning failed before anything could be planned."


def test_what_is_lost_comes_first_and_what_stays_is_only_counted() -> None:
    read = made("mixed")
    order = [change.action for change in read.changes]
    assert order == sorted(order, key=list(Action).index)
    assert list(dict.fromkeys(order)) == [
        Action.DELETE,
        Action.REPLACE,
        Action.FORGET,
        Action.UPDATE,
        Action.CREATE,
        Action.READ,
        Action.MOVE,
    ]
    assert read.unchanged == 5
    assert read.outputs_unchanged == 1


def test_every_instance_is_told_apart_by_its_key() -> None:
    read = made("mixed")
    assert change_of(read, 'terraform_data.each["b b"]').key == "b b"
    assert change_of(read, "terraform_data.counted[10]").key == 10
    assert change_of(read, "terraform_data.updated").key is None
    deep = change_of(read, 'module.net["us"].module.subnet[1].terraform_data.this')
    assert (deep.module, deep.type, deep.name) == ('module.net["us"].module.subnet[1]', "terraform_data", "this")
    assert deep.provider_name == "terraform"


def test_instances_stay_in_the_order_of_their_numbers() -> None:
    keys = [change.key for change in made("mixed").changes if change.name == "counted" and change.action is Action.UPDATE]
    assert keys == list(range(11))


def test_modules_are_ordered_by_number_not_by_letter() -> None:
    modules = [f"module.m[{number}]" for number in (10, 9, 1)]
    read = plan(*(resource(f"{module}.t.x", ("create",), module_address=module) for module in modules))
    assert [change.module for change in read.changes] == ["module.m[1]", "module.m[9]", "module.m[10]"]


def test_both_orders_of_a_replacement_are_one_action_and_told_apart() -> None:
    read = made("mixed")
    old_first, new_first = (
        change_of(read, address) for address in ("terraform_data.replaced", "terraform_data.replaced_create_first")
    )
    assert (old_first.action, old_first.create_first) == (Action.REPLACE, False)
    assert (new_first.action, new_first.create_first) == (Action.REPLACE, True)
    assert old_first.destroys
    assert new_first.destroys


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("terraform_data.counted[11]", "its index is out of range for count"),
        ('terraform_data.each["a"]', "its key is not in for_each any more"),
        ("terraform_data.removed", "it is not in the configuration any more"),
        ('module.net["us"].terraform_data.vpc', "its module is not in the configuration any more"),
        ("terraform_data.replaced", "an attribute cannot be changed in place"),
        ("terraform_data.triggered", "something in its replace_triggered_by changes"),
        ("data.terraform_remote_state.read_on_apply", "its configuration refers to values not known yet"),
        ("terraform_data.updated", ""),
    ],
)
def test_the_reason_is_given_in_words(address: str, words: str) -> None:
    assert change_of(made("mixed"), address).reason == words


def test_a_reason_that_is_not_known_is_shown_as_it_is() -> None:
    assert plan(resource(action_reason="replace_because_full_moon")).changes[0].reason == "replace because full moon"


def test_a_move_is_named_beside_any_action() -> None:
    read = made("mixed")
    only = change_of(read, "terraform_data.new_name")
    assert (only.action, only.previous_address) == (Action.MOVE, "terraform_data.old_name")
    both = change_of(read, 'module.net["eu"].terraform_data.moved_here[0]')
    assert (both.action, both.previous_address) == (Action.UPDATE, "terraform_data.old_name_updated")
    assert read.summary.move == 2


def test_an_import_is_counted_beside_the_action_it_comes_with() -> None:
    both = change_of(made("mixed"), "terraform_data.imported")
    assert (both.action, both.importing) == (Action.UPDATE, "an-id-in-the-cloud")
    only = made("import_only").changes[0]
    assert (only.action, only.importing, only.key) == (Action.IMPORT, "id-x", "x y")


def test_an_import_by_an_identity_or_an_id_not_known_yet_is_an_import() -> None:
    read = plan(
        resource("t.a", ("no-op",), importing={"identity": {"name": "n"}}),
        resource("t.b", ("create",), importing={"unknown": True}),
    )
    assert [change.importing for change in read.changes] == ["", '{"name": "n"}']
    assert read.summary.importing == 2


def test_forgetting_is_no_destruction() -> None:
    read = made("forget_only")
    assert [change.action for change in read.changes] == [Action.FORGET]
    assert (read.destroys, read.summary.destroy, read.summary.forget) == (False, 0, 1)


def test_outputs_and_checks_stand_apart_from_resources() -> None:
    read = made("mixed")
    assert [(output.name, output.action.value) for output in read.outputs] == [
        ("gone", "delete"),
        ("later", "create"),
        ("plain", "update"),
        ("secret", "update"),
    ]
    assert [(check.address, check.status, check.problems) for check in read.checks] == [
        ("check.later", "unknown", ()),
        ("check.sizes", "fail", ("the size is below five",)),
    ]


def test_an_errored_plan_says_that_it_is_neither_whole_nor_applyable() -> None:
    read = made("errored")
    assert (read.errored, read.complete, read.applyable) == (True, False, False)
    assert [check.problems for check in read.checks if check.failed] == [("a is too small",)]


def test_what_old_engines_do_not_say_stays_unknown() -> None:
    read = plan()
    assert (read.complete, read.applyable, read.made, read.engine_version) == (None, None, None, "")


def test_the_moment_and_the_version_are_the_engines() -> None:
    read = made("mixed")
    assert read.engine_version == "1.11.4"
    assert read.made == datetime.fromisoformat(json.loads((FIXTURES / "mixed.json").read_bytes())["timestamp"])
    assert plan(timestamp="2025-01-01T10:00:00+02:00").made == datetime(2025, 1, 1, 8, tzinfo=UTC)
    assert plan(timestamp="yesterday").made is None


def test_drift_is_apart_and_counts_nowhere() -> None:
    read = made("handwritten/drift")
    assert [(change.address, change.action.value) for change in read.drift] == [
        ("aws_security_group.web", "update"),
        ('module.dns.aws_route53_record.www["a"]', "delete"),
    ]
    assert read.headline == "Plan: 1 to add, 0 to change, 1 to destroy. Actions: 1 to invoke."


def test_deposed_deferred_and_unknown_actions_are_kept_as_the_engine_says_them() -> None:
    read = made("handwritten/drift")
    assert change_of(read, "aws_security_group.web").deposed == "byebye01"
    assert [(one.change.address, one.reason) for one in read.deferred] == [
        ("aws_instance.many", "how many instances there will be is not known yet")
    ]
    later = change_of(read, "aws_thing.later")
    assert (later.action, later.actions, later.destroys) == (Action.OTHER, ("create", "forget"), False)


def test_an_action_of_tomorrow_that_deletes_is_believed_to_destroy() -> None:
    assert plan(resource(actions=("archive", "delete"))).destroys


def test_a_data_source_that_leaves_the_state_is_not_shown_as_a_loss() -> None:
    read = plan(resource("data.t.x", ("delete",), mode="data"))
    assert (read.changes, read.unchanged, read.destroys) == ((), 1, False)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_kept_exactly_for_the_gate_that_shows_it(text: str) -> None:
    read = plan(resource(f't.x["{text}"]', ("create",), index=text, after={text: text}))
    assert (read.changes[0].key, read.changes[0].address) == (text, f't.x["{text}"]')


def test_a_byte_order_mark_and_blanks_around_change_nothing() -> None:
    raw = document(resource())
    assert parse_plan(b"\xef\xbb\xbf\n " + raw + b"\r\n").changes == parse_plan(raw.decode()).changes


def test_the_whole_of_a_large_plan_is_counted() -> None:
    read: Plan = parse_plan(generated(1_500))
    assert len(read.changes) + read.unchanged == 1_500
    assert read.headline == "Plan: 345 to add, 900 to change, 255 to destroy."
