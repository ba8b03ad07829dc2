"""What deserves an operator's eye, from facts already gathered. Pure: the same facts give the same list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.storage import Ownership
from kumoss_console.services.bucket import HeldLock
from kumoss_console.services.probe import Probe
from kumoss_console.text import printable

View = Literal["jobs", "bucket", "backend"]

RECENT = timedelta(hours=1)
"""How long a failure counts as recent: as long as the sidecar remembers an ended job."""
LONG_HELD = timedelta(hours=1)
"""A lock held longer than the core waits for any job (``job_timeout``, 3600 s) is a holder that died, or a very long apply."""
_ORDER = tuple(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """One line that needs attention, printable. ``subject`` is what to open in ``view``: a job id, an object key, or empty."""

    severity: Severity
    text: str
    view: View
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """Jobs of this context in the journal. ``failed``, ``lost`` and ``unknown`` count the last hour only."""

    running: int = 0
    queued: int = 0
    failed: int = 0
    lost: int = 0
    unknown: int = 0


def count_jobs(jobs: tuple[Job, ...], now: datetime) -> JobCounts:
    """How many stand where."""
    recent = [job for job in jobs if _is_recent(job, now)]
    return JobCounts(
        running=sum(job.service is ServicePlane.RUNNING for job in jobs),
        queued=sum(job.service is ServicePlane.QUEUED for job in jobs),
        failed=sum(job.verdict is Verdict.BAD for job in recent),
        lost=sum(job.service is ServicePlane.LOST for job in recent),
        unknown=sum(job.service is ServicePlane.UNKNOWN for job in recent),
    )


def recent_failures(jobs: tuple[Job, ...], now: datetime) -> tuple[Job, ...]:
    """Jobs whose command or service failed within the last hour, in the order given."""
    return tuple(job for job in jobs if job.verdict is Verdict.BAD and _is_recent(job, now))


def _is_recent(job: Job, now: datetime) -> bool:
    return now - (job.finished or job.submitted) <= RECENT


def attention(
    context: Context,
    *,
    probes: tuple[Probe, Probe, Probe],
    owner: Ownership,
    jobs: JobCounts,
    failures: tuple[Job, ...],
    locks: tuple[HeldLock, ...],
    locks_error: ConsoleError | None,
    jobs_error: ConsoleError | None,
    now: datetime,
) -> tuple[Attention, ...]:
    """Gravest first, otherwise in the order of the questions: services, ownership, locks, jobs. ``probes`` as the snapshot
    has them: sidecar, token, store."""
    sidecar, token, store = probes
    found = [
        *_services(sidecar, token, store, locks_error),
        *_ownership(context, owner),
        *(_lock(lock, now) for lock in locks),
        *([_error(jobs_error, "jobs")] if jobs_error else []),
        *(_failure(job) for job in failures),
        *_unanswered(jobs),
    ]
    return tuple(sorted(found, key=lambda line: _ORDER.index(line.severity)))


def _services(sidecar: Probe, token: Probe, store: Probe, locks_error: ConsoleError | None) -> list[Attention]:
    asked: tuple[tuple[Probe, View], ...] = ((sidecar, "jobs"), (token, "jobs"), (store, "bucket"))
    found = [_error(probe.error, view) for probe, view in asked if probe.status == "bad" and probe.error]
    if locks_error is not None and store.status == "ok":
        found.append(_error(locks_error, "bucket"))
    return found


def _error(error: ConsoleError, view: View) -> Attention:
    return Attention(severity=Severity.ERROR, text=printable(error.title), view=view)


def _ownership(context: Context, owner: Ownership) -> list[Attention]:
    if owner.model == "mixed":
        return [Attention(severity=Severity.ERROR, text=f"state ownership is mixed: {owner.explanation}", view="backend")]
    if owner.model == "repository":
        text = "managed state is off: a repository without a backend block keeps its state in the workspace and loses it"
        return [Attention(severity=Severity.WARNING, text=text, view="backend")]
    return []


def _lock(lock: HeldLock, now: datetime) -> Attention:
    name = (lock.owner.name or lock.owner.repo) if lock.owner else lock.key
    text = f"lock on {printable(name)}"
    severity = Severity.INFO
    if lock.since is not None:
        held = now - lock.since
        severity = Severity.ERROR if held > LONG_HELD else Severity.INFO
        text += f" held {in_words(held)}"
    if lock.lock is not None:
        text += f" by {printable(lock.lock.holder or 'an unnamed holder')}"
        if lock.lock.operation:
            text += f" ({printable(lock.lock.operation)})"
    return Attention(severity=severity, text=text, view="bucket", subject=lock.key)


def _failure(job: Job) -> Attention:
    kind = job.kind.value if job.kind else "job"
    text = f"{kind} on {printable(job.workspace) or 'an unknown workspace'}: {printable(job.summary)}"
    return Attention(severity=Severity.ERROR, text=text, view="jobs", subject=job.job_id or "")


def _unanswered(jobs: JobCounts) -> list[Attention]:
    found = []
    if jobs.lost:
        text = f"{_jobs(jobs.lost)} lost: the sidecar restarted or forgot the outcome"
        found.append(Attention(severity=Severity.WARNING, text=text, view="jobs"))
    if jobs.unknown:
        text = f"{_jobs(jobs.unknown)} without an answer: whether the sidecar took the submission is not known"
        found.append(Attention(severity=Severity.WARNING, text=text, view="jobs"))
    return found


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"
