"""The card of an endpoint on the screen, and the consent that a trial takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from kumoss_console.errors import AccessDenied, ServiceError
from kumoss_console.model.endpoint import Aspect
from screens.endpoint.screen import EndpointScreen
from screens.overview.screen import OverviewScreen
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, painted, settle
from tests.waiting import wait_until

ACCESS = Aspect(name="access", standing="good", said="listing works", evidence="listed the bucket")
OFF = Aspect(name="versioning", standing="bad", said="off", evidence="GetBucketVersioning: it never was on")
IGNORED = Aspect(name="conditional_create", standing="bad", said="ignored", evidence="a second PUT wrote over the first")


@pytest.fixture
def store(world: World) -> World:
    world.store.aspects, world.store.tried = [ACCESS, OFF], [IGNORED]
    return world


@asynccontextmanager
async def opened(world: World, *, size: tuple[int, int] = LARGE, read_only: bool = False) -> AsyncIterator[Pilot[None]]:
    async with world.console(size=size, view="bucket", read_only=read_only) as pilot:
        await settle(pilot)
        await pilot.press("E")
        await settle(pilot)
        assert isinstance(pilot.app.screen, EndpointScreen)
        yield pilot


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_aspects_come_with_what_follows_from_them(store: World, size: tuple[int, int]) -> None:
    async with opened(store, size=size) as pilot:
        shown = painted(pilot)
        assert "listing works" in shown
        assert "no way back from a bad apply" in shown
        assert "not tried" in shown


async def test_the_head_line_fits_a_small_terminal(store: World) -> None:
    async with opened(store, size=SMALL) as pilot:
        shown = str(pilot.app.screen.query_one("#summary", Static).render())
        assert shown == "1 warning · :try finds out the rest"
        assert store.store.label.partition(" ")[0] in painted(pilot)


async def test_nothing_is_written_before_the_name_of_the_bucket_is_typed(store: World) -> None:
    bucket = store.build(store.config).context.storage.terraform_state_bucket
    async with opened(store) as pilot:
        await pilot.press("colon", *"try", "enter")
        await settle(pilot)
        assert bucket in painted(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert not [call for call in store.store.calls if call[0] == "try_writes"]
        await pilot.press("colon", *"try", "enter")
        await settle(pilot)
        await pilot.press("shift+tab", *bucket, "enter", "enter")
        await wait_until(lambda: "protects nothing" in painted(pilot))


async def test_a_trial_is_absent_in_read_only_mode(store: World) -> None:
    async with opened(store, read_only=True) as pilot:
        await pilot.press("colon", *"try", "enter")
        await settle(pilot)
        assert not [call for call in store.store.calls if call[0] == "try_writes"]
        assert isinstance(pilot.app.screen, EndpointScreen)


async def test_a_store_that_refuses_us_is_told_with_the_next_step(store: World) -> None:
    error = AccessDenied("the credentials have expired", hint="renew the session", code="store.expired_token")
    store.store.aspects = [Aspect(name="access", standing="bad", said=error.title, evidence="listed the bucket", error=error)]
    async with opened(store) as pilot:
        shown = painted(pilot)
        assert "the credentials have expired" in shown
        assert "renew the session" in shown
        assert ":try" not in shown


@pytest.mark.parametrize("read_only", [False, True])
async def test_trying_is_offered_where_it_is_there(store: World, read_only: bool) -> None:
    async with opened(store, read_only=read_only) as pilot:
        assert (":try finds out the rest" in painted(pilot)) is not read_only


@pytest.mark.parametrize("text", HOSTILE[:6])
async def test_hostile_answers_are_only_text(store: World, text: str) -> None:
    store.store.aspects = [Aspect(name="identity", standing="plain", said=text, evidence=text)]
    async with opened(store) as pilot:
        assert "\x1b" not in painted(pilot)


async def test_the_overview_says_what_endangers_states_and_opens_the_card(store: World) -> None:
    async with store.console() as pilot:
        await wait_until(lambda: "no way back from a bad apply" in painted(pilot))
        assert "versioning off" in painted(pilot)
        assert [call for call in store.store.calls if call[0] == "examine"] == [("examine", "glance")]
        await pilot.press("r")
        await settle(pilot)
        assert [call for call in store.store.calls if call[0] == "examine"] == [("examine", "glance")]
        screen = pilot.app.screen
        assert isinstance(screen, OverviewScreen)
        line = next(one for one in screen.snapshot.attention if one.view == "endpoint") if screen.snapshot else None
        screen.table.select(line)
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, EndpointScreen)


async def test_what_a_trial_found_stays_with_its_age_and_stands_beside_the_store(store: World) -> None:
    bucket = store.build(store.config).context.storage.terraform_state_bucket
    async with opened(store) as pilot:
        await pilot.press("colon", *"try", "enter")
        await settle(pilot)
        await pilot.press("shift+tab", *bucket, "enter", "enter")
        await wait_until(lambda: "protects nothing" in painted(pilot))
        await settle(pilot)
        store.clock.advance(180)
        await pilot.press("r")
        await settle(pilot)
        assert "tried 3 min ago" in painted(pilot)
        await pilot.press("escape", "1")
        await settle(pilot)
        await wait_until(lambda: "conditional writes ignored" in painted(pilot))


async def test_a_trial_that_hangs_holds_neither_the_way_back_nor_the_end(store: World) -> None:
    bucket = store.build(store.config).context.storage.terraform_state_bucket
    async with opened(store) as pilot:
        store.store.hang.shut()
        await pilot.press("colon", *"try", "enter")
        await pilot.pause()
        await pilot.press("shift+tab", *bucket, "enter", "enter")
        await wait_until(lambda: store.store.hang.waiting > 0)
        await pilot.press("escape")
        await wait_until(lambda: not isinstance(pilot.app.screen, EndpointScreen))
        assert store.store.hang.waiting > 0  # the request that is under way ends by itself, beside what comes next
        await pilot.press("E")
        await wait_until(lambda: isinstance(pilot.app.screen, EndpointScreen))
    # The console has ended with that request still out: were it waited for, this would never get here.
    assert store.store.hang.waiting > 0
    store.store.hang.open()
    await wait_until(lambda: store.store.hang.waiting == 0)


async def test_a_store_that_takes_nothing_is_not_said_to_have_been_tried(store: World) -> None:
    bucket = store.build(store.config).context.storage.terraform_state_bucket
    refused = AccessDenied("the store refused us", code="store.access_denied")
    store.store.tried = [
        Aspect(
            name="conditional_create",
            standing="unknown",
            said="could not write the scratch key",
            evidence="403",
            doubt="forbidden",
            error=refused,
        )
    ]
    async with opened(store) as pilot:
        await pilot.press("colon", *"try", "enter")
        await settle(pilot)
        await pilot.press("shift+tab", *bucket, "enter", "enter")
        await wait_until(lambda: "nothing could be tried" in painted(pilot))


async def test_a_trial_that_ends_in_an_error_leaves_the_card_and_says_what_stayed(store: World) -> None:
    bucket = store.build(store.config).context.storage.terraform_state_bucket
    store.store.errors["try_writes"] = ServiceError("the scratch key could not be removed", code="store.scratch_left")
    async with opened(store) as pilot:
        await pilot.press("colon", *"try", "enter")
        await settle(pilot)
        await pilot.press("shift+tab", *bucket, "enter", "enter")
        await wait_until(lambda: "the scratch key could not be removed" in painted(pilot))
        await settle(pilot)
        assert "protects nothing" in painted(pilot)
        assert "versioning" in painted(pilot)
        assert "removed again" not in painted(pilot)
