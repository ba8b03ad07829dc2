"""What can still be read out of a damaged journal is not thrown away with the rest."""

# ruff: noqa: ASYNC240 - a test may wait for its own small files
from __future__ import annotations

import sqlite3
from pathlib import Path

from kumoss_console.journal import Journal
from tests.journal.conftest import Written


def damage(path: Path, first: int, last: int) -> bytes:
    """Some pages of the file overwritten; returns the file as it is then."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    raw = path.read_bytes()
    broken = raw[: first * 4096] + b"\xff" * 4096 * (last - first) + raw[last * 4096 :]
    path.write_bytes(broken)
    return broken


async def test_the_jobs_that_can_be_read_are_taken_over_with_their_entries(path: Path, written: Written) -> None:
    first = Journal.open(path)
    jobs = {(job.entry, job.job_id) for job in [await written(0, f"out {number}", into=first) for number in range(400)]}
    first.close()
    broken = damage(path, 15, 25)

    second = Journal.open(path)
    kept = {(job.entry, job.job_id): job for job in await second.jobs("prod", 1000)}
    [aside] = [file for file in path.parent.glob("*.damaged-*") if not file.name.endswith(("-wal", "-shm"))]

    assert 100 < len(kept) < 400
    assert set(kept) <= jobs
    assert f"with the {len(kept)} jobs that could still be read" in second.notices[0]
    assert aside.read_bytes()[4096:] == broken[4096:]
    fresh = await written(into=second)
    assert fresh.entry > max(entry for entry, _ in kept)
    second.close()


async def test_rubbish_gives_no_jobs(path: Path, written: Written) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"SQLite format 3\x00" + b"rubbish" * 5000)
    journal = Journal.open(path)
    assert await journal.jobs("prod", 10) == ()
    assert journal.notices[0].endswith("a new one was begun.")
    journal.close()
