"""Jobs in memory: one line per workspace, first come first served; workspaces run side by side.

A job's document is a frozen value that is replaced in one assignment, so a poller sees a terminal status together with its
result or error and its end, never one without the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from uuid import UUID, uuid4

import msgspec

from kumoss_console.model.contract import JOB_TTL_SECONDS, JobDocument, JobKind, JobResult, JobStatus, Problem
from kumoss_console.text import printable, redact

_log = logging.getLogger(__name__)

SHUT_DOWN = Problem(title="Service Unavailable", status=503, detail="Service shut down before the job finished.")
_LOGGED_DETAIL = 500

Operation = Callable[[], Coroutine[Any, Any, JobResult]]


class ShuttingDown(Exception):
    """The registry takes no more jobs."""


@dataclass(slots=True)
class _Waiting:
    job_id: UUID
    operation: Operation


class JobRegistry:
    """All jobs of one service on one event loop; a restart forgets them.

    A job is remembered for ``ttl`` seconds of ``clock`` (monotonic) after it ended. Expired ones are swept when somebody
    submits or asks; unfinished ones never expire.
    """

    def __init__(
        self,
        *,
        ttl: float = JOB_TTL_SECONDS,
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
        self._closed = False

    def submit(self, kind: JobKind, workspace: str, operation: Operation) -> UUID:
        """Put a job at the end of the line of ``workspace``, a resolved path. Raises :class:`ShuttingDown`."""
        if self._closed:
            raise ShuttingDown
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
        waiting = _Waiting(job_id, operation)
        line = self._lines.get(workspace)
        if line is None:
            self._lines[workspace] = deque([waiting])
            server = asyncio.get_running_loop().create_task(self._serve(workspace), name=f"workspace {workspace}")
            self._servers.add(server)
            server.add_done_callback(self._servers.discard)
        else:
            line.append(waiting)
            _log.info("workspace %s is busy, %d waiting", printable(workspace), len(line))
        return job_id

    def get(self, job_id: UUID) -> JobDocument | None:
        """The job as it stands, ``None`` where it is unknown or expired."""
        self._sweep()
        return self._documents.get(job_id)

    async def aclose(self) -> None:
        """Take no more jobs, cancel what runs, wait for its end, and mark every unfinished job as failed. May be repeated."""
        if not self._closed:
            self._closed = True
            unfinished = len(self._running) + sum(map(len, self._lines.values()))
            if unfinished:
                _log.warning("cancelling %d unfinished jobs: the service shuts down", unfinished)
            for task in self._running:
                task.cancel()
        await asyncio.gather(*self._servers)

    def hurry(self) -> None:
        """End the grace of whatever is still ending: a second cancellation kills at once."""
        for task in self._running:
            task.cancel()

    async def _serve(self, workspace: str) -> None:
        """Work off one line; the line is gone when nobody waits in it."""
        line = self._lines[workspace]
        while line:
            waiting = line.popleft()
            if self._closed:
                self._end(waiting.job_id, error=SHUT_DOWN)
            else:
                await self._run(waiting)
        del self._lines[workspace]

    async def _run(self, waiting: _Waiting) -> None:
        self._replace(waiting.job_id, status=JobStatus.RUNNING, started_at=self._now())
        task = asyncio.get_running_loop().create_task(waiting.operation(), name=f"job {waiting.job_id}")
        self._running.add(task)
        # Looking at the finished task instead of awaiting it: any exception of the operation is the job's, none is ours.
        try:
            await asyncio.wait([task])
        finally:
            self._running.discard(task)
        if task.cancelled():
            self._end(waiting.job_id, error=SHUT_DOWN)
        elif (error := task.exception()) is not None:
            _log.error("job %s crashed", waiting.job_id, exc_info=error)
            detail = str(error) or type(error).__name__
            self._end(waiting.job_id, error=Problem(title="Internal Server Error", status=500, detail=detail))
        else:
            self._end(waiting.job_id, result=task.result())

    def _end(self, job_id: UUID, *, result: JobResult | None = None, error: Problem | None = None) -> None:
        status = JobStatus.SUCCEEDED if error is None else JobStatus.FAILED
        self._expiries.append((self._clock() + self._ttl, job_id))
        self._replace(job_id, status=status, finished_at=self._now(), result=result, error=error)
        if error is None:
            _log.info("job %s succeeded", job_id)
        else:
            detail = printable(redact((error.detail or error.title)[:_LOGGED_DETAIL]))
            _log.warning("job %s failed: %d %s", job_id, error.status, detail)

    def _replace(self, job_id: UUID, **changes: object) -> None:
        self._documents[job_id] = msgspec.structs.replace(self._documents[job_id], **changes)

    def _sweep(self) -> None:
        now = self._clock()
        swept = 0
        while self._expiries and self._expiries[0][0] <= now:
            del self._documents[self._expiries.popleft()[1]]
            swept += 1
        if swept:
            _log.info("swept %d expired jobs", swept)
