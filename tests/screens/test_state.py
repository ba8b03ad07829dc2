"""State: the verdict on top, one card for each of the three, and what to do; nothing that was not looked at is called absent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from kumoss_console.errors import Unreachable
from kumoss_console.model.project import derive
from screens.dialogs.choose import ChooseDialog
from screens.state.screen import StateScreen
from screens.subject import Subject
from screens.widgets.section import Section
from tests.hostile import HOSTILE
from tests.screens.objects import INFRA, NET, NET_KEY, SCOPE, calm, lock, resource, state
from tests.screens.workspaces import bound_workspace
from tests.screens.world import LARGE, SMALL, World, console_of, settle, view_of
from tests.waiting import AT_ONCE, wait_until

MOVED = derive(NET.repo, NET.scope, "live/envs/eu").object_key()


def screen_of(pilot: Pilot[None]) -> StateScreen:
    screen = view_of(pilot)
    assert isinstance(screen, StateScreen)
    return screen


async def traced(pilot: Pilot[None]) -> str:
    await settle(pilot)
    await wait_until(lambda: screen_of(pilot).trace is not None)
    await pilot.pause()
    return words(pilot)


def words(pilot: Pilot[None]) -> str:
    """What is painted as one line of words: where it wraps does not matter."""
    return " ".join(calm(pilot).split())


@pytest.fixture
def moved(world: World, tmp_path: Path) -> Path:
    world.change(projects=(INFRA, NET), workspaces_root=str(tmp_path / "root"))
    world.store.objects[NET_KEY] = state(41, resources=[resource("a"), resource("b")])
    return bound_workspace(tmp_path / "root" / "net_1" / "envs", world.contexts[0], world.clock(), bound=NET_KEY, written=MOVED)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_moved_module_is_said_on_top_and_the_three_cards_show_why(
    world: World, moved: Path, size: tuple[int, int]
) -> None:
    async with world.console(view="state", size=size) as pilot:
        screen_of(pilot).show_subject(str(moved))
        text = await traced(pilot)
        assert "✗ They disagree: the engine is bound to the old key" in text
        assert "the module path changed from envs/eu to live/envs/eu" in text
        assert "serial 41, 2 resources" in text
        assert "1 the core writes" in text
        if size == LARGE:
            for part in (
                "2 the engine bound",
                "3 the store holds",
                "absent",
                "backend_override.tf on disk, 2 min old",
                "3 h old",
            ):
                assert part in text, part


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_lines_of_a_card_stand_below_each_other(world: World, moved: Path, size: tuple[int, int]) -> None:
    async with world.console(view="state", size=size) as pilot:
        screen_of(pilot).show_subject(str(moved))
        await traced(pilot)
        for name in ("core", "engine"):
            section = screen_of(pilot).query_one(f"#{name}", Section)
            lines = [section.sheet.render_line(y).text for y in range(section.sheet.size.height)]
            assert any(line.startswith("key ") for line in lines)
            assert all(line[:1] != " " for line in lines), lines


async def test_the_copy_menu_has_the_next_commands_and_the_command_that_shows_this(world: World, moved: Path) -> None:
    async with world.console(view="state") as pilot:
        screen_of(pilot).show_subject(str(moved))
        await traced(pilot)
        offered = {copy.label: copy.text for copy in screen_of(pilot).copies()}
        await pilot.press("c")
        await pilot.pause()
        assert "push to the new place" in calm(pilot)
    assert "state pull > " in offered["pull from the old place into old-state.tfstate, which is never written over"]
    assert "state push - < " in offered["push to the new place, which must be empty"]
    assert offered["plan, and expect no changes"].endswith(" plan")
    assert offered["the command that shows this"] == f"kumoss-console trace {moved} --context prod"
    assert "wJalrXUtnFEMI" not in "".join(offered.values())


async def test_a_project_alone_is_traced_once_the_typing_pauses(world: World) -> None:
    world.store.objects[NET_KEY] = state(7)
    async with world.console(view="state") as pilot:
        await settle(pilot)
        assert "pick a project" in calm(pilot)
        console_of(pilot).subject = Subject(NET.repo, NET.scope, NET.path)
        text = await traced(pilot)
        assert "? Not known: what the engine bound could not be looked at (no workspace was given)" in text
        assert "the store holds serial 7" in text
        asked = len(world.store.calls)
        await pilot.press("e", *"xyz")
        assert len(world.store.calls) == asked, "nobody is asked while it is typed"


async def test_a_refused_spelling_is_refused_and_nobody_is_asked(world: World) -> None:
    async with world.console(view="state") as pilot:
        console_of(pilot).subject = Subject("git@github.com:acme/infra.git", SCOPE)
        await settle(pilot)
        assert "only https:// repositories have a key" in calm(pilot)
        assert not any(call == "head" for call, _ in world.store.calls)


async def test_a_workspace_is_picked_from_those_below_the_root_and_brings_its_project(world: World, moved: Path) -> None:
    (moved / "backend_override.tf").unlink()
    async with world.console(view="state") as pilot:
        await settle(pilot)
        await pilot.press("w")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.pause()
        assert "net_1/envs" in calm(pilot)
        await pilot.press("enter")
        await pilot.pause()
        text = await traced(pilot)
        assert "✓ They agree" in text
        assert console_of(pilot).subject == Subject(NET.repo, NET.scope, NET.path)
        await pilot.press("W")
        text = await traced(pilot)
        assert "no workspace was given" in text


async def test_a_project_that_a_workspace_brought_goes_with_it_and_one_from_before_it_is_left_out(
    world: World, moved: Path, tmp_path: Path
) -> None:
    (moved / "backend_override.tf").unlink()
    other = derive("https://github.com/acme/unknown", SCOPE, "x").object_key()
    world.store.objects[other] = state(3)
    context = world.contexts[0]
    stranger = bound_workspace(tmp_path / "root" / "zz_1", context, world.clock(), bound=other, written=other)
    async with world.console(view="state") as pilot:

        async def pick(*keys: str) -> str:
            await pilot.press("w")
            await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
            await pilot.pause()
            await pilot.press(*keys, "enter")
            await pilot.pause()
            return await traced(pilot)

        await settle(pilot)
        await pick()
        assert console_of(pilot).subject == Subject(NET.repo, NET.scope, NET.path)
        text = await pick("down")
        assert screen_of(pilot).workspace == stranger
        assert console_of(pilot).subject == Subject()
        assert "✓ They agree" in text
        await pick()
        assert console_of(pilot).subject == Subject(NET.repo, NET.scope, NET.path)
        screen_of(pilot).action_pick(INFRA.name)
        await traced(pilot)
        text = await pick("down")
        await wait_until(lambda: screen_of(pilot).subject.empty and screen_of(pilot).trace is not None)
        assert "✓ They agree" in words(pilot)
        screen_of(pilot).action_pick(INFRA.name)
        await wait_until(lambda: getattr(screen_of(pilot).trace, "cause", "") == "other_project")
        await pilot.pause()
        assert console_of(pilot).subject == Subject(INFRA.repo, INFRA.scope, INFRA.path)
        assert "the project in the inputs is not this workspace's" in words(pilot)
        await pick()
        assert console_of(pilot).subject == Subject(NET.repo, NET.scope, NET.path), "its own project, whatever was picked before"


async def test_a_workspace_that_a_job_leads_to_is_not_held_against_a_project_chosen_elsewhere(
    world: World, moved: Path, tmp_path: Path
) -> None:
    own = derive("https://github.com/acme/unknown", SCOPE, "x").object_key()
    world.store.objects[own] = state(3)
    folder = bound_workspace(tmp_path / "root" / "zz_1", world.contexts[0], world.clock(), bound=own, written=own)
    async with world.console(view="state") as pilot:
        await settle(pilot)
        screen_of(pilot).action_pick(INFRA.name)
        await traced(pilot)
        screen_of(pilot).show_subject(str(folder))
        await wait_until(lambda: screen_of(pilot).subject.empty and screen_of(pilot).trace is not None)
        await pilot.pause()
        assert "✓ They agree" in words(pilot)


async def test_a_root_that_is_not_there_is_a_banner_with_a_next_step(world: World, tmp_path: Path) -> None:
    world.change(workspaces_root=str(tmp_path / "nowhere"))
    async with world.console(view="state") as pilot:
        await settle(pilot)
        await pilot.press("w")
        await settle(pilot)
        assert "nowhere is not a folder" in words(pilot)


async def test_a_folder_that_is_not_there_is_a_banner_and_the_view_still_invites(world: World) -> None:
    async with world.console(view="state") as pilot:
        screen_of(pilot).show_subject("/nowhere/at all")
        await settle(pilot)
        assert "/nowhere/at all is not a folder" in words(pilot)
        assert "looking at" not in words(pilot)


async def test_pasted_lines_of_the_cores_log_are_evidence_and_a_url_is_the_repository(world: World) -> None:
    world.change(projects=(NET,))
    world.store.objects[NET_KEY] = state(7)
    line = f"2026-01-02 02:04:05,000 INFO core: Terraform state: rustfs bucket=kumoss-terraform-state key={NET_KEY}"
    async with world.console(view="state") as pilot:
        await settle(pilot)
        screen_of(pilot).post_message(events.Paste(f"noise\n{line}\n"))
        text = await traced(pilot)
        assert "Log 1 lines that name a state" in text
        assert "serial 7" in text
        trace = screen_of(pilot).trace
        assert trace is not None
        assert "the core logged key" in trace.layers[0].detail
        assert console_of(pilot).subject.empty, "the log is no repository"
        screen_of(pilot).action_forget_log()
        screen_of(pilot).post_message(events.Paste(INFRA.repo))
        await settle(pilot)
        assert console_of(pilot).subject.repo == INFRA.repo


async def test_a_held_lock_and_its_holder_are_on_the_card(world: World) -> None:
    world.store.objects[NET_KEY] = state(7)
    world.store.objects[f"{NET_KEY}.tflock"] = lock(world)
    async with world.console(view="state") as pilot:
        console_of(pilot).subject = Subject(NET.repo, NET.scope, NET.path)
        text = await traced(pilot)
        assert "the store holds serial 7, 0 resources, locked by ci@runner-7 for 3 h 12 min (apply)" in text
        assert "✗ locked by" in text


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_dead_store_is_could_not_look_and_never_absent(world: World, moved: Path, size: tuple[int, int]) -> None:
    (moved / "backend_override.tf").unlink()
    for method in ("head", "get"):
        world.store.errors[method] = Unreachable("store.acme:9000 cannot be reached")
    async with world.console(view="state", size=size) as pilot:
        screen_of(pilot).show_subject(str(moved))
        text = await traced(pilot)
        assert "? Not known" in text
        assert "store.acme:9000 cannot be reached" in text
        stored = screen_of(pilot).query_one("#store", Section).facts
        assert any("? could not look: store.acme:9000 cannot be reached" in cell.text for fact in stored for cell in fact.value)
        assert "absent" not in text


async def test_the_console_is_left_at_once_while_the_store_hangs(world: World) -> None:
    world.store.hang.shut()
    loop = asyncio.get_running_loop()
    async with world.console(view="state") as pilot:
        console_of(pilot).subject = Subject(NET.repo, NET.scope, NET.path)
        await wait_until(lambda: screen_of(pilot).looking)
        await pilot.pause()
        assert "looking at the files" in calm(pilot)
        began = loop.time()
        await pilot.press("q")
    assert loop.time() - began < AT_ONCE


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_in_holders_folders_and_paths_is_shown_and_never_obeyed(
    world: World, tmp_path: Path, text: str
) -> None:
    path = " ".join(text.split())
    key = derive(NET.repo, NET.scope, path).object_key()
    world.store.objects[key] = state(7)
    world.store.objects[f"{key}.tflock"] = lock(world, holder=text)
    name = text.replace("/", "_").replace("\x00", "_")[:60]
    folder = bound_workspace(tmp_path / "root" / name, world.contexts[0], world.clock(), bound=text or "k", written=key)
    for size in (SMALL, LARGE):
        async with world.console(view="state", size=size) as pilot:
            console_of(pilot).subject = Subject(NET.repo, NET.scope, path)
            screen_of(pilot).show_subject(str(folder))
            await settle(pilot)
            calm(pilot)
            assert not path or screen_of(pilot).trace is not None


async def test_enter_opens_the_active_state_in_the_bucket(world: World) -> None:
    world.store.objects[NET_KEY] = state(7)
    async with world.console(view="state") as pilot:
        console_of(pilot).subject = Subject(NET.repo, NET.scope, NET.path)
        await traced(pilot)
        await pilot.press("enter")
        await wait_until(lambda: view_of(pilot).view_name == "bucket")
