"""Backend: what the core would write, who decides, and secrets that are masked until somebody asks for them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import MASK, Secret
from screens.backend.screen import BackendScreen
from screens.subject import Subject
from tests.hostile import HOSTILE
from tests.screens.objects import INFRA, INFRA_KEY, NET, SCOPE, calm
from tests.screens.world import CONTEXT, LARGE, SMALL, World, console_of, settle, view_of
from tests.waiting import AT_ONCE, wait_until

ACCESS, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI"


def screen_of(pilot: Pilot[None]) -> BackendScreen:
    screen = view_of(pilot)
    assert isinstance(screen, BackendScreen)
    return screen


async def show(pilot: Pilot[None], repo: str = INFRA.repo, scope: str = SCOPE, path: str = "") -> None:
    console_of(pilot).subject = Subject(repo, scope, path)
    await settle(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_override_is_shown_with_its_secrets_masked(world: World, size: tuple[int, int]) -> None:
    async with world.console(view="backend", size=size) as pilot:
        await show(pilot)
        text = calm(pilot)
        assert 'backend "s3" {' in text
        assert f'access_key = "{MASK}"' in text
        assert ACCESS not in text
        assert SECRET not in text
        assert "secrets masked, x reveals" in text
        assert "managed, certain" in text
        screen = screen_of(pilot)
        assert "use_lockfile" in screen.lines.text
        assert f'"{INFRA_KEY}"' in screen.lines.text


async def test_it_says_which_file_it_is_and_where_the_core_writes_it(world: World) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot, NET.repo, NET.scope, NET.path)
        text = " ".join(calm(pilot).split())
        assert "backend_override.tf in the root module's folder envs/eu" in text
        assert "/workspaces" in text
        assert "env RUSTFS_ACCESS_KEY" in text


async def test_a_secret_is_revealed_on_purpose_and_masked_again_after_half_a_minute(world: World) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot)
        await pilot.press("x")
        await settle(pilot)
        text = calm(pilot)
        assert f'secret_key = "{SECRET}"' in text
        assert "REVEALED, masked again in 30 s" in text
        world.clock.advance(12)
        await wait_until(lambda: "masked again in 18 s" in calm(pilot))
        world.clock.advance(18)
        await wait_until(lambda: SECRET not in calm(pilot))
        assert SECRET not in screen_of(pilot).lines.text


async def test_pressing_again_masks_at_once(world: World) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot)
        await pilot.press("x", "x")
        await settle(pilot)
        assert SECRET not in calm(pilot)


async def test_leaving_the_view_masks(world: World) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot)
        await pilot.press("x", "4", "5")
        await settle(pilot)
        assert view_of(pilot).view_name == "backend"
        assert SECRET not in calm(pilot)


async def test_another_project_masks(world: World) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot)
        await pilot.press("x")
        await show(pilot, NET.repo, NET.scope, NET.path)
        assert SECRET not in calm(pilot)


async def test_copies_and_saved_files_are_masked_unless_revealed(world: World, tmp_path: Path) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot)
        assert all(SECRET not in copy.text and ACCESS not in copy.text for copy in screen_of(pilot).copies())
        await pilot.press("y")
        assert f'secret_key = "{MASK}"' in pilot.app.clipboard
        await pilot.press("Y")
        document = json.loads(pilot.app.clipboard)
        assert (document["masked"], document["model"], document["filename"]) == (True, "managed", "backend_override.tf")
        await pilot.press("colon", *f"save {tmp_path / 'masked.tf'}", "enter")
        await settle(pilot)
        assert MASK in (tmp_path / "masked.tf").read_text()
        await pilot.press("x", "y")
        assert f'secret_key = "{SECRET}"' in pilot.app.clipboard
        command = next(copy.text for copy in screen_of(pilot).copies() if copy.role == "command")
        assert command == f"kumoss-console override --repo {INFRA.repo} --scope {SCOPE} --context prod"


async def test_where_nothing_is_hidden_there_is_nothing_to_reveal(world: World) -> None:
    world.change(credentials=StorageCredentials(source="the SDK's credential chain"))
    async with world.console(view="backend") as pilot:
        await show(pilot)
        assert "holds no secret" in calm(pilot)
        assert "x reveal" not in calm(pilot).splitlines()[-1]


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_without_managed_state_it_says_that_nothing_is_written_and_why(world: World, size: tuple[int, int]) -> None:
    world.change(storage=StorageSettings(terraform_state_bucket=""))
    async with world.console(view="backend", size=size) as pilot:
        await show(pilot)
        text = " ".join(calm(pilot).split())
        assert "Nothing is written: managed state is off" in text
        assert "storage.terraform_state_bucket is blank" in text
        assert "repository, certain: the backend block" in text
        await pilot.press("y")
        await settle(pilot)
        assert "nothing is selected that could be copied" in calm(pilot)


async def test_two_owners_at_once_are_an_error_before_anything_else(world: World) -> None:
    world.change(backend_config="/etc/kumoss/backend.hcl")
    async with world.console(view="backend", size=SMALL) as pilot:
        await show(pilot)
        facts = calm(pilot).splitlines()[6:11]
        assert facts[0].startswith(" ✗")
        assert "→ Unset IAC_BACKEND_CONFIG" in "\n".join(facts)


async def test_what_this_console_cannot_know_is_said_to_be_uncertain(world: World) -> None:
    world.change(backend_config=None)
    async with world.console(view="backend") as pilot:
        await settle(pilot)
        assert "managed, not certain" in calm(pilot), "also before a project is named"
        await show(pilot)
        assert "IAC_BACKEND_CONFIG is not known here" in calm(pilot)


async def test_a_value_that_would_break_the_file_is_named_and_no_file_is_shown(world: World) -> None:
    world.change(credentials=replace(CONTEXT.credentials, secret_key=Secret('do"not${show}')))
    async with world.console(view="backend") as pilot:
        await show(pilot)
        text = calm(pilot)
        assert "RUSTFS_SECRET_KEY" in text
        assert "would break or change the override" in text
        assert "do" + '"not' not in text
        assert 'backend "s3"' not in text


async def test_a_project_without_a_key_has_no_override_and_the_https_spelling_can_be_taken(world: World) -> None:
    async with world.console(view="backend", size=SMALL) as pilot:
        await show(pilot, "git@github.com:acme/infra.git")
        assert 'backend "s3"' not in calm(pilot)
        assert "no override: see above" in calm(pilot)
        await pilot.press("ctrl+t")
        await settle(pilot)
        assert 'backend "s3"' in calm(pilot)


async def test_a_storage_account_gives_an_azurerm_block(world: World) -> None:
    storage = StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://acme.blob.core.windows.net")
    world.change(
        storage=storage, credentials=StorageCredentials(account_key=Secret("c2VjcmV0"), source="env STORAGE_ACCOUNT_KEY")
    )
    async with world.console(view="backend") as pilot:
        await show(pilot)
        assert 'backend "azurerm" {' in calm(pilot)
        assert "c2VjcmV0" not in calm(pilot)


async def test_the_file_can_be_searched(world: World) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot)
        await pilot.press("slash", *"use_lockfile", "enter")
        await settle(pilot)
        assert screen_of(pilot).lines.found == (1, 1)


async def test_leaving_takes_no_time_while_the_store_hangs(world: World) -> None:
    world.store.hang.shut()
    async with world.console(view="backend") as pilot:
        console_of(pilot).subject = Subject(INFRA.repo, SCOPE, "")
        await pilot.pause()
        began = asyncio.get_running_loop().time()
        await pilot.press("ctrl+q")
        await wait_until(lambda: not pilot.app.is_running)
    assert asyncio.get_running_loop().time() - began < AT_ONCE


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_settings_are_shown_and_never_obeyed(world: World, hostile: str) -> None:
    world.change(
        storage=StorageSettings(terraform_state_bucket=hostile, region=hostile, endpoint_url=f"http://{hostile}"),
        backend_config=hostile,
        workspaces_root=hostile,
        credentials=replace(CONTEXT.credentials, source=hostile),
    )
    async with world.console(view="backend", size=SMALL) as pilot:
        await show(pilot, INFRA.repo, hostile.replace("\n", " ").replace("\r", " "), hostile)
        calm(pilot)
        await pilot.press("x")
        await settle(pilot)
        calm(pilot)
        await pilot.press("c")
        await settle(pilot)
        calm(pilot)


def workspace(folder: Path) -> Path:
    place = folder / "my-iac"
    place.mkdir()
    (place / "main.tf").write_text('terraform {\n  backend "s3" {\n    dynamodb_table = "locks"\n  }\n}\n')
    return place


async def test_the_override_is_held_against_a_workspace_with_a_diff_that_shows_no_secret(world: World, tmp_path: Path) -> None:
    place = workspace(tmp_path)
    (place / "backend_override.tf").write_text(
        'terraform {\n  backend "s3" {\n    bucket     = "old"\n    secret_key = "an-older-one"\n  }\n}\n'
    )
    async with world.console(view="backend") as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("colon", *f"against {place}", "enter")
        await settle(pilot)
        await wait_until(lambda: screen_of(pilot).proof is not None)
        await settle(pilot)
        text = calm(pilot)
        for part in (
            "✓ the same values",
            "sorts last: backend_override.tf",
            "dynamodb_table (main.tf:3)",
            '-    bucket     = "old"',
        ):
            assert part in text, part
        assert "an-older-one" not in text
        command = next(copy.text for copy in screen_of(pilot).copies() if copy.role == "command")
        assert f"--workspace {place}" in command
        assert all("an-older-one" not in copy.text for copy in screen_of(pilot).copies())


async def test_another_project_is_held_against_the_same_workspace(world: World, tmp_path: Path) -> None:
    place = workspace(tmp_path)
    async with world.console(view="backend", size=SMALL) as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("a")
        await settle(pilot)
        await pilot.press("ctrl+u", *str(place), "enter")
        await wait_until(lambda: screen_of(pilot).proof is not None)
        before = screen_of(pilot).proof
        await show(pilot, NET.repo)
        await wait_until(lambda: screen_of(pilot).proof not in {None, before})
        assert screen_of(pilot).workspace == place
        calm(pilot)


async def test_a_workspace_that_is_not_there_is_a_banner_and_the_override_stays(world: World, tmp_path: Path) -> None:
    async with world.console(view="backend") as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("colon", *f"against {tmp_path / 'absent'}", "enter")
        await wait_until(lambda: "is not a folder" in calm(pilot))
        assert 'backend "s3"' in calm(pilot)
