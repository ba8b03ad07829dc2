"""Is anything wrong: the health of a context at one glance, each part as soon as it is known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from kumoss_console.errors import AccessDenied, ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.job import Job
from kumoss_console.model.storage import Ownership, ownership
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.probe import (
    OPEN_TO_ALL,
    UNASKED,
    Probe,
    TokenAnswer,
    probe,
    sidecar_deadline,
    silence,
    store_deadline,
    store_hint,
    token_answer,
)
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.bucket.service import BucketService, HeldLock
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.jobs.words import said
from kumoss_console.services.overview.attention import (
    Attention,
    JobCounts,
    attention,
    count_jobs,
    recent_failures,
    recent_refusals,
)

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
    recent_refusals: tuple[Job, ...] = ()
    said: Mapping[int, str] = field(default_factory=dict)
    """What the failed commands said first, by the job's entry, as far as it is known."""
    jobs_asked: bool = False
    """Whether the sidecar was asked about the unfinished jobs; until then ``jobs`` is what the journal knows."""
    jobs_error: ConsoleError | None = None
    """Why the journal cannot be read; ``jobs`` and ``recent_failures`` are then empty for want of knowledge."""
    locks: tuple[HeldLock, ...] | None = None
    locks_error: ConsoleError | None = None
    attention: tuple[Attention, ...] = ()
    complete: bool = False
    """Every part has answered or failed in this look."""

    @property
    def unheard(self) -> tuple[str, ...]:
        """The parts of which nothing is known yet, from this look or an earlier one."""
        parts = (
            ("sidecar", self.sidecar == UNASKED),
            ("token", self.token == UNASKED),
            ("store", self.store == UNASKED),
            ("jobs", not self.jobs_asked),
            ("locks", self.locks is None and self.locks_error is None),
        )
        return tuple(name for name, unknown in parts if unknown)


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
        *,
        scanned: Callable[[], tuple[Attention, ...]] = tuple,
    ) -> None:
        """``scanned`` gives what a scan of the bucket found, as far as one is at hand; it asks nobody."""
        self._context = context
        self._sidecar = sidecar
        self._store = store
        self._jobs = jobs
        self._bucket = bucket
        self._clock = clock
        self._scanned = scanned
        self._reasons: dict[int, str] = {}
        self._open_to_all: bool | None = None

    async def snapshot(self) -> OverviewSnapshot:
        """Everything, once every part has answered or run into its deadline. Raises nothing that a part can say for itself."""
        last: OverviewSnapshot | None = None
        async for snapshot in self.stream():
            last = snapshot
        assert last is not None  # noqa: S101 - a stream begins with what needs no network
        return last

    async def stream(self, before: OverviewSnapshot | None = None) -> AsyncGenerator[OverviewSnapshot, None]:
        """The journal's view at once, then one snapshot more for each part that answers; the last is ``complete``.

        Each says what needs attention as far as it is known by then. What this look has not heard yet is as ``before`` found it.
        """
        current = await self._first(before)
        yield self._finished(current)
        looking = asyncio.create_task(self._look_at_store())
        asked: tuple[Coroutine[None, None, _Change], ...] = (
            self._ask_sidecar(),
            self._ask_token(),
            self._ask_store(looking),
            self._ask_jobs(),
            self._ask_locks(looking),
        )
        parts = {asyncio.create_task(part) for part in asked}
        try:
            waiting = parts
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for part in done:
                    current = part.result()(current)
                yield self._finished(replace(current, at=self._clock(), complete=not waiting))
        finally:
            for task in (looking, *parts):
                task.cancel()
            await asyncio.gather(looking, *parts, return_exceptions=True)

    def again(self, snapshot: OverviewSnapshot) -> OverviewSnapshot:
        """The same facts, with what needs attention by what has been found beside them since. Asks nobody."""
        return self._finished(snapshot)

    async def ask_sidecar(self) -> Probe:
        """The sidecar's health alone: one small question, for the line that every screen shows."""
        subject = f"The sidecar at {self._sidecar.endpoint}"
        return await probe(self._sidecar.health(), deadline=sidecar_deadline(self._context), subject=subject)

    async def refuses_token(self) -> bool:
        """Whether the sidecar said no to our token: one small question. An answer that never came is no refusal."""
        try:
            return not await asyncio.wait_for(self._sidecar.token_accepted(), sidecar_deadline(self._context))
        except (ConsoleError, TimeoutError):
            return False

    async def _first(self, before: OverviewSnapshot | None) -> OverviewSnapshot:
        """What needs no network."""
        owner = ownership(self._context.storage, self._context.backend_config)
        at = self._clock()
        if before is None:
            known = OverviewSnapshot(at=at, ownership=owner)
        else:
            known = replace(before, at=at, ownership=owner, complete=False)
        try:
            jobs = await self._jobs.list()
            await self._read_failures(recent_failures(jobs, at))
            return self._with_jobs(known, jobs)
        except ConsoleError as error:
            return replace(known, jobs=JobCounts(), recent_failures=(), recent_refusals=(), jobs_error=error)

    def _finished(self, snapshot: OverviewSnapshot) -> OverviewSnapshot:
        return replace(
            snapshot,
            said=dict(self._reasons),
            attention=attention(
                self._context,
                probes=(snapshot.sidecar, snapshot.token, snapshot.store),
                owner=snapshot.ownership,
                jobs=snapshot.jobs,
                failures=snapshot.recent_failures,
                refusals=snapshot.recent_refusals,
                reasons=self._reasons,
                locks=snapshot.locks or (),
                locks_error=snapshot.locks_error,
                jobs_error=snapshot.jobs_error,
                now=snapshot.at,
                scanned=self._scanned(),
            ),
        )

    def _with_jobs(self, snapshot: OverviewSnapshot, jobs: tuple[Job, ...]) -> OverviewSnapshot:
        now = self._clock()
        return replace(
            snapshot,
            jobs=count_jobs(jobs, now),
            recent_failures=recent_failures(jobs, now),
            recent_refusals=recent_refusals(jobs, now),
            jobs_error=None,
        )

    async def _ask_sidecar(self) -> _Change:
        answer = await self.ask_sidecar()
        return lambda snapshot: replace(snapshot, sidecar=answer)

    async def _ask_token(self) -> _Change:
        subject = f"The sidecar at {self._sidecar.endpoint}"
        found: TokenAnswer | None = None

        async def ask() -> float:
            nonlocal found
            found = await token_answer(self._sidecar, self._context, self._open_to_all)
            return found.seconds

        answer = await probe(ask(), deadline=sidecar_deadline(self._context), subject=subject)
        # A console looks every few seconds: it knocks without a token once, and again after an outage.
        self._open_to_all = found.open_to_all if found is not None else None
        if self._open_to_all:
            answer = replace(answer, note=OPEN_TO_ALL)
        if answer.error is not None and not isinstance(answer.error, AccessDenied):
            answer = Probe(status="unknown", error=answer.error)
        return lambda snapshot: replace(snapshot, token=answer)

    async def _look_at_store(self) -> Probe:
        if self._store is None:
            return Probe(status="unknown", error=no_store(self._context))
        subject = f"The store {self._store.label}"
        patience, hint = store_deadline(self._context), store_hint(self._context)
        return await probe(self._store.check(), deadline=patience, subject=subject, hint=hint)

    async def _ask_store(self, looking: asyncio.Task[Probe]) -> _Change:
        answer = await looking
        return lambda snapshot: replace(snapshot, store=answer)

    async def _ask_jobs(self) -> _Change:
        """Refreshing asks the sidecar about each unfinished job; where it cannot be asked, the journal's rows stand."""
        try:
            jobs = await asyncio.wait_for(self._jobs.refresh(), _PATIENCE_SECONDS)
        except (ConsoleError, TimeoutError):
            # The first snapshot has told what the journal knows, or why it knows nothing.
            return lambda snapshot: replace(snapshot, jobs_asked=True)
        await self._hear_failures(recent_failures(jobs, self._clock()))
        return lambda snapshot: replace(self._with_jobs(snapshot, jobs), jobs_asked=True)

    async def _read_failures(self, failures: tuple[Job, ...]) -> None:
        """What the newest failed commands said, as far as the journal keeps it; an end never changes, so each is read once."""
        unread = [job for job in failures[:_HEARD] if job.entry not in self._reasons]
        self._reasons |= await self._jobs.said(unread)

    async def _hear_failures(self, failures: tuple[Job, ...]) -> None:
        """The same, and what the journal does not keep is asked for."""
        with suppress(ConsoleError):
            await self._read_failures(failures)
        for job in failures[:_HEARD]:
            if job.entry in self._reasons or self._jobs.outage:
                continue
            try:
                read = await asyncio.wait_for(self._jobs.find(f"#{job.entry}"), _HEARING_SECONDS)
            except (ConsoleError, TimeoutError):
                continue  # its exit code is told all the same
            self._reasons[job.entry] = said(read)

    async def _ask_locks(self, looking: asyncio.Task[Probe]) -> _Change:
        """A store that does not answer one small question is not asked a large one."""
        look = await looking
        if self._store is None or look.error is not None:
            return lambda snapshot: replace(snapshot, locks=None, locks_error=look.error)
        error: ConsoleError
        try:
            locks = await asyncio.wait_for(self._bucket.locks(), _PATIENCE_SECONDS)
        except TimeoutError:
            error = silence(f"The store {self._store.label}", _PATIENCE_SECONDS, hint=store_hint(self._context))
        except ConsoleError as said:
            error = said
        else:
            return lambda snapshot: replace(snapshot, locks=locks, locks_error=None)
        return lambda snapshot: replace(snapshot, locks=None, locks_error=error)
