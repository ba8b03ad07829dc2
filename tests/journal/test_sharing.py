"""Several consoles on one journal: nobody asks twice, everybody reads what the others learned."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kumoss_console.journal import Journal
from kumoss_console.journal.schema import _JOBS, _SHARING
from kumoss_console.model.job import ServicePlane
from kumoss_console.model.journal import Claim
from tests.fakes.clock import START
from tests.journal.conftest import Written

SECOND = timedelta(seconds=1)


@pytest.fixture
def other(path: Path) -> Iterator[Journal]:
    opened = Journal.open(path)
    yield opened
    opened.close()


async def test_of_two_consoles_that_want_to_look_one_may(journal: Journal, other: Journal, written: Written) -> None:
    job = await written()
    claims = [Claim(job.entry, 5.0)]
    assert await journal.share([], [], claims, START, 30.0) == {job.entry}
    assert await other.share([], [], claims, START, 30.0) == frozenset()


async def test_a_look_that_was_given_back_is_free_again_after_its_period(
    journal: Journal, other: Journal, written: Written
) -> None:
    job = await written()
    await journal.share([], [], [Claim(job.entry, 5.0)], START, 30.0)
    await journal.share([], [job.entry], [], START + SECOND, 30.0)
    assert await other.share([], [], [Claim(job.entry, 5.0)], START + 4 * SECOND, 30.0) == frozenset()
    assert await other.share([], [], [Claim(job.entry, 2.0)], START + 4 * SECOND, 30.0) == {job.entry}


async def test_the_claim_of_a_console_that_was_killed_lapses(journal: Journal, other: Journal, written: Written) -> None:
    job = await written()
    claims = [Claim(job.entry, 5.0)]
    await journal.share([], [], claims, START, 10.0)
    assert await other.share([], [], claims, START + 9 * SECOND, 10.0) == frozenset()
    assert await other.share([], [], claims, START + 11 * SECOND, 10.0) == {job.entry}


async def test_a_clock_that_was_set_back_does_not_stop_the_looking(journal: Journal, written: Written) -> None:
    job = await written()
    await journal.share([], [], [Claim(job.entry, 5.0)], START + timedelta(days=1), 10.0)
    assert await journal.share([], [], [Claim(job.entry, 5.0)], START, 10.0) == {job.entry}


async def test_a_console_reads_what_is_new_and_nothing_else(journal: Journal, other: Journal, written: Written) -> None:
    old, watched = await written(0), await written()
    first = await other.changes("prod", None, 100)
    assert (first.whole, {job.entry for job in first.jobs}) == (True, {old.entry, watched.entry})
    assert (await other.changes("prod", first.revision, 100)).jobs == ()

    await journal.share([replace(watched, service=ServicePlane.RUNNING)], [], [], START, 30.0)
    await written(context="test")

    news = await other.changes("prod", first.revision, 100)
    assert (news.whole, [(job.entry, job.service) for job in news.jobs]) == (False, [(watched.entry, ServicePlane.RUNNING)])


async def test_open_jobs_are_read_however_old_they_are(journal: Journal, written: Written) -> None:
    open_job = await written()
    newest = [await written(0) for _ in range(5)][-1]
    read = await journal.changes("prod", None, 1)
    assert {job.entry for job in read.jobs} == {open_job.entry, newest.entry}


async def test_rows_that_went_are_noticed(journal: Journal, other: Journal, written: Written) -> None:
    await written(0, at=START - timedelta(days=999))
    stays = await written(0)
    seen = await other.changes("prod", None, 100)
    await journal.prune(START)
    news = await other.changes("prod", seen.revision, 100)
    assert (news.whole, [job.entry for job in news.jobs]) == (True, [stays.entry])


async def test_a_journal_of_an_older_console_is_taken_over_whole(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as old:
        old.executescript(f"{_JOBS} PRAGMA user_version = 1;")
        old.execute(
            "INSERT INTO jobs (context, job_id, workspace, fields, service, submitted, note) VALUES "
            "('prod', '7f3a2b1c-4f89-41d3-9a0c-0305e82c3301', '/w', '[]', 'running', '2026-01-02T03:04:05.000000+00:00', '')"
        )
    old.close()
    journal = Journal.open(path)
    [job] = await journal.unfinished("prod")
    before = await journal.changes("prod", None, 10)
    await journal.save(replace(job, service=ServicePlane.ANSWERED, exit_code=0))
    after = await journal.changes("prod", before.revision, 10)
    journal.close()
    assert [one.service for one in (*before.jobs, *after.jobs)] == [ServicePlane.RUNNING, ServicePlane.ANSWERED]
    assert journal.notices == ()


async def test_all_consoles_learn_when_the_first_asked_in_vain(journal: Journal, other: Journal) -> None:
    later = START + timedelta(hours=1)
    assert await journal.silent("prod", "", START) == START
    assert await other.silent("prod", "", later) == START
    assert await other.silent("test", "", later) == later
    assert await other.silent("prod", "a", later) == later
    await other.answered("prod", "b")
    assert await journal.silent("prod", "", later) == later
    assert await journal.silent("prod", "a", later + timedelta(hours=1)) == later
    await journal.answered("prod", "a")
    assert await journal.silent("prod", "a", START) == START


async def test_a_journal_from_before_silences_were_kept_is_taken_over(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as old:
        old.executescript(f"{_JOBS} {_SHARING} PRAGMA user_version = 2;")
    old.close()
    journal = Journal.open(path)
    assert await journal.silent("prod", "", START) == START
    journal.close()
    assert journal.notices == ()
