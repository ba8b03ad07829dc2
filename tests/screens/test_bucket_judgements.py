"""Bucket: nothing is called what it was not seen to be, and a failed look is made again."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from kumoss_console.errors import AccessDenied, NotFound, Unreachable
from kumoss_console.services.scan.service import ScanOptions
from screens.bucket.screen import BucketScreen
from tests.screens.objects import INFRA, INFRA_KEY, NET, NET_KEY, ORPHAN_KEY, calm, lock, resource, state
from tests.screens.world import LARGE, SMALL, World, console_of, settle, view_of

OWN_KEY = "acme/prod/network.tfstate"


def screen_of(pilot: Pilot[None]) -> BucketScreen:
    screen = view_of(pilot)
    assert isinstance(screen, BucketScreen)
    return screen


def line(pilot: Pilot[None], words: str) -> str:
    return next(line for line in calm(pilot).splitlines() if words in line)


async def test_a_state_at_a_key_of_its_own_is_not_called_none_and_is_named_once_it_was_looked_into(world: World) -> None:
    world.store.objects = {OWN_KEY: state(3), "readme.txt": b"hello", NET_KEY: state(4)}
    world.store.errors |= dict.fromkeys((OWN_KEY, "readme.txt"), AccessDenied("not for us"))
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert "? not the core's key" in line(pilot, OWN_KEY)
        assert "1 state · 2 other keys" in calm(pilot)
        assert "no state" not in calm(pilot)
        world.store.errors.clear()
        await pilot.press("r")
        await settle(pilot)
        assert "· a state elsewhere" in line(pilot, OWN_KEY)
        assert "· no state" in line(pilot, "readme.txt")


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_detail_that_cannot_be_read_says_one_thing_names_its_owner_and_is_read_again(
    world: World, size: tuple[int, int]
) -> None:
    world.change(projects=(NET,))
    world.store.objects = {NET_KEY: state(9, resources=[resource("main")])}
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        world.store.errors["head"] = Unreachable("the store cannot be reached")
        screen_of(pilot).open(NET_KEY)
        await settle(pilot)
        text = calm(pilot)
        assert "the store cannot be reached" in text
        assert "reading…" not in text
        assert str(screen_of(pilot).pane.border_title).startswith("net · prod")

        del world.store.errors["head"]
        world.clock.advance(60)
        screen_of(pilot).reload()
        await settle(pilot)
        text = calm(pilot)
        assert "serial 9" in text
        assert "the store cannot be reached" not in text


async def test_resources_and_the_objects_that_have_rows_are_both_counted(world: World) -> None:
    many = resource("main")
    many["instances"] = [{"index_key": number, "attributes": {"id": f"i-{number}"}} for number in range(6)]
    world.store.objects = {NET_KEY: state(9, resources=[many, resource("one")])}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        screen_of(pilot).open(NET_KEY)
        await settle(pilot)
        assert "2 managed (7 objects)" in calm(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_long_name_of_a_holder_leaves_the_age_of_the_lock(world: World, size: tuple[int, int]) -> None:
    world.change(projects=(NET,))
    world.store.objects = {NET_KEY: state(9), f"{NET_KEY}.tflock": lock(world, holder="ci-runner-" * 60)}
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        assert "✗ ci-" in line(pilot, "net · prod")
        assert " 3 h" in line(pilot, "net · prod")
        screen_of(pilot).open(NET_KEY)
        await settle(pilot)
        assert "for 3 h 12 min (apply)" in " ".join(calm(pilot).split())


@pytest.mark.parametrize(
    ("minutes", "sign", "words"), [(5, "·", "ci@runner-7 5 m"), (192, "✗", "ci@runner-7 3 h"), (-120, "!", "in the future")]
)
async def test_bucket_and_overview_judge_a_lock_alike(world: World, minutes: float, sign: str, words: str) -> None:
    world.change(projects=(NET,))
    world.store.objects = {NET_KEY: state(9), f"{NET_KEY}.tflock": lock(world, minutes=minutes)}
    async with world.console(view="bucket", size=(180, 40)) as pilot:
        await settle(pilot)
        assert f"{sign} ci@runner-7" in line(pilot, "net · prod")
        assert words in line(pilot, "net · prod")
        await console_of(pilot).open_view("overview")
        await settle(pilot)
        assert f"{sign} lock on net" in calm(pilot)


async def test_a_lock_without_a_state_and_one_that_nobody_can_read_are_no_news_of_the_harmless_kind(world: World) -> None:
    world.store.objects = {f"{ORPHAN_KEY}.tflock": lock(world, minutes=5), NET_KEY: state(1), f"{NET_KEY}.tflock": b"not a lock"}
    world.store.modified = {f"{NET_KEY}.tflock": world.clock() - timedelta(minutes=5)}
    async with world.console(view="overview", size=(180, 40)) as pilot:
        await settle(pilot)
        assert "! lock on 9f9f…9f9f/terraform.tfstate held 5 min" in calm(pilot)
        assert "✗ lock on " in calm(pilot)


LONG = state(88, resources=[resource(f"r{number}") for number in range(30)])
"""A state whose end is not among its first bytes."""
BROKEN = {
    "cut off": (LONG[:-300], "✗ torn"),
    "cut off early": (state(88)[:-20], "✗ torn"),
    "garbage behind it": (LONG + b"garbage", "✗ torn"),
    "gzip": (gzip.compress(state(88)), "✗ zip"),
    "a byte order mark": (b"\xef\xbb\xbf" + state(88), "✗ torn"),
    "format 5": (state(88).replace(b'"version": 4', b'"version": 5'), "✗ v5"),
    "an error of the store": (b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>", "✗ none"),
    "an array": (b"[1, 2]", "✗ none"),
    "a plan": (b"PK\x03\x04" + b"x" * 40, "✗ plan"),
    "nothing": (b"", "✗ void"),
    "a lock": (b'{"ID": "3f2504e0", "Operation": "OperationTypeApply", "Who": "a", "Path": "b", "Created": ""}', "✗ lock"),
}


@pytest.mark.parametrize(("body", "sign"), list(BROKEN.values()), ids=list(BROKEN))
async def test_what_no_engine_takes_is_no_serial_at_the_key_of_a_known_project_and_is_kept_as_wrong(
    world: World, body: bytes, sign: str
) -> None:
    world.change(projects=(INFRA, NET))
    world.store.objects = {NET_KEY: body, INFRA_KEY: LONG.replace(b"7d1e", b"8e2f")}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert sign in line(pilot, "net · prod")
        assert "88" not in line(pilot, "net · prod")
        assert " 88 " in line(pilot, "infra · ")
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert [row.key for row in screen_of(pilot)._rows] == [NET_KEY]
        scan = [progress async for progress in screen_of(pilot).services.scan.scan(ScanOptions(stale_days=0))][-1]
        assert {finding.key for finding in scan.findings if finding.severity == "error"} == {NET_KEY}, "as a scan says"


async def test_nothing_wrong_is_only_said_of_as_many_objects_as_were_looked_into(world: World) -> None:
    world.change(projects=(INFRA, NET))
    world.store.objects = {NET_KEY: LONG, INFRA_KEY: LONG}
    world.store.errors[INFRA_KEY] = NotFound("gone meanwhile")
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert "Nothing wrong in keys and locks, nor in 1 of 2 contents; X reads all." in calm(pilot)
        assert "Nothing matches" not in calm(pilot)


async def test_what_could_not_be_looked_into_is_kept_as_wrong(world: World) -> None:
    world.change(projects=(INFRA, NET))
    world.store.objects = {NET_KEY: LONG, INFRA_KEY: LONG}
    world.store.errors[INFRA_KEY] = AccessDenied("not for us")
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert [row.key for row in screen_of(pilot)._rows] == [INFRA_KEY]
        assert "?" in line(pilot, "infra · ")


async def test_what_opening_a_state_tells_stands_in_its_line_after_coming_back(world: World) -> None:
    world.change(projects=(NET,))
    world.store.objects = {NET_KEY: LONG + LONG}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert " 88 " in line(pilot, "net · prod"), "its beginning and its end are those of a state"
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert "✗ torn" in line(pilot, "net · prod")
