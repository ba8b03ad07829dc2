"""Discovery: what exists in a cloud's scope beside what states manage.

Both listings run as jobs of the service, through the journal, or come from files at hand; the bucket's states are read
meanwhile. A listing that failed ends the comparison, for half of it would be wrong; a state that could not be read does not, and
is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from kumoss_console.errors import BadAnswer, ConsoleError
from kumoss_console.model.contract import (
    CloudProvider,
    ScopeResourceIdsRequest,
    StateResourceIdsRequest,
    SubmitRequest,
)
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff import Comparison, Listing, StateIds, compare, identifiers, settle
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.suppressions import Suppression, Suppressions
from kumoss_console.ports import Clock
from kumoss_console.services.discoverystates import BucketLook, BucketStates
from kumoss_console.services.jobs import JobService
from kumoss_console.services.offloop import OffLoop
from kumoss_console.text import clip, printable

INTERVAL = 0.2
"""Seconds between two snapshots: a screen shows no more."""

STATE, CLOUD = "the state listing", "the scope listing"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryRequest:
    """``key`` names the workspace's own state in the bucket where the operator knows it; ``number`` is a Google project's.

    ``state_ids`` and ``cloud_ids`` are listings at hand: what is ``None`` is asked for in a job. ``state`` is the workspace's
    state at hand as a document. ``suppressions`` are read from the operator's usual file where ``None``. Without ``bucket`` no
    other state is read.
    """

    workspace: str
    scope: str
    provider: CloudProvider
    key: str = ""
    number: str = ""
    state_ids: tuple[str, ...] | None = None
    cloud_ids: tuple[str, ...] | None = None
    state: StateIds | None = None
    suppressions: tuple[Suppression, ...] | None = None
    bucket: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """A discovery as far as it is. ``jobs`` are the state listing's and the scope listing's, as far as they were submitted.

    ``comparison`` is there in the last one, unless ``stopped`` says why there is none. ``covered`` are the suppressions in force
    by the identifier they cover.
    """

    request: DiscoveryRequest
    jobs: tuple[Job, ...]
    bucket: BucketLook
    at: datetime
    complete: bool = False
    stopped: str = ""
    error: ConsoleError | None = None
    comparison: Comparison | None = None
    covered: Mapping[str, Suppression] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


class DiscoveryService:
    """Of one context. ``jobs`` is asked for only where a listing is not at hand."""

    def __init__(
        self,
        jobs: Callable[[], JobService],
        states: BucketStates,
        clock: Clock,
        *,
        suppressions: Callable[[], tuple[Suppression, ...]] = tuple,
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        """``suppressions`` reads the operator's usual file; it may raise :class:`~kumoss_console.errors.ConfigError`."""
        self._jobs = jobs
        self._states = states
        self._clock = clock
        self._suppressions = suppressions
        self._off_loop = off_loop

    async def discover(self, request: DiscoveryRequest) -> AsyncGenerator[Discovery, None]:
        """The discovery as it goes on, the last one ``complete``.

        Raises :class:`~kumoss_console.errors.ConfigError` for a file of suppressions that cannot be used, and what a submission
        raises, after what was known until then; what a listing answered is never raised, see
        ``stopped``. Leaving it early leaves the jobs as they are: they go on, and the journal has them.
        """
        if request.suppressions is None:
            # Before anything is submitted: a file that cannot be read is the operator's to mend first.
            request = replace(request, suppressions=await self._off_loop(self._suppressions))
        run = _Run(request, self._jobs, self._states, self._clock)
        async with aclosing(run.gather()) as progress:
            async for seen in progress:
                yield seen
        if run.stopped:
            yield run.progress(complete=True)
            return
        yield await self._compared(run)

    async def _compared(self, run: _Run) -> Discovery:
        now = self._clock()

        def work() -> tuple[Comparison, dict[str, Suppression], tuple[Finding, ...]]:
            return _compare(run.request, run.state_ids, run.cloud_ids, run.doubt, run.look, now)

        comparison, covered, findings = await self._off_loop(work)
        return Discovery(
            request=run.request,
            jobs=run.jobs,
            bucket=run.look,
            at=now,
            complete=True,
            comparison=comparison,
            covered=covered,
            findings=findings,
        )


def _compare(
    request: DiscoveryRequest,
    state: tuple[str, ...],
    cloud: tuple[str, ...],
    doubt: str,
    look: BucketLook,
    now: datetime,
) -> tuple[Comparison, dict[str, Suppression], tuple[Finding, ...]]:
    states = look.states
    if request.state is not None:
        # The same state lies in the bucket as a rule: it is no other one that manages the same.
        given = frozenset(request.state.contract_ids)
        states = (request.state, *(one for one in states if not given or frozenset(one.contract_ids) != given))
    settled = settle(state, states, key=request.key or (request.state.key if request.state is not None else ""))
    listing = Listing(provider=request.provider, scope=_scope(request), ids=cloud, number=request.number, doubt=doubt)
    found = compare(listing, settled.here, settled.elsewhere, settled.unread)
    suppressions = Suppressions(request.suppressions or (), now.date())
    findings = (
        *_bucket_findings(look, asked=request.bucket),
        *found.findings,
        *settled.findings,
        *suppressions.findings(found.items, request.provider),
    )
    order = {severity: place for place, severity in enumerate(Severity)}
    covered = suppressions.covering(found.items, request.provider)
    return found, covered, tuple(sorted(findings, key=lambda finding: order[finding.severity]))


def _scope(request: DiscoveryRequest) -> str:
    return request.scope.strip()


def _bucket_findings(look: BucketLook, *, asked: bool) -> list[Finding]:
    """What a bucket that could not be looked at means for what is called unmanaged."""
    if asked and look.error is None:
        return []
    why = f"could not be looked at: {look.error.title}" if look.error is not None else "was not looked at"
    return [
        Finding(
            code="discover.bucket_not_looked",
            severity=Severity.WARNING,
            subject="the state bucket",
            message=f"{why}; what another state manages is called unmanaged",
            remedy=(look.error.hint if look.error is not None else "") or "look there before an import",
        )
    ]


class _Run:
    """The three sources of one discovery, and how far each is."""

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
                workspace_path=asked.workspace, scope_id=_scope(asked), terraform_provider=asked.provider
            )
            wanted.append((CLOUD, scope, self._take_cloud))
        for name, request, _ in wanted:
            self._by_name[name] = await self._jobs().submit(request)
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

    async def _ended(self, name: str) -> Job:
        job = self._by_name[name]
        if job.job_id is None:
            return job
        async for seen in self._jobs().watch(job.job_id):
            job = self._by_name[name] = seen
            self._news.set()
        if job.verdict is Verdict.GOOD and len(job.stdout) + len(job.stderr) < job.output_bytes:
            # The journal keeps the end of a long output; the service still has all of it.
            whole = await self._jobs().poll(str(job.job_id))
            job = whole if whole.verdict is Verdict.GOOD else job
        return job

    def _take_state(self, job: Job) -> None:
        self.state_ids = identifiers(job.stdout, what=STATE)

    def _take_cloud(self, job: Job) -> None:
        self.cloud_ids = identifiers(job.stdout, what=CLOUD)
        if said := " ".join(printable(job.stderr).split()):
            # The contract leaves it empty where the listing is whole.
            self.doubt = f"the service said: {clip(said, 200)}"


def _stopped(run: _Run) -> Finding:
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
