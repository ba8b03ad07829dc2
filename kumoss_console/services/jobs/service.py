"""Jobs of one context: submitted, looked at, watched; everything learned goes into the journal.

Nothing is ever submitted twice from here, and a job that cannot be asked about is unknown, not failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from kumoss_console.errors import AccessDenied, BadAnswer, GaveUp, NotFound, ServiceError
from kumoss_console.model.context import Context
from kumoss_console.model.contract import SubmitRequest
from kumoss_console.model.job import Job, ServicePlane, with_document, with_loss, with_places, with_restarts
from kumoss_console.model.journal import Claim, SetAside
from kumoss_console.model.watch import Schedule
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.sidecar import Busy, Sidecar
from kumoss_console.services.asking.probe import sidecar_deadline
from kumoss_console.services.jobs.intake import Admitted, Intake, secrets_of
from kumoss_console.services.jobs.lookup import find, job_uuid, unknown
from kumoss_console.services.jobs.refresh import LAPSES, Refresh
from kumoss_console.services.jobs.shape import as_data
from kumoss_console.services.jobs.silence import Silences
from kumoss_console.services.jobs.submission import READS, Submissions, journaled
from kumoss_console.services.jobs.words import said_by

__all__ = ["READS", "JobService", "as_data"]

BAD_ANSWERS = 5
"""Looks in a row that bring nonsense before a watch ends, 15 s: a gateway may do that for a moment, another service always."""

SEEN_EVERY = timedelta(seconds=60)
"""How stale the journal lets the time of the last look become while nothing else changes."""

_WITNESSES = 200
"""Newest jobs that may tell of a restart."""

_ENDED = frozenset({ServicePlane.ANSWERED, ServicePlane.FAULTED})


class JobService:
    """See the module. ``sleep`` is how a watch waits; tests bring one that moves their clock.

    What is marked sensitive in an output, and what this context keeps secret, never gets here: see :mod:`.intake`.
    """

    def __init__(
        self,
        context: Context,
        sidecar: Sidecar,
        journal: JobJournal,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        self._context = context
        self._off_loop = off_loop
        self._intake = Intake(sidecar, secrets_of(context), off_loop)
        self._journal = journal
        self._clock = clock
        self._sleep = sleep
        self._submissions = Submissions(context, sidecar, journal, clock)
        self._silences = Silences(context.name, journal, clock)
        self._refresh = Refresh(
            journal,
            clock,
            lambda job: self._looked(job_uuid(job.job_id or ""), job),
            self._silences,
            patience=sidecar_deadline(context),
            sleep=sleep,
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """What happened to the journal's file that an operator should know."""
        return self._journal.notices

    async def set_aside(self) -> tuple[SetAside, ...]:
        """Damaged journals that lie beside this one, newest first: a job that was only in one of them is not known here."""
        return await self._journal.aside()

    async def submit(self, request: SubmitRequest, *, recorded: Callable[[Job], None] | None = None) -> Job:
        """Record it, send it once, and return the queued job, whose id is on disk by then. ``recorded`` is given the job before
        it is sent: it has an entry, and no id yet.

        Cancelling the caller does not lose the answer: sending and recording go on. Raises
        :class:`~kumoss_console.errors.Refused` in a read-only context and where the journal cannot record (nothing was sent);
        :class:`~kumoss_console.ports.sidecar.SubmissionUnclear` where the service may have taken it, which the journal then says;
        any other :class:`~kumoss_console.errors.ServiceError` where it certainly did not.
        """
        job = await self._submissions.submit(request, recorded)
        await self._silences.accepted()
        return job

    async def poll(self, job_id: str) -> Job:
        """One look. What the journal knows the end of is not asked again; a job the service has forgotten is *lost*.

        An id the journal does not know is adopted if the service knows it, and otherwise returned as lost with entry 0,
        unrecorded. Raises :class:`~kumoss_console.errors.ServiceError` where the service cannot be asked.
        """
        identifier = job_uuid(job_id)
        known = await self._journal.by_id(self._context.name, identifier)
        return await self._looked(identifier, known)

    async def _looked(self, identifier: UUID, known: Job | None) -> Job:
        if known is not None and known.service in _ENDED:
            return await self._with_output(identifier, known)
        told = await self._document(identifier)
        if told is None:
            return await self._lost(identifier, known)
        if known is None:
            entry = await self._journal.adopt(self._context.name, identifier, told.document.created_at)
            known = await journaled(self._journal, entry)
        job = with_document(known, told.document, self._clock(), note=told.note)
        if is_news(known, job):
            await self._journal.save(job)
        return job

    async def ask(self, known: Job) -> Job:
        """``known`` as the service tells of it now, for whoever records it. Raises as :meth:`poll`."""
        told = await self._document(job_uuid(known.job_id or ""))
        now = self._clock()
        return with_loss(known, now) if told is None else with_document(known, told.document, now, note=told.note)

    async def _document(self, identifier: UUID) -> Admitted | None:
        """What the service says; ``None`` where it does not know the job."""
        try:
            told = await self._intake.document(identifier)
        except NotFound:
            await self._silences.answered(str(identifier))
            return None
        except ServiceError as error:
            await self._silences.failed(str(identifier), error)
            raise
        await self._silences.answered(str(identifier))
        return told

    async def _with_output(self, identifier: UUID, ended: Job) -> Job:
        """An ended job whose output the journal does not keep, or not all of it, with it, while the service remembers."""
        if _is_whole(ended) or ended.expires is None or ended.expires <= self._clock():
            return ended
        try:
            told = await self._intake.document(identifier)
        except NotFound:
            # Within its hour: only a restart explains that.
            return replace(ended, restarted=ended.seen or ended.finished)
        except ServiceError:
            return ended  # how it ended is known all the same
        return with_document(ended, told.document, self._clock(), note=told.note)

    async def _lost(self, identifier: UUID, known: Job | None) -> Job:
        if known is None:
            return with_loss(self._stranger(identifier), self._clock())
        if known.service is ServicePlane.LOST:
            return known
        await self._journal.save(with_loss(known, self._clock()))
        # Another console may have seen the end in the meantime; then that is what is true.
        return await journaled(self._journal, known.entry)

    async def watch(self, job_id: str) -> AsyncIterator[Job]:
        """The job now and after each change, until it has ended. While the service cannot be asked it is *unknown*.

        Raises :class:`~kumoss_console.errors.GaveUp` after the context's ``job_timeout``;
        :class:`~kumoss_console.errors.AccessDenied` at once, and :class:`~kumoss_console.errors.BadAnswer` after
        :data:`BAD_ANSWERS` in a row, since waiting mends neither.
        """
        identifier = job_uuid(job_id)
        schedule = Schedule(interval=self._context.iac.job_poll_interval, timeout=self._context.iac.job_timeout)
        began = self._clock()
        last = await self._journal.by_id(self._context.name, identifier) or self._stranger(identifier)
        shown: Job | None = None
        failures = nonsense = 0
        waited = 0.0
        while True:
            retry_after: float | None = None
            try:
                job = last = await self._watched(identifier, waited)
                failures = nonsense = 0
            except AccessDenied:
                raise
            except ServiceError as error:
                failures += 1
                nonsense = nonsense + 1 if isinstance(error, BadAnswer) else 0
                if nonsense == BAD_ANSWERS:
                    raise
                retry_after = error.retry_after if isinstance(error, Busy) else None
                job = self._told(last)
            if shown is None or replace(shown, seen=job.seen) != job:
                shown = job
                yield job
            if job.service.final:
                return
            elapsed = max((self._clock() - began).total_seconds(), 0.0)
            wait = schedule.wait(elapsed, failures=failures, retry_after=retry_after)
            if wait is None:
                raise _gave_up(job, identifier, schedule.timeout)
            await self._sleep(wait)
            waited = wait

    async def _watched(self, identifier: UUID, waited: float) -> Job:
        """One look, unless somebody, here or in another console, is at it or was since the last one: then what they saw."""
        known = await self._journal.by_id(self._context.name, identifier)
        if known is None or known.service.final:
            return await self._looked(identifier, known)
        now = self._clock()
        # A little less than was waited: a sleep may end early by the clock's grain.
        if not await self._journal.share([], [], [Claim(known.entry, waited * 0.9)], now, LAPSES):
            await self._silences.learn()
            return self._told(known)
        try:
            return await self._looked(identifier, known)
        finally:
            await self._journal.share([], [known.entry], [], now, LAPSES)

    async def list(self, limit: int = 200) -> tuple[Job, ...]:
        """The newest ``limit`` jobs, newest first, without their output; from the journal alone.

        Queued ones tell where they stand in line, unfinished ones of a service that could not be asked since when.
        """
        jobs = await self._journal.jobs(self._context.name, limit)
        await self._silences.learn()
        return self.told(jobs)

    async def said(self, jobs: Iterable[Job]) -> dict[int, str]:
        """What the commands of these rows said of their end, by entry, as far as the journal keeps it: see :mod:`.words`."""
        return await said_by(jobs, self._journal, self._off_loop)

    async def learn(self, *, anew: bool) -> bool:
        """Whether what other consoles know of a silence has changed. Read where something was known, or ``anew``."""
        return (anew or self._silences.shared) and await self._silences.learn()

    def told(self, jobs: Iterable[Job]) -> tuple[Job, ...]:
        """Rows of the journal with what they tell of each other, places in line and restarts of the service, with the silence
        that this console or another one met, and with what only this one knows: submissions under way."""
        now = self._clock()
        return tuple(map(self._told, with_restarts(with_places(jobs, now), now)))

    @property
    def outage(self) -> bool:
        """Whether the service gave no answer when it was last asked about anything."""
        return self._silences.outage

    @property
    def silence(self) -> ServiceError | None:
        """Why the service gave no answer when it was last asked about anything; ``None`` where it gave one, or was not asked."""
        return self._silences.error

    @property
    def answered(self) -> datetime | None:
        """When the service last answered about a job, to this console."""
        return self._silences.last_answer

    async def refresh(self, limit: int = 200) -> tuple[Job, ...]:
        """:meth:`list` after one look at every unfinished job that nobody, here or in another console, has just looked at.

        A service that cannot be asked, or does not answer within a health question's patience, raises nothing here: the rows
        say so. It is then asked once and not once for each job.
        """
        await self._refresh.run(self._context.name)
        return await self.list(limit)

    async def find(self, job_id_or_prefix: str) -> Job:
        """The job with its output, by id, by the beginning of one, or by ``#`` and its entry.

        A whole id that the journal does not know is looked up at the service, and adopted. Raises
        :class:`~kumoss_console.errors.InputError` for one that nobody knows and for a beginning that fits several.
        """
        found = await find(self._journal, self._context.name, job_id_or_prefix)
        if isinstance(found, Job):
            if found.service in _ENDED and found.job_id is not None:
                found = await self._with_output(job_uuid(found.job_id), await self._beside_others(found))
            await self._silences.learn()
            return self._told(found)
        job = await self.poll(str(found))
        if job.service is ServicePlane.LOST:
            raise unknown(str(found), self._context.name)
        return job

    async def _beside_others(self, ended: Job) -> Job:
        """``ended`` with what other jobs of its context tell of it."""
        now = self._clock()
        if ended.expires is None or ended.expires <= now:
            return ended
        return with_restarts((ended, *await self._journal.jobs(self._context.name, _WITNESSES)), now)[0]

    def _stranger(self, identifier: UUID) -> Job:
        return Job(
            entry=0,
            job_id=str(identifier),
            context=self._context.name,
            kind=None,
            workspace="",
            service=ServicePlane.UNKNOWN,
            submitted=self._clock(),
        )

    def _told(self, job: Job) -> Job:
        """A journal's row with what consoles know of it beside that."""
        return self._silences.told(self._submissions.told(job))


def _is_whole(job: Job) -> bool:
    """Whether all of the output is there: a plan of which the beginning was not kept is no plan."""
    kept = len(job.stdout) + len(job.stderr)
    return kept >= job.output_bytes or len(job.stdout.encode()) + len(job.stderr.encode()) >= job.output_bytes


def is_news(known: Job, told: Job) -> bool:
    """Whether what was told is worth writing down."""
    if known.seen is None or told.seen is None or told.seen - known.seen >= SEEN_EVERY:
        return True
    return replace(known, seen=told.seen) != told


def _gave_up(job: Job, identifier: UUID, timeout: float) -> GaveUp:
    name = f"{job.kind.value} {identifier}" if job.kind else f"job {identifier}"
    if job.service is ServicePlane.UNKNOWN:
        goes_on = "nothing was cancelled; whether the job still runs, only the service can tell"
    else:
        goes_on = "nothing was cancelled: the job goes on"
    return GaveUp(
        f"gave up waiting for {name} after {timeout:g} s",
        detail=f"last known: {job.summary}; {goes_on}",
        hint=f"look again with: kumoss-console jobs watch {identifier}",
        code="jobs.gave_up",
    )
