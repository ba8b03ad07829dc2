"""Key: derived while it is typed, every step with its reason, and what the store holds told apart from what it does not say."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from textual import events
from textual.pilot import Pilot

from kumoss_console.errors import Unreachable
from kumoss_console.model.storage import StorageSettings
from kumoss_console.text import MASK
from screens.key.screen import KeyScreen
from screens.subject import Subject
from screens.widgets.cells import Cell, wrapped
from screens.widgets.shown_input import ShownInput, redacted
from tests.hostile import HOSTILE
from tests.screens.objects import INFRA, INFRA_KEY, INFRA_ROOT_KEY, NET, NET_KEY, SCOPE, calm, lock, state
from tests.screens.world import LARGE, SMALL, World, console_of, settle, view_of
from tests.waiting import AT_ONCE, wait_until

DIGEST = "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609"


def screen_of(pilot: Pilot[None]) -> KeyScreen:
    screen = view_of(pilot)
    assert isinstance(screen, KeyScreen)
    return screen


async def show(pilot: Pilot[None], repo: str, scope: str = SCOPE, path: str = "") -> None:
    console_of(pilot).subject = Subject(repo, scope, path)
    await settle(pilot)


def typed(pilot: Pilot[None]) -> tuple[str, ...]:
    return tuple(pilot.app.screen.query_one(f"#{name}", ShownInput).value for name in ("repo", "scope", "path"))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_key_is_derived_while_it_is_typed(world: World, size: tuple[int, int]) -> None:
    async with world.console(view="key", size=size) as pilot:
        await settle(pilot)
        assert "pick a project" in calm(pilot)
        await pilot.press("e", *"https://GitHub.com/acme/infra.git", "enter", *SCOPE)
        await settle(pilot)
        text = calm(pilot)
        assert DIGEST in text
        assert "How they came about" in text
        assert "− scheme https://" in text
        assert typed(pilot) == ("https://GitHub.com/acme/infra.git", SCOPE, "")
        assert not any(call == "head" for call, _ in world.store.calls), "deriving a key asks nobody"


async def test_each_step_says_what_it_dropped_and_why_and_the_hashed_lines_stand_below(world: World) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, "https://git.acme:8443/Team/infra.git?ref=main", " Prod ", "/envs//eu/")
        text = calm(pilot)
        for part in (
            "− port 8443  the port is not hashed",
            "− query ?ref=main  only the path says which repository",
            "− upper case  host and path in lower case",
            "− leading slash, trailing slash",
            "= git.acme/team/infra",
            "1  git.acme/team/infra",
            "2  prod",
            "3  envs/eu",
            "no line feed at the end",
        ):
            assert part in text, part


async def test_an_empty_line_is_hashed_and_shown_as_empty(world: World) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, INFRA.repo)
        assert "3  (empty)" in calm(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_refused_spelling_offers_the_https_one_and_a_key_takes_it(world: World, size: tuple[int, int]) -> None:
    async with world.console(view="key", size=size) as pilot:
        await settle(pilot)
        await pilot.press("e", *"git@github.com:acme/infra.git")
        await settle(pilot)
        text = calm(pilot)
        assert "✗" in text
        assert "only https:// repositories have a key" in text
        assert "ctrl+t  takes https://github.com/acme/infra.git" in text
        assert "Project id" not in text, "no key of another text stays on the screen"
        assert typed(pilot)[0] == "git@github.com:acme/infra.git", "what was typed is never cleared"
        await pilot.press("ctrl+t")
        await settle(pilot)
        assert typed(pilot)[0] == "https://github.com/acme/infra.git"
        assert "Project id" in calm(pilot)


async def test_the_path_that_a_module_address_names_is_taken_too_but_never_over_a_typed_one(world: World) -> None:
    async with world.console(view="key") as pilot:
        address = "git::https://github.com/acme/infra.git//envs/prod?ref=main"
        await show(pilot, address, "prod", "")
        await pilot.press("ctrl+t")
        assert typed(pilot) == ("https://github.com/acme/infra.git", "prod", "envs/prod")
        await show(pilot, address, "prod", "mine")
        await pilot.press("ctrl+t")
        assert typed(pilot) == ("https://github.com/acme/infra.git", "prod", "mine")


async def test_a_spelling_without_an_https_one_offers_nothing(world: World) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, "/srv/git/infra")
        assert "ctrl+t" not in calm(pilot)


@pytest.mark.parametrize(
    "repo",
    ["https://ops:hunter2@github.com/acme/infra", "ssh://ops:hunter2@github.com/acme/infra", "https://hunter2@github.com/a"],
)
async def test_a_password_in_a_pasted_url_is_in_nothing_that_is_derived_or_copied(world: World, repo: str) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, repo)
        lines = calm(pilot).splitlines()
        assert all("hunter2" not in line for line in lines)
        assert MASK in lines[2]
        await pilot.press("e")
        await settle(pilot)
        assert "hunter2" in calm(pilot).splitlines()[2], "the input shows what is typed while it is"
        assert console_of(pilot).subject.repo == repo
        await pilot.press("escape")
        await settle(pilot)
        assert all("hunter2" not in copy.text for copy in screen_of(pilot).copies())
        assert "hunter2" not in repr(console_of(pilot).subject)
        await pilot.press("ctrl+t")
        await settle(pilot)
        assert "hunter2" not in calm(pilot)


async def test_on_a_small_screen_the_key_comes_before_every_warning_about_it(world: World) -> None:
    async with world.console(view="key", size=SMALL) as pilot:
        await show(pilot, "https://ops:hunter2@github.com:443/Acme/infra.git/?ref=x", " 1111-2222 ", "./a/../b/")
        lines = calm(pilot).splitlines()
        first = next(number for number, line in enumerate(lines) if line.startswith(" ─"[1:] * 20))
        assert lines[first + 1].split()[0:2] == ["Project", "id"]
        assert lines[first + 2].split()[0:2] == ["Object", "key"]
        assert "ctrl+t  takes https://github.com/acme/infra" in lines[first + 4]


@pytest.mark.parametrize("repo", ["git@github.com:acme/infra.git", "ssh://git@github.com/acme/infra", "https://github.com/a/b"])
def test_a_repository_without_a_secret_is_shown_as_typed(repo: str) -> None:
    assert redacted(repo) == repo


@pytest.mark.parametrize("repo", ["ops:pw@host:a/b", "https://ghp_secret@github.com/a", "https://h/a?access_token=ghp_secret"])
def test_a_secret_in_a_repository_is_not_shown(repo: str) -> None:
    assert "secret" not in redacted(repo)
    assert "pw" not in redacted(repo)


async def test_a_password_in_a_url_that_is_accepted_is_warned_about_beside_the_key(world: World) -> None:
    async with world.console(view="key", size=SMALL) as pilot:
        await show(pilot, "https://ops:hunter2@github.com/acme/infra")
        text = calm(pilot)
        assert "ctrl+t  takes https://github.com/acme/infra, without what may be a password" in text
        assert DIGEST in text
        assert "a password or a token" in text
        command = next(copy.text for copy in screen_of(pilot).copies() if copy.role == "command")
        assert "--repo https://github.com/acme/infra --scope" in command
        assert MASK not in command


async def test_keys_copy_the_object_key_the_explanation_and_the_command_that_shows_it(world: World) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, "https://github.com/acme/infra", SCOPE, "envs/my eu")
        key = screen_of(pilot).explanation
        assert key is not None
        await pilot.press("y")
        assert pilot.app.clipboard == key.object_key
        await pilot.press("Y")
        document = json.loads(pilot.app.clipboard)
        assert document["project_id"] == key.key.project_id
        assert document["object"] is None
        copies = {copy.label: copy.text for copy in screen_of(pilot).copies()}
        assert copies["the URL of the object"] == f"https://store.acme:9000/kumoss-terraform-state/{key.object_key}"
        assert copies["the command that shows this"] == (
            f"kumoss-console key --repo https://github.com/acme/infra --scope {SCOPE} --path 'envs/my eu' --context prod"
        )
        assert copies["the hashed text"] == f"github.com/acme/infra\n{SCOPE}\nenvs/my eu"


async def test_near_misses_stand_below_with_what_sets_them_apart_and_can_be_copied(world: World) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, INFRA.repo)
        text = calm(pilot)
        assert "this project" in text
        assert "the root spelled ." in text
        await pilot.press("j", "y")
        assert pilot.app.clipboard == INFRA_ROOT_KEY
        command = next(copy.text for copy in screen_of(pilot).copies() if copy.role == "command")
        assert command.endswith(f"--repo https://github.com/acme/infra --scope {SCOPE} --path . --context prod")


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_store_tells_present_and_absent_apart_when_it_is_asked(world: World, size: tuple[int, int]) -> None:
    world.store.objects = {INFRA_KEY: state(41), INFRA_ROOT_KEY: state(7), f"{INFRA_ROOT_KEY}.tflock": lock(world)}
    async with world.console(view="key", size=size) as pilot:
        await show(pilot, INFRA.repo)
        assert "not looked up" in calm(pilot)
        await pilot.press("s")
        await settle(pilot)
        lines = {line.split("  ")[0].strip(): line for line in calm(pilot).splitlines()}
        assert "present, serial 41" in lines["this project"]
        assert "present, serial 7 · ✗ lock" in lines["the root spelled ."]
        assert sum("absent" in line for line in lines.values()) >= 2
        assert "store looked at 0 s ago" in calm(pilot)


async def test_what_could_not_be_looked_at_is_neither_present_nor_absent(world: World) -> None:
    world.store.objects = {INFRA_KEY: state(41)}
    world.store.errors[INFRA_ROOT_KEY] = Unreachable("the store went away")
    async with world.console(view="key") as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("s")
        await settle(pilot)
        row = next(line for line in calm(pilot).splitlines() if "the root spelled ." in line)
        assert "? could not look: the store went away" in row
        assert "absent" not in row


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_dead_store_leaves_the_key_and_says_that_nobody_looked(world: World, size: tuple[int, int]) -> None:
    world.store.errors["head"] = Unreachable("nobody answers at store.acme:9000", hint="Start the store.")
    async with world.console(view="key", size=size) as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("s")
        await settle(pilot)
        text = calm(pilot)
        assert "✗ nobody answers at store.acme:9000" in text
        assert "→ Start the store." in text
        assert "? could not look" in text
        assert DIGEST in text


async def test_a_look_that_fails_after_a_good_one_keeps_what_was_found(world: World) -> None:
    world.store.objects = {INFRA_KEY: state(41)}
    async with world.console(view="key") as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("s")
        await settle(pilot)
        world.store.errors["head"] = Unreachable("nobody answers")
        world.clock.advance(60)
        await pilot.press("r")
        await settle(pilot)
        text = calm(pilot)
        assert "present, serial 41" in text
        assert "store looked at 1 m ago" in text
        assert "✗ nobody answers" in text


async def test_a_hung_store_holds_back_neither_typing_nor_the_exit(world: World) -> None:
    world.store.hang.shut()
    async with world.console(view="key") as pilot:
        console_of(pilot).subject = Subject(INFRA.repo, SCOPE, "")
        await pilot.pause()
        await pilot.press("s")
        await wait_until(lambda: "looking…" in calm(pilot))
        await pilot.press("e", "end", "x")
        await pilot.pause()
        assert "github.com/acme/infrax" in calm(pilot)
        assert "looking…" not in calm(pilot), "the question was about another key"
        began = asyncio.get_running_loop().time()
        await pilot.press("ctrl+q")
        await wait_until(lambda: not pilot.app.is_running)
    assert asyncio.get_running_loop().time() - began < AT_ONCE


async def test_what_was_found_for_one_key_is_never_shown_for_another(world: World) -> None:
    world.store.objects = {INFRA_KEY: state(41)}
    async with world.console(view="key") as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("s")
        await settle(pilot)
        await show(pilot, INFRA.repo, "other")
        text = calm(pilot)
        assert "serial 41" not in text
        assert "not looked up" in text


async def test_a_known_project_is_picked_from_a_list_or_by_name(world: World) -> None:
    world.change(projects=(INFRA, NET))
    async with world.console(view="key") as pilot:
        await pilot.press("p", "down", "enter")
        await settle(pilot)
        assert typed(pilot) == (NET.repo, NET.scope, NET.path)
        await pilot.press("colon", *"project infra", "enter")
        await settle(pilot)
        assert typed(pilot) == (INFRA.repo, INFRA.scope, INFRA.path)
        await pilot.press("colon", *"project nothing-like-it", "enter")
        await settle(pilot)
        assert "no known project matches 'nothing-like-it'" in calm(pilot)


async def test_without_known_projects_picking_says_where_to_list_them(world: World) -> None:
    async with world.console(view="key", size=SMALL) as pilot:
        await pilot.press("p")
        await settle(pilot)
        assert "names no projects" in calm(pilot)


async def test_enter_opens_the_selected_key_in_the_bucket(world: World) -> None:
    world.change(projects=(NET,))
    world.store.objects = {NET_KEY: state(9)}
    async with world.console(view="key") as pilot:
        await show(pilot, NET.repo, NET.scope, NET.path)
        await pilot.press("enter")
        await settle(pilot)
        assert view_of(pilot).view_name == "bucket"
        assert "serial 9" in calm(pilot)


async def test_letters_and_digits_go_into_the_inputs_until_esc_leaves_them(world: World) -> None:
    async with world.console(view="key") as pilot:
        await pilot.press("e", "1", "y", "q", "slash")
        assert typed(pilot)[0] == "1yq/"
        await pilot.press("escape", "5")
        await settle(pilot)
        assert view_of(pilot).view_name == "backend"
        assert typed(pilot)[0] == "1yq/", "the project goes along to the other view"


async def test_a_url_pasted_anywhere_is_the_repository(world: World) -> None:
    async with world.console(view="key") as pilot:
        pilot.app.post_message(events.Paste("https://github.com/acme/infra\nsecond line"))
        await settle(pilot)
        assert typed(pilot) == ("https://github.com/acme/infra", "", "")
        assert screen_of(pilot).form.editing


async def test_without_managed_state_there_is_a_key_and_the_reason_why_nobody_uses_it(world: World) -> None:
    world.change(storage=StorageSettings(terraform_state_bucket=""))
    world.store = None  # type: ignore[assignment]
    async with world.console(view="key", size=SMALL) as pilot:
        await show(pilot, INFRA.repo)
        text = calm(pilot)
        assert DIGEST in text
        assert "none: managed state is off" in text
        await pilot.press("s")
        await settle(pilot)
        assert "managed state is off" in calm(pilot)


@pytest.mark.parametrize("field", ["repo", "scope", "path"])
async def test_hostile_text_is_shown_and_never_obeyed(world: World, field: str) -> None:
    named = [replace(INFRA, name=text) for text in HOSTILE]
    spelled = {
        "repo": [replace(project, repo=project.name) for project in named],
        "scope": [replace(project, scope=project.name) for project in named],
        "path": [replace(project, path=project.name) for project in named],
    }
    world.change(projects=tuple(spelled[field]))
    picked = set[tuple[str, ...]]()
    async with world.console(view="key", size=SMALL) as pilot:
        for number in range(len(HOSTILE)):
            await pilot.press("p")
            await settle(pilot)
            calm(pilot)
            await pilot.press(*["down"] * number, "enter")
            await settle(pilot)
            calm(pilot)
            picked.add(typed(pilot))
            await pilot.press("e", "end")
            await settle(pilot)
            calm(pilot)
            await pilot.press("escape", "c")
            await settle(pilot)
            calm(pilot)
            if not isinstance(pilot.app.screen, KeyScreen):
                await pilot.press("escape")
    assert len(picked) == len(HOSTILE), "each was looked at"


def test_blanks_wider_than_a_line_do_not_hold_up_the_wrapping() -> None:
    assert wrapped((Cell(" " * 200 + "x"),), 20) == ((Cell("x"),),)
    assert all(len(line) == 1 for line in wrapped((Cell(" " * 200),), 20))


async def test_the_project_goes_along_into_another_context(world: World) -> None:
    async with world.console(view="key") as pilot:
        await show(pilot, INFRA.repo)
        await pilot.press("colon", *"context dev", "enter")
        await wait_until(lambda: console_of(pilot).services.context.name == "dev")
        await settle(pilot)
        await pilot.press("4")
        await settle(pilot)
        assert DIGEST in calm(pilot)
        command = next(copy.text for copy in screen_of(pilot).copies() if copy.role == "command")
        assert command.endswith("--context dev")
