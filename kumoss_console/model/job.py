"""A job seen from outside: what the service says, what the engine says, and the one verdict the two give together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from posixpath import normpath

from kumoss_console.model.contract import JOB_TTL_SECONDS, JobDocument, JobKind, JobStatus, Problem
from kumoss_console.model.duration import in_words


class ServicePlane(StrEnum):
    """What became of the job as the service's business.

    ``answered`` says nothing of the command; ``lost`` is a 404 (restart or expiry), not a failure; ``unknown`` is a service
    that cannot be asked, or a submission whose answer never came.
    """

    QUEUED = "queued"
    RUNNING = "running"
    ANSWERED = "answered"
    FAULTED = "faulted"
    LOST = "lost"
    UNKNOWN = "unknown"

    @property
    def final(self) -> bool:
        return self in {ServicePlane.ANSWERED, ServicePlane.FAULTED, ServicePlane.LOST}


class Verdict(StrEnum):
    """One word for both planes: ``pending`` no answer yet, ``good`` exit code 0, ``bad`` anything else that is known."""

    PENDING = "pending"
    GOOD = "good"
    BAD = "bad"
    UNKNOWN = "unknown"


_SERVICE = {
    JobStatus.QUEUED: ServicePlane.QUEUED,
    JobStatus.RUNNING: ServicePlane.RUNNING,
    JobStatus.SUCCEEDED: ServicePlane.ANSWERED,
    JobStatus.FAILED: ServicePlane.FAULTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. ``entry`` is our own number for it, there before the service gave a ``job_id``.

    ``fields`` are the request's fields as JSON-like values, for resubmission and display; empty for a job known by id alone.
    ``seen`` is when the service last told us about it, ``None`` if never; ``note`` is our own remark (``sent, no answer``).
    All times are aware UTC. ``workspace`` is ``""`` where unknown. ``output_bytes`` is the size of both streams in UTF-8, right
    even where a list left the streams themselves out. ``restarted``: the service knew the job then, and has restarted since.
    """

    entry: int
    job_id: str | None
    context: str
    kind: JobKind | None
    workspace: str
    service: ServicePlane
    submitted: datetime
    fields: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
    created: datetime | None = None
    started: datetime | None = None
    finished: datetime | None = None
    seen: datetime | None = None
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    output_bytes: int = 0
    problem: Problem | None = None
    note: str = ""
    restarted: datetime | None = None

    @property
    def refused(self) -> bool:
        """The service did not take the request: there is no job of its that could have failed."""
        return self.service is ServicePlane.FAULTED and self.job_id is None

    @property
    def standing(self) -> str:
        """One word for how it stands with the service."""
        return "refused" if self.refused else self.service.value

    @property
    def lost_to_restart(self) -> bool:
        """Lost before it could have expired: the service restarted, or another one answers in its place."""
        return self.service is ServicePlane.LOST and self.note.startswith((_FORGOTTEN, _FORGOTTEN_BEFORE))

    @property
    def verdict(self) -> Verdict:
        if self.service is ServicePlane.ANSWERED:
            return Verdict.GOOD if self.exit_code == 0 else Verdict.BAD
        if self.service is ServicePlane.FAULTED:
            return Verdict.BAD
        if self.service in {ServicePlane.LOST, ServicePlane.UNKNOWN}:
            return Verdict.UNKNOWN
        return Verdict.PENDING

    @property
    def expires(self) -> datetime | None:
        """When the service forgets the job, or was found to have forgotten it; ``None`` while it has not ended or is lost."""
        if self.finished is None or self.service is ServicePlane.LOST:
            return None
        expires = self.finished + timedelta(seconds=JOB_TTL_SECONDS)
        return min(expires, self.restarted) if self.restarted is not None else expires

    @property
    def summary(self) -> str:
        """One line: how it stands, in words that never call an unanswered question a failure. May hold external text."""
        if self.service is ServicePlane.ANSWERED:
            return exit_code_meaning(self.kind, self.exit_code if self.exit_code is not None else 0)
        if self.refused:
            return self.note or "not accepted: the service did not take the request"
        if self.service is ServicePlane.FAULTED:
            if self.problem is None:
                return self.note or "the service faulted without a problem document"
            said = self.problem.detail or self.problem.title
            return f"the service faulted ({self.problem.status}): {said}"
        if self.service is ServicePlane.LOST:
            return self.note or "the service does not know this job: it restarted, or the job expired"
        if self.service is ServicePlane.UNKNOWN:
            return self.note or "the service cannot be asked"
        return self.note or ("waiting in line" if self.service is ServicePlane.QUEUED else "running")

    def queue_wait(self, now: datetime) -> timedelta | None:
        """Time spent in line so far, or in all; ``None`` where the service never told when it began."""
        if self.created is None:
            return None
        if self.started is not None:
            return self.started - self.created
        return now - self.created if self.service is ServicePlane.QUEUED else None

    def run_time(self, now: datetime) -> timedelta | None:
        """Time under way so far, or in all; ``None`` before the start."""
        if self.started is None:
            return None
        if self.finished is not None:
            return self.finished - self.started
        return now - self.started if self.service is ServicePlane.RUNNING else None


_SIGNALS = {2: "interrupted", 6: "it aborted itself", 9: "often for want of memory", 11: "it crashed", 15: "asked to end"}


def exit_code_meaning(kind: JobKind | None, exit_code: int) -> str:
    """What an exit code means for that kind of job."""
    if exit_code == 0:
        return "the command succeeded"
    if exit_code < 0:
        named = _SIGNALS.get(-exit_code)
        return f"the command was killed by signal {-exit_code}" + (f" ({named})" if named else "")
    if kind is JobKind.SCOPE_RESOURCE_IDS:
        return "this cloud provider cannot be listed" if exit_code == 2 else "the cloud could not be listed"
    if kind is JobKind.STATE_RESOURCE_IDS:
        return f"the state could not be read (exit code {exit_code})"
    return f"the command failed with exit code {exit_code}"


def with_document(job: Job, document: JobDocument, seen: datetime, *, note: str = "") -> Job:
    """``job`` as the service just described it, with our own remark on that."""
    stdout = document.result.stdout if document.result else ""
    stderr = document.result.stderr if document.result else ""
    return Job(
        entry=job.entry,
        job_id=str(document.job_id),
        context=job.context,
        kind=document.kind,
        workspace=job.workspace,
        service=_SERVICE[document.status],
        submitted=job.submitted,
        fields=job.fields,
        created=document.created_at,
        started=document.started_at,
        finished=document.finished_at,
        seen=seen,
        exit_code=document.result.exit_code if document.result else None,
        stdout=stdout,
        stderr=stderr,
        output_bytes=len(stdout.encode()) + len(stderr.encode()),
        problem=document.error,
        note=note,
    )


_FORGOTTEN = "the service does not know this job any more: it restarted, or another one answers there"
_FORGOTTEN_BEFORE = "the service restarted and forgot this job"
"""What earlier consoles wrote into the journal: that it restarted is likely, and no more than that."""


def with_loss(job: Job, now: datetime) -> Job:
    """``job`` when the service says that it does not know it. Its command may be running still: nobody said that it ended.

    A job that has not ended never expires, so one seen under way within the last hour was not forgotten for its age.
    """
    if job.service in _IN_LINE and job.seen is not None and now - job.seen < timedelta(seconds=JOB_TTL_SECONDS):
        note = f"{_FORGOTTEN}; it was {job.service.value} when last seen"
    else:
        note = "the service does not know this job: it restarted, or the job expired"
    return replace(job, service=ServicePlane.LOST, note=note)


def with_restarts(jobs: Iterable[Job], now: datetime) -> tuple[Job, ...]:
    """``jobs`` of one context, the ended ones told where a restart made the service forget them before their hour was over.

    It forgets all its jobs at once: where one was lost to a restart after it was last seen, every job there was by then is gone.
    """
    jobs = tuple(jobs)
    restarted = max((job.seen for job in jobs if job.lost_to_restart and job.seen is not None), default=None)
    if restarted is None:
        return jobs
    return tuple(
        replace(job, restarted=restarted)
        if job.expires is not None and job.expires > now and max(job.created or job.submitted, job.submitted) <= restarted
        else job
        for job in jobs
    )


def with_silence(job: Job, since: datetime, reason: str) -> Job:
    """``job`` while the service cannot be asked: what was last known stays, and is called what it is.

    ``since`` is when a console here first asked in vain: when the service went silent, nobody here knows.
    """
    last = f"; last seen {job.service.value} at {_clock(job.seen, since)}" if job.seen else ""
    return replace(job, service=ServicePlane.UNKNOWN, note=f"{reason}, asked in vain since {since:%H:%M:%S} UTC{last}")


def _clock(at: datetime, beside: datetime) -> str:
    """The time of day, with the day where it is another one than that of ``beside``."""
    return f"{at:%H:%M:%S} UTC" if at.date() == beside.date() else f"{at:%Y-%m-%d %H:%M:%S} UTC"


def with_places(jobs: Iterable[Job], now: datetime | None = None) -> tuple[Job, ...]:
    """``jobs`` in their order, the queued ones told where they stand, and with ``now`` since when the one ahead runs.

    The service runs the jobs of one workspace one at a time, in the order in which they came; two spellings of a path are one
    workspace to it. There may be more ahead than this console knows.
    """
    jobs = tuple(jobs)
    lines: dict[str, list[Job]] = {}
    for job in sorted((job for job in jobs if job.workspace and job.service in _IN_LINE), key=_order):
        lines.setdefault(normpath(job.workspace), []).append(job)
    notes: dict[int, str] = {}
    for first, *others in lines.values():
        behind = f"in line behind {_named(first, now)}"
        notes |= {job.entry: f"{_ordinal(place)} {behind}" for place, job in enumerate(others, start=2)}
    return tuple(
        replace(job, note=notes[job.entry]) if job.service is ServicePlane.QUEUED and job.entry in notes else job for job in jobs
    )


def _named(job: Job, now: datetime | None) -> str:
    """``apply 7f3a2b1c, running 12 min``."""
    name = f"{job.kind.value if job.kind else 'job'} {(job.job_id or '')[:8]}"
    run = job.run_time(now) if now is not None else None
    return f"{name}, running {in_words(run)}" if run is not None else name


_IN_LINE = frozenset({ServicePlane.QUEUED, ServicePlane.RUNNING})


def _order(job: Job) -> tuple[datetime, int]:
    return (job.created or job.submitted, job.entry)


def _ordinal(number: int) -> str:
    named = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
    if number in named:
        return named[number]
    suffix = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
