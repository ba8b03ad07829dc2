"""The history of a state on the screen: versions, what differs between two, the way back."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from uuid import UUID

import pytest
from textual.pilot import Pilot

from kumoss_console.errors import AccessDenied, ServiceError
from kumoss_console.model.contract import ApplyRequest, CloudProvider
from kumoss_console.model.statediff import diff, recorded
from screens.jobs.screen import JobsScreen
from screens.versions import changes
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


async def test_what_differs_beside_the_objects_is_a_row_of_its_own(kept: World) -> None:
    keep(kept.store, KEY, document(4, "net").replace(b"1.9.0", b"1.11.4"), document(3, "net"))
    async with opened(kept) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        shown = painted(pilot)
        assert "1 beside them" in shown
        assert shown.count("written by engine 1.9.0 → 1.11.4") == 2
        assert isinstance(pilot.app.screen, DifferenceScreen)
        assert pilot.app.screen.copies()[0].text == "written by engine 1.9.0 → 1.11.4"


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


async def test_the_job_that_ran_then_is_named_and_opened(kept: World) -> None:
    request = ApplyRequest(workspace_path="/workspaces/net", scope_id="s", terraform_provider=CloudProvider.AZURE, plan_file="p")
    jobs = kept.build(kept.config).jobs
    job = await jobs.submit(request)
    identifier = UUID(job.job_id)
    kept.sidecar.start(identifier)
    kept.clock.advance(10)
    kept.sidecar.answer(identifier, 0)
    await jobs.refresh()
    keep(kept.store, KEY, document(4, "net"), document(3, "net"), at=kept.clock() - timedelta(seconds=5))
    async with opened(kept, size=SMALL) as pilot:
        assert f"likely by apply {str(identifier)[:8]}" in painted(pilot)
        await pilot.press("J")
        await settle(pilot)
        assert isinstance(pilot.app.screen, JobsScreen)
        assert pilot.app.screen.selected is not None
        assert pilot.app.screen.selected.job_id == str(identifier)


async def test_a_long_history_is_there_at_once_and_the_rest_is_read_on_demand(kept: World) -> None:
    keep(kept.store, KEY, *(document(serial, "a") for serial in range(260, 0, -1)))
    async with opened(kept) as pilot:
        assert "260 versions" in painted(pilot)
        assert "60 older versions were not read" in painted(pilot)
        await pilot.press("G")
        await settle(pilot)
        assert "not read yet" in painted(pilot)
        await pilot.press("a")
        await settle(pilot)
        shown = painted(pilot)
        assert "not read" not in shown
        assert "serial" in shown


async def test_another_state_is_compared_by_its_key_or_the_id_of_its_project(kept: World) -> None:
    kept.store.objects[f"{'b' * 64}/terraform.tfstate"] = document(9, "net", "dns", "other")
    async with opened(kept) as pilot:
        await pilot.press("colon", *f"diff {'b' * 64}", "enter")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, DifferenceScreen)
        assert "serial 4 → 9" in painted(pilot)
        assert "aws_vpc.other" in painted(pilot)
        command = screen.copies()[-1].text
        assert command == f"kumoss-console state diff --context prod --with {'b' * 64}/terraform.tfstate -- {KEY} v4"


@pytest.mark.parametrize("typed", ["../x", "x" * 2000])
async def test_what_cannot_be_a_key_is_said_and_opens_nothing(kept: World, typed: str) -> None:
    async with opened(kept) as pilot:
        assert isinstance(pilot.app.screen, VersionsScreen)
        pilot.app.screen.action_compare_with(typed)
        await settle(pilot)
        assert on_top(pilot) is VersionsScreen
        assert "KEY" in painted(pilot)


async def test_twenty_thousand_changes_are_fluent(kept: World) -> None:
    names = [f"n{number:05}" for number in range(20_000)]
    keep(kept.store, KEY, document(4, "kept", *names), document(3, "kept"))
    async with opened(kept) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, DifferenceScreen)
        assert "20000 added" in painted(pilot).replace(",", "")
        before = time.process_time()
        await pilot.press("j", "j", "G", "g", "slash", *"n19999")
        await settle(pilot)
        took = time.process_time() - before
        assert "aws_vpc.n19999" in painted(pilot)
        # A dozen keys; drawing all rows at each of them would take minutes.
        assert took < 20


async def test_the_open_state_the_lock_and_the_finding_lead_to_the_history(kept: World) -> None:
    kept.store.objects = {KEY: document(4, "net"), f"{KEY}.tflock": b'{"ID": "1", "Who": "ci"}'}
    async with kept.console(view="bucket") as pilot:
        await settle(pilot)
        for way in ("enter", "L"):
            await pilot.press(way)
            await settle(pilot)
            await pilot.press("H")
            await settle(pilot)
            assert isinstance(pilot.app.screen, VersionsScreen), way
            assert pilot.app.screen.key == KEY
            await pilot.press("escape", "escape")
            await settle(pilot)


@pytest.mark.parametrize(("count", "words"), [(1, " · 1 output"), (2, " · 2 outputs")])
def test_outputs_are_counted_in_words_that_fit(count: int, words: str) -> None:
    one = json.loads(document(2, "a"))
    one["outputs"] = {f"o{number}": {"value": number, "type": "number"} for number in range(count)}
    found = diff(recorded(document(1, "a"), label="one"), recorded(json.dumps(one).encode(), label="other"))
    assert words in [cell.text for cell in changes.summary(found, count)]
