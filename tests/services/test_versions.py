"""Histories of any length: listed at once, read as far as asked for, and never read twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Severity
from kumoss_console.services.places import Places
from kumoss_console.services.restorecommands import restore_commands, where_to_run
from kumoss_console.services.timelines import HEADS
from kumoss_console.services.versions import VersionService
from tests.fakes.clock import FakeClock
from tests.fakes.store import FakeStore
from tests.histories import document, keep

KEY = f"{'a' * 64}/terraform.tfstate"


class _NoJournal:
    """A journal without jobs."""

    async def jobs(self, context: str, limit: int) -> tuple[object, ...]:
        return ()


def service_over(store: FakeStore, places: Places | None = None) -> VersionService:
    async def bound() -> Places:
        return places or {}

    return VersionService(
        Context(name="prod"),
        store,
        lambda: _NoJournal(),  # type: ignore[arg-type,return-value]  # what a history asks of a journal
        FakeClock(),
        places=bound,
        keepers=(LockObjects(store),),
        off_loop=run_blocking,
    )


def reads(store: FakeStore) -> int:
    return sum(method == "fetch" for method, _ in store.calls)


async def test_a_history_of_thousands_is_listed_at_once_and_read_as_far_as_asked_for() -> None:
    store = FakeStore()
    keep(store, KEY, *(document(serial, "a") for serial in range(1_500, 0, -1)))
    service = service_over(store)

    seen = [timeline async for timeline in service.stream(KEY)]
    first, last = seen[0], seen[-1]
    assert (len(first.rows), first.unread, first.complete) == (1_500, 1_500, False)
    assert len(seen) > 3
    assert (last.unread, last.complete, reads(store)) == (1_500 - HEADS, True, HEADS)
    assert [finding.code for finding in last.findings] == ["history.partly"]
    assert [finding.code for finding in first.findings] == []

    whole = await service.timeline(KEY, heads=None)
    assert (whole.unread, whole.findings, reads(store)) == (0, (), 1_500)


async def test_a_version_that_was_read_is_not_read_again_and_one_that_failed_is() -> None:
    from kumoss_console.errors import ServiceError

    store = FakeStore()
    keep(store, KEY, document(2, "a"), None, document(1, "a"))
    service = service_over(store)
    store.errors["fetch"] = ServiceError("the store failed", code="store.fault")
    failed = await service.timeline(KEY)
    store.errors.clear()
    await service.timeline(KEY)
    before = reads(store)
    again = await service.timeline(KEY)
    assert [row.error is not None for row in failed.rows] == [True, False, True]
    assert [row.serial for row in again.rows] == [2, None, 1]
    assert reads(store) == before


async def test_two_projects_on_one_key_make_few_findings_of_many_steps_the_newest_first() -> None:
    store = FakeStore()
    keep(store, KEY, *(document(1, "a", lineage=f"lineage-{number % 2}") for number in range(120)))
    timeline = await service_over(store).timeline(KEY)
    codes = [finding.code for finding in timeline.findings]
    assert codes == ["history.lineage_changes"] * 20 + ["history.more"]
    assert "at version v120" in timeline.findings[0].message


@pytest.mark.parametrize("folder", ["/workspaces/acme-net", "/work spaces/it's"])
async def test_the_commands_of_a_restore_name_the_workspace_that_is_bound_to_the_key(folder: str) -> None:
    store = FakeStore()
    keep(store, KEY, document(2, "a"), document(1, "b"))
    restore = await service_over(store, {"/other": frozenset({"x"}), folder: frozenset({KEY})}).restore_plan(KEY, "v1")
    commands = [command.text for command in restore_commands(restore)]
    quoted = "-chdir=/workspaces/acme-net" if " " not in folder else """'-chdir=/work spaces/it'"'"'s'"""
    assert commands[0] == f"terraform {quoted} state pull > before-restore.tfstate"
    assert commands[1] == f"kumoss-console state restore-plan --context prod --write restored.tfstate -- {KEY} v1"
    assert commands[2] == f"terraform {quoted} state push - < restored.tfstate"
    assert folder in where_to_run(restore)


async def test_of_a_key_that_was_deleted_nothing_is_pulled_first() -> None:
    store = FakeStore()
    keep(store, KEY, None, document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "v1")
    commands = [command.text for command in restore_commands(restore)]
    assert (restore.plan.serial, restore.deleted) == (2, True)
    assert not [text for text in commands if "pull" in text or "before-restore" in text]
    assert "trace and workspaces tell which" in where_to_run(restore)


async def test_a_key_no_command_line_can_carry_is_in_no_command() -> None:
    store = FakeStore()
    key = "a\x1b[31m\u202e/terraform.tfstate"
    keep(store, key, document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(key, "v1")
    assert "\x1b" not in "".join(command.text + command.purpose for command in restore_commands(restore))


async def test_a_state_that_no_version_is_current_of_was_deleted_and_its_newest_version_can_be_gone_back_to() -> None:
    """As an account of Azure lists it: no marker of a deletion, and a snapshot beside the versions."""
    store = FakeStore()
    keep(store, KEY, document(3, "a"), document(2, "b"), document(1, "b"))
    entries = [(replace(entry, latest=False), content) for entry, content in store.history[KEY]]
    entries[1] = (replace(entries[1][0], kind="snapshot"), entries[1][1])
    store.history[KEY] = entries
    service = service_over(store)

    timeline = await service.timeline(KEY)
    restore = await service.restore_plan(KEY, "newest")

    assert [finding.code for finding in timeline.findings] == ["history.deleted"]
    assert [row.version.kind for row in timeline.rows] == ["version", "snapshot", "version"]
    assert (restore.deleted, restore.plan.serial) == (True, 4)


@pytest.mark.parametrize(
    ("damaged", "severity", "serial"),
    [
        (b"", Severity.WARNING, 3),
        (b"<html>Sign in</html>", Severity.ERROR, 3),
        (document(7, "a", "b")[:-40], Severity.ERROR, 8),
    ],
    ids=["emptied", "another document", "cut short"],
)
async def test_from_a_damaged_state_the_way_back_goes_on_from_the_newest_that_an_engine_reads(
    damaged: bytes, severity: Severity, serial: int
) -> None:
    store = FakeStore()
    keep(store, KEY, damaged, document(2, "a"), document(1, "b"))
    restore = await service_over(store).restore_plan(KEY, "previous")
    findings = {finding.code: finding.severity for finding in restore.findings}
    assert findings["restore.active_damaged"] is severity
    assert (restore.plan.serial, restore.damaged) == (serial, True)
    assert not [command for command in restore_commands(restore) if "pull" in command.text]


async def test_of_an_encrypted_state_no_way_back_is_planned() -> None:
    store = FakeStore()
    sealed = b'{"meta": {"key_provider": "x"}, "serial": 9, "lineage": "l", "encrypted_data": "AAAA", "encryption_version": "v0"}'
    keep(store, KEY, sealed, document(2, "a"))
    with pytest.raises(ConsoleError) as caught:
        await service_over(store).restore_plan(KEY, "previous")
    assert caught.value.code == "state.not_comparable"
    assert "encrypted" in caught.value.hint
