"""Key, what if: one input changed beside the project, with what exists at the old key and at the new one."""

from __future__ import annotations

import json

import pytest
from textual.pilot import Pilot

from screens.key.screen import KeyScreen
from screens.subject import Subject
from screens.widgets.shown_input import ShownInput
from tests.hostile import HOSTILE
from tests.screens.objects import INFRA, INFRA_KEY, SCOPE, calm, state
from tests.screens.world import LARGE, SMALL, World, console_of, settle, view_of


def screen_of(pilot: Pilot[None]) -> KeyScreen:
    screen = view_of(pilot)
    assert isinstance(screen, KeyScreen)
    return screen


async def imagine(pilot: Pilot[None], *, path: str = "", repo: str = "") -> None:
    console_of(pilot).subject = Subject(INFRA.repo, SCOPE, "")
    await settle(pilot)
    await pilot.press("a")
    for name, value in (("repo", repo), ("path", path)):
        if value:
            screen_of(pilot).other.query_one(f"#{name}", ShownInput).value = value
    await settle(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_second_form_opens_with_the_project_and_shows_old_and_new_key(world: World, size: tuple[int, int]) -> None:
    async with world.console(view="key", size=size) as pilot:
        await imagine(pilot)
        assert "nothing changes" in calm(pilot)
        await pilot.press("tab", "tab", *"envs")
        await settle(pilot)
        text = calm(pilot)
        new = screen_of(pilot).what_if
        assert new is not None
        assert "(empty) → envs" in text
        assert new.after.object_key in text or new.after.key.project_id[:8] in text
        assert "what if" in text
        assert console_of(pilot).subject.path == "", "the project itself is not changed"


async def test_looking_tells_that_the_state_would_stay_behind(world: World) -> None:
    world.store.objects = {INFRA_KEY: state(41)}
    async with world.console(view="key") as pilot:
        await imagine(pilot, path="envs/prod")
        await pilot.press("escape", "s")
        await settle(pilot)
        text = calm(pilot)
        assert "present, serial 41" in text
        assert "stays behind under the old key" in text
        assert "state pull from the old key" in text


async def test_a_look_at_the_project_says_nothing_of_a_key_imagined_later(world: World) -> None:
    world.store.objects = {INFRA_KEY: state(41)}
    async with world.console(view="key") as pilot:
        await imagine(pilot, path="envs/prod")
        await pilot.press("escape", "s")
        await settle(pilot)
        screen_of(pilot).other.query_one("#path", ShownInput).value = "envs/other"
        await settle(pilot)
        text = calm(pilot)
        assert "stays behind" not in text
        assert "Look both keys up" in text


async def test_a_spelling_that_has_no_key_says_so_beside_the_key_that_is(world: World) -> None:
    async with world.console(view="key") as pilot:
        await imagine(pilot, repo="git@github.com:acme/other")
        text = calm(pilot)
        assert "only https:// repositories have a key" in text
        assert INFRA_KEY in text


async def test_esc_leaves_the_inputs_then_closes_the_second_form_then_goes_back(world: World) -> None:
    async with world.console() as pilot:
        await pilot.press("4")
        await imagine(pilot, path="envs")
        screen = screen_of(pilot)
        await pilot.press("escape")
        assert not screen.other.editing
        assert "(empty) → envs" in calm(pilot)
        await pilot.press("escape")
        assert screen.imagined is None
        assert "What if" not in calm(pilot)
        await pilot.press("escape")
        assert view_of(pilot).view_name == "overview"


async def test_the_command_and_the_json_carry_the_change_and_no_password(world: World) -> None:
    async with world.console(view="key") as pilot:
        await imagine(pilot, repo="https://ops:hunter2@github.com/acme/platform")
        await pilot.press("escape")
        copies = screen_of(pilot).copies()
        command = next(copy.text for copy in copies if copy.role == "command")
        assert command.endswith(f"--scope {SCOPE} --what-if-repo https://github.com/acme/platform --context prod")
        document = json.loads(next(copy.text for copy in copies if copy.role == "json"))
        assert document["what_if"]["changed"] == ["repo"]
        assert all("hunter2" not in copy.text for copy in copies)


async def test_the_imagined_key_can_be_selected_copied_and_opened(world: World) -> None:
    async with world.console(view="key") as pilot:
        await imagine(pilot, path="envs")
        what_if = screen_of(pilot).what_if
        assert what_if is not None
        await pilot.press("escape", "j", "y")
        assert pilot.app.clipboard == what_if.after.object_key


async def test_an_imagined_root_stands_once_among_the_near_misses(world: World) -> None:
    async with world.console(view="key") as pilot:
        await imagine(pilot, path=".")
        assert "the root spelled ." not in calm(pilot)


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_in_the_second_form_is_only_shown(world: World, text: str) -> None:
    async with world.console(view="key", size=SMALL) as pilot:
        await imagine(pilot, path=text)
        calm(pilot)
        await pilot.press("escape", "c")
        await settle(pilot)
        calm(pilot)
