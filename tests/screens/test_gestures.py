"""The gestures that mean the same everywhere, in every view and at both sizes: each does something, or is not offered."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from screens.base import ViewScreen
from screens.commands import COPIES, FULL_SCREEN, ONLY_WRONG, REVERSE, SAVE, SORT
from screens.subject import Subject
from screens.views import VIEWS
from tests.screens.objects import INFRA, INFRA_KEY, SCOPE, state
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of

GESTURES = (*COPIES, SAVE, FULL_SCREEN, SORT, REVERSE, ONLY_WRONG)


@pytest.fixture
def filled(world: World) -> World:
    """A project with a state, so that every view has something to show."""
    world.change(projects=(INFRA,))
    world.store.objects = {INFRA_KEY: state(41)}
    return world


def seen(pilot: Pilot[None]) -> tuple[object, ...]:
    """What an operator can tell apart, but for colours."""
    screen = pilot.app.screen
    alone = screen.maximized if isinstance(screen, ViewScreen) else None
    return screen, alone, console_of(pilot).flash_shown, painted(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("view", [view.name for view in VIEWS])
async def test_a_gesture_that_is_offered_does_something_or_says_why_not(filled: World, view: str, size: tuple[int, int]) -> None:
    async with filled.console(view=view, size=size) as pilot:
        console_of(pilot).subject = Subject(INFRA.repo, SCOPE, INFRA.path)
        await settle(pilot)
        home = view_of(pilot)
        assert "? help" in painted(pilot).splitlines()[-1], "the way to all the other keys is always there"
        for gesture in GESTURES:
            offered = [command for command in home.available if command.id == gesture.id]
            for key in [key for command in offered for key in command.keys]:
                await pilot.press("f12")  # means nothing: what was said before is gone
                await pilot.pause()
                before = seen(pilot)
                await pilot.press(key)
                await pilot.pause()
                assert seen(pilot) != before, f"{key} ({gesture.title}) did nothing"
                if pilot.app.screen is not home or home.maximized is not None:
                    await pilot.press("escape")
                    await pilot.pause()
                assert pilot.app.screen is home


@pytest.mark.parametrize("view", [view.name for view in VIEWS])
async def test_the_focused_part_of_every_view_is_shown_alone_and_esc_returns(filled: World, view: str) -> None:
    async with filled.console(view=view, size=SMALL) as pilot:
        console_of(pilot).subject = Subject(INFRA.repo, SCOPE, INFRA.path)
        await settle(pilot)
        home = view_of(pilot)
        if FULL_SCREEN not in home.commands:
            return
        await pilot.press("z")
        await pilot.pause()
        assert home.maximized is home.focused
        await pilot.press("escape")
        await pilot.pause()
        assert home.maximized is None
