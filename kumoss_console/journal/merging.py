"""Jobs of another journal, taken into this one. Nothing known here is overwritten by what is less."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from kumoss_console.journal.rows import insert, kept_output, new_values
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.journal import Merged

_ENDED = frozenset({ServicePlane.ANSWERED, ServicePlane.FAULTED})


def merge(connection: sqlite3.Connection, jobs: Iterable[Job], *, keep_output: bool, cap: int) -> Merged:
    """A job is the same where context and id are; one without an id where request and instant of submission are."""
    added = completed = known = 0
    for job in jobs:
        values = new_values(job)
        found = _known(connection, values)
        if found is None:
            entry = insert(connection, values)
            added += 1
        elif job.service in _ENDED and ServicePlane(found["service"]) not in _ENDED:
            entry = int(found["entry"])
            _complete(connection, entry, values)
            completed += 1
        else:
            known += 1
            continue
        stdout, stderr, _ = kept_output(job, cap)
        if keep_output and (stdout or stderr):
            connection.execute("INSERT OR REPLACE INTO outputs VALUES (?, ?, ?)", (entry, stdout, stderr))
    return Merged(added=added, completed=completed, known=known)


def _known(connection: sqlite3.Connection, values: dict[str, Any]) -> sqlite3.Row | None:
    where = "job_id = :job_id" if values["job_id"] else "job_id IS NULL AND submitted = :submitted AND fields = :fields"
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    sql = f"SELECT entry, service FROM jobs WHERE context = :context AND {where} ORDER BY entry DESC"  # noqa: S608 - written above
    row: sqlite3.Row | None = cursor.execute(sql, values).fetchone()
    return row


def _complete(connection: sqlite3.Connection, entry: int, values: dict[str, Any]) -> None:
    """What the end tells. When and how it was submitted stays as it is known here."""
    names = ("kind", "service", "created", "started", "finished", "seen", "exit_code", "output_bytes", "problem", "note")
    assignments = ", ".join(f"{name} = :{name}" for name in names)
    told = {name: values[name] for name in names} | {"entry": entry}
    connection.execute(f"UPDATE jobs SET {assignments} WHERE entry = :entry", told)  # noqa: S608 - our own names
