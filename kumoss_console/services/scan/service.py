"""The whole bucket looked through: listed, each state's head read, its history where asked for, and what is wrong with it.

Nothing is written, and nothing is left out in silence: what could not be looked at is a finding of its own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job
from kumoss_console.model.scan import Lineages, ScanFinding, Subject, across_keys, by_gravity, of_head
from kumoss_console.model.state.head import Head
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.bucket.service import BucketService, BucketSnapshot, StateRow
from kumoss_console.services.scan.histories import histories
from kumoss_console.services.scan.usage import usage_findings
from kumoss_console.services.states.xray import XrayService

if TYPE_CHECKING:
    from kumoss_console.services.workspaces.places import Places

STALE_DAYS = 180
"""Days after which a state that nobody writes is told, where nothing else is asked for."""

INTERVAL = 0.25
"""Seconds between two looks at a scan that is under way."""

_JOBS = 500
_STATES = frozenset({"state", "encrypted", "damaged"})
_NOT_READ = frozenset({"lock", "folder"})
"""Kinds of keys whose content tells nothing here: locks are looked at by those who look for locks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """``versions`` reads the histories as well. ``stale_days`` 0 asks nothing of a state's age. ``text`` narrows the scan to
    keys and owners that hold it, whatever the case of its letters; what is compared across keys is compared among those."""

    versions: bool = False
    stale_days: int = STALE_DAYS
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanProgress:
    """A scan as far as it is. ``objects`` were listed, all of them where ``listed``, and ``chosen`` of the keys hold the text
    that was asked for. ``read`` of ``to_read`` heads are known, ``unread`` could not be read; ``histories`` are of
    ``histories_to_read``, which is 0 where none were asked for. ``findings`` are all so far, the gravest first. ``complete``
    marks the last, whose findings are in order of their keys, too; ``at`` is when that was."""

    objects: int
    listed: bool
    chosen: int
    to_read: int
    read: int
    unread: int
    histories_to_read: int
    histories: int
    findings: tuple[ScanFinding, ...]
    counts: Mapping[Severity, int]
    """Findings by their severity: there may be too many to count each time that a screen is drawn."""
    complete: bool
    at: datetime

    @property
    def looked(self) -> int:
        """Heads that were asked for, in vain or not."""
        return self.read + self.unread

    def count(self, severity: Severity) -> int:
        return self.counts.get(severity, 0)


@dataclass(slots=True)
class _Known:
    """What a scan has gathered."""

    objects: int = 0
    listed: bool = False
    subjects: dict[str, Subject] = field(default_factory=dict)
    rows: list[StateRow] = field(default_factory=list)
    read: int = 0
    unread: int = 0
    asks_histories: bool = False
    histories: int = 0
    listing: tuple[ScanFinding, ...] = ()
    own: list[ScanFinding] = field(default_factory=list)
    lineages: Lineages = field(default_factory=Lineages)
    states: list[Subject] = field(default_factory=list)


class ScanService:
    """Looks through one context's bucket. ``places`` tells which workspaces that can be seen from here are bound to what.

    ``store`` is ``None`` where there is none to read: a scan then raises :class:`~kumoss_console.errors.ConfigError`.
    """

    def __init__(
        self,
        context: Context,
        store: ObjectStore | None,
        *,
        bucket: BucketService,
        xray: XrayService,
        owners: Callable[[], Mapping[str, KnownProject]],
        journal: Callable[[], JobJournal],
        places: Callable[[], Awaitable[Places]],
        clock: Clock,
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        self._context = context
        self._given = store
        self._bucket = bucket
        self._xray = xray
        self._owners = owners
        self._journal = journal
        self._places = places
        self._clock = clock
        self._off_loop = off_loop
        self.last: ScanProgress | None = None
        """The last whole scan of the whole bucket, for whoever shows what is at hand."""

    async def scan(self, options: ScanOptions | None = None) -> AsyncGenerator[ScanProgress, None]:
        """The scan as it goes, at most four looks a second, the last ``complete``. Where the listing breaks off, what it gave is
        looked at all the same; then it raises what the listing raised, and no look is ``complete``."""
        options = options or ScanOptions()
        known = _Known()
        pace = _Pace(self._off_loop)
        look = partial(self._progress, known)
        store = self._store
        snapshots = self._bucket.stream()
        snapshot, broken_off = None, None
        try:
            async for snapshot in snapshots:
                known.objects = snapshot.objects
                if not snapshot.complete and pace.due():
                    yield await pace.looked(look)
        except ConsoleError as error:
            broken_off = error
        finally:
            if isinstance(snapshots, AsyncGenerator):
                await snapshots.aclose()
        if snapshot is not None:
            await self._off_loop(partial(self._list, known, snapshot, options.text))
        yield await pace.looked(look)
        async with aclosing(self._xray.heads((row.info for row in known.rows), ends=True)) as heads:
            async for head in heads:
                self._take(known, head)
                if pace.due():
                    yield await pace.looked(look)
        if options.stale_days > 0:
            known.own += await self._usage(known.states, timedelta(days=options.stale_days))
        if options.versions:
            known.asks_histories = True
            yield await pace.looked(look)
            async with aclosing(histories(store, self._xray, known.states)) as found:
                async for findings in found:
                    known.own += findings
                    known.histories += 1
                    if pace.due():
                        yield await pace.looked(look)
        if broken_off is not None:
            yield await pace.looked(look)
            raise broken_off
        last = await pace.looked(partial(self._progress, known, complete=True))
        if not options.text:
            self.last = last
        yield last

    def _list(self, known: _Known, snapshot: BucketSnapshot, text: str) -> None:
        for row in snapshot.rows:
            if _matches(row, text):
                known.subjects[row.key] = _subject(row)
                if row.kind not in _NOT_READ:
                    known.rows.append(row)
        known.listed = snapshot.complete
        across = across_keys(known.subjects.values(), projects_known=bool(self._owners()), complete=snapshot.complete)
        known.listing = tuple(across)

    def _take(self, known: _Known, head: Head) -> None:
        subject = known.subjects[head.key]
        if head.error is None:
            known.read += 1
        else:
            known.unread += 1
        known.own += of_head(subject, head)
        known.lineages.add(subject, head)
        if head.status in _STATES:
            known.states.append(subject)

    def _progress(self, known: _Known, *, complete: bool = False) -> ScanProgress:
        findings = by_gravity(chain(known.listing, known.own, known.lineages.findings()), by_key=complete)
        return ScanProgress(
            objects=known.objects,
            listed=known.listed,
            chosen=len(known.subjects),
            to_read=len(known.rows),
            read=known.read,
            unread=known.unread,
            histories_to_read=len(known.states) if known.asks_histories else 0,
            histories=known.histories,
            findings=findings,
            counts=Counter(finding.severity for finding in findings),
            complete=complete,
            at=self._clock(),
        )

    async def _usage(self, states: Sequence[Subject], stale: timedelta) -> list[ScanFinding]:
        places = await self._places()
        try:
            jobs: tuple[Job, ...] | None = await self._journal().jobs(self._context.name, _JOBS)
        except ConsoleError:
            jobs = None
        now = self._clock()
        return await self._off_loop(lambda: usage_findings(states, now=now, stale=stale, jobs=jobs, places=places))

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given


class _Pace:
    """Whether it is time for another look. Looking costs as much as there are findings (0.2 s for 100,000 of them): it is done
    beside the loop, and takes a fifth of the time at most."""

    def __init__(self, off_loop: OffLoop) -> None:
        self._off_loop = off_loop
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.time()

    def due(self) -> bool:
        return self._loop.time() >= self._next

    async def looked(self, look: Callable[[], ScanProgress]) -> ScanProgress:
        began = self._loop.time()
        progress = await self._off_loop(look)
        ended = self._loop.time()
        self._next = ended + max(INTERVAL, 4 * (ended - began))
        return progress


def _subject(row: StateRow) -> Subject:
    return Subject(
        key=row.key,
        kind=row.kind,
        modified=row.modified,
        owner=row.owner,
        orphan=row.orphan,
        base=row.base,
        workspace=row.workspace,
    )


def _matches(row: StateRow, text: str) -> bool:
    wanted = text.casefold()
    owner = row.owner
    parts = (row.key,) if owner is None else (row.key, owner.name, owner.repo, owner.scope, owner.path)
    return any(wanted in part.casefold() for part in parts)
