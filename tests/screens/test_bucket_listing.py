"""Bucket: a listing that fails, is stopped or is very long never takes rows away, and never holds a key up."""

from __future__ import annotations

import asyncio
import hashlib

import pytest
from textual.pilot import Pilot

from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, ServiceError, Unreachable
from kumoss_console.model.context import KnownProject
from kumoss_console.services.bucket.service import StateRow
from screens.bucket.arranging import Arranger, Wish
from screens.bucket.listing import BY_OWNER, owner_name
from screens.bucket.screen import BucketScreen
from screens.widgets.columns import Sorting
from tests.screens.objects import NET, NET_KEY, ORPHAN_KEY, calm, state
from tests.screens.world import LARGE, SMALL, World, settle, view_of
from tests.waiting import wait_until

MANY = [f"{hashlib.sha256(str(number).encode()).hexdigest()}/terraform.tfstate" for number in range(60)]
FAULTS: list[ConsoleError] = [
    Unreachable("nobody answers at store.acme:9000", hint="Start the store.", code="store.unreachable"),
    AccessDenied("the store does not let us list", hint="Grant s3:ListBucket.", code="store.access_denied"),
    AccessDenied("the credentials have expired", hint="Renew the session.", code="store.expired_token"),
    AccessDenied("the store does not know our access key", hint="Check the variable.", code="store.wrong_credentials"),
    AccessDenied("the clocks disagree", hint="Set the clock.", code="store.clock_skew"),
    ServiceError("there is no such bucket", hint="Compare the settings.", code="store.bucket_missing"),
    ServiceError("the bucket is in another region", hint="Set storage.region.", code="store.redirected"),
    ServiceError("the store asks us to slow down", hint="Wait a moment.", code="store.throttled"),
    ServiceError("the store failed", hint="Look at its log.", code="store.fault"),
    BadAnswer("an answer that is not S3's", hint="Check the endpoint.", code="store.bad_answer"),
]


def screen_of(pilot: Pilot[None]) -> BucketScreen:
    screen = view_of(pilot)
    assert isinstance(screen, BucketScreen)
    return screen


def fill(world: World, count: int = len(MANY)) -> None:
    world.change(projects=(NET,))
    world.store.objects = {**dict.fromkeys(MANY[:count], state(1)), NET_KEY: state(9), f"env:/blue/{NET_KEY}": state(2)}


def lines(pilot: Pilot[None]) -> list[str]:
    table = screen_of(pilot).table
    top = table.region.y
    return [line.strip() for line in calm(pilot).splitlines()[top + 1 : top + table.region.height] if line.strip()]


def summary(pilot: Pilot[None]) -> str:
    return calm(pilot).splitlines()[screen_of(pilot).query_one("#summary").region.y].strip()


def read(world: World) -> set[str]:
    """The objects that were looked into."""
    return {key for _, key in world.store.calls if key in world.store.objects}


async def test_no_fault_takes_rows_away_and_each_says_what_to_do_next(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        screen = screen_of(pilot)
        assert screen.table.select(NET_KEY)
        for fault in FAULTS:
            for page in (0, 2):
                world.store.page_size = 20
                world.store.errors["pages"] = fault
                world.store.fail_after_pages = page
                await pilot.press("r")
                await settle(pilot)
                text = calm(pilot)
                assert f"✗ {fault.title}" in text
                assert f"→ {fault.hint}" in text
                assert any(line.startswith("net") for line in lines(pilot))
                assert len(screen.table.source) == len(MANY) + 2
                assert screen.table.row_id == NET_KEY


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_listing_can_be_stopped_and_keeps_what_it_has_until_it_is_asked_again(
    world: World, size: tuple[int, int]
) -> None:
    fill(world)
    world.store.page_size = 20
    async with world.console(size=size) as pilot:
        await settle(pilot)
        world.store.hang.shut()
        await pilot.press("6")
        await wait_until(lambda: world.store.hang.waiting > 0)
        world.store.hang.open()
        world.store.hang.shut()
        screen = screen_of(pilot)
        await wait_until(lambda: len(screen.table.source) == 20)
        await wait_until(lambda: "s stop" in calm(pilot))
        await pilot.press("s")
        await wait_until(lambda: "! stopped after 20 objects" in summary(pilot))
        assert len(screen.table.source) == 20
        world.store.hang.open()
        screen.reload()
        await settle(pilot)
        assert "stopped" in summary(pilot), "it does not begin again by itself"
        assert "s stop" not in calm(pilot)
        await pilot.press("r")
        await settle(pilot)
        assert "listing 100 %" in summary(pilot)
        assert len(screen.table.source) == len(MANY) + 2


async def test_a_refresh_keeps_the_old_rows_until_it_has_them_all(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        screen = screen_of(pilot)
        world.store.page_size = 20
        world.store.objects = {key: state(1) for key in MANY[:25]}
        world.store.hang.shut()
        await pilot.press("r")
        await wait_until(lambda: world.store.hang.waiting > 0)
        assert "listing 100 %, again" in summary(pilot)
        assert len(screen.table.source) == len(MANY) + 2
        world.store.hang.open()
        await settle(pilot)
        assert len(screen.table.source) == 25


async def test_workspaces_stand_behind_their_base_and_everything_else_is_called_what_it_is(world: World) -> None:
    world.change(projects=(NET,))
    keys = [NET_KEY, f"env:/blue/{NET_KEY}", f"env:/green/{NET_KEY}", f"{NET_KEY}.backup", f"env:/blue/{ORPHAN_KEY}"]
    keys += ["a/plan.tfplan", "a/.terraform.lock.hcl", "a/empty/"]
    world.store.objects = dict.fromkeys(keys, state(5))
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        screen_of(pilot).sorting = Sorting("key")
        await settle(pilot)
        told = [
            "↳ blue · ? unknown",
            "· dependency lock file",
            "· empty folder",
            "· plan file",
            "net · prod · envs/eu",
            "· backup · net · prod",
            "↳ blue · net",
            "↳ green · net",
        ]
        for words, line in zip(told, lines(pilot), strict=True):
            assert line.startswith(words)


async def test_serials_come_for_the_rows_in_view_and_only_for_those(world: World) -> None:
    fill(world)
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        asked = read(world)
        assert 0 < len(asked) <= 24
        assert len(lines(pilot)[0].split()) > 3
        await pilot.press("G")
        await settle(pilot)
        later = read(world)
        assert len(later) > len(asked)
        assert len(later) < len(MANY)


async def test_a_serial_that_could_not_be_read_is_not_known_and_is_read_again_on_refresh(world: World) -> None:
    world.store.objects = {ORPHAN_KEY: state(7)}
    world.store.errors[ORPHAN_KEY] = AccessDenied("not for us")
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        assert lines(pilot)[0].split()[2] == "?"
        del world.store.errors[ORPHAN_KEY]
        await pilot.press("r")
        await settle(pilot)
        assert lines(pilot)[0].split()[2] == "7"


# -- order, made in slices -------------------------------------------------------------------------------------------------


def rows_of(count: int) -> tuple[StateRow, ...]:
    return tuple(
        StateRow(key=f"{number * 7919 % count:08x}", kind="other", project_id=None, owner=None, size=number % 5, modified=None)
        for number in range(count)
    )


async def test_the_newest_wish_is_what_is_shown_in_the_end() -> None:
    shown: list[list[str]] = []
    arranger = Arranger(lambda rows, place: shown.append([row.key for row in rows]), lambda: None)
    rows = rows_of(20_000)
    arranger.wish(Wish(rows, BY_OWNER))
    running = asyncio.create_task(arranger.run())
    await asyncio.sleep(0)
    for query in ("0", "00", "0000"):
        arranger.wish(Wish(rows, Sorting("key"), query))
        await asyncio.sleep(0)
    await running
    assert shown[-1] == sorted(row.key for row in rows if "0000" in row.key)


async def test_the_row_under_the_cursor_is_told_with_its_new_place() -> None:
    places: list[int] = []
    rows = rows_of(5000)
    arranger = Arranger(lambda shown, place: places.append(place), lambda: "00000100")
    arranger.wish(Wish(rows, Sorting("key")))
    await arranger.run()
    arranger.wish(Wish(rows, Sorting("key", descending=True)))
    await arranger.run()
    assert places == [0x100, 4999 - 0x100]


def test_projects_whose_names_begin_alike_are_told_apart_and_a_subscription_is_cut() -> None:
    names = {
        owner_name(KnownProject(repo="https://git.acme/dns", scope=scope)) for scope in ("acme-dns-prod", "acme-dns-staging")
    }
    assert names == {"git.acme/dns · acme-dns-prod", "git.acme/dns · acme-dns-staging"}
    subscription = KnownProject(repo="https://git.acme/dns", scope="11111111-2222-3333-4444-555555555555")
    assert owner_name(subscription) == "git.acme/dns · 11111111…"
