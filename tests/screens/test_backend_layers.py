"""Backend, for a workspace: which value wins, where it comes from, what is bound, and what it beats or erased."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kumoss_console.text import MASK
from screens.backend.screen import BackendScreen
from screens.dialogs.choose import ChooseDialog
from tests.hostile import HOSTILE
from tests.screens.objects import INFRA, NET, NET_KEY, calm
from tests.screens.workspaces import bound_workspace
from tests.screens.world import LARGE, SMALL, World, console_of, settle, view_of
from tests.waiting import wait_until

OLD = f"{'10d0' * 16}/terraform.tfstate"
REPOSITORY = """\
terraform {
  backend "s3" {
    bucket         = "acme-team-tfstate"
    key            = "envs/prod.tfstate"
    dynamodb_table = "tf-locks"
  }
}
"""


def screen_of(pilot: Pilot[None]) -> BackendScreen:
    screen = view_of(pilot)
    assert isinstance(screen, BackendScreen)
    return screen


@pytest.fixture
def folder(world: World, tmp_path: Path) -> Path:
    """Bound to an old key; the core's override beats the repository's block."""
    world.change(projects=(INFRA, NET), workspaces_root=str(tmp_path / "root"))
    place = bound_workspace(tmp_path / "root" / "net_1" / "envs", world.contexts[0], world.clock(), bound=OLD, written=NET_KEY)
    (place / "main.tf").write_text(REPOSITORY)
    return place


async def layers(pilot: Pilot[None], folder: Path) -> str:
    await pilot.press("colon", *f"workspace {folder}", "enter")
    await settle(pilot)
    await wait_until(lambda: screen_of(pilot).pane.found is not None)
    await settle(pilot)
    return calm(pilot)


def line_of(text: str, name: str) -> str:
    return next(line for line in text.splitlines() if line.strip().startswith(name))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_value_that_wins_stands_with_where_it_comes_from_and_what_is_bound(
    world: World, folder: Path, size: tuple[int, int]
) -> None:
    async with world.console(view="backend", size=size) as pilot:
        text = await layers(pilot, folder)
        assert "s3 (backend_override.tf:2) · managed" in text
        bucket, key = line_of(text, "bucket"), line_of(text, "key")
        assert "kumoss-terraform-state" in bucket
        assert "backend_override.tf:3" in bucket
        assert "same" in bucket
        assert "backend_override.tf:4" in key
        assert "✗ 10d0…" in key
        assert "differs in key" in " ".join(text.split())
        if size == LARGE:
            assert "acme-team-tfstate  main.tf:3 (erased)" in bucket
            assert "tf-locks  main.tf:5 (erased)" in line_of(text, "dynamodb_table")
        assert "wJalrXUtnFEMI" not in text


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_workspace_is_named_and_a_project_beside_it_that_is_not_its_own_is_told(
    world: World, folder: Path, size: tuple[int, int]
) -> None:
    async with world.console(view="backend", size=size) as pilot:
        text = await layers(pilot, folder)
        assert f"workspace {folder.relative_to(folder.parent.parent)}" in text
        assert "is not the one of this workspace" not in text
        screen_of(pilot).action_pick(INFRA.name)
        await settle(pilot)
        assert "is not the one of this workspace" in " ".join(calm(pilot).split())
        screen_of(pilot).action_pick(NET.name)
        await settle(pilot)
        assert "is not the one of this workspace" not in " ".join(calm(pilot).split())


async def test_the_value_under_the_cursor_is_told_whole_with_what_it_erased(world: World, folder: Path) -> None:
    async with world.console(view="backend", size=LARGE) as pilot:
        await layers(pilot, folder)
        await pilot.press("j")
        await settle(pilot)
        text = calm(pilot)
        assert NET_KEY in text
        assert f"✗ {OLD}" in text
        assert "envs/prod.tfstate  main.tf:4  the repository; erased: its whole block was replaced" in text


async def test_what_is_wrong_has_its_remedy_and_the_files_their_order(world: World, folder: Path) -> None:
    (folder / "zz_override.tf").write_text(REPOSITORY.replace("  }", '    region = "r"\n  }'))
    async with world.console(view="backend", size=LARGE) as pilot:
        text = " ".join((await layers(pilot, folder)).split())
        assert "✗ zz_override.tf:2: zz_override.tf sorts after backend_override.tf and replaces what the core wrote" in text
        screen_of(pilot).query_one("#layers-facts").focus()
        await pilot.press("G")
        await settle(pilot)
        text = " ".join(calm(pilot).split())
        assert "override backend_override.tf" in text
        assert "override zz_override.tf" in text


async def test_the_override_stays_reachable_and_one_key_leads_back(world: World, folder: Path) -> None:
    async with world.console(view="backend", size=LARGE) as pilot:
        console_of(pilot).subject = console_of(pilot).subject.__class__(NET.repo, NET.scope, NET.path)
        await layers(pilot, folder)
        await pilot.press("v")
        await settle(pilot)
        assert 'backend "s3" {' in calm(pilot)
        await wait_until(lambda: screen_of(pilot).proof is not None)
        await pilot.press("v")
        await settle(pilot)
        assert "EFFECTIVE" in calm(pilot)
        await pilot.press("W")
        await settle(pilot)
        assert "EFFECTIVE" not in calm(pilot)
        assert screen_of(pilot).workspace is None


async def test_a_picked_workspace_brings_its_project_along(world: World, folder: Path) -> None:
    async with world.console(view="backend", size=LARGE) as pilot:
        await pilot.press("w")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.press("enter")
        await wait_until(lambda: screen_of(pilot).pane.found is not None)
        await settle(pilot)
        assert screen_of(pilot).workspace == folder
        assert (screen_of(pilot).subject.repo, screen_of(pilot).subject.path) == (NET.repo, NET.path)


async def test_workspaces_are_offered_while_the_others_are_still_looked_for(world: World, folder: Path) -> None:
    root = folder.parent.parent
    for number in range(60):
        bound_workspace(root / f"other_{number:02}", world.contexts[0], world.clock(), bound=OLD)
    async with world.console(view="backend", size=LARGE) as pilot:
        listing = console_of(pilot).services.workspace_list
        shown: list[int] = []
        go_on = asyncio.Event()
        stream = listing.stream

        async def slowly(root: Path | None = None) -> object:
            async for snapshot in stream(root):
                yield snapshot
                await go_on.wait()

        listing.stream = slowly  # type: ignore[method-assign, assignment]  # a listing that waits for us between two batches
        await pilot.press("w")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        dialog = pilot.app.screen
        assert isinstance(dialog, ChooseDialog)
        await wait_until(lambda: dialog.is_mounted and dialog.choices.option_count > 0)
        shown.append(dialog.choices.option_count)
        assert "looking on" in calm(pilot)
        await pilot.press("j")
        go_on.set()
        await wait_until(lambda: dialog.choices.option_count == 61)
        shown.append(dialog.choices.option_count)
        assert shown[0] < shown[1]
        assert dialog.choices.chosen == 1
        assert "looking on" not in calm(pilot)


async def test_copies_name_the_value_its_place_and_the_command_and_hold_no_secret(world: World, folder: Path) -> None:
    async with world.console(view="backend", size=LARGE) as pilot:
        await layers(pilot, folder)
        copies = {copy.label: copy.text for copy in screen_of(pilot).copies()}
        assert copies["the value of bucket"] == "kumoss-terraform-state"
        assert copies["where it stands"] == f"{folder}/backend_override.tf:3"
        assert copies["the command that shows this"] == f"kumoss-console backend {folder} --context prod"
        document = json.loads(copies["as JSON"])
        assert document["type"] == "s3"
        assert MASK in copies["as JSON"]
        assert "wJalrXUtnFEMI" not in copies["as JSON"]


async def test_a_folder_that_is_not_there_is_a_banner(world: World, tmp_path: Path) -> None:
    async with world.console(view="backend") as pilot:
        await pilot.press("colon", *f"workspace {tmp_path / 'absent'}", "enter")
        await wait_until(lambda: "is not a folder" in calm(pilot))
        assert "could not be read: see above" in calm(pilot)


async def test_without_a_block_it_says_that_nobody_keeps_the_state(world: World, folder: Path) -> None:
    (folder / "main.tf").write_text("")
    (folder / "backend_override.tf").unlink()
    async with world.console(view="backend") as pilot:
        text = " ".join((await layers(pilot, folder)).split())
        assert "local: no backend block" in text


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_values_are_shown_and_never_obeyed(world: World, folder: Path, text: str) -> None:
    quoted = json.dumps(text).replace("${", "$${").replace("%{", "%%{")
    (folder / "backend_override.tf").unlink()
    (folder / "main.tf").write_text(f'terraform {{\n  backend "s3" {{\n    bucket = {quoted}\n    key = "k"\n  }}\n}}\n')
    async with world.console(view="backend", size=LARGE) as pilot:
        await layers(pilot, folder)


async def test_a_project_that_a_workspace_brought_leaves_with_it_in_the_other_views_too(world: World, folder: Path) -> None:
    strange = bound_workspace(folder.parent.parent / "strange", world.contexts[0], world.clock(), bound=OLD)
    async with world.console(view="backend", size=LARGE) as pilot:
        await pilot.press("w")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.press("enter")
        await wait_until(lambda: not console_of(pilot).subject.empty)
        await settle(pilot)
        await pilot.press("3")
        await settle(pilot)
        await pilot.press("w")
        await wait_until(lambda: isinstance(pilot.app.screen, ChooseDialog))
        await pilot.press("j", "enter")
        await wait_until(lambda: getattr(view_of(pilot), "workspace", None) == strange)
        await settle(pilot)
        assert console_of(pilot).subject.empty
