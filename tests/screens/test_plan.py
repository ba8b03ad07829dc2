"""The plan on the screen: what is lost first, what forces it, found and opened by keys alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import pytest
from textual.pilot import Pilot

from kumoss_console.model.contract import ShowRequest, ValidateRequest
from kumoss_console.model.plan import Plan, parse_plan
from screens import commands as registry
from screens.commands import Command
from screens.dialogs.text import TextDialog
from screens.plan.commands import COMMANDS
from screens.plan.screen import PlanScreen
from screens.plan.tree import Instance
from screens.widgets.fact_sheet import FactSheet
from tests.hostile import HOSTILE
from tests.model.plan_documents import made, plan, resource
from tests.model.plan_generated import generated
from tests.model.plan_worlds import FIXTURES
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle
from tests.waiting import wait_until


@asynccontextmanager
async def showing(world: World, plan: Plan, *, size: tuple[int, int] = LARGE) -> AsyncIterator[Pilot[None]]:
    async with world.console(size=size, view="jobs") as pilot:
        await pilot.app.push_screen(PlanScreen(plan, "show 3f2504e0 · acme-net"))
        await settle(pilot)
        yield pilot


def screen_of(pilot: Pilot[None]) -> PlanScreen:
    assert isinstance(pilot.app.screen, PlanScreen)
    return pilot.app.screen


def tree_of(pilot: Pilot[None]) -> list[str]:
    """The visible lines of the tree, without the blanks at their ends."""
    lines = painted(pilot).splitlines()
    start = next(number for number, line in enumerate(lines) if line.lstrip().startswith("WHAT"))
    end = next(number for number, line in enumerate(lines) if line.startswith("────"))
    return [line.rstrip(" ▁▂▃▄▅▆▇█").rstrip() for line in lines[start + 1 : end]]


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await settle(pilot)


async def go_to(pilot: Pilot[None], address: str) -> None:
    """Put the cursor on the change with that address."""
    screen = screen_of(pilot)
    for node in screen.outline.search(address):
        if isinstance(node.subject, Instance) and node.subject.change.address == address:
            screen.outline.reveal(node)
            screen._renew(select=node.id)
            await settle(pilot)
            return
    raise AssertionError(f"{address} is not in the plan")


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_engines_own_line_stands_above_and_losses_come_first(world: World, size: tuple[int, int]) -> None:
    async with showing(world, made("mixed"), size=size) as pilot:
        shown = painted(pilot)
        assert "Plan: 1 to import, 8 to add, 18 to change, 9 to destroy." in shown
        assert "show 3f2504e0 · acme-net" in shown
        assert "✗ 1 check failed" in shown
        lines = tree_of(pilot)
        assert lines[0].startswith(" - destroy    ▾ 6 resources")
        assert "▸ terraform_data.counted[11]" in lines[1]
        assert "because" in lines[1]


async def test_every_action_has_its_sign_and_its_word(world: World) -> None:
    async with showing(world, made("mixed"), size=(140, 90)) as pilot:
        lines = tree_of(pilot)
        for words in (
            "- destroy",
            "-/+ replace",
            "+/- replace",
            ". forget",
            "~ update",
            "+ create",
            "<= read",
            "move",
            "✗ fail",
            "? unknown",
        ):
            assert any(line.strip().startswith(words) for line in lines), words


async def test_modules_and_instances_are_grouped_below_their_heading(world: World) -> None:
    async with showing(world, made("mixed"), size=(140, 90)) as pilot:
        lines = [line[13:60].rstrip() for line in tree_of(pilot)]
        at = lines.index('   ▾ module.net["us"].module.subnet[0]')
        assert lines[at + 1] == "     ▸ terraform_data.this"
        at = lines.index("   ▾ terraform_data.counted")
        assert lines[at + 1 : at + 12] == [f"     ▸ [{number}]" for number in range(11)]


async def test_what_forces_a_replacement_is_said_beside_its_attribute(world: World) -> None:
    async with showing(world, made("mixed"), size=SMALL) as pilot:
        await go_to(pilot, "terraform_data.replaced")
        await press(pilot, "enter")
        forcing = next(line for line in tree_of(pilot) if "triggers_replace[0]" in line)
        assert forcing.startswith(" ~ forces")
        assert "forces replacement:" in forcing
        await press(pilot, "j", "j", "j")
        shown = painted(pilot)
        assert "terraform_data.replaced.triggers_replace[0] forces the replacement" in shown
        assert 'before  "1.0"' in shown
        assert 'after   "2.0"' in shown


async def test_values_open_and_close_with_the_keys_of_a_tree(world: World) -> None:
    async with showing(world, made("mixed"), size=(140, 90)) as pilot:
        await go_to(pilot, "terraform_data.updated")
        closed = tree_of(pilot)
        for opening, closing in (("enter", "enter"), ("space", "space"), ("right", "left"), ("l", "h")):
            await press(pilot, opening)
            assert any("input.size" in line and "1 → 2" in line for line in tree_of(pilot))
            await press(pilot, closing)
            assert tree_of(pilot) == closed
        await press(pilot, "left")
        selected = screen_of(pilot).selected
        assert selected is not None
        assert selected.id == ("action", "update")
        await press(pilot, "left")
        assert not any("terraform_data.updated" in line for line in tree_of(pilot))


async def test_sensitive_values_are_masked_wherever_they_could_be_read(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        await go_to(pilot, "terraform_data.secret")
        await press(pilot, "enter", "j", "j")
        assert "(sensitive value) → (sensitive value)" in painted(pilot)
        assert "marked sensitive" in painted(pilot)
        screen = screen_of(pilot)
        copies = {copy.label: copy.text for copy in screen.copies()}
        assert "the value before" not in copies
        assert "hunter2" not in "".join(copies.values())
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, TextDialog)
        assert '"password": "********"' in painted(pilot)
        assert "hunter2" not in painted(pilot)


async def test_a_search_reaches_into_closed_groups_and_goes_on(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        await press(pilot, "E")
        assert all("▸" in line for line in tree_of(pilot) if line)
        await press(pilot, "slash", *"SUBNET", "enter")
        assert "match 1 of 4" in painted(pilot)
        screen = screen_of(pilot)
        first = screen.selected
        await press(pilot, "n")
        assert "match 2 of 4" in painted(pilot)
        assert screen.selected is not first
        await press(pilot, "N", "N")
        assert "match 4 of 4" in painted(pilot)
        assert screen.selected is not None
        assert isinstance(screen.selected.subject, Instance)


async def test_a_search_finds_old_addresses_import_ids_and_opened_values(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        screen = screen_of(pilot)
        for text, count in (("old_name_updated", 1), ("an-id-in-the-cloud", 1), ("jsondecode", 0), ("nowhere", 0)):
            await screen.run_action(f"search({text!r})")
            await settle(pilot)
            assert f"match 1 of {count}" in painted(pilot) or (not count and "no match" in painted(pilot))
        await go_to(pilot, "terraform_data.lists")
        await press(pilot, "enter")
        await screen.run_action("search('jsondecode')")
        await settle(pilot)
        assert "match 1 of 1" in painted(pilot)


async def test_only_losses_leaves_nothing_else(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        await press(pilot, "exclamation_mark")
        signs = {line.split()[0] for line in tree_of(pilot) if line and not line.startswith("   ")}
        assert signs == {"-", "-/+", "+/-", "."}
        await press(pilot, "exclamation_mark")
        assert any("~ update" in line for line in tree_of(pilot))


async def test_a_plan_without_losses_says_so(world: World) -> None:
    async with showing(world, made("create")) as pilot:
        await press(pilot, "exclamation_mark")
        assert "Nothing is destroyed, replaced or forgotten" in painted(pilot)


async def test_the_tree_can_be_grouped_by_module(world: World) -> None:
    async with showing(world, made("mixed"), size=(140, 90)) as pilot:
        await press(pilot, "o")
        lines = [line[13:60].rstrip() for line in tree_of(pilot)]
        assert lines[0] == " ▾ root module"
        assert ' ▾ module.net["us"].module.subnet[1]' in lines


async def test_values_that_stay_are_shown_when_asked_for(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        await go_to(pilot, "terraform_data.updated")
        await press(pilot, "enter")
        assert not any("input.keep" in line for line in tree_of(pilot))
        await press(pilot, "u")
        assert any("input.keep" in line and "same" in line for line in tree_of(pilot))
        await press(pilot, "u")
        assert not any("input.keep" in line for line in tree_of(pilot))


async def test_a_text_of_several_lines_shows_its_lines(world: World) -> None:
    async with showing(world, made("mixed"), size=(140, 90)) as pilot:
        await go_to(pilot, "terraform_data.lists")
        await press(pilot, "enter")
        shown = [line.strip() for line in tree_of(pilot)]
        assert "- echo before" in shown
        assert "+ echo after" in shown


async def test_a_long_value_is_read_in_full(world: World) -> None:
    long = "word " * 2_000
    async with showing(world, plan(resource(before={"v": "x"}, after={"v": long}))) as pilot:
        await go_to(pilot, "t.x")
        await press(pilot, "enter", "j")
        assert "more characters: Enter" in " ".join(fact_text(screen_of(pilot)))
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, TextDialog)
        await press(pilot, "escape")
        screen_of(pilot)


def fact_text(screen: PlanScreen) -> list[str]:
    return [cell.text for fact in screen.query_one(FactSheet).facts for cell in fact.value]


async def test_a_huge_change_opens_off_the_loop(world: World) -> None:
    huge = {f"k{number}": "x" * 1_000 for number in range(500)}
    async with showing(world, plan(resource(actions=("create",), before=None, after=huge))) as pilot:
        await press(pilot, "j", "enter")
        await wait_until(lambda: any("k0" in line for line in tree_of(pilot)))


async def test_drift_outputs_checks_and_what_is_put_off_have_places_of_their_own(world: World) -> None:
    async with showing(world, made("handwritten/drift"), size=(140, 60)) as pilot:
        lines = tree_of(pilot)
        drift = next(number for number, line in enumerate(lines) if line.startswith(" drift"))
        assert "changed outside since the last apply" in lines[drift]
        assert lines[drift + 1].startswith(" ~ changed")
        assert "aws_security_group.web" in lines[drift + 1]
        assert lines[drift + 2].startswith(" - deleted")
        assert any("left-over object byebye01" in line for line in lines)
        assert any("how many instances there will be is not known yet" in line for line in lines)
        assert any("the engine says create then forget" in line for line in lines)
        assert "2 drifted" in painted(pilot)
        assert "applying leaves more to plan" in painted(pilot)


async def test_a_plan_that_failed_is_never_taken_for_a_whole_one(world: World) -> None:
    async with showing(world, made("errored")) as pilot:
        assert "✗ planning failed: what is listed is not all, and cannot be applied; 1 check failed" in painted(pilot)
        assert any("a is too small" in line for line in tree_of(pilot))


async def test_a_plan_without_changes_says_so(world: World) -> None:
    async with showing(world, made("nothing")) as pilot:
        assert painted(pilot).count("No changes.") == 2
        await press(pilot, "j", "enter", "left", "e", "E", "v", "y", "u", "o")
        screen_of(pilot)


async def test_the_address_is_copied_and_offered_as_a_target(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        await go_to(pilot, 'terraform_data.each["b b"]')
        await press(pilot, "y")
        assert console_of(pilot).clipboard == 'terraform_data.each["b b"]'
        labels = {copy.label: copy.text for copy in screen_of(pilot).copies()}
        assert labels["as -target"] == """-target='terraform_data.each["b b"]'"""
        assert labels["the plan as a list"].count("\n") > 30


async def test_esc_goes_back_to_the_view_that_opened_it(world: World) -> None:
    async with showing(world, made("mixed")) as pilot:
        await press(pilot, "slash", "x", "escape")
        screen_of(pilot)
        await press(pilot, "escape")
        assert getattr(pilot.app.screen, "view_name", "") == "jobs"


async def test_a_large_plan_opens_with_its_losses_shown_and_the_rest_closed(world: World) -> None:
    async with showing(world, parse_plan(generated(600)), size=LARGE) as pilot:
        screen = screen_of(pilot)
        shown = [node for node in screen.outline.lines if isinstance(node.subject, Instance)]
        assert {node.subject.change.destroys for node in shown if isinstance(node.subject, Instance)} == {True}
        await press(pilot, "G", "left", "left", "e")
        assert len(screen.outline.lines) > len(shown)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_shown_and_never_obeyed(world: World, text: str) -> None:
    hostile = plan(
        resource(f't.x["{text}"]', index=text, module_address=text, before={text: text}, after={text: text + "!"}),
        resource("t.moved", ("no-op",), previous_address=text, before={}, after={}),
        output_changes={text: {"actions": ["create"], "before": None, "after": text}},
        checks=[{"address": {"to_display": text}, "status": "fail", "instances": [{"problems": [{"message": text}]}]}],
    )
    async with world.console(size=LARGE) as pilot:
        await pilot.app.push_screen(PlanScreen(hostile, text))
        await settle(pilot)
        screen = screen_of(pilot)
        for action in ("open_all", "reorder", "open_all", "unchanged"):
            await screen.run_action(action)
            await pilot.pause()
            assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in painted(pilot))
        await press(pilot, "v")
        assert all(char.isprintable() or char in "\n\u200d\ufe0f" for char in painted(pilot))


async def test_a_shown_plan_is_opened_from_its_job_and_no_other_job_offers_one(world: World) -> None:
    services = world.build(world.config)
    other = await services.jobs.submit(ValidateRequest(workspace_path="/workspaces/acme-net"))
    world.clock.advance(10)
    job = await services.jobs.submit(ShowRequest(workspace_path="/workspaces/acme-net", plan_file="session.plan"))
    world.sidecar.answer(UUID(other.job_id), 0, stdout="Success!")
    world.sidecar.answer(UUID(job.job_id), 0, stdout=(FIXTURES / "mixed.json").read_text(encoding="utf-8"))
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await wait_until(lambda: isinstance(pilot.app.screen, PlanScreen))
        await settle(pilot)
        assert "acme-net" in painted(pilot)
        assert "9 to destroy" in painted(pilot)
        await press(pilot, "escape", "j", "p")
        assert getattr(pilot.app.screen, "view_name", "") == "jobs"


async def test_an_output_that_is_no_plan_says_what_it_is(world: World) -> None:
    services = world.build(world.config)
    job = await services.jobs.submit(ShowRequest(workspace_path="/workspaces/acme-net", plan_file="session.plan"))
    world.sidecar.answer(UUID(job.job_id), 0, stdout='{"format_version": "3.0"}')
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await wait_until(lambda: "format 3.0" in painted(pilot))
        assert "Upgrade kumoss-console" in painted(pilot)


def test_a_shared_gesture_keeps_its_key() -> None:
    shared = {command.id: command for command in vars(registry).values() if isinstance(command, Command)}
    for command in COMMANDS:
        if command.id in shared:
            assert (command.action, command.keys) == (shared[command.id].action, shared[command.id].keys)
    keys = [key for command in PlanScreen.commands for key in command.keys]
    assert len(keys) == len(set(keys))
