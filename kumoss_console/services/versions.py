"""The history of one key: its versions, what differs between two of them, and the way back to one.

Reads only. What a restore would push is given to whoever asks, and never written to a store from here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from kumoss_console.errors import ConsoleError, InputError, NotFound, ServiceError
from kumoss_console.model.context import Context
from kumoss_console.model.contract import JobKind
from kumoss_console.model.finding import Finding
from kumoss_console.model.job import Job
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.state import parse_state
from kumoss_console.model.state.head import HEAD_BYTES, LONGER_HEAD_BYTES, HeadFacts, facts_of, read_head
from kumoss_console.model.statediff import RecordedState, RestorePlan, StateDiff, diff, plan_restore, recorded
from kumoss_console.ports import Clock, JobJournal, ObjectContent, ObjectStore, ObjectVersion
from kumoss_console.services.offloop import OffLoop
from kumoss_console.services.storeless import no_store
from kumoss_console.services.versionchoice import NEWEST, PREVIOUS, chosen
from kumoss_console.services.versionremarks import VersionRow, about_history, before_a_restore
from kumoss_console.text import printable

__all__ = ["Restore", "Timeline", "VersionRow", "VersionService", "compare_documents"]

_AT_ONCE = 8
_WRITERS = frozenset({JobKind.APPLY, JobKind.IMPORT, JobKind.PLAN})
"""Kinds of jobs that may write a state: a plan does where a refresh upgrades it."""
_SLACK = timedelta(seconds=2)
"""Between the store's clock, which counts in whole seconds, and the service's."""
_JOBS = 2_000
"""Newest jobs of the journal that are looked at for the one that wrote a version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Every version of ``key``, newest first, as of ``at``. ``findings`` are about the history as a whole."""

    key: str
    rows: tuple[VersionRow, ...]
    at: datetime
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """A planned restore of ``key``. ``locked`` is ``None`` where it is not known whether a lock is held."""

    key: str
    version: ObjectVersion
    newest: ObjectVersion
    plan: RestorePlan = field(repr=False)
    locked: bool | None
    findings: tuple[Finding, ...]
    at: datetime


class VersionService:
    """History of the keys of one context. ``store`` is ``None`` where there is none to read."""

    def __init__(
        self, context: Context, store: ObjectStore | None, journal: JobJournal, clock: Clock, *, off_loop: OffLoop
    ) -> None:
        self._context = context
        self._given = store
        self._journal = journal
        self._clock = clock
        self._off_loop = off_loop

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        """Every version of exactly ``key``, newest first; :class:`~kumoss_console.errors.NotFound` where there is none."""
        found = await self._store.versions(key)
        if not found:
            raise NotFound(
                f"{self._store.label} has no version of {printable(key)}",
                hint="state list shows the keys; a key that never held anything has no history",
                code="store.object_missing",
            )
        return found

    async def timeline(self, key: str) -> Timeline:
        """The history, each version read as far as it tells its serial. A version that cannot be read stays, with its error."""
        found = await self.versions(key)
        gate = asyncio.Semaphore(_AT_ONCE)
        jobs = await self._jobs()

        async def row(number: int, version: ObjectVersion) -> VersionRow:
            async with gate:
                return await self._row(number, version, jobs)

        rows = tuple(await asyncio.gather(*(row(number, version) for number, version in enumerate(found, 1))))
        return Timeline(key=key, rows=rows, at=self._clock(), findings=tuple(about_history(key, rows)))

    async def diff(self, key: str, before: str | None = None, after: str | None = None, *, other: str | None = None) -> StateDiff:
        """``before`` against ``after``, each named as :func:`chosen` takes it: by default the one before the newest, and the
        newest. With ``other`` the newest of ``key`` against the newest of ``other``, or the versions named of each.

        Raises :class:`~kumoss_console.errors.ConsoleError` (``state.not_comparable``) for what is no state.
        """
        if other is not None:
            one, two = await asyncio.gather(self._at(key, before), self._at(other, after))
        else:
            found = await self.versions(key)
            old, new = (
                chosen(found, PREVIOUS if before is None else before, key),
                chosen(found, NEWEST if after is None else after, key),
            )
            one, two = await asyncio.gather(self._exactly(old), self._exactly(new))
        return await self._off_loop(lambda: diff(_read(*one), _read(*two)))

    async def restore_plan(self, key: str, version: str) -> Restore:
        """What going back to ``version`` takes, and what it would leave unmanaged. Nothing is written anywhere."""
        found = await self.versions(key)
        wanted = chosen(found, version, key)
        newest = chosen(found, NEWEST, key)
        if wanted == newest and found[0] == newest:
            raise InputError(
                f"{printable(wanted.version_id)} is the newest version of {printable(key)} already",
                hint="state versions lists the older ones",
                code="input.nothing_to_restore",
            )
        one, two, locked = await asyncio.gather(self._exactly(wanted), self._exactly(newest), self._locked(key))
        plan = await self._off_loop(lambda: plan_restore(one[1].content, _read(*one), _read(*two)))
        return Restore(
            key=key,
            version=wanted,
            newest=newest,
            plan=plan,
            locked=locked,
            findings=(*before_a_restore(key, found, locked), *plan.findings),
            at=self._clock(),
        )

    async def _at(self, key: str, version: str | None) -> tuple[str, ObjectContent]:
        if version is None:
            return key, await self._store.fetch(key)
        return await self._exactly(chosen(await self.versions(key), version, key))

    async def _exactly(self, version: ObjectVersion) -> tuple[str, ObjectContent]:
        return f"{version.key} @ {version.version_id}", await self._store.fetch(version.key, version=version.version_id)

    async def _row(self, number: int, version: ObjectVersion, jobs: Sequence[Job]) -> VersionRow:
        if version.kind == "delete_marker":
            return VersionRow(version=version, number=number)
        job = _writer(version, jobs)
        try:
            head = await self._head(version)
        except ConsoleError as error:
            return VersionRow(version=version, number=number, error=error, job=job)
        return VersionRow(
            version=version,
            number=number,
            serial=head.serial,
            lineage=head.lineage,
            engine_version=head.engine_version,
            reason=head.reason,
            job=job,
        )

    async def _head(self, version: ObjectVersion) -> HeadFacts:
        """From the first KB where that tells, else from more, at last from all of it."""
        key, size = version.key, version.size or 0
        for length in (HEAD_BYTES, LONGER_HEAD_BYTES):
            start = await self._store.get_range(key, 0, length, version=version.version_id)
            facts = read_head(start, size=size, name=key)
            if isinstance(facts, HeadFacts):
                return facts
            if not facts.longer:
                break
        content = (await self._store.fetch(key, version=version.version_id)).content
        return await self._off_loop(lambda: facts_of(parse_state(content, name=key)))

    async def _jobs(self) -> Sequence[Job]:
        return tuple(job for job in await self._journal.jobs(self._context.name, _JOBS) if job.kind in _WRITERS and job.started)

    async def _locked(self, key: str) -> bool | None:
        try:
            await self._store.head(f"{key}{LOCK_SUFFIX}")
        except NotFound:
            return False
        except ServiceError:
            return None
        return True


def compare_documents(before: bytes, after: bytes, *, names: tuple[str, str]) -> StateDiff:
    """Two documents at hand, ``names`` in the operator's words. CPU work in their size.

    Raises :class:`~kumoss_console.errors.ConsoleError` (``state.not_comparable``).
    """
    return diff(recorded(before, label=names[0]), recorded(after, label=names[1]))


def _read(label: str, content: ObjectContent) -> RecordedState:
    return recorded(content.content, label=label)


def _writer(version: ObjectVersion, jobs: Sequence[Job]) -> Job | None:
    """The one job that ran when the version was written; ``None`` where none or several did."""
    at = version.modified
    if at is None:
        return None
    ran = [
        job for job in jobs if job.started and job.started - _SLACK <= at and (not job.finished or at <= job.finished + _SLACK)
    ]
    return ran[0] if len(ran) == 1 else None
