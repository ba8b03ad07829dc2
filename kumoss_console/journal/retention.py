"""What the journal lets go of: by age, and by size. Never a job whose end is not known."""

from __future__ import annotations

import sqlite3
from datetime import datetime, timedelta

from kumoss_console.journal.rows import time_text
from kumoss_console.model.journal import JournalSettings, Pruned

DROPPED = "its output was dropped: the journal had reached its size"
_OPEN = "(job_id IS NOT NULL AND service NOT IN ('answered', 'faulted', 'lost'))"
_BATCH = 20


def prune(connection: sqlite3.Connection, settings: JournalSettings, now: datetime) -> Pruned:
    """Within one transaction. What is freed is given back to the file system by :func:`shrink`, outside of it."""
    oldest = time_text(now - timedelta(days=settings.max_age_days))
    aged = connection.execute(f"DELETE FROM jobs WHERE submitted < ? AND NOT {_OPEN}", (oldest,)).rowcount  # noqa: S608 - ours
    connection.execute("DELETE FROM removed_locks WHERE at < ?", (oldest,))
    outputs = _dropped(connection, settings.max_bytes)
    return Pruned(jobs=aged + _deleted(connection, settings.max_bytes), outputs=outputs)


def shrink(connection: sqlite3.Connection) -> None:
    """Give free pages back. Does nothing for a file that an older console made: it reuses them instead."""
    connection.executescript("PRAGMA incremental_vacuum;")


def used(connection: sqlite3.Connection) -> int:
    """Bytes of the file that hold something."""
    [pages] = connection.execute("PRAGMA page_count").fetchone()
    [free] = connection.execute("PRAGMA freelist_count").fetchone()
    [size] = connection.execute("PRAGMA page_size").fetchone()
    return int((pages - free) * size)


def _dropped(connection: sqlite3.Connection, max_bytes: int) -> int:
    """Take the output of the oldest jobs, a few at a time, and say so on their rows."""
    count = 0
    while used(connection) > max_bytes:
        oldest = connection.execute(
            "SELECT entry FROM outputs ORDER BY entry LIMIT ?", (_step(connection, "outputs"),)
        ).fetchall()
        if not oldest:
            break
        connection.executemany("DELETE FROM outputs WHERE entry = ?", oldest)
        note = f"UPDATE jobs SET note = CASE note WHEN '' THEN '{DROPPED}' ELSE note || '; {DROPPED}' END WHERE entry = ?"  # noqa: S608
        connection.executemany(note, oldest)
        count += len(oldest)
    return count


def _deleted(connection: sqlite3.Connection, max_bytes: int) -> int:
    count = 0
    sql = f"DELETE FROM jobs WHERE entry IN (SELECT entry FROM jobs WHERE NOT {_OPEN} ORDER BY entry LIMIT ?)"  # noqa: S608 - ours
    while used(connection) > max_bytes:
        gone = connection.execute(sql, (_step(connection, "jobs"),)).rowcount
        if not gone:
            break
        count += gone
    return count


def _step(connection: sqlite3.Connection, table: str) -> int:
    """One at a time where there are few, so that no more goes than must."""
    [rows] = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - our own names
    return max(1, min(_BATCH, int(rows) // 50))
