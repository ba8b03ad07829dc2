"""Keys in one burst, as a fast hand, a paste or ``tmux send-keys`` gives them, end where slow ones do."""

from __future__ import annotations

import pytest
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input

from screens.bucket.screen import BucketScreen
from screens.dialogs.choose import ChooseDialog
from screens.locks.screen import LocksScreen
from screens.widgets.typed_line import CommandLine, FilterLine
from tests.screens.objects import INFRA, INFRA_KEY, NET, NET_KEY, lock, state
from tests.screens.world import World, settle, view_of
from tests.waiting import wait_until

NAMES = {":": "colon", "/": "slash", "\r": "enter", " ": "space"}


def burst(pilot: Pilot[None], text: str) -> None:
    """All keys of ``text`` before the application has looked at one."""
    for character in text:
        pilot.app.post_message(Key(NAMES.get(character, character), character))


@pytest.fixture
def filled(world: World) -> World:
    world.change(projects=(INFRA, NET))
    world.store.objects = {INFRA_KEY: state(1), NET_KEY: state(2), f"{NET_KEY}.tflock": lock(world)}
    return world


async def test_a_command_typed_in_one_burst_is_all_in_the_line_and_none_of_it_in_the_view(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        line = view_of(pilot).query_one(CommandLine)
        burst(pilot, ":unlock")
        await wait_until(lambda: line.value == "unlock")
        assert line.has_focus
        assert isinstance(pilot.app.screen, BucketScreen)


async def test_no_letter_of_a_command_works_in_the_locks(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("L")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, LocksScreen)
        burst(pilot, ":unlock c")
        await wait_until(lambda: screen.query_one(CommandLine).value == "unlock c")
        assert not isinstance(pilot.app.screen, ChooseDialog)


async def test_a_burst_that_ends_with_enter_runs_what_it_says(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        burst(pilot, ":locks\r")
        await wait_until(lambda: isinstance(pilot.app.screen, LocksScreen))


async def test_keys_behind_enter_are_not_part_of_the_line(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        burst(pilot, ":locks\rj")
        await wait_until(lambda: isinstance(pilot.app.screen, LocksScreen))
        await settle(pilot)


async def test_keys_before_the_line_work_in_the_view_and_those_behind_it_in_the_line(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        screen = view_of(pilot)
        assert isinstance(screen, BucketScreen)
        burst(pilot, "oj/net")
        await wait_until(lambda: screen.narrowed == "net" and screen.arranged)
        assert screen.sorting.key != "owner"
        assert [row.key for row in screen._rows] == [NET_KEY]


async def test_what_is_pasted_behind_the_key_goes_into_the_line_as_well(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        burst(pilot, ":un")
        pilot.app.post_message(Paste("lock"))
        burst(pilot, "x")
        await wait_until(lambda: view_of(pilot).query_one(CommandLine).value == "unlockx")


async def test_a_sign_typed_into_an_input_opens_nothing_and_holds_nothing_back(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("slash")
        burst(pilot, "a:b/c")
        await wait_until(lambda: view_of(pilot).query_one("#filter", FilterLine).value == "a:b/c")


async def test_keys_are_not_held_for_ever_behind_one_that_is_lost(filled: World) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        screen = view_of(pilot)

        class Swallowing(Input):
            """Takes a key although it does not say so."""

            def check_consume_key(self, key: str, character: str | None) -> bool:
                return False

        await screen.mount(swallowing := Swallowing())
        screen.set_focus(swallowing)
        burst(pilot, ":x")
        await wait_until(lambda: swallowing.value == ":x")
