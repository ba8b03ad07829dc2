"""The whole bucket looked through: listed, each state's head read, its history where asked for, and what is wrong with it.

Nothing is written, and nothing is left out in silence: what could not be looked at is a finding of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from posixpath import normpath

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job
from kumoss_console.model.scan import (
    LastJob,
    Lineages,
    ScanFinding,
    Subject,
    Version,
    Witness,
    across_keys,
    by_gravity,
    of_head,
    of_history,
    of_usage,
)
from kumoss_console.model.state.head import Head
from kumoss_console.ports import Clock, JobJournal, ObjectInfo, ObjectStore, ObjectVersion
from kumoss_console.services.bucketlisting import Listing, StateRow
from kumoss_console.services.places import Places
from kumoss_console.services.storeless import no_store
from kumoss_console.services.xray import XrayService

STALE_DAYS = 180
"""Days after which a state that nobody writes is told, where nothing else is asked for."""

INTERVAL = 0.25
"""Seconds between two looks at a scan that is under way."""

NEWEST_VERSIONS = 50
"""Versions of one key that are read; older ones are counted."""

_HISTORIES_AT_ONCE = 4
_JOBS = 500
_STATES = frozenset({"state", "encrypted", "damaged"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """``versions`` reads the histories as well. ``stale_days`` 0 asks nothing of a state's age. ``text`` narrows the scan to
    keys and owners that hold it, whatever the case of its letters; what is compared across keys is compared among those."""

    versions: bool = False
    stale_days: int = STALE_DAYS
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanProgress:
    """A scan as far as it is. ``objects`` were listed, all of them where ``listed``; ``read`` of ``to_read`` heads are known,
    and ``histories`` of ``histories_to_read``, which is 0 where none were asked for. ``findings`` are all so far, the gravest
    first. ``complete`` marks the last one; ``at`` is when that was."""

    objects: int
    listed: bool
    to_read: int
    read: int
    histories_to_read: int
    histories: int
    findings: tuple[ScanFinding, ...]
    complete: bool
    at: datetime

    def count(self, severity: Severity) -> int:
        return sum(1 for finding in self.findings if finding.severity is severity)


@dataclass(slots=True)
class _Known:
    """What a scan has gathered."""

    objects: int = 0
    listed: bool = False
    subjects: dict[str, Subject] = field(default_factory=dict)
    infos: dict[str, ObjectInfo] = field(default_factory=dict)
    read: int = 0
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
        xray: XrayService,
        *,
        owners: Callable[[], Mapping[str, KnownProject]],
        journal: Callable[[], JobJournal],
        places: Callable[[], Awaitable[Places]],
        clock: Clock,
    ) -> None:
        self._context = context
        self._given = store
        self._xray = xray
        self._owners = owners
        self._journal = journal
        self._places = places
        self._clock = clock
        self.last: ScanProgress | None = None
        """The last whole scan of the whole bucket, for whoever shows what is at hand."""

    async def scan(self, options: ScanOptions | None = None) -> AsyncGenerator[ScanProgress, None]:
        """The scan as it goes, at most four looks a second, the last ``complete``. Raises what the listing raises, after what
        was found until then."""
        options = options or ScanOptions()
        known = _Known()
        pace = _Pace()
        look = partial(self._progress, known)
        try:
            async for _ in self._list(known, options):
                if pace.due():
                    yield pace.looked(look)
        except ConsoleError:
            yield self._progress(known)
            raise
        known.listed = True
        known.listing = tuple(across_keys(known.subjects.values(), projects_known=bool(self._owners())))
        yield self._progress(known)
        async with aclosing(self._xray.heads(known.infos.values(), ends=True)) as heads:
            async for head in heads:
                self._take(known, head)
                if pace.due():
                    yield pace.looked(look)
        if options.stale_days > 0:
            known.own += await self._usage(known.states, timedelta(days=options.stale_days))
        if options.versions:
            known.asks_histories = True
            yield self._progress(known)
            async with aclosing(self._histories(known)) as histories:
                async for _ in histories:
                    if pace.due():
                        yield pace.looked(look)
        last = self._progress(known, complete=True)
        if not options.text:
            self.last = last
        yield last

    async def _list(self, known: _Known, options: ScanOptions) -> AsyncGenerator[None, None]:
        if self._given is None:
            raise no_store(self._context)
        listing = Listing(self._context.storage.terraform_state_filename, self._owners())
        infos: dict[str, ObjectInfo] = {}
        async for page in self._given.pages():
            listing.add(page)
            infos.update((info.key, info) for info in page)
            known.objects += len(page)
            yield
        for row in listing.snapshot(self._clock(), complete=True).rows:
            if _matches(row, options.text):
                known.subjects[row.key] = _subject(row)
                if row.kind != "lock":
                    known.infos[row.key] = infos[row.key]

    def _take(self, known: _Known, head: Head) -> None:
        subject = known.subjects[head.key]
        known.read += 1
        known.own += of_head(subject, head)
        known.lineages.add(subject, head)
        if head.status in _STATES:
            known.states.append(subject)

    def _progress(self, known: _Known, *, complete: bool = False) -> ScanProgress:
        return ScanProgress(
            objects=known.objects,
            listed=known.listed,
            to_read=len(known.infos),
            read=known.read,
            histories_to_read=len(known.states) if known.asks_histories else 0,
            histories=known.histories,
            findings=by_gravity(chain(known.listing, known.own, known.lineages.findings())),
            complete=complete,
            at=self._clock(),
        )

    # -- use ---------------------------------------------------------------------------------------------------------------

    async def _usage(self, states: Sequence[Subject], stale: timedelta) -> list[ScanFinding]:
        now = self._clock()
        places = await self._places()
        bound = frozenset(chain.from_iterable(places.values()))
        try:
            jobs: Mapping[str, LastJob] | None = _last_jobs(await self._journal().jobs(self._context.name, _JOBS), places)
        except ConsoleError:
            jobs = None
        found: list[ScanFinding] = []
        for subject in states:
            job = jobs.get(subject.key) if jobs is not None else None
            witness: Witness = "unreadable" if jobs is None else "bound" if subject.key in bound else "unbound"
            found += of_usage(subject, now=now, stale=stale, witness=witness, job=job)
        return found

    # -- histories ---------------------------------------------------------------------------------------------------------

    async def _histories(self, known: _Known) -> AsyncGenerator[None, None]:
        """One at a time as far as the store's versions are listed, their heads many at once. Ends at once where the store keeps
        no versions: that is one finding about the bucket."""
        coming = iter(known.states)
        done: asyncio.Queue[list[ScanFinding] | ConsoleError | None] = asyncio.Queue()

        async def work() -> None:
            for subject in coming:
                done.put_nowait(await self._history(subject))

        tasks = [asyncio.create_task(work()) for _ in range(_HISTORIES_AT_ONCE)]
        for task in tasks:
            task.add_done_callback(lambda _: done.put_nowait(None))
        try:
            left = len(tasks)
            while left:
                found = await done.get()
                if found is None:
                    left -= 1
                elif isinstance(found, ConsoleError):
                    known.own.append(_no_versions(found))
                    return
                else:
                    known.own += found
                    known.histories += 1
                    yield
            for task in tasks:
                task.result()
        finally:
            for task in tasks:
                task.cancel()

    async def _history(self, subject: Subject) -> list[ScanFinding] | ConsoleError:
        store = self._given
        if store is None:
            raise no_store(self._context)
        try:
            listed = await store.versions(subject.key)
        except ConsoleError as error:
            if error.code == "store.versions_unsupported":
                return error
            return [_history_not_looked(subject, error)]
        versions = [version for version in listed if version.kind != "delete_marker"]
        chosen = versions[:NEWEST_VERSIONS]
        heads = await asyncio.gather(*(self._xray.head(_info(version)) for version in chosen))
        told = [
            Version(version_id=version.version_id, modified=version.modified, head=head)
            for version, head in zip(chosen, heads, strict=True)
        ]
        return list(of_history(subject, told, left_out=len(versions) - len(chosen)))


class _Pace:
    """Whether it is time for another look. Looking costs as much as there are findings: it takes a fifth of the time at most."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._next = self._loop.time()

    def due(self) -> bool:
        return self._loop.time() >= self._next

    def looked(self, look: Callable[[], ScanProgress]) -> ScanProgress:
        began = self._loop.time()
        progress = look()
        ended = self._loop.time()
        self._next = ended + max(INTERVAL, 4 * (ended - began))
        return progress


def _subject(row: StateRow) -> Subject:
    return Subject(key=row.key, kind=row.kind, size=row.size, modified=row.modified, owner=row.owner, locked=row.locked)


def _matches(row: StateRow, text: str) -> bool:
    wanted = text.casefold()
    owner = row.owner
    parts = (row.key,) if owner is None else (row.key, owner.name, owner.repo, owner.scope, owner.path)
    return any(wanted in part.casefold() for part in parts)


def _info(version: ObjectVersion) -> ObjectInfo:
    return ObjectInfo(
        key=version.key,
        size=version.size or 0,
        modified=version.modified,
        etag=version.etag,
        version_id=version.version_id,
    )


def _last_jobs(jobs: Iterable[Job], places: Places) -> dict[str, LastJob]:
    """The newest job for each key that one of its workspaces is bound to."""
    found: dict[str, LastJob] = {}
    for job in jobs:
        at = job.finished or job.started or job.created or job.submitted
        kind = job.kind.value if job.kind is not None else "a job"
        for key in places.get(normpath(job.workspace), ()) if job.workspace else ():
            if key not in found or found[key].at < at:
                found[key] = LastJob(kind=kind, name=(job.job_id or f"#{job.entry}")[:8], at=at)
    return found


def _no_versions(error: ConsoleError) -> ScanFinding:
    return ScanFinding(
        code="scan.no_versions",
        severity=Severity.WARNING,
        key="",
        owner=None,
        message=f"no history could be looked at: {error.title}",
        remedy=error.hint,
    )


def _history_not_looked(subject: Subject, error: ConsoleError) -> ScanFinding:
    return ScanFinding(
        code="scan.history_not_looked",
        severity=Severity.ERROR,
        key=subject.key,
        owner=subject.owner,
        message=f"its versions could not be listed: {error.title}",
        remedy=error.hint,
    )
