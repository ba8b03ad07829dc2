"""The history of one key, read version by version: what is listed first, then serials and lineages as they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding
from kumoss_console.model.job import Job
from kumoss_console.model.state import parse_state
from kumoss_console.model.state.head import HEAD_BYTES, LONGER_HEAD_BYTES, TAIL_BYTES, HeadFacts, ends_well, facts_of, read_head
from kumoss_console.model.statediff.writers import likely_writers
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.versions.remarks import VersionRow, about_history
from kumoss_console.services.workspaces.places import Places

HEADS = 200
"""Newest versions whose serials are read where nothing else is asked for: one small request each."""
_WITH_AN_END = frozenset({"state", "encrypted"})
_AT_ONCE = 8
_JOBS = 2_000
"""Newest jobs of the journal that are looked at for the one that wrote a version."""
_STEPS = 40
"""Times that a timeline is told anew while it fills: each time costs its whole length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Every version of ``key``, newest first, as of ``at``. ``findings`` are about the history as far as it was read.

    ``complete`` once all that was asked for is read. ``unread`` versions are listed without serial and lineage.
    """

    key: str
    rows: tuple[VersionRow, ...]
    at: datetime
    findings: tuple[Finding, ...] = ()
    complete: bool = True

    @property
    def unread(self) -> int:
        return sum(row.unread for row in self.rows)


class TimelineReader:
    """Reads histories of the keys of one context, and keeps what it read: a version never changes."""

    def __init__(
        self,
        context: Context,
        journal: Callable[[], JobJournal],
        places: Callable[[], Awaitable[Places]],
        clock: Clock,
        *,
        off_loop: OffLoop,
    ) -> None:
        self._context = context
        self._journal = journal
        self._places = places
        self._clock = clock
        self._off_loop = off_loop
        self._known: dict[tuple[str, str, str | None], VersionRow] = {}

    async def stream(
        self,
        store: ObjectStore,
        key: str,
        found: Sequence[ObjectVersion],
        heads: int | None,
        cut: ConsoleError | None = None,
    ) -> AsyncGenerator[Timeline, None]:
        """The ``found`` versions at once, then again as the newest ``heads`` of them are read (all for ``None``). ``cut`` says
        why these are not all."""
        writers = await self._writers(key, found)
        rows = [
            VersionRow(version=version, number=number, job=job, unread=version.kind != "delete_marker")
            for number, (version, job) in enumerate(zip(found, writers, strict=True), 1)
        ]
        for place, row in enumerate(rows):
            if (known := self._known.get(_name(row.version))) is not None:
                rows[place] = replace(known, version=row.version, number=row.number, job=row.job)
        kept = [place for place, row in enumerate(rows) if row.version.kind != "delete_marker"]
        wanted = [place for place in (kept if heads is None else kept[:heads]) if rows[place].unread]
        if wanted:
            yield self._told(key, rows, cut, complete=False)
        gate = asyncio.Semaphore(_AT_ONCE)

        async def read(place: int) -> None:
            async with gate:
                rows[place] = await self._read(store, rows[place])

        step = max(25, len(wanted) // _STEPS)
        for begin in range(0, len(wanted), step):
            tasks = [asyncio.create_task(read(place)) for place in wanted[begin : begin + step]]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
            if begin + step < len(wanted):
                yield self._told(key, rows, cut, complete=False)
        yield self._told(key, rows, cut, complete=True)

    def _told(self, key: str, rows: Sequence[VersionRow], cut: ConsoleError | None, *, complete: bool) -> Timeline:
        findings = tuple(about_history(key, rows, complete=complete, cut=cut))
        return Timeline(key=key, rows=tuple(rows), at=self._clock(), findings=findings, complete=complete)

    async def _read(self, store: ObjectStore, row: VersionRow) -> VersionRow:
        try:
            head = await self._head(store, row.version)
        except ConsoleError as error:
            return replace(row, error=error, unread=False)
        read = replace(
            row,
            serial=head.serial,
            lineage=head.lineage,
            engine_version=head.engine_version,
            reason=head.reason,
            unread=False,
        )
        self._known[_name(row.version)] = read
        return read

    async def _head(self, store: ObjectStore, version: ObjectVersion) -> HeadFacts:
        """From the first KB where that tells, else from more, at last from all. Of the active version the end is seen too."""
        key, size = version.key, version.size or 0
        for length in (HEAD_BYTES, LONGER_HEAD_BYTES):
            start = await store.get_range(key, 0, length, version=version.version_id)
            facts = read_head(start, size=size, name=key)
            if isinstance(facts, HeadFacts):
                if facts.certain or not version.latest or facts.status not in _WITH_AN_END or await self._ends(store, version):
                    return facts
                break
            if not facts.longer:
                break
        content = (await store.fetch(key, version=version.version_id)).content
        return await self._off_loop(lambda: facts_of(parse_state(content, name=key)))

    async def _ends(self, store: ObjectStore, version: ObjectVersion) -> bool:
        """Whether the last bytes close the document: one that was cut short begins like a whole one."""
        size = version.size or 0
        start = max(0, size - TAIL_BYTES)
        return ends_well(await store.get_range(version.key, start, size - start, version=version.version_id))

    async def _writers(self, key: str, found: Sequence[ObjectVersion]) -> list[Job | None]:
        """Nobody where the journal cannot be read: who wrote a version is a remark beside the history, not the history."""
        try:
            jobs = await self._journal().jobs(self._context.name, _JOBS)
        except ConsoleError:
            return [None] * len(found)
        written = [version.modified for version in found]
        places = await self._places() if jobs else {}
        return await self._off_loop(lambda: likely_writers(written, jobs, key, places))


def _name(version: ObjectVersion) -> tuple[str, str, str | None]:
    """A version that has no id of its own (``null``) is told from a later one by its ETag."""
    return version.key, version.version_id, version.etag
