"""The three sources of one discovery: both listings, as jobs or at hand, and the states of the bucket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

from kumoss_console.errors import BadAnswer, ConsoleError
from kumoss_console.model.contract import ScopeResourceIdsRequest, StateResourceIdsRequest, SubmitRequest
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff import identifiers
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.ports.clock import Clock
from kumoss_console.services.discovery.found import Discovery, DiscoveryRequest
from kumoss_console.services.discovery.states import BucketLook, BucketStates
from kumoss_console.services.jobs.service import JobService
from kumoss_console.text import clip, printable

INTERVAL = 0.2
"""Seconds between two snapshots: a screen shows no more."""

STATE, CLOUD = "the state listing", "the scope listing"


class Sources:
    """How far each is, and what they gave."""

    def __init__(self, request: DiscoveryRequest, jobs: Callable[[], JobService], states: BucketStates, clock: Clock) -> None:
        self.request = request
        self.look = BucketLook()
        self.stopped = ""
        self.error: ConsoleError | None = None
        self.doubt = ""
        self.state_ids: tuple[str, ...] = request.state_ids or ()
        self.cloud_ids: tuple[str, ...] = request.cloud_ids or ()
        self._by_name: dict[str, Job] = {}
        self._jobs = jobs
        self._states = states
        self._clock = clock
        self._news = asyncio.Event()

    @property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(self._by_name[name] for name in (STATE, CLOUD) if name in self._by_name)

    def progress(self, *, complete: bool = False) -> Discovery:
        return Discovery(
            request=self.request,
            jobs=self.jobs,
            bucket=self.look,
            at=self._clock(),
            complete=complete,
            stopped=self.stopped,
            error=self.error,
            findings=(_stopped(self),) if self.stopped else (),
        )

    async def gather(self) -> AsyncGenerator[Discovery, None]:
        """Until all is at hand, or something stopped it. Raises what stopped it where that was no answer of a listing."""
        tasks = [asyncio.create_task(self._listings()), *([asyncio.create_task(self._bucket())] if self.request.bucket else [])]
        for task in tasks:
            task.add_done_callback(lambda _: self._news.set())
        loop = asyncio.get_running_loop()
        shown_at = -INTERVAL
        pending = False
        try:
            while not all(task.done() for task in tasks) and not self.stopped:
                # What was not shown because it came too soon is shown when its time has come, news or not.
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, shown_at + INTERVAL - loop.time()) if pending else None):
                        await self._news.wait()
                pending = pending or self._news.is_set()
                self._news.clear()
                if tasks[0].done() and not tasks[0].cancelled() and tasks[0].exception() is not None:
                    break
                if pending and loop.time() - shown_at >= INTERVAL:
                    shown_at, pending = loop.time(), False
                    yield self.progress()
            yield self.progress()
            for task in tasks:
                if task.done():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _bucket(self) -> None:
        async with aclosing(self._states.look()) as looking:
            async for look in looking:
                self.look = look
                self._news.set()

    async def _listings(self) -> None:
        """One after the other: the service runs them so, and the second is not asked for where the first was refused."""
        wanted: list[tuple[str, SubmitRequest, Callable[[Job], None]]] = []
        asked = self.request
        if asked.state_ids is None:
            wanted.append((STATE, StateResourceIdsRequest(workspace_path=asked.workspace), self._take_state))
        if asked.cloud_ids is None:
            scope = ScopeResourceIdsRequest(
                workspace_path=asked.workspace, scope_id=asked.scope, terraform_provider=asked.provider
            )
            wanted.append((CLOUD, scope, self._take_cloud))
        for name, request, _ in wanted:
            self._by_name[name] = await self._placed(await self._submitted(name, request))
            self._news.set()
        for name, _, take in wanted:
            job = await self._ended(name)
            if job.verdict is not Verdict.GOOD:
                self.stopped = f"{name} {_why(job)}"
            else:
                try:
                    take(job)
                except BadAnswer as error:
                    self.stopped, self.error = error.title, error
            self._news.set()
            if self.stopped:
                return

    async def _submitted(self, name: str, request: SubmitRequest) -> Job:
        def recorded(job: Job) -> None:
            self._by_name[name] = job
            self._news.set()

        try:
            return await self._jobs().submit(request, recorded=recorded)
        except ConsoleError:
            if (job := self._by_name.get(name)) is not None:
                known = await self._jobs().list()
                # What the journal says of it now: sent without an answer, or not taken.
                self._by_name[name] = next((row for row in known if row.entry == job.entry), job)
            raise

    async def _ended(self, name: str) -> Job:
        job = self._by_name[name]
        if job.job_id is None:
            return job
        async for seen in self._jobs().watch(job.job_id):
            job = seen
            self._by_name[name] = await self._placed(seen)
            self._news.set()
        if job.verdict is Verdict.GOOD and len(job.stdout) + len(job.stderr) < job.output_bytes:
            # The journal keeps the end of a long output; the service still has all of it.
            whole = await self._jobs().poll(str(job.job_id))
            job = whole if whole.verdict is Verdict.GOOD else job
        return job

    async def _placed(self, job: Job) -> Job:
        """A job in line with what the journal knows to be ahead of it."""
        if job.service is not ServicePlane.QUEUED or job.note:
            return job
        known = await self._jobs().list()
        return next((row for row in known if row.entry == job.entry and row.service is job.service), job)

    def _take_state(self, job: Job) -> None:
        self.state_ids = identifiers(job.stdout, what=STATE)

    def _take_cloud(self, job: Job) -> None:
        self.cloud_ids = identifiers(job.stdout, what=CLOUD)
        if said := " ".join(printable(job.stderr).split()):
            # The contract leaves it empty where the listing is whole.
            self.doubt = f"the service said: {clip(said, 200)}"


def _stopped(run: Sources) -> Finding:
    job = next((job for job in reversed(run.jobs) if job.verdict is not Verdict.PENDING), None)
    shown = f"jobs show {job.job_id}" if job is not None and job.job_id is not None else "jobs list"
    return Finding(
        code="discover.listing_failed",
        severity=Severity.ERROR,
        subject="nothing was compared",
        message=run.stopped,
        remedy=f"{shown} has all that is known of it; run discover again when it is mended",
    )


def _why(job: Job) -> str:
    if job.verdict is Verdict.UNKNOWN:
        return f"has no answer: {job.summary}"
    lines = [line for line in printable(job.stderr, newlines=True).splitlines() if line.strip()]
    said = f": {clip(lines[-1].strip(), 400)}" if lines else ""
    return f"failed: {job.summary}{said}"
