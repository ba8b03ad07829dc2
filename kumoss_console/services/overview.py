"""Is anything wrong: the health of a context at one glance, each part as soon as it is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from kumoss_console.errors import AccessDenied, ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.job import Job
from kumoss_console.model.storage import Ownership, ownership
from kumoss_console.ports import Clock, ObjectStore, Sidecar
from kumoss_console.services.attention import Attention, JobCounts, attention, count_jobs, reason, recent_failures
from kumoss_console.services.bucket import BucketService, HeldLock
from kumoss_console.services.jobs import JobService
from kumoss_console.services.probe import (
    UNASKED,
    Probe,
    probe,
    sidecar_deadline,
    silence,
    store_deadline,
    token_seconds,
)
from kumoss_console.services.storeless import no_store

__all__ = ["Attention", "JobCounts", "OverviewService", "OverviewSnapshot", "Probe"]

_PATIENCE_SECONDS = 60.0
"""A listing of 100,000 keys takes some ten seconds; after a minute the store hangs."""
_HEARD = 20
"""Failures whose output is read: more than an overview has lines for."""
_HEARING_SECONDS = 5.0
"""An output is in the journal; one that is not kept there has to be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewSnapshot:
    """What is known at ``at``. ``locks`` is ``None`` until the bucket was read, and where it cannot be (``locks_error``)."""

    at: datetime
    ownership: Ownership
    sidecar: Probe = UNASKED
    token: Probe = UNASKED
    store: Probe = UNASKED
    jobs: JobCounts = field(default_factory=JobCounts)
    recent_failures: tuple[Job, ...] = ()
    jobs_error: ConsoleError | None = None
    """Why the journal cannot be read; ``jobs`` and ``recent_failures`` are then empty for want of knowledge."""
    locks: tuple[HeldLock, ...] | None = None
    locks_error: ConsoleError | None = None
    attention: tuple[Attention, ...] = ()
    complete: bool = False
    """Every part has answered or failed."""


_Change = Callable[[OverviewSnapshot], OverviewSnapshot]


class OverviewService:
    """Asks sidecar, store and journal side by side; ``store`` is ``None`` where this context has none to read."""

    def __init__(
        self,
        context: Context,
        sidecar: Sidecar,
        store: ObjectStore | None,
        jobs: JobService,
        bucket: BucketService,
        clock: Clock,
    ) -> None:
        self._context = context
        self._sidecar = sidecar
        self._store = store
        self._jobs = jobs
        self._bucket = bucket
        self._clock = clock
        self._reasons: dict[int, str] = {}

    async def snapshot(self) -> OverviewSnapshot:
        """Everything, once every part has answered or run into its deadline. Raises nothing that a part can say for itself."""
        last: OverviewSnapshot | None = None
        async for snapshot in self.stream():
            last = snapshot
        assert last is not None  # noqa: S101 - a stream begins with what needs no network
        return last

    async def stream(self) -> AsyncGenerator[OverviewSnapshot, None]:
        """The journal's view at once, then one snapshot more for each part that answers; the last is ``complete``."""
        current = await self._first()
        yield self._finished(current)
        parts = {
            asyncio.create_task(part)
            for part in (self._ask_sidecar(), self._ask_token(), self._ask_store(), self._ask_jobs(), self._ask_locks())
        }
        try:
            waiting = parts
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for part in done:
                    current = part.result()(current)
                yield self._finished(replace(current, at=self._clock(), complete=not waiting))
        finally:
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)

    async def ask_sidecar(self) -> Probe:
        """The sidecar's health alone: one small question, for the line that every screen shows."""
        subject = f"The sidecar at {self._sidecar.endpoint}"
        return await probe(self._sidecar.health(), deadline=sidecar_deadline(self._context), subject=subject)

    async def _first(self) -> OverviewSnapshot:
        """What needs no network."""
        empty = OverviewSnapshot(at=self._clock(), ownership=ownership(self._context.storage, self._context.backend_config))
        try:
            return self._with_jobs(empty, await self._jobs.list())
        except ConsoleError as error:
            return replace(empty, jobs_error=error)

    def _finished(self, snapshot: OverviewSnapshot) -> OverviewSnapshot:
        return replace(
            snapshot,
            attention=attention(
                self._context,
                probes=(snapshot.sidecar, snapshot.token, snapshot.store),
                owner=snapshot.ownership,
                jobs=snapshot.jobs,
                failures=snapshot.recent_failures,
                reasons=self._reasons,
                locks=snapshot.locks or (),
                locks_error=snapshot.locks_error,
                jobs_error=snapshot.jobs_error,
                now=snapshot.at,
            ),
        )

    def _with_jobs(self, snapshot: OverviewSnapshot, jobs: tuple[Job, ...]) -> OverviewSnapshot:
        now = self._clock()
        return replace(snapshot, jobs=count_jobs(jobs, now), recent_failures=recent_failures(jobs, now), jobs_error=None)

    async def _ask_sidecar(self) -> _Change:
        answer = await self.ask_sidecar()
        return lambda snapshot: replace(snapshot, sidecar=answer)

    async def _ask_token(self) -> _Change:
        subject = f"The sidecar at {self._sidecar.endpoint}"
        answer = await probe(
            token_seconds(self._sidecar, self._context), deadline=sidecar_deadline(self._context), subject=subject
        )
        if answer.error is not None and not isinstance(answer.error, AccessDenied):
            answer = Probe(status="unknown", error=answer.error)
        return lambda snapshot: replace(snapshot, token=answer)

    async def _ask_store(self) -> _Change:
        if self._store is None:
            answer = Probe(status="unknown", error=no_store(self._context))
        else:
            subject = f"The store {self._store.label}"
            answer = await probe(self._store.check(), deadline=store_deadline(self._context), subject=subject)
        return lambda snapshot: replace(snapshot, store=answer)

    async def _ask_jobs(self) -> _Change:
        """Refreshing asks the sidecar about each unfinished job; where it cannot be asked, the journal's rows stand."""
        try:
            jobs = await asyncio.wait_for(self._jobs.refresh(), _PATIENCE_SECONDS)
        except (ConsoleError, TimeoutError):
            # The first snapshot has told what the journal knows, or why it knows nothing.
            return lambda snapshot: snapshot
        await self._hear_failures(recent_failures(jobs, self._clock()))
        return lambda snapshot: self._with_jobs(snapshot, jobs)

    async def _hear_failures(self, failures: tuple[Job, ...]) -> None:
        """What the newest failed commands said, which rows of a list leave out; an end never changes, so each is read once."""
        for job in failures[:_HEARD]:
            if job.entry in self._reasons or self._jobs.outage:
                continue
            try:
                read = await asyncio.wait_for(self._jobs.find(f"#{job.entry}"), _HEARING_SECONDS)
            except (ConsoleError, TimeoutError):
                continue  # its exit code is told all the same
            self._reasons[job.entry] = reason(read)

    async def _ask_locks(self) -> _Change:
        if self._store is None:
            return lambda snapshot: replace(snapshot, locks_error=no_store(self._context))
        error: ConsoleError
        try:
            locks = await asyncio.wait_for(self._bucket.locks(), _PATIENCE_SECONDS)
        except TimeoutError:
            error = silence(f"The store {self._store.label}", _PATIENCE_SECONDS)
        except ConsoleError as said:
            error = said
        else:
            return lambda snapshot: replace(snapshot, locks=locks)
        return lambda snapshot: replace(snapshot, locks_error=error)
