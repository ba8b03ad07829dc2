"""What this console did and learned, job by job. It never sends anything, and never makes up an id."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from uuid import UUID

from kumoss_console.errors import Refused
from kumoss_console.journal import removals
from kumoss_console.journal.database import BUSY_SECONDS, Database
from kumoss_console.journal.merging import merge
from kumoss_console.journal.retention import prune, shrink
from kumoss_console.journal.rows import COLUMNS, STREAM_CAP, ends, fields_of, insert, job_of, kept_output, new_values, time_text
from kumoss_console.journal.sharing import claim, release, revision, silences, under_way
from kumoss_console.model.contract import SubmitRequest
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.journal import Changes, Claim, JournalSettings, Merged, Pruned, SetAside
from kumoss_console.model.lock import Removal, RemovalOutcome

SENT_NO_ANSWER = "sent, no answer"
BY_ID_ALONE = "submitted elsewhere"
NOT_STORED = "its output is not kept here (journal.store_output is false)"

_ENDED = "('answered', 'faulted')"
_OPEN = "job_id IS NOT NULL AND service NOT IN ('answered', 'faulted', 'lost')"


class Journal:
    """Satisfies :class:`kumoss_console.ports.journal.JobJournal` with a SQLite file.

    Nothing is opened or created before the first call. ``stream_cap`` is in bytes, ``patience`` with another's write in seconds.
    """

    def __init__(
        self,
        path: Path,
        settings: JournalSettings | None = None,
        *,
        stream_cap: int = STREAM_CAP,
        patience: float = BUSY_SECONDS,
    ) -> None:
        self._database = Database(path, patience=patience)
        self._settings = settings or JournalSettings()
        self._stream_cap = stream_cap

    @classmethod
    def open(cls, path: Path, settings: JournalSettings | None = None) -> Journal:
        return cls(path, settings)

    @property
    def notices(self) -> tuple[str, ...]:
        return self._database.notices

    async def aside(self) -> tuple[SetAside, ...]:
        return await self._database.aside()

    @property
    def busy(self) -> bool:
        """Whether a call is under way, perhaps waiting for another console's."""
        return self._database.busy

    async def record(self, context: str, request: SubmitRequest, now: datetime) -> int:
        job = Job(
            entry=0,
            job_id=None,
            context=context,
            kind=request.kind,
            workspace=request.workspace_path,
            service=ServicePlane.UNKNOWN,
            submitted=now,
            fields=fields_of(request),
            note=SENT_NO_ANSWER,
        )
        return await self._database.write(lambda connection: insert(connection, new_values(job)))

    async def accept(self, entry: int, job_id: UUID, now: datetime) -> None:
        def work(connection: sqlite3.Connection) -> int:
            told = (str(job_id), ServicePlane.QUEUED.value, time_text(now), entry)
            sql = "UPDATE jobs SET job_id = ?, service = ?, seen = ?, note = '' WHERE entry = ?"
            return connection.execute(sql, told).rowcount

        if not await self._database.write(work):
            raise Refused(
                f"the job journal has lost entry {entry}",
                hint=f"the service knows the job as {job_id}",
                code="journal.entry_missing",
            )

    async def adopt(self, context: str, job_id: UUID, now: datetime) -> int:
        job = Job(
            entry=0,
            job_id=str(job_id),
            context=context,
            kind=None,
            workspace="",
            service=ServicePlane.UNKNOWN,
            submitted=now,
            note=BY_ID_ALONE,
        )

        def work(connection: sqlite3.Connection) -> int:
            known = _row(connection, "context = ? AND job_id = ?", context, str(job_id))
            return int(known["entry"]) if known else insert(connection, new_values(job))

        return await self._database.write(work)

    async def save(self, job: Job) -> None:
        await self._database.write(lambda connection: self._save(connection, job))

    async def share(
        self, saved: Sequence[Job], released: Iterable[int], claims: Sequence[Claim], now: datetime, busy: float
    ) -> frozenset[int]:
        def work(connection: sqlite3.Connection) -> frozenset[int]:
            for job in saved:
                self._save(connection, job)
            release(connection, released)
            return claim(connection, claims, now.timestamp(), busy)

        return await self._database.write(work)

    async def unclaim(self, entries: Iterable[int]) -> None:
        gone = [(entry,) for entry in entries]
        if gone:
            await self._database.write(lambda connection: connection.executemany("DELETE FROM looks WHERE entry = ?", gone))

    async def changes(self, context: str, since: tuple[int, int] | None, limit: int) -> Changes:
        def work(connection: sqlite3.Connection) -> Changes:
            current = revision(connection)
            if since is not None and current == since:
                return Changes(jobs=(), revision=current, whole=False)
            # Deleted rows leave no trace to read, so the list is read anew.
            whole = since is None or since[1] != current[1]
            if since is None or whole:
                newest = "entry IN (SELECT entry FROM jobs WHERE context = ? ORDER BY entry DESC LIMIT ?)"
                rows = _rows(connection, f"{newest} OR (context = ? AND {_OPEN})", context, limit, context)
            else:
                rows = _rows(connection, "rev > ? AND context = ?", since[0], context)
            return Changes(jobs=tuple(map(job_of, rows)), revision=current, whole=whole)

        return await self._database.read(work)

    async def silent(self, context: str, job_id: str, now: datetime) -> datetime:
        def work(connection: sqlite3.Connection) -> str:
            connection.execute("INSERT OR IGNORE INTO silences VALUES (?, ?, ?)", (context, job_id, time_text(now)))
            sql = "SELECT since FROM silences WHERE context = ? AND job_id = ?"
            [since] = connection.execute(sql, (context, job_id)).fetchone()
            return str(since)

        return datetime.fromisoformat(await self._database.write(work))

    async def answered(self, context: str, job_id: str) -> None:
        about = (context, job_id)

        def known(connection: sqlite3.Connection) -> bool:
            sql = "SELECT 1 FROM silences WHERE context = ? AND job_id IN ('', ?)"
            return connection.execute(sql, about).fetchone() is not None

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM silences WHERE context = ? AND job_id IN ('', ?)", about)

        # A read does not wait for other consoles, and hardly ever is there anything to write.
        if await self._database.read(known):
            await self._database.write(work)

    async def silences(self, context: str) -> dict[str, datetime]:
        return await self._database.read(lambda connection: silences(connection, context))

    async def under_way(self, entries: Collection[int], now: datetime) -> dict[int, float]:
        return await self._database.read(lambda connection: under_way(connection, entries, now.timestamp()))

    async def ends(self, entries: Sequence[int], size: int) -> dict[int, tuple[str, str]]:
        return await self._database.read(lambda connection: ends(connection, entries, size))

    async def prune(self, now: datetime) -> Pruned:
        pruned = await self._database.write(lambda connection: prune(connection, self._settings, now))
        if pruned.jobs or pruned.outputs:
            await self._database.tidy(shrink)
        return pruned

    async def merge(self, jobs: Sequence[Job]) -> Merged:
        return await self._database.write(
            lambda connection: merge(connection, jobs, keep_output=self._settings.store_output, cap=self._stream_cap)
        )

    async def jobs(self, context: str | None, limit: int) -> tuple[Job, ...]:
        if context is None:
            return await self._select("1 ORDER BY entry DESC LIMIT ?", limit)
        return await self._select("context = ? ORDER BY entry DESC LIMIT ?", context, limit)

    async def unfinished(self, context: str) -> tuple[Job, ...]:
        return await self._select(f"context = ? AND {_OPEN} ORDER BY entry DESC", context)

    async def at_work(self, since: datetime) -> tuple[Job, ...]:
        sent = "job_id IS NULL AND service NOT IN ('answered', 'faulted', 'lost') AND submitted >= ?1"
        return await self._select(
            f"({_OPEN}) OR ({sent}) OR (service = 'lost' AND seen >= ?1) ORDER BY entry DESC", time_text(since)
        )

    async def open_contexts(self) -> tuple[str, ...]:
        def work(connection: sqlite3.Connection) -> tuple[str, ...]:
            sql = f"SELECT DISTINCT context FROM jobs WHERE {_OPEN} ORDER BY context"  # noqa: S608 - our own condition
            return tuple(name for [name] in connection.execute(sql))

        return await self._database.read(work)

    async def entries(self, context: str | None) -> tuple[int, ...]:
        def work(connection: sqlite3.Connection) -> tuple[int, ...]:
            sql = "SELECT entry FROM jobs WHERE ?1 IS NULL OR context = ?1 ORDER BY entry"
            return tuple(entry for [entry] in connection.execute(sql, (context,)))

        return await self._database.read(work)

    async def by_prefix(self, context: str, prefix: str, limit: int) -> tuple[Job, ...]:
        where = "context = ? AND substr(job_id, 1, ?) = ? ORDER BY entry DESC LIMIT ?"
        return await self._select(where, context, len(prefix), prefix, limit)

    async def by_id(self, context: str, job_id: UUID) -> Job | None:
        return await self._one("context = ? AND job_id = ? ORDER BY entry DESC", context, str(job_id))

    async def by_entry(self, entry: int) -> Job | None:
        return await self._one("entry = ?", entry)

    async def removing(self, removal: Removal) -> int:
        return await self._database.write(lambda connection: removals.begin(connection, removal))

    async def removed(self, entry: int, outcome: RemovalOutcome, note: str) -> None:
        await self._database.write(lambda connection: removals.end(connection, entry, outcome, note))

    async def removals(self, context: str, limit: int, *, store: str = "") -> tuple[Removal, ...]:
        return await self._database.read(lambda connection: removals.newest(connection, context, store, limit))

    def close(self) -> None:
        self._database.close()

    def _save(self, connection: sqlite3.Connection, job: Job) -> None:
        # In here, off the loop: encoding 100 MB of output takes a while.
        stdout, stderr, dropped = kept_output(job, self._stream_cap)
        if not self._settings.store_output and (stdout or stderr):
            stdout = stderr = b""
            dropped = NOT_STORED
        values = new_values(replace(job, note="; ".join(filter(None, (job.note, dropped)))))
        assignments = ", ".join(f"{name} = :{name}" for name in values)
        sql = f"UPDATE jobs SET {assignments} WHERE entry = :entry AND service NOT IN {_ENDED}"  # noqa: S608 - our own names
        changed = connection.execute(sql, values | {"entry": job.entry}).rowcount
        if changed and (stdout or stderr):
            connection.execute("INSERT OR REPLACE INTO outputs VALUES (?, ?, ?)", (job.entry, stdout, stderr))

    async def _select(self, where: str, *values: str | int) -> tuple[Job, ...]:
        def work(connection: sqlite3.Connection) -> tuple[Job, ...]:
            return tuple(map(job_of, _rows(connection, where, *values)))

        return await self._database.read(work)

    async def _one(self, where: str, *values: str | int) -> Job | None:
        def work(connection: sqlite3.Connection) -> Job | None:
            row = _row(connection, where, *values)
            if row is None:
                return None
            sql = "SELECT stdout, stderr FROM outputs WHERE entry = ?"
            return job_of(row, connection.execute(sql, (row["entry"],)).fetchone())

        return await self._database.read(work)


def _rows(connection: sqlite3.Connection, where: str, *values: str | int) -> sqlite3.Cursor:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(f"SELECT {COLUMNS} FROM jobs WHERE {where}", values)  # noqa: S608 - conditions are written above


def _row(connection: sqlite3.Connection, where: str, *values: str | int) -> sqlite3.Row | None:
    row: sqlite3.Row | None = _rows(connection, where, *values).fetchone()
    return row
