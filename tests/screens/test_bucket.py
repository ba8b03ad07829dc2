"""Bucket: rows as they arrive, whose they are and who holds them; one object read; nothing claimed that was not seen."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.model.project import derive
from kumoss_console.model.storage import StorageSettings
from screens.bucket.screen import BucketScreen
from screens.locks.screen import LocksScreen
from screens.widgets.section import Section
from tests.hostile import HOSTILE
from tests.screens.objects import (
    INFRA,
    INFRA_KEY,
    INFRA_ROOT_KEY,
    NET,
    NET_KEY,
    ORPHAN_KEY,
    SCOPE,
    calm,
    lock,
    resource,
    state,
)
from tests.screens.world import LARGE, SMALL, World, console_of, settle, view_of
from tests.waiting import AT_ONCE, wait_until


def fill(world: World) -> None:
    """Two known projects (one locked), the other spelling of a root, an orphan, and something that is no state."""
    world.change(projects=(INFRA, NET))
    world.store.objects = {
        INFRA_KEY: state(41, resources=[resource("main"), resource("extra", type="aws_subnet")]),
        INFRA_ROOT_KEY: state(7),
        NET_KEY: state(9, resources=[resource(f"r{number}") for number in range(30)]),
        f"{NET_KEY}.tflock": lock(world),
        ORPHAN_KEY: state(3),
        "notes/readme.txt": b"hello",
    }
    world.store.modified = {NET_KEY: world.clock() - timedelta(hours=3), ORPHAN_KEY: world.clock() - timedelta(days=800)}


def screen_of(pilot: Pilot[None]) -> BucketScreen:
    screen = view_of(pilot)
    assert isinstance(screen, BucketScreen)
    return screen


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows in view, without the header and the empty ones."""
    table = screen_of(pilot).table
    top = table.region.y
    return [line for line in calm(pilot).splitlines()[top + 1 : top + table.region.height] if line.strip()]


def row(pilot: Pilot[None], text: str) -> str:
    return next(line for line in rows(pilot) if text in line)


def summary(pilot: Pilot[None]) -> str:
    return calm(pilot).splitlines()[screen_of(pilot).query_one("#summary").region.y].strip()


async def select(pilot: Pilot[None], key: str) -> None:
    assert screen_of(pilot).table.select(key)
    await pilot.pause()


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_listing_says_whose_each_state_is_and_who_holds_it(world: World, size: tuple[int, int]) -> None:
    fill(world)
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        assert "3 h" in row(pilot, "net · prod")
        assert "✗ ci@runner-7 3 h" in row(pilot, "net · prod")
        assert "2 y" in row(pilot, "? unknown")
        assert "· no state" in row(pilot, "notes/readme.txt")
        assert len([line for line in rows(pilot) if "infra" in line]) == 2
        assert summary(pilot) == "4 states · 1 other key · 1 lock · listing 100 % · 1 orphan"


async def test_twins_of_one_repository_are_told_apart_by_the_path_that_gives_each_key(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        empty, dot = [line.split("  ")[0].strip() for line in rows(pilot) if "infra" in line]
        assert (empty, dot) == ("infra · 11111111…", "infra · 11111111… · .")


async def test_rows_fill_in_as_pages_arrive_and_the_count_says_that_it_is_not_all(world: World) -> None:
    fill(world)
    world.store.page_size = 2
    async with world.console(view="overview") as pilot:
        await settle(pilot)
        world.store.hang.shut()
        await console_of(pilot).open_view("bucket")
        await wait_until(lambda: world.store.hang.waiting > 0)
        assert summary(pilot) == "listing…"
        assert "No objects" not in calm(pilot)
        world.store.hang.open()
        world.store.hang.shut()
        await wait_until(lambda: len(rows(pilot)) == 2)
        assert re.search(r"listing \d+ %", summary(pilot))
        assert "100 %" not in summary(pilot)
        world.store.hang.open()
        await settle(pilot)
        assert "listing 100 %" in summary(pilot)
        assert len(rows(pilot)) == 5


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_an_empty_bucket_is_an_answer_once_the_listing_has_come_to_its_end(world: World, size: tuple[int, int]) -> None:
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        assert "No objects: the bucket is empty." in calm(pilot)
        assert "0 states · 0 locks · listing 100 %" in summary(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_dead_store_is_no_empty_bucket(world: World, size: tuple[int, int]) -> None:
    world.store.errors["pages"] = Unreachable("nobody answers at store.acme:9000", hint="Start the store.")
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        text = calm(pilot)
        assert "✗ nobody answers at store.acme:9000" in text
        assert "→ Start the store." in text
        assert "? What is in the bucket is not known" in text
        assert "No objects" not in text


async def test_a_listing_that_breaks_off_keeps_what_it_had_and_says_so(world: World) -> None:
    fill(world)
    world.store.page_size = 2
    world.store.errors["pages"] = Unreachable("the store went away")
    world.store.fail_after_pages = 2
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert "✗ the store went away" in calm(pilot)
        assert "✗ broken off after 4 objects" in summary(pilot)
        assert rows(pilot)
        del world.store.errors["pages"]
        await pilot.press("r")
        await settle(pilot)
        assert "listing 100 %" in summary(pilot)
        assert "went away" not in calm(pilot)


async def test_a_refresh_that_fails_leaves_the_rows_with_their_age(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        before = rows(pilot)
        world.store.errors["pages"] = AccessDenied("the store does not let us list")
        world.clock.advance(5)
        await pilot.press("r")
        await settle(pilot)
        assert "✗ the store does not let us list" in calm(pilot)
        assert len(rows(pilot)) == len(before)
        assert "data 5 s old" in calm(pilot).splitlines()[1]


async def test_a_hung_store_holds_nobody_up(world: World) -> None:
    fill(world)
    world.store.hang.shut()
    async with world.console(view="bucket") as pilot:
        await wait_until(lambda: "listing…" in calm(pilot))
        await pilot.press("colon", *f"open {NET_KEY}", "enter")
        await wait_until(lambda: "reading…" in calm(pilot))
        began = asyncio.get_running_loop().time()
        await pilot.press("ctrl+q")
        await wait_until(lambda: not pilot.app.is_running)
    assert asyncio.get_running_loop().time() - began < AT_ONCE


async def test_without_a_bucket_it_says_what_to_look_at_instead(world: World) -> None:
    world.change(storage=StorageSettings(terraform_state_bucket=""))
    world.store = None  # type: ignore[assignment]
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        assert "Managed state is off" in calm(pilot)
        assert "No objects" not in calm(pilot)


# -- narrowing and ordering ------------------------------------------------------------------------------------------------


async def test_a_filter_looks_in_keys_and_owners_and_survives_a_refresh_with_the_cursor(world: World) -> None:
    fill(world)
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"acme/NET", "enter")
        await settle(pilot)
        assert [line.strip().startswith("net · prod") for line in rows(pilot)] == [True]
        assert summary(pilot).startswith("1 of 5 keys")
        await pilot.press("slash", "ctrl+u", *"infra", "enter")
        await settle(pilot)
        await select(pilot, INFRA_ROOT_KEY)
        world.store.objects["aaa-first.txt"] = b"new"
        await pilot.press("r")
        await settle(pilot)
        assert summary(pilot).startswith("2 of 6 keys")
        chosen = screen_of(pilot).selected
        assert chosen is not None
        assert chosen.key == INFRA_ROOT_KEY
        await pilot.press("escape")
        await settle(pilot)
        assert summary(pilot).startswith("4 states · 2 other keys")


async def test_nothing_that_matches_is_not_an_empty_bucket(world: World) -> None:
    fill(world)
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"nothing-like-it")
        await settle(pilot)
        assert "Nothing matches." in calm(pilot)
        assert "No objects" not in calm(pilot)


async def test_only_what_is_wrong_keeps_locked_unknown_and_foreign_objects(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("exclamation_mark")
        await settle(pilot)
        assert len(rows(pilot)) == 3
        for text in ("net · prod", "? unknown", "notes/readme.txt"):
            assert row(pilot, text)
        assert "only what is wrong" in summary(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_key_shows_both_its_ends_whole(world: World, size: tuple[int, int]) -> None:
    digest = "cc80aed0" + "5" * 48 + "0b1c2d3e"
    alike = [f"teams/platform/production/network/eu-central-1/service-{name}.tfstate" for name in ("alpha", "omega")]
    world.store.objects = {f"{digest}/terraform.tfstate": state(1), **dict.fromkeys(alike, state(2))}
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        assert "cc80aed0…0b1c2d3e" in calm(pilot)
        assert "……" not in calm(pilot)
        shown = [line.split()[-1] for line in rows(pilot) if ".tfstate" in line]
        assert all(one.endswith("a.tfstate") for one in shown)
        if size == LARGE:
            assert len(set(shown)) == 2


async def test_the_lock_of_the_row_is_the_one_that_is_shown_first(world: World) -> None:
    fill(world)
    world.store.objects[f"{ORPHAN_KEY}.tflock"] = lock(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        for key in (NET_KEY, ORPHAN_KEY):
            await select(pilot, key)
            await pilot.press("L")
            await settle(pilot)
            locks = pilot.app.screen
            assert isinstance(locks, LocksScreen)
            assert locks.selected is not None
            assert locks.selected.key == key
            await pilot.press("escape")
            await settle(pilot)


async def test_columns_sort_in_turn_and_backwards(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        assert "infra" in rows(pilot)[0], "known owners by name, what is unknown behind them"
        for keys, first in (
            (("o", "O"), "infra"),  # the highest serial
            (("o", "O"), "infra"),  # the most resources, where they are known
            (("o", "O"), "? unknown"),  # the oldest
            (("o",), "net · prod"),  # what is locked
            (("o",), "10d05c01"),  # by key
        ):
            await pilot.press(*keys)
            await settle(pilot)
            assert first in rows(pilot)[0], (keys, rows(pilot))


async def test_a_lock_whose_state_is_gone_has_a_row_of_its_own(world: World) -> None:
    world.store.objects = {f"{ORPHAN_KEY}.tflock": lock(world)}
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        assert "✗ lock without state" in calm(pilot)
        assert "ci@runner-7" in calm(pilot)


# -- one object ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_details_show_serial_lineage_engine_resources_and_the_lock(world: World, size: tuple[int, int]) -> None:
    fill(world)
    async with world.console(view="bucket", size=size) as pilot:
        await settle(pilot)
        await select(pilot, NET_KEY)
        await pilot.press("d")
        await settle(pilot)
        text = calm(pilot)
        assert "serial 9 · 30 managed · 0 data · terraform 1.11.4 · 3 h old" in text
        assert "✗ locked by ci@runner-7 for 3 h 12 min (apply)" in text
        assert "aws_vpc.r0" in text
        assert "net · prod · envs/eu" in text
        await pilot.press("t", "t", "t")
        await settle(pilot)
        text = calm(pilot)
        assert "https://github.com/acme/net" in text
        screen = screen_of(pilot)
        facts = str([section.facts for section in screen.pane.query(Section)])
        assert "7d1e0000-0000-4000-8000-00000000000a" in facts
        await pilot.press("escape")
        await settle(pilot)
        assert screen.opened is None
        assert "OWNER" in calm(pilot)


async def test_sensitive_outputs_are_masked_on_the_screen_and_in_copies(world: World) -> None:
    outputs = {
        "vpc": {"value": "vpc-1", "type": "string"},
        "pw": {"value": "hunter2", "type": "string", "sensitive": True},
    }
    world.store.objects = {ORPHAN_KEY: state(3, outputs=outputs, resources=[resource("main")])}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("d", "t")
        await settle(pilot)
        text = calm(pilot)
        assert "vpc-1" in text
        assert "********" in text
        assert "hunter2" not in text
        await pilot.press("Y")
        assert "hunter2" not in pilot.app.clipboard
        assert json.loads(pilot.app.clipboard)["serial"] == 3


async def test_resources_and_outputs_can_be_narrowed_and_identifiers_searched(world: World) -> None:
    fill(world)
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        await select(pilot, NET_KEY)
        await pilot.press("d")
        await settle(pilot)
        await pilot.press("slash", *"r17", "enter")
        await settle(pilot)
        assert "aws_vpc.r17" in calm(pilot)
        assert "aws_vpc.r16" not in calm(pilot)
        await pilot.press("t", "t")
        await settle(pilot)
        assert "match 1 of 1" in calm(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert screen_of(pilot).opened is not None, "the filter closes first"
        await pilot.press("escape")
        await settle(pilot)
        assert screen_of(pilot).opened is None


async def test_a_lock_that_could_not_be_looked_for_is_not_an_unlocked_state(world: World) -> None:
    fill(world)
    world.store.errors[f"{INFRA_KEY}.tflock"] = AccessDenied("the store does not show us locks")
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        await select(pilot, INFRA_KEY)
        await pilot.press("d")
        await settle(pilot)
        text = calm(pilot)
        assert "? could not look: the store does not show us locks" in text
        assert "unlocked" not in text
        assert "serial 41" in text


async def test_an_object_that_cannot_be_read_leaves_the_listing_and_says_why(world: World) -> None:
    fill(world)
    world.store.errors[ORPHAN_KEY] = AccessDenied("the store does not let us read this", hint="Ask for GetObject.")
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await select(pilot, ORPHAN_KEY)
        await pilot.press("d")
        await settle(pilot)
        text = calm(pilot)
        assert "✗ the store does not let us read this" in text
        assert "Ask for GetObject" in text
        assert "net · prod" in text
        await pilot.press("escape")
        await settle(pilot)
        assert "does not let us read" not in calm(pilot)


@pytest.mark.parametrize(
    ("raw", "words"),
    [(b"", "Object"), (b"not json", "no document this console knows"), (state(3)[:-40], "not readable"), (b"PK\x03\x04", "plan")],
)
async def test_what_is_no_readable_state_is_called_what_it_is(world: World, raw: bytes, words: str) -> None:
    world.store.objects = {ORPHAN_KEY: raw}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        assert words in calm(pilot)


async def test_an_answer_that_arrives_late_does_not_replace_the_object_opened_after_it(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        world.store.hang.shut()
        screen = screen_of(pilot)
        screen.open(NET_KEY)
        await wait_until(lambda: world.store.hang.waiting > 0)
        screen.open(INFRA_KEY)
        await pilot.pause()
        world.store.hang.open()
        await settle(pilot)
        assert screen.opened is not None
        assert screen.opened.detail is not None
        assert screen.opened.detail.info.key == INFRA_KEY


async def test_another_view_can_point_at_an_object_listed_or_not(world: World) -> None:
    fill(world)
    async with world.console() as pilot:
        await console_of(pilot).open_view("bucket", NET_KEY)
        await settle(pilot)
        assert "serial 9" in calm(pilot)
        chosen = screen_of(pilot).selected
        assert chosen is not None
        assert chosen.key == NET_KEY
        await console_of(pilot).open_view("bucket", "nowhere/terraform.tfstate")
        await settle(pilot)
        assert "the store has no object of that key" in calm(pilot)


async def test_the_owner_of_a_row_is_explained_in_the_key_view(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await select(pilot, INFRA_ROOT_KEY)
        await pilot.press("w")
        await settle(pilot)
        assert view_of(pilot).view_name == "key"
        subject = console_of(pilot).subject
        assert (subject.repo, subject.scope, subject.path) == (INFRA.repo, SCOPE, ".")


async def test_an_owner_that_nobody_named_is_searched_among_local_clones(world: World, tmp_path: Path) -> None:
    config = tmp_path / "src" / "net" / ".git" / "config"
    config.parent.mkdir(parents=True)
    config.write_text('[remote "origin"]\n\turl = git@github.com:acme/net.git\n')
    world.change(clones=(str(tmp_path / "src"),), scopes=("elsewhere",), projects=())
    key = derive("https://github.com/acme/net", "elsewhere", ".").object_key()
    world.store.objects = {key: state(3), f"{'0' * 64}/terraform.tfstate": state(1)}
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await select(pilot, key)
        await pilot.press("w")
        await wait_until(lambda: view_of(pilot).view_name == "key")
        subject = console_of(pilot).subject
        assert (subject.repo, subject.scope, subject.path) == ("https://github.com/acme/net", "elsewhere", ".")
        await pilot.press("6")
        await select(pilot, f"{'0' * 64}/terraform.tfstate")
        await pilot.press("w")
        await wait_until(lambda: "candidates has this key" in calm(pilot))
        assert "console.clones and console.scopes add to them" in calm(pilot)


async def test_keys_copy_what_is_under_the_cursor(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        await select(pilot, NET_KEY)
        await pilot.press("y")
        assert pilot.app.clipboard == NET_KEY
        await pilot.press("Y")
        document = json.loads(pilot.app.clipboard)
        assert (document["locked"], document["owner"]["name"]) == (True, "net")
        copies = {copy.label: copy.text for copy in screen_of(pilot).copies()}
        assert copies["the command that shows this"] == f"kumoss-console state show {NET_KEY} --context prod"
        assert copies["the URL of the object"].startswith("https://store.acme:9000/kumoss-terraform-state/")


async def test_a_large_bucket_is_not_listed_again_with_every_beat(world: World) -> None:
    fill(world)
    async with world.console(view="bucket") as pilot:
        await settle(pilot)
        screen = screen_of(pilot)
        listed = world.store.listings
        world.clock.advance(16)
        screen.reload()
        await settle(pilot)
        assert world.store.listings == listed + 1
        assert screen.snapshot is not None
        screen.snapshot = replace(screen.snapshot, objects=100_000)
        world.clock.advance(16)
        screen.reload()
        await settle(pilot)
        assert world.store.listings == listed + 1
        await pilot.press("r")
        await settle(pilot)
        assert world.store.listings == listed + 2


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_keys_owners_holders_and_values_are_shown_and_never_obeyed(world: World, hostile: str) -> None:
    world.change(projects=(replace(NET, name=hostile, scope=hostile.replace("\n", "").replace("\r", "")),))
    known = world.contexts[0].projects[0]
    owned = f"{hostile}/terraform.tfstate"
    world.store.objects = {
        owned: state(1, resources=[resource(hostile, id=hostile)], outputs={hostile: {"value": hostile, "type": "string"}}),
        f"{owned}.tflock": lock(world, holder=hostile),
        NET_KEY: state(2),
    }
    assert known.name == hostile
    async with world.console(view="bucket", size=SMALL) as pilot:
        await settle(pilot)
        calm(pilot)
        await select(pilot, owned)
        await pilot.press("c")
        await settle(pilot)
        calm(pilot)
        await pilot.press("escape", "d")
        await settle(pilot)
        calm(pilot)
        for _ in range(3):
            await pilot.press("t")
            await settle(pilot)
            calm(pilot)
        await pilot.press("escape", "slash", *"zz")
        await settle(pilot)
        calm(pilot)


async def test_leaving_the_context_while_its_store_hangs_opens_the_other_bucket(world: World) -> None:
    fill(world)
    world.store.hang.shut()
    async with world.console(view="bucket") as pilot:
        await wait_until(lambda: "listing…" in calm(pilot))
        await pilot.press("colon", *"context dev", "enter")
        await wait_until(lambda: console_of(pilot).services.context.name == "dev")
        world.store.hang.open()
        await settle(pilot)
        await pilot.press("6")
        await settle(pilot)
        assert "listing 100 %" in summary(pilot)
        assert "? unknown" in calm(pilot), "the other context knows no projects"
