"""One submission from the journal to the service and back: recorded, sent once, its id on disk before anybody is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from kumoss_console.errors import Refused, ServiceError, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.contract import JobKind, SubmitRequest
from kumoss_console.model.hazards import hazard
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.sidecar import Sidecar, SubmissionUnclear
from kumoss_console.text import printable

READS = frozenset({JobKind.VALIDATE, JobKind.SHOW, JobKind.STATE_RESOURCE_IDS, JobKind.SCOPE_RESOURCE_IDS})
"""Kinds that leave workspace, state and cloud as they are. ``init`` and ``plan`` write into the workspace, and ``plan`` locks."""


class Submissions:
    """Those of one context. Sending goes on when the caller is cancelled: its answer holds the job's id."""

    def __init__(self, context: Context, sidecar: Sidecar, journal: JobJournal, clock: Clock) -> None:
        self._context = context
        self._sidecar = sidecar
        self._journal = journal
        self._clock = clock
        self._under_way: set[asyncio.Task[Job]] = set()
        self._being_sent: set[int] = set()

    async def submit(self, request: SubmitRequest, recorded: Callable[[Job], None] | None = None) -> Job:
        """As :meth:`~kumoss_console.services.jobs.service.JobService.submit`."""
        if self._context.read_only and request.kind not in READS:
            raise Refused(
                f"{request.kind.value} is not submitted: context {self._context.name} is read-only",
                hint=f"read-only lets through: {', '.join(sorted(kind.value for kind in READS))}",
                code="refused.read_only",
            )
        if (why := hazard(request)) is not None:
            raise Refused(
                f"{request.kind.value} is not submitted: {printable(why)}",
                hint="give it another name: one that does not begin with a hyphen",
                code="refused.reads_as_option",
            )
        sending = asyncio.ensure_future(self._recorded_and_sent(request, recorded))
        self._under_way.add(sending)
        sending.add_done_callback(self._sent)
        return await asyncio.shield(sending)

    def _sent(self, sending: asyncio.Task[Job]) -> None:
        self._under_way.discard(sending)
        if not sending.cancelled():
            sending.exception()  # recorded in the journal already; the caller may have gone

    async def _recorded_and_sent(self, request: SubmitRequest, recorded: Callable[[Job], None] | None) -> Job:
        entry = await self._journal.record(self._context.name, request, self._clock())
        self._being_sent.add(entry)
        try:
            if recorded is not None:
                recorded(self.told(await journaled(self._journal, entry)))
            return await self._send(entry, request)
        finally:
            self._being_sent.discard(entry)

    async def _send(self, entry: int, request: SubmitRequest) -> Job:
        try:
            job_id = (await self._sidecar.submit(request)).job_id
        except SubmissionUnclear as error:
            if error.job_id is not None:
                await self._keep_id(entry, error.job_id)
            elif error.code != SubmissionUnclear.default_code:
                await self._note(entry, ServicePlane.UNKNOWN, "sent, no clear answer", error)
            raise
        except ServiceError as error:
            outcome = "not sent" if isinstance(error, Unreachable) else "not accepted"
            await self._note(entry, ServicePlane.FAULTED, outcome, error)
            raise
        return await self._keep_id(entry, job_id)

    async def _keep_id(self, entry: int, job_id: UUID) -> Job:
        try:
            await self._journal.accept(entry, job_id, self._clock())
        except Refused as error:
            # The one place where an id could be lost: it goes to the operator instead.
            raise Refused(
                f"the service took the job as {job_id}, but the journal could not keep that",
                detail=error.title,
                hint=f"note the id; follow the job with: kumoss-console jobs watch {job_id}",
                code="journal.id_not_kept",
            ) from error
        return await journaled(self._journal, entry)

    async def _note(self, entry: int, service: ServicePlane, outcome: str, error: ServiceError) -> None:
        try:
            job = await journaled(self._journal, entry)
            await self._journal.save(replace(job, service=service, note=f"{outcome}: {error.title}"))
        except Refused as unkept:
            # What the service said matters more than that we could not write it down.
            error.detail = "; ".join(filter(None, (error.detail, f"{unkept.title}, so the job reads: sent, no answer")))

    def told(self, job: Job) -> Job:
        """``job`` as *being sent* while it is: the journal says only that no answer is known."""
        return replace(job, note="being sent") if job.entry in self._being_sent else job


async def journaled(journal: JobJournal, entry: int) -> Job:
    """The job of an entry that was written before. Raises :class:`Refused` where the journal has been replaced since."""
    job = await journal.by_entry(entry)
    if job is None:
        raise Refused(
            f"the job journal has lost entry {entry}",
            hint="its file may have been replaced: info tells where it is",
            code="journal.entry_missing",
        )
    return job
