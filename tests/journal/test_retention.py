"""What the journal lets go of, and what it never does."""

# ruff: noqa: ASYNC240 - a test may wait for its own small files
from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from kumoss_console.journal import Journal
from kumoss_console.journal.journal import NOT_STORED
from kumoss_console.journal.retention import DROPPED
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.model.journal import JournalSettings, Pruned
from tests.fakes.clock import START
from tests.journal.conftest import Written

OLD = START - timedelta(days=200)
MIB = 2**20


async def test_jobs_that_are_too_old_go(journal: Journal, written: Written) -> None:
    await written(0, at=OLD)
    await journal.record("prod", ValidateRequest(workspace_path="/never-answered"), OLD)
    young = await written(0)
    assert await journal.prune(START) == Pruned(jobs=2)
    assert [job.entry for job in await journal.jobs("prod", 10)] == [young.entry]


async def test_a_job_whose_end_is_not_known_stays_however_old_it_is(journal: Journal, written: Written) -> None:
    open_job = await written(at=OLD)
    await journal.prune(START)
    assert [job.entry for job in await journal.jobs("prod", 10)] == [open_job.entry]


async def test_output_goes_before_jobs_the_oldest_first_and_the_file_shrinks(path: Path, written: Written) -> None:
    small = Journal(path, JournalSettings(max_bytes=2 * MIB))
    jobs = [await written(0, "x" * (MIB // 2), into=small) for _ in range(8)]
    pruned = await small.prune(START)
    kept = [await small.by_entry(job.entry) for job in jobs]
    small.close()
    assert pruned.jobs == 0
    assert [bool(job and job.stdout) for job in kept] == [False] * pruned.outputs + [True] * (8 - pruned.outputs)
    assert 0 < 8 - pruned.outputs <= 4
    assert kept[0] is not None
    assert (kept[0].note, kept[0].output_bytes) == (DROPPED, MIB // 2)
    assert path.stat().st_size <= 2 * MIB


async def test_where_output_is_not_enough_the_oldest_jobs_go_and_open_ones_stay(path: Path, written: Written) -> None:
    tiny = Journal(path, JournalSettings(max_bytes=1))
    open_job = await written(into=tiny)
    for _ in range(3):
        await written(0, into=tiny)
    assert (await tiny.prune(START)).jobs == 3
    assert [job.entry for job in await tiny.jobs("prod", 10)] == [open_job.entry]
    tiny.close()


async def test_output_is_not_stored_where_that_is_forbidden(path: Path, written: Written) -> None:
    journal = Journal(path, JournalSettings(store_output=False))
    job = await written(1, "a secret", into=journal)
    stored = await journal.by_entry(job.entry)
    journal.close()
    assert stored is not None
    assert (stored.exit_code, stored.stdout, stored.output_bytes, stored.note) == (1, "", 8, NOT_STORED)
    assert all(b"a secret" not in file.read_bytes() for file in path.parent.iterdir())
