"""Jobs in memory: one line per workspace, first come first served; workspaces run side by side.

A job's document is a frozen value that is replaced in one assignment, so a poller sees a terminal status together with its
result or error and its end, never one without the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import heappop, heappush
from itertools import count
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

import msgspec

from kumoss_console.model.contract import JOB_TTL_SECONDS, JobDocument, JobKind, JobResult, JobStatus, Problem
from kumoss_console.text import printable, redact

_log = logging.getLogger(__name__)

SHUT_DOWN = Problem(title="Service Unavailable", status=503, detail="Service shut down before the job finished.")

Operation = Callable[[], Coroutine[Any, Any, JobResult]]


class ShuttingDown(Exception):
    """The registry takes no more jobs."""


class TooManyWaiting(Exception):
    """The registry takes no more jobs until some of those that wait have begun."""


class JobFault(Exception):
    """The service cannot do its part of a job, and knows why: the job has failed with ``problem``."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail or problem.title)
        self.problem = problem


@dataclass(slots=True)
class _Waiting:
    turn: int
    """Counts submissions: of the jobs that may begin, the one that was submitted first does."""
    job_id: UUID
    operation: Operation
    context: Context
    """Of the request that submitted it: what is logged of the job carries that request's id."""


class JobRegistry:
    """All jobs of one service on one event loop; a restart forgets them.

    A job is remembered for ``ttl`` seconds of ``clock`` (monotonic) after it ended. Expired ones are swept when somebody
    submits or asks; unfinished ones never expire. At most ``running_limit`` jobs run at once: of those whose workspace is free,
    the one that was submitted first begins. At most ``waiting_limit`` jobs wait.
    """

    def __init__(
        self,
        *,
        ttl: float = JOB_TTL_SECONDS,
        running_limit: int | None = None,
        waiting_limit: int | None = None,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._ttl = ttl
        self._clock = clock
        self._now = now
        self._documents: dict[UUID, JobDocument] = {}
        self._expiries: deque[tuple[float, UUID]] = deque()
        self._lines: dict[str, deque[_Waiting]] = {}
        self._servers: set[asyncio.Task[None]] = set()
        self._running: set[asyncio.Task[JobResult]] = set()
        self._running_limit = running_limit
        self._waiting_limit = waiting_limit
        self._waiting = 0
        self._turns = count()
        self._ready: list[tuple[int, str]] = []
        self._closed = False
        self._cancelled = False
        self._untold: set[UUID] = set()
        self._all_told = asyncio.Event()

    def submit(self, kind: JobKind, workspace: str, operation: Operation) -> UUID:
        """Put a job at the end of the line of ``workspace``, a resolved path.

        Raises :class:`ShuttingDown` or :class:`TooManyWaiting`.
        """
        if self._closed:
            raise ShuttingDown
        if self._waiting_limit is not None and self._waiting >= self._waiting_limit:
            raise TooManyWaiting
        self._sweep()
        job_id = uuid4()
        self._documents[job_id] = JobDocument(
            job_id=job_id,
            kind=kind,
            status=JobStatus.QUEUED,
            created_at=self._now(),
            started_at=None,
            finished_at=None,
            result=None,
            error=None,
        )
        _log.info("job %s (%s) submitted", job_id, kind)
        waiting = _Waiting(next(self._turns), job_id, operation, copy_context())
        self._waiting += 1
        line = self._lines.get(workspace)
        if line is None:
            self._lines[workspace] = deque([waiting])
            self._is_free(workspace)
        else:
            line.append(waiting)
            _log.info("workspace %s is busy, %d waiting", printable(workspace), len(line))
        return job_id

    def get(self, job_id: UUID) -> JobDocument | None:
        """The job as it stands, ``None`` where it is unknown or expired."""
        self._sweep()
        document = self._documents.get(job_id)
        if self._untold and document is not None and document.finished_at is not None:
            self._tell(job_id)
        return document

    def close(self) -> None:
        """Take no more jobs, and end those that have not begun."""
        if self._closed:
            return
        self._closed = True
        for line in self._lines.values():
            while line:
                self._waiting -= 1
                self._end(line.popleft().job_id, error=SHUT_DOWN)

    async def aclose(self, wait: float = 0.0) -> None:
        """Close, give running jobs ``wait`` seconds to end by themselves, then cancel them and wait for that. May be repeated."""
        self.close()
        if self._running and wait:
            _log.info("waiting up to %g s for %d running jobs: the service shuts down", wait, len(self._running))
            await asyncio.wait(set(self._servers), timeout=wait)
        if self._running and not self._cancelled:
            _log.warning("cancelling %d unfinished jobs: the service shuts down", len(self._running))
            self.hurry()
        await asyncio.gather(*self._servers)

    async def told(self, timeout: float) -> None:
        """Return once every job that ended after :meth:`close` has been asked for, at the latest after ``timeout`` seconds."""
        if self._untold:
            self._all_told.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._all_told.wait(), timeout)

    def hurry(self) -> None:
        """Cancel what runs; whatever is already ending loses its grace: a second cancellation kills at once."""
        self._cancelled = True
        for task in self._running:
            task.cancel()

    def _is_free(self, workspace: str) -> None:
        """The next job of this line may begin, as soon as there is a place; the line is gone where nobody waits in it."""
        if line := self._lines[workspace]:
            heappush(self._ready, (line[0].turn, workspace))
        else:
            del self._lines[workspace]
        while self._ready and (self._running_limit is None or len(self._servers) < self._running_limit):
            self._begin(heappop(self._ready)[1])

    def _begin(self, workspace: str) -> None:
        server = asyncio.get_running_loop().create_task(self._serve(workspace), name=f"workspace {workspace}")
        self._servers.add(server)
        server.add_done_callback(lambda done: self._is_done(done, workspace))

    async def _serve(self, workspace: str) -> None:
        if line := self._lines[workspace]:  # else it was emptied while it waited for a place
            self._waiting -= 1
            await self._run(line.popleft())

    def _is_done(self, server: asyncio.Task[None], workspace: str) -> None:
        self._servers.discard(server)
        self._is_free(workspace)

    async def _run(self, waiting: _Waiting) -> None:
        self._replace(waiting.job_id, status=JobStatus.RUNNING, started_at=self._now())
        task = asyncio.get_running_loop().create_task(waiting.operation(), name=f"job {waiting.job_id}", context=waiting.context)
        self._running.add(task)
        # Looking at the finished task instead of awaiting it: any exception of the operation is the job's, none is ours.
        try:
            await asyncio.wait([task])
        finally:
            self._running.discard(task)
        waiting.context.run(self._settle, waiting.job_id, task)

    def _settle(self, job_id: UUID, task: asyncio.Task[JobResult]) -> None:
        if task.cancelled():
            self._end(job_id, error=SHUT_DOWN)
        elif (error := task.exception()) is None:
            self._end(job_id, result=task.result())
        elif isinstance(error, JobFault):
            self._end(job_id, error=error.problem)
        else:
            _log.error("job %s crashed", job_id, exc_info=error)
            detail = redact(str(error)) or type(error).__name__
            self._end(job_id, error=Problem(title="Internal Server Error", status=500, detail=detail))

    def _end(self, job_id: UUID, *, result: JobResult | None = None, error: Problem | None = None) -> None:
        status = JobStatus.SUCCEEDED if error is None else JobStatus.FAILED
        self._expiries.append((self._clock() + self._ttl, job_id))
        self._replace(job_id, status=status, finished_at=self._now(), result=result, error=error)
        if self._closed:
            self._untold.add(job_id)
        if error is None:
            _log.info("job %s succeeded", job_id)
        else:
            detail = printable(redact(error.detail or error.title))
            _log.warning("job %s failed: %d %s", job_id, error.status, detail)

    def _tell(self, job_id: UUID) -> None:
        self._untold.discard(job_id)
        if not self._untold:
            self._all_told.set()

    def _replace(self, job_id: UUID, **changes: object) -> None:
        self._documents[job_id] = msgspec.structs.replace(self._documents[job_id], **changes)

    def _sweep(self) -> None:
        now = self._clock()
        swept = 0
        while self._expiries and self._expiries[0][0] <= now:
            job_id = self._expiries.popleft()[1]
            del self._documents[job_id]
            self._tell(job_id)
            swept += 1
        if swept:
            _log.info("swept %d expired jobs", swept)
