"""The locks that were removed with this console are kept, whole, and are there for every console."""

# ruff: noqa: ASYNC240 - a test may wait for its own small files

from __future__ import annotations

import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from kumoss_console.journal import Journal
from kumoss_console.journal.schema import _JOBS, _SHARING, _SILENCES
from kumoss_console.model.journal import JournalSettings
from kumoss_console.model.lock import Removal
from tests.fakes.clock import START
from tests.journal.conftest import Written

REMOVAL = Removal(
    context="prod",
    store="kumoss-terraform-state at store.test:9000",
    key="a\udcff\0/terraform.tfstate",
    mechanism="object",
    where="a.tflock in kumoss-terraform-state",
    lock_id="b1f6\x1b[31m",
    document=b'{"ID":"b1f6"}\xff\0',
    proof='"etag"',
    by="ops@laptop",
    at=START,
    despite=("7f3a2b1c-4f89-41d3-9a0c-0305e82c3301",),
)


async def test_a_removed_lock_comes_back_as_it_was_newest_first(journal: Journal) -> None:
    first = await journal.removing(REMOVAL)
    second = await journal.removing(replace(REMOVAL, lock_id="2", proof=None, despite=()))
    await journal.removed(first, "removed", "the store could not promise it")
    assert await journal.removals("prod", 10) == (
        replace(REMOVAL, entry=second, lock_id="2", proof=None, despite=()),
        replace(REMOVAL, entry=first, outcome="removed", note="the store could not promise it"),
    )
    assert [removal.entry for removal in await journal.removals("prod", 1)] == [second]
    assert await journal.removals("dev", 10) == ()


async def test_a_removal_that_was_begun_is_on_disk_before_it_is_done(path: Path, journal: Journal) -> None:
    await journal.removing(REMOVAL)
    other = Journal.open(path)
    assert [removal.outcome for removal in await other.removals("prod", 10)] == ["begun"]
    other.close()


async def test_a_journal_from_before_removed_locks_were_kept_is_taken_over(path: Path) -> None:
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as old:
        old.executescript(f"{_JOBS} {_SHARING} {_SILENCES} PRAGMA user_version = 3;")
    old.close()
    journal = Journal.open(path)
    await journal.removing(REMOVAL)
    assert len(await journal.removals("prod", 10)) == 1
    journal.close()
    assert journal.notices == ()


async def test_removed_locks_are_kept_as_long_as_jobs(path: Path) -> None:
    journal = Journal.open(path, JournalSettings(max_age_days=10))
    await journal.removing(REMOVAL)
    await journal.removing(replace(REMOVAL, at=START + timedelta(days=5), lock_id="younger"))
    await journal.prune(START + timedelta(days=11))
    assert [removal.lock_id for removal in await journal.removals("prod", 10)] == ["younger"]
    journal.close()


async def test_a_damaged_journal_does_not_take_the_removed_locks_with_it(path: Path, journal: Journal, written: Written) -> None:
    await journal.removing(REMOVAL)
    await written(0, "x" * 40_000)
    journal.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'jobs'").fetchone()
    connection.close()
    raw = path.read_bytes()
    path.write_bytes(raw[: (root - 1) * 4096] + b"\xff" * 4096 + raw[root * 4096 :])
    opened = Journal.open(path)
    assert await opened.jobs("prod", 10) == ()
    assert [removal.key for removal in await opened.removals("prod", 10)] == [REMOVAL.key]
    assert len(opened.notices) == 1
    opened.close()
