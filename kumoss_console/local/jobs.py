"""Jobs of the seed, run through the real client and kept in the journal as the console keeps its own."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.journal import Journal
from kumoss_console.model.contract import JobDocument, JobStatus, SubmitRequest
from kumoss_console.model.job import Job, Verdict, with_document
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.text import printable

_POLL_SECONDS = 0.05
_ENDED = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED})


class SeedJobs:
    """Submits, follows and records. ``context`` is the name under which the journal keeps them."""

    def __init__(self, sidecar: Sidecar, journal: Journal, context: str) -> None:
        self._sidecar = sidecar
        self._journal = journal
        self._context = context

    async def begin(self, request: SubmitRequest) -> Job:
        """Submit it and return once an engine works on it, or has already ended."""
        return await self._follow(request, frozenset({JobStatus.RUNNING}) | _ENDED)

    async def run(self, request: SubmitRequest) -> Job:
        """Submit it and return once it has ended, whatever it answered."""
        return await self._follow(request, _ENDED)

    async def succeed(self, request: SubmitRequest) -> Job:
        """Submit it; raises :class:`ConsoleError` with the engine's words where it did not end with exit code 0."""
        job = await self.run(request)
        if job.verdict is not Verdict.GOOD:
            raise ConsoleError(
                f"The sample world could not be made: {request.kind} of {printable(request.workspace_path)} failed.",
                detail=printable((job.stderr or job.stdout or job.summary).strip(), newlines=True),
                hint="Run it again with --keep DIR, then run the engine in that workspace yourself.",
                code="local.seed_failed",
            )
        return job

    async def _follow(self, request: SubmitRequest, until: frozenset[JobStatus]) -> Job:
        entry = await self._journal.record(self._context, request, datetime.now(UTC))
        accepted = await self._sidecar.submit(request)
        await self._journal.accept(entry, accepted.job_id, datetime.now(UTC))
        recorded = await self._journal.by_entry(entry)
        if recorded is None:
            raise ConsoleError("The job journal of the local stack lost an entry.", hint="Run it again.", code="local.journal")
        document = await self._sidecar.job(accepted.job_id)
        while document.status not in until:
            await asyncio.sleep(_POLL_SECONDS)
            document = await self._sidecar.job(accepted.job_id)
        return await self._kept(recorded, document)

    async def _kept(self, job: Job, document: JobDocument) -> Job:
        seen = replace(with_document(job, document, datetime.now(UTC)), note="")
        await self._journal.save(seen)
        return seen
