"""How several consoles share one journal: each look at a job is claimed, and each console reads what the others wrote."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from datetime import datetime

from kumoss_console.model.journal import Claim

CLOCK_SLACK = 1.0
"""Seconds into the future that a claim may lie before it is taken for that of a clock which was set back since."""


def claim(connection: sqlite3.Connection, wanted: Iterable[Claim], now: float, busy: float) -> frozenset[int]:
    """The entries that this console shall look at now: nobody did within the period, and nobody is at it.

    ``now`` in seconds since the epoch. A claim that is never given back ends after ``busy`` seconds: its console was killed.
    """
    sql = """
        INSERT INTO looks VALUES (:entry, :now, :busy) ON CONFLICT (entry) DO UPDATE SET at = :now, busy = :busy
        WHERE (at <= :now - :period AND busy <= :now) OR at > :now + :slack
    """
    granted = []
    for one in wanted:
        told = {"entry": one.entry, "now": now, "busy": now + busy, "period": one.period, "slack": CLOCK_SLACK}
        if connection.execute(sql, told).rowcount:
            granted.append(one.entry)
    return frozenset(granted)


def release(connection: sqlite3.Connection, entries: Iterable[int]) -> None:
    """Those looks are over."""
    connection.executemany("UPDATE looks SET busy = 0 WHERE entry = ?", [(entry,) for entry in entries])


def under_way(connection: sqlite3.Connection, entries: Collection[int], now: float) -> dict[int, float]:
    """When the looks began that some console is at, by entry; times as for :func:`claim`."""
    marks = ", ".join("?" for _ in entries)
    sql = f"SELECT entry, at FROM looks WHERE busy > ? AND entry IN ({marks})"  # noqa: S608 - marks alone
    return dict(connection.execute(sql, (now, *entries)).fetchall())


def silences(connection: sqlite3.Connection, context: str) -> dict[str, datetime]:
    """Since when the service has been asked in vain, by job; about anything where the id is empty."""
    told = connection.execute("SELECT job_id, since FROM silences WHERE context = ?", (context,))
    return {job_id: datetime.fromisoformat(since) for job_id, since in told}


def revision(connection: sqlite3.Connection) -> tuple[int, int]:
    """Grows with every write to a row, and with every row deleted."""
    value, deletions = connection.execute("SELECT value, deletions FROM revision").fetchone()
    return int(value), int(deletions)
