"""The history of a state on the screen: versions, what differs between two, the way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from kumoss_console.errors import AccessDenied, ServiceError
from screens.versions.difference import DifferenceScreen
from screens.versions.screen import VersionsScreen
from tests.histories import SECRET, document, keep
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, painted, settle

KEY = f"{'a' * 64}/terraform.tfstate"


@pytest.fixture
def kept(world: World) -> World:
    keep(world.store, KEY, document(4, "net", "dns", secret="correct-horse"), None, document(3, "net", "web"), document(2, "net"))
    return world


@asynccontextmanager
async def opened(world: World, *, size: tuple[int, int] = LARGE, read_only: bool = False) -> AsyncIterator[Pilot[None]]:
    async with world.console(size=size, view="key", read_only=read_only) as pilot:
        await pilot.app.push_screen(VersionsScreen(KEY))
        await settle(pilot)
        yield pilot


def on_top(pilot: Pilot[None]) -> type[object]:
    return type(pilot.app.screen)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_versions_are_newest_first_with_their_serials_and_deletions(kept: World, size: tuple[int, int]) -> None:
    async with opened(kept, size=size) as pilot:
        shown = painted(pilot)
        assert "4 versions" in shown
        assert [line for line in ("active", "deleted") if line in shown] == ["active", "deleted"]
        assert shown.index("active") < shown.index("deleted")


async def test_enter_compares_with_the_version_before_it_and_passes_over_deletions(kept: World) -> None:
    async with opened(kept) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        shown = painted(pilot)
        assert on_top(pilot) is DifferenceScreen
        assert "serial 3 → 4" in shown
        assert "1 removed" in shown
        assert shown.index("aws_vpc.web") < shown.index("aws_vpc.dns")
        await pilot.press("escape")
        await settle(pilot)
        assert on_top(pilot) is VersionsScreen


async def test_a_sensitive_value_that_changes_is_said_and_not_shown(kept: World) -> None:
    async with opened(kept) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("j", "j")
        await settle(pilot)
        shown = painted(pilot)
        assert "pin: sensitive: changed, not shown" in shown
        assert SECRET not in shown
        assert "correct-horse" not in shown
        assert isinstance(pilot.app.screen, DifferenceScreen)
        assert all(SECRET not in copy.text for copy in pilot.app.screen.copies())


async def test_any_two_versions_are_compared_by_marking_one(kept: World) -> None:
    async with opened(kept) as pilot:
        await pilot.press("m", "G", "enter")
        await settle(pilot)
        assert "serial 2 → 4" in painted(pilot)


async def test_the_way_back_is_a_plan_and_nothing_is_written(kept: World) -> None:
    async with opened(kept, read_only=True) as pilot:
        await pilot.press("j", "j", "b")
        await settle(pilot)
        shown = painted(pilot)
        assert "push with  serial 5" in shown
        assert "aws_vpc.dns" in shown
        assert "terraform state push" in shown
        assert SECRET not in shown
        assert not [call for call in kept.store.calls if call[0] in ("put", "delete")]


async def test_only_losses_and_the_filter_narrow_the_difference(kept: World) -> None:
    async with opened(kept) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert "aws_vpc.dns" not in painted(pilot)
        await pilot.press("exclamation_mark", "slash", *"dns", "enter")
        await settle(pilot)
        assert "aws_vpc.web" not in painted(pilot)


async def test_a_store_without_versions_says_so_and_does_not_look_empty(kept: World) -> None:
    kept.store.errors["versions"] = ServiceError("the store does not list versions", hint="keep copies", code="store.versions")
    async with opened(kept) as pilot:
        shown = painted(pilot)
        assert "the store does not list versions" in shown
        assert "not known" in shown


async def test_a_version_that_cannot_be_read_stays_with_its_reason(kept: World) -> None:
    kept.store.errors["fetch"] = AccessDenied("the store refused us")
    async with opened(kept) as pilot:
        shown = painted(pilot)
        assert "not read: the store refused us" in shown
        assert "deleted" in shown


@pytest.mark.parametrize("text", HOSTILE[:6])
async def test_hostile_addresses_and_lineages_are_only_text(kept: World, text: str) -> None:
    keep(kept.store, KEY, document(2, text, lineage=text), document(1, "a"))
    async with opened(kept) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        assert "\x1b" not in painted(pilot)
        await pilot.press("c")
        await settle(pilot)


async def test_the_bucket_leads_to_the_history_of_its_row(kept: World) -> None:
    kept.store.objects = {KEY: document(4, "net")}
    async with kept.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("H")
        await settle(pilot)
        assert isinstance(pilot.app.screen, VersionsScreen)
        assert pilot.app.screen.key == KEY
