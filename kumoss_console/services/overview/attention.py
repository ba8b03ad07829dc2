"""What deserves an operator's eye, from facts already gathered. Pure: the same facts give the same list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.names import operation_name, workspace_name
from kumoss_console.model.storage import Ownership
from kumoss_console.services.asking.probe import Probe
from kumoss_console.services.bucket.service import HeldLock
from kumoss_console.services.locks.judgement import judged
from kumoss_console.text import clip, printable

View = Literal["jobs", "bucket", "backend", "endpoint"]

RECENT = timedelta(hours=1)
"""How long a failure counts as recent: as long as the sidecar remembers an ended job."""
_LONGEST_NAME = 60
_ORDER = tuple(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """One line that needs attention, printable. ``subject`` is what to open in ``view``: a job id, ``#`` and the entry of one
    without, an object key, or empty."""

    severity: Severity
    text: str
    view: View
    subject: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """Jobs of this context in the journal.

    ``failed``, ``lost``, ``refused`` (requests that the sidecar did not take: no jobs) and ``unclear`` (submissions whose answer
    never came) count the last hour only. ``unknown`` are the unclear and every open job that the sidecar cannot be asked about,
    however old.
    """

    running: int = 0
    queued: int = 0
    failed: int = 0
    lost: int = 0
    unknown: int = 0
    unclear: int = 0
    refused: int = 0


def count_jobs(jobs: tuple[Job, ...], now: datetime) -> JobCounts:
    """How many stand where."""
    recent = [job for job in jobs if _is_recent(job, now)]
    unclear = sum(_is_unclear(job) for job in recent)
    return JobCounts(
        running=sum(job.service is ServicePlane.RUNNING for job in jobs),
        queued=sum(job.service is ServicePlane.QUEUED for job in jobs),
        failed=sum(_has_failed(job) for job in recent),
        lost=sum(job.service is ServicePlane.LOST for job in recent),
        unknown=unclear + sum(job.service is ServicePlane.UNKNOWN and job.job_id is not None for job in jobs),
        unclear=unclear,
        refused=sum(job.refused for job in recent),
    )


def _is_unclear(job: Job) -> bool:
    """Sent, and nobody knows whether the service took it: without an id it can never be asked about."""
    return job.service is ServicePlane.UNKNOWN and job.job_id is None


def _has_failed(job: Job) -> bool:
    return job.verdict is Verdict.BAD and not job.refused


def recent_failures(jobs: tuple[Job, ...], now: datetime) -> tuple[Job, ...]:
    """Jobs whose command or service failed within the last hour, in the order given."""
    return tuple(job for job in jobs if _has_failed(job) and _is_recent(job, now))


def recent_refusals(jobs: tuple[Job, ...], now: datetime) -> tuple[Job, ...]:
    """Requests of the last hour that the sidecar did not take, in the order given."""
    return tuple(job for job in jobs if job.refused and _is_recent(job, now))


def _is_recent(job: Job, now: datetime) -> bool:
    return now - (job.finished or job.submitted) <= RECENT


def attention(
    context: Context,
    *,
    probes: tuple[Probe, Probe, Probe],
    owner: Ownership,
    jobs: JobCounts,
    failures: tuple[Job, ...],
    refusals: tuple[Job, ...],
    reasons: Mapping[int, str],
    locks: tuple[HeldLock, ...],
    locks_error: ConsoleError | None,
    jobs_error: ConsoleError | None,
    now: datetime,
    scanned: tuple[Attention, ...] = (),
) -> tuple[Attention, ...]:
    """Gravest first, otherwise in the order of the questions: services, ownership, locks, the last scan, jobs. ``probes`` as the
    snapshot has them: sidecar, token, store. ``reasons`` is what failed commands said, by the job's entry, as far as it is
    known; ``scanned`` what a scan found, where one is at hand."""
    sidecar, token, store = probes
    silent = jobs.unknown - jobs.unclear
    found = [
        *_services(sidecar, token, store, locks_error, silent),
        *_ownership(context, owner),
        *(_lock(lock, now) for lock in locks),
        *scanned,
        *([_error(jobs_error, "jobs")] if jobs_error else []),
        *(_failure(job, reasons.get(job.entry, ""), context) for job in failures),
        *_refusals(refusals, context),
        *_unanswered(jobs, 0 if _no_word(sidecar, token) else silent),
    ]
    return tuple(sorted(found, key=lambda line: _ORDER.index(line.severity)))


def _no_word(sidecar: Probe, token: Probe) -> ConsoleError | None:
    """Why the sidecar tells nothing of jobs: one cause, though two questions may have met it."""
    return next((probe.error for probe in (sidecar, token) if probe.status == "bad" and probe.error), None)


def _services(sidecar: Probe, token: Probe, store: Probe, locks_error: ConsoleError | None, silent: int) -> list[Attention]:
    found = []
    if (cause := _no_word(sidecar, token)) is not None:
        line = _error(cause, "jobs")
        found.append(replace(line, text=f"{line.text}; {_jobs(silent)} cannot be asked about") if silent else line)
    if store.status == "bad" and store.error:
        found.append(_error(store.error, "bucket"))
    if token.status == "ok" and token.note:
        found.append(Attention(severity=Severity.WARNING, text=f"the sidecar {token.note}", view="jobs"))
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
    judgement = judged(lock, now)
    words = [f"lock on {printable(name)}"]
    if judgement.held:
        words.append(judgement.held)
    if lock.lock is not None:
        # What strangers call themselves must not push out what is said about them.
        words.append(f"by {clip(printable(lock.lock.holder or 'an unnamed holder'), _LONGEST_NAME, middle=True)}")
        if lock.lock.operation:
            words.append(f"({clip(printable(operation_name(lock.lock.operation)), _LONGEST_NAME)})")
    odd = f"; {printable(judgement.odd)}" if judgement.odd else ""
    return Attention(severity=judgement.severity, text=" ".join(words) + odd, view="bucket", subject=lock.key)


def _failure(job: Job, said: str, context: Context) -> Attention:
    text = f"{_what(job, context)}: {said or printable(job.summary)}"
    return Attention(severity=Severity.ERROR, text=text, view="jobs", subject=job.job_id or "")


def _refusals(refused: tuple[Job, ...], context: Context) -> list[Attention]:
    """One line for each reason: a token that is not taken refuses everything."""
    by_reason: dict[str, list[Job]] = {}
    for job in refused:
        by_reason.setdefault(job.summary, []).append(job)
    lines = []
    for why, jobs in by_reason.items():
        others = f" and {len(jobs) - 1} more" if len(jobs) > 1 else ""
        text = f"{_what(jobs[0], context)}{others}: {printable(why)}"
        lines.append(Attention(severity=Severity.WARNING, text=text, view="jobs", subject=f"#{jobs[0].entry}"))
    return lines


def _what(job: Job, context: Context) -> str:
    """``plan on payments_dde4e90a/infra``."""
    kind = job.kind.value if job.kind else "job"
    return f"{kind} on {printable(workspace_name(job.workspace, context.workspaces_root)) or 'an unknown workspace'}"


def _unanswered(jobs: JobCounts, silent: int) -> list[Attention]:
    found = []
    if jobs.lost:
        text = f"{_jobs(jobs.lost)} lost: the sidecar restarted or forgot the outcome"
        found.append(Attention(severity=Severity.WARNING, text=text, view="jobs"))
    if jobs.unclear:
        text = f"{_jobs(jobs.unclear)} sent, no answer: whether the sidecar took the submission is not known"
        found.append(Attention(severity=Severity.WARNING, text=text, view="jobs"))
    if silent:
        text = f"{_jobs(silent)} cannot be asked about: the sidecar gives no answer"
        found.append(Attention(severity=Severity.WARNING, text=text, view="jobs"))
    return found


def _jobs(count: int) -> str:
    return "1 job" if count == 1 else f"{count} jobs"
