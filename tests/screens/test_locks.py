"""Locks on the screen: who holds what, and removing exactly the one that was shown, on its id typed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input

from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.model.contract import ApplyRequest, CloudProvider, JobKind
from screens.dialogs.confirm import ConfirmDialog
from screens.locks.screen import LocksScreen
from tests.fakes.clock import START
from tests.hostile import HOSTILE
from tests.screens.world import LARGE, SMALL, World, console_of, painted, settle, view_of
from tests.waiting import wait_until

KEY, OTHER = f"{'a' * 64}/terraform.tfstate", f"{'b' * 64}/terraform.tfstate"
ID = "11112222-3333-4444-5555-666677778888"
JOB = UUID("7f3a2b1c-4f89-41d3-9a0c-0305e82c3301")


def lock(**members: object) -> bytes:
    said: dict[str, object] = {
        "Path": f"kumoss-terraform-state/{KEY}",
        "ID": ID,
        "Operation": "OperationTypeApply",
        "Who": "ci@runner-7",
        "Created": "2026-01-02T00:00:00Z",
        "Version": "1.9.0",
    }
    return json.dumps(said | members).encode()


@pytest.fixture
def held(world: World) -> World:
    began = (START - timedelta(minutes=1)).isoformat()
    young = lock(ID="young", Who="ops@laptop", Created=began, Path=f"kumoss-terraform-state/{OTHER}")
    world.store.objects = {KEY: b"{}", f"{KEY}.tflock": lock(), OTHER: b"{}", f"{OTHER}.tflock": young}
    return world


@asynccontextmanager
async def showing(
    world: World, *, size: tuple[int, int] = LARGE, read_only: bool = False, view: str = "key"
) -> AsyncIterator[Pilot[None]]:
    async with world.console(size=size, view=view, read_only=read_only) as pilot:
        await settle(pilot)
        await pilot.press("L")
        await settle(pilot)
        yield pilot


def screen_of(pilot: Pilot[None]) -> LocksScreen:
    assert isinstance(pilot.app.screen, LocksScreen)
    return pilot.app.screen


async def type_command(pilot: Pilot[None], word: str) -> None:
    await pilot.press("colon", *word, "enter")
    await settle(pilot)


async def ask(pilot: Pilot[None]) -> ConfirmDialog:
    await type_command(pilot, "unlock")
    await wait_until(lambda: isinstance(pilot.app.screen, ConfirmDialog))
    await pilot.pause()
    assert isinstance(pilot.app.screen, ConfirmDialog)
    return pilot.app.screen


async def confirm(pilot: Pilot[None], typed: str) -> None:
    dialog = pilot.app.screen
    dialog.query_one(Input).value = typed
    await pilot.pause()
    dialog.query_one("#confirm", Button).press()
    await wait_until(lambda: isinstance(pilot.app.screen, LocksScreen))
    await settle(pilot)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_stale_locks_come_first_with_their_holder_and_why(held: World, size: tuple[int, int]) -> None:
    async with showing(held, size=size) as pilot:
        shown = painted(pilot)
        assert "2 locks · 1 stale" in shown
        lines = [line for line in shown.splitlines() if "…aaaa" in line or "…bbbb" in line]
        assert "✗ aaaa…aaaa" in lines[0]
        assert "ci@runner-7" in lines[0]
        assert "bbbb…bbbb" in lines[1]
        assert "held longer than any job of the core may take" in shown


async def test_the_detail_names_what_is_typed_to_remove_it_and_the_engines_own_way(held: World) -> None:
    async with showing(held) as pilot:
        shown = painted(pilot)
        assert f"what is asked for then is {ID}" in shown
        assert f"terraform force-unlock {ID}" in shown


async def test_the_lock_is_removed_on_its_id_typed_and_the_question_starts_on_cancel(held: World) -> None:
    async with showing(held) as pilot:
        dialog = await ask(pilot)
        shown = painted(pilot)
        assert "locked by ci@runner-7 for apply, held 3 h 4 min" in shown
        assert "anybody can write this state then" in shown
        assert f"Type {ID} to go on" in shown
        assert "if the store looks at the condition of a deletion" in shown
        assert dialog.query_one("#cancel", Button).has_focus
        assert dialog.query_one("#confirm", Button).disabled
        dialog.query_one(Input).value = "yes"
        await pilot.pause()
        assert dialog.query_one("#confirm", Button).disabled
        await confirm(pilot, ID)
        assert f"{KEY}.tflock" not in held.store.objects
        assert f"{OTHER}.tflock" in held.store.objects
        assert "1 lock · 0 stale" in painted(pilot)
        assert any("removed the lock on" in flash.text for flash in console_of(pilot).flashes)
        await type_command(pilot, "removed")
        assert ID in painted(pilot)


async def test_a_removal_without_an_answer_is_said_to_be_not_known(held: World) -> None:
    held.store.errors["delete"] = Unreachable("connected, and no answer came in time")
    async with showing(held) as pilot:
        await ask(pilot)
        await confirm(pilot, ID)
        shown = painted(pilot)
        assert "was removed is not known" in shown
        assert "look again" in shown


async def test_cancelling_removes_nothing(held: World) -> None:
    async with showing(held) as pilot:
        await ask(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert f"{KEY}.tflock" in held.store.objects
        assert "nothing was removed" in painted(pilot)


async def test_a_lock_that_another_run_took_while_the_question_was_open_stays_and_is_shown(held: World) -> None:
    async with showing(held) as pilot:
        await ask(pilot)
        held.store.objects[f"{KEY}.tflock"] = lock(ID="living", Who="living@runner")
        await confirm(pilot, ID)
        shown = painted(pilot)
        assert "is locked by another lock than the one that was" in shown
        assert "living@runner" in shown
        assert b"living" in held.store.objects[f"{KEY}.tflock"]


async def test_a_running_job_is_part_of_what_has_to_be_typed(held: World) -> None:
    request = ApplyRequest(workspace_path="/workspaces/net", scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
    held.store.objects[f"{KEY}.tflock"] = lock(Created=START.isoformat())
    entry = await held.journal.record("prod", request, START)
    await held.journal.accept(entry, JOB, START)
    held.sidecar.add(JobKind.APPLY, job_id=JOB, created=START)
    held.sidecar.start(JOB)
    async with showing(held) as pilot:
        screen = screen_of(pilot)
        screen.table.select((KEY, "object"))
        await settle(pilot)
        assert "has not ended as far as is known" in painted(pilot)
        dialog = await ask(pilot)
        dialog.query_one(Input).value = ID
        await pilot.pause()
        assert dialog.query_one("#confirm", Button).disabled
        await confirm(pilot, f"{ID} despite {JOB}")
        assert f"{KEY}.tflock" not in held.store.objects
        [removal] = await held.journal.removals("prod", 10)
        assert removal.despite == (str(JOB),)


async def test_a_damaged_journal_is_part_of_what_has_to_be_typed(held: World, tmp_path: Path) -> None:
    aside = "jobs.sqlite3.damaged-20260102T030000Z"
    await asyncio.to_thread((tmp_path / aside).write_bytes, b"rubbish")
    async with showing(held) as pilot:
        dialog = await ask(pilot)
        assert "the job journal was damaged and set aside at 2026-01-02T03:00:00Z" in painted(pilot)
        dialog.query_one(Input).value = ID
        await pilot.pause()
        assert dialog.query_one("#confirm", Button).disabled
        await confirm(pilot, f"{ID} despite {aside}")
        assert f"{KEY}.tflock" not in held.store.objects


async def test_in_read_only_mode_there_is_no_such_command(held: World) -> None:
    async with showing(held, read_only=True) as pilot:
        assert all(command.id != "locks.unlock" for command in view_of(pilot).available)
        assert "force-unlock" not in painted(pilot)
        await type_command(pilot, "unlock")
        assert ":unlock changes something: not in read-only mode" in painted(pilot)
        assert isinstance(pilot.app.screen, LocksScreen)


async def test_no_single_key_removes_a_lock(held: World) -> None:
    async with showing(held) as pilot:
        for command in view_of(pilot).available:
            assert not (command.dangerous and command.keys)


async def test_no_lock_is_a_good_answer_and_a_dead_store_is_another_one(world: World) -> None:
    async with showing(world) as pilot:
        assert "✓ No lock is held." in painted(pilot)
        world.store.errors["pages"] = AccessDenied("the store said no")
        await pilot.press("r")
        await settle(pilot)
        assert "the store said no" in painted(pilot)
    async with showing(world) as pilot:
        assert "No lock is held" not in painted(pilot)


async def test_a_store_that_hangs_freezes_nothing_and_the_page_can_be_left(held: World) -> None:
    async with held.console(view="key") as pilot:
        await settle(pilot)
        held.store.hang.shut()
        await pilot.press("L")
        await pilot.pause()
        assert "looking for locks…" in painted(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert view_of(pilot).view_name == "key"


async def test_a_lock_is_looked_at_again_and_one_that_is_gone_leaves_the_list(held: World) -> None:
    async with showing(held) as pilot:
        del held.store.objects[f"{KEY}.tflock"]
        await pilot.press("enter")
        await settle(pilot)
        assert "no lock is held any more" in painted(pilot)
        assert [report.key for report in screen_of(pilot)._shown] == [OTHER]


async def test_filter_and_only_wrong_narrow_the_list(held: World) -> None:
    async with showing(held) as pilot:
        await pilot.press("exclamation_mark")
        assert [report.key for report in screen_of(pilot)._shown] == [KEY]
        await pilot.press("exclamation_mark", "slash", *"laptop", "enter")
        assert [report.key for report in screen_of(pilot)._shown] == [OTHER]


async def test_a_copied_lock_of_a_holder_whose_clock_is_behind_is_odd_and_young(held: World) -> None:
    slow = lock(ID="copied", Created=(START - timedelta(hours=3)).isoformat())
    held.store.objects[f"{OTHER}.tflock"] = slow
    held.store.modified[f"{OTHER}.tflock"] = START
    async with showing(held) as pilot:
        screen = screen_of(pilot)
        screen.table.select((OTHER, "object"))
        await settle(pilot)
        shown = painted(pilot)
        assert "1 stale" in shown
        assert "the holder's clock is behind, or the lock was copied here" in shown
        assert "no engine's command is given" in shown
        assert "force-unlock" not in shown
        await pilot.press("exclamation_mark")
        assert OTHER in [report.key for report in screen._shown]


async def test_the_overview_leads_to_the_very_lock_of_its_line(held: World) -> None:
    async with held.console(view="overview") as pilot:
        await settle(pilot)
        await pilot.press("down", "L")
        await settle(pilot)
        selected = screen_of(pilot).selected
        assert selected is not None
        assert selected.key == OTHER
        await pilot.press("escape")
        await settle(pilot)
        assert view_of(pilot).view_name == "overview"


async def test_the_state_of_a_lock_is_a_key_away(held: World) -> None:
    async with showing(held, view="overview") as pilot:
        await pilot.press("b")
        await settle(pilot)
        assert view_of(pilot).view_name == "bucket"
        assert "aaaa…aaaa" in painted(pilot)


async def test_what_strangers_wrote_is_shown_and_never_obeyed(held: World) -> None:
    locks = {f"{text}{KEY}": lock(Who=text, Info=text, Path=text, Operation=text, ID=text) for text in HOSTILE}
    held.store.objects = {f"{key}.tflock": said for key, said in locks.items()}
    async with showing(held) as pilot:
        for key in locks:
            assert screen_of(pilot).table.select((key, "object"))
            await pilot.pause()
            assert not set("\x1b\x9b\u202e\x07") & set(painted(pilot))
        for key in (f"{HOSTILE[0]}{KEY}", f"{HOSTILE[5]}{KEY}"):
            assert screen_of(pilot).table.select((key, "object"))
            await ask(pilot)
            assert not set("\x1b\x9b\u202e\x07") & set(painted(pilot))
            await pilot.press("escape")
            await settle(pilot)
        assert len(held.store.objects) == len(HOSTILE)
