"""The scan on the screen: what is wrong with the bucket as it is found, stopped, narrowed, opened."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.model.finding import Severity
from kumoss_console.model.scan import ScanFinding
from screens.scan.arranging import FoundRows, matching, ordered
from screens.scan.screen import ScanScreen
from screens.statedetail.screen import StateDetailScreen
from screens.widgets.columns import Sorting
from screens.widgets.slices import ROUNDS, Pace
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, painted, settle
from tests.waiting import wait_until

ONE, TWO, EMPTY = (f"{digit * 64}/terraform.tfstate" for digit in "abc")


def state(serial: int, lineage: str) -> bytes:
    return json.dumps(
        {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": lineage, "resources": []}
    ).encode()


@pytest.fixture
def filled(world: World) -> World:
    world.store.objects = {ONE: state(41, "7d1e"), TWO: state(40, "7d1e"), EMPTY: b"", "notes.txt": b"hello"}
    return world


@asynccontextmanager
async def scanned(world: World, *, size: tuple[int, int] = LARGE) -> AsyncIterator[Pilot[None]]:
    async with world.console(size=size, view="key") as pilot:
        await pilot.app.push_screen(ScanScreen())
        await settle(pilot)
        yield pilot


def screen_of(pilot: Pilot[None]) -> ScanScreen:
    assert isinstance(pilot.app.screen, ScanScreen)
    return pilot.app.screen


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_gravest_comes_first_with_its_remedy_below(filled: World, size: tuple[int, int]) -> None:
    async with scanned(filled, size=size) as pilot:
        shown = painted(pilot)
        assert "4 objects: 4 heads read, without histories · 3 errors" in shown
        assert [finding.code for finding in screen_of(pilot)._rows[:3]] == ["scan.empty", *["scan.shared_lineage"] * 2]
        assert "✗  empty" in shown
        assert "engines take this for no state" in shown
        assert "→ look at its older versions" in shown


async def test_enter_opens_the_state_and_esc_comes_back(filled: World) -> None:
    async with scanned(filled) as pilot:
        await pilot.press("j", "enter")
        await settle(pilot)
        assert [type(screen) for screen in pilot.app.screen_stack[-2:]] == [ScanScreen, StateDetailScreen]
        assert "7d1e" in painted(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert screen_of(pilot).selected is not None
        await pilot.press("escape")
        await settle(pilot)
        assert not isinstance(pilot.app.screen, ScanScreen)


async def test_the_mark_narrows_to_errors_and_the_filter_to_words(filled: World) -> None:
    async with scanned(filled) as pilot:
        screen = screen_of(pilot)
        everything = len(screen._rows)
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert {finding.severity for finding in screen._rows} == {"error"}
        assert len(screen._rows) < everything
        await pilot.press("slash", *"empty", "enter")
        await settle(pilot)
        assert [finding.key for finding in screen._rows] == [EMPTY]
        await pilot.press("escape", "exclamation_mark")
        await settle(pilot)
        assert len(screen._rows) == everything


async def test_a_scan_under_way_is_stopped_by_esc_and_says_how_far_it_came(filled: World) -> None:
    async with filled.console(view="key") as pilot:
        await settle(pilot)
        filled.store.hang.shut()
        await pilot.app.push_screen(ScanScreen())
        await wait_until(lambda: isinstance(pilot.app.screen, ScanScreen) and pilot.app.screen.scanning)
        await pilot.press("escape")
        await settle(pilot)
        assert "nothing was looked at" in painted(pilot)
        assert "not known" in painted(pilot)
        filled.store.hang.open()
        await pilot.press("r")
        await settle(pilot)
        assert "3 errors" in painted(pilot)


async def test_histories_are_read_on_demand_and_the_command_says_so(filled: World) -> None:
    filled.store.errors["versions"] = Unreachable("it keeps no versions", code="store.versions_unsupported")
    async with scanned(filled) as pilot:
        await pilot.press("t")
        await settle(pilot)
        assert "no history could be looked at: it keeps no versions" in painted(pilot)
        copies = {copy.role: copy.text for copy in screen_of(pilot).copies()}
        assert copies["command"] == "kumoss-console state scan --versions --context prod"
        assert json.loads(copies["json"])["code"] == "scan.empty"


async def test_what_could_not_be_looked_at_is_shown_and_a_dead_store_keeps_what_was_found(filled: World) -> None:
    filled.store.errors[ONE] = AccessDenied("the store refuses to give it")
    async with scanned(filled) as pilot:
        assert "could not be looked at: the store refuses to give it" in painted(pilot)
        assert "4 objects: 3 heads read, 1 could not be · " in painted(pilot)
        filled.store.errors["pages"] = Unreachable("nobody answers at the store", hint="doctor")
        await pilot.press("r")
        await settle(pilot)
        assert "nobody answers at the store" in painted(pilot)
        assert "stopped:" in painted(pilot)
        assert "Nothing wrong was found" not in painted(pilot)


@pytest.mark.parametrize("text", HOSTILE[:6])
async def test_hostile_keys_and_lineages_are_only_text(filled: World, text: str) -> None:
    filled.store.objects = {f"a{text}": state(1, text), f"b{text}": state(2, text)}
    async with scanned(filled) as pilot:
        assert "shared lineage" in painted(pilot)
        assert "\x1b" not in painted(pilot)
        await pilot.press("c")
        await settle(pilot)


@pytest.mark.parametrize("keys", [("X",), ("colon", *"scan", "enter")])
async def test_a_key_and_a_word_lead_there_from_the_bucket(filled: World, keys: tuple[str, ...]) -> None:
    async with filled.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press(*keys)
        await settle(pilot)
        assert screen_of(pilot).progress is not None


def finding(number: int) -> ScanFinding:
    severity = Severity.ERROR if number % 2 else Severity.WARNING
    return ScanFinding(code=f"scan.kind{number % 3}", severity=severity, key=f"k{number:06}", owner=None, message="wrong")


@pytest.mark.parametrize("sorting", [Sorting("key"), Sorting("what", descending=True), Sorting("severity", descending=True)])
async def test_very_many_findings_are_narrowed_and_ordered_while_keys_are_answered(sorting: Sorting) -> None:
    findings = [finding(number) for number in range(20_000)]
    turns = 0

    async def answer() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    answering = asyncio.create_task(answer())
    pace = Pace()
    kept = await matching(findings, "KIND1", only_errors=True, pace=pace)
    rows = await ordered(kept, sorting, pace)
    answering.cancel()
    assert turns >= ROUNDS, "the loop was given way to"
    assert {one.key for one in rows} == {f"k{number:06}" for number in range(20_000) if number % 2 and number % 3 == 1}
    source = FoundRows(rows)
    assert [source.position(source.row_id(place)) for place in (0, 7, len(rows) - 1)] == [0, 7, len(rows) - 1]
    assert source.position(("scan.kind0", "k000000", "wrong")) is None


async def test_a_column_turned_round_keeps_what_is_equal_in_its_order() -> None:
    findings = [finding(number) for number in range(9)]
    rows = await ordered(findings, Sorting("what", descending=True), Pace())
    assert [one.key[-1] for one in rows] == ["2", "5", "8", "1", "4", "7", "0", "3", "6"]


async def test_rows_that_come_leave_the_cursor_at_the_top_or_on_its_finding(filled: World) -> None:
    async with scanned(filled) as pilot:
        screen = screen_of(pilot)
        await pilot.press("j", "j")
        chosen = screen.selected
        await pilot.press("o", "o")
        await settle(pilot)
        assert screen.selected == chosen
        await pilot.press("g", "O")
        await settle(pilot)
        assert screen.table.cursor == 0
