"""Reading what can still be read out of a damaged journal. A row counts only where all of it makes sense."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import UUID

import msgspec

from kumoss_console.journal import removals
from kumoss_console.journal.rows import COLUMNS, insert, job_of, new_values

PROBED_AT_MOST = 20_000
"""Rows between the readable beginning and the readable end that are asked for one by one."""


def salvage(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy the readable jobs and removed locks of ``damaged`` into an empty journal, under their own entries; the number of jobs.

    Never changes ``damaged``.
    """
    try:
        # Read-only: what is set aside stays as it was found.
        with closing(sqlite3.connect(f"{damaged.absolute().as_uri()}?mode=ro", uri=True)) as source:
            removals.copy(source, into)
            source.row_factory = sqlite3.Row
            return sum(_kept(source, row, into) for row in _rows(source))
    except sqlite3.DatabaseError:
        return 0


def _rows(source: sqlite3.Connection) -> Iterator[sqlite3.Row]:
    """From both ends, and then what lies between the two places where reading broke off."""
    first = list(_until_damage(source, f"SELECT {COLUMNS} FROM jobs ORDER BY entry"))  # noqa: S608 - our own names
    yield from first
    reached = first[-1]["entry"] if first else 0
    last = list(_until_damage(source, f"SELECT {COLUMNS} FROM jobs WHERE entry > {int(reached)} ORDER BY entry DESC"))  # noqa: S608
    yield from reversed(last)
    if not last:
        return
    for entry in range(int(reached) + 1, min(int(last[-1]["entry"]), int(reached) + PROBED_AT_MOST)):
        yield from _until_damage(source, f"SELECT {COLUMNS} FROM jobs WHERE entry = {entry}")  # noqa: S608 - a number


def _until_damage(source: sqlite3.Connection, sql: str) -> Iterator[sqlite3.Row]:
    try:
        yield from source.execute(sql)
    except sqlite3.DatabaseError:
        return


def _kept(source: sqlite3.Connection, row: sqlite3.Row, into: sqlite3.Connection) -> bool:
    entry = row["entry"]
    try:
        job = job_of(row)
        if job.job_id is not None:
            UUID(job.job_id)
        values = new_values(job)
    except (ValueError, TypeError, AttributeError, OverflowError, msgspec.MsgspecError):
        return False
    insert(into, {"entry": entry} | values)
    for output in _until_damage(source, f"SELECT stdout, stderr FROM outputs WHERE entry = {int(entry)}"):  # noqa: S608 - a number
        into.execute("INSERT INTO outputs VALUES (?, ?, ?)", (entry, *output))
    return True
