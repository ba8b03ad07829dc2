"""A job seen from outside: what the service says, what the engine says, and the one verdict the two give together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from kumoss_console.model.contract import JOB_TTL_SECONDS, JobDocument, JobKind, JobStatus, Problem


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
    All times are aware UTC. ``workspace`` is ``""`` where unknown.
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
    problem: Problem | None = None
    note: str = ""

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
        """When the service forgets the job; ``None`` while it has not ended or is already lost."""
        if self.finished is None or self.service is ServicePlane.LOST:
            return None
        return self.finished + timedelta(seconds=JOB_TTL_SECONDS)

    @property
    def summary(self) -> str:
        """One line: how it stands, in words that never call an unanswered question a failure. May hold external text."""
        if self.service is ServicePlane.ANSWERED:
            return exit_code_meaning(self.kind, self.exit_code if self.exit_code is not None else 0)
        if self.service is ServicePlane.FAULTED:
            if self.problem is None:
                return "the service faulted without a problem document"
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


def exit_code_meaning(kind: JobKind | None, exit_code: int) -> str:
    """What an exit code means for that kind of job."""
    if exit_code == 0:
        return "the command succeeded"
    if exit_code < 0:
        return f"the command was killed by signal {-exit_code}"
    if kind is JobKind.SCOPE_RESOURCE_IDS:
        return "this cloud provider cannot be listed" if exit_code == 2 else "the cloud could not be listed"
    return f"the command failed with exit code {exit_code}"


def with_document(job: Job, document: JobDocument, seen: datetime) -> Job:
    """``job`` as the service just described it."""
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
        stdout=document.result.stdout if document.result else "",
        stderr=document.result.stderr if document.result else "",
        problem=document.error,
    )
