"""What the table of jobs shows. Pure: the same jobs at the same moment give the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.names import workspace_name
from screens.durations import short
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column, Sorting

COLUMNS = (
    Column(key="state", title="STATE", width=13),
    Column(key="kind", title="KIND", width=9, priority=2),
    Column(key="workspace", title="WORKSPACE", width=16, stretch=2, middle=True),
    Column(key="age", title="AGE", width=5, priority=3, right=True),
    Column(key="wait", title="WAIT", width=5, priority=6, right=True),
    Column(key="run", title="RUN", width=5, priority=4, right=True),
    Column(key="verdict", title="VERDICT", width=24, stretch=3),
    Column(key="expires", title="EXPIRES", width=7, priority=5, right=True),
)
NEWEST_FIRST = Sorting("age")

_SIGNS: Mapping[ServicePlane, tuple[str, Tone]] = {
    ServicePlane.QUEUED: ("◷", "busy"),
    ServicePlane.RUNNING: ("●", "busy"),
    ServicePlane.ANSWERED: ("✓", "good"),
    ServicePlane.FAULTED: ("✗", "bad"),
    ServicePlane.LOST: ("?", "warn"),
    ServicePlane.UNKNOWN: ("?", "warn"),
}
_TONES: Mapping[Verdict, Tone] = {Verdict.BAD: "bad", Verdict.UNKNOWN: "warn", Verdict.GOOD: "", Verdict.PENDING: "dim"}
# The two long kinds differ in their first letters only when cut; the detail has the contract's names.
_SHORT_KINDS = {JobKind.STATE_RESOURCE_IDS: "state ids", JobKind.SCOPE_RESOURCE_IDS: "scope ids"}


def kind_name(job: Job) -> str:
    if job.kind is None:
        return "?"
    return _SHORT_KINDS.get(job.kind, job.kind.value)


def is_wrong(job: Job) -> bool:
    """Failed, lost or without an answer: what ``!`` keeps."""
    return job.verdict in {Verdict.BAD, Verdict.UNKNOWN}


def state(job: Job) -> Cell:
    """Icon, word and exit code: ``✗ answered 1``. An answer is good only with exit code 0."""
    sign, tone = _SIGNS[job.service]
    if job.service is not ServicePlane.ANSWERED:
        return Cell(f"{sign} {job.standing}", tone)
    if job.verdict is Verdict.BAD:
        sign, tone = "✗", "bad"
    return Cell(f"{sign} answered {job.exit_code}", tone)


Words = Callable[[Job], str]
"""The verdict of a job in one line."""


def summary(job: Job) -> str:
    """The verdict where nothing more is known than how the job stands."""
    return job.summary


def cells(job: Job, now: datetime, root: str | None = None, words: Words = summary) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`. ``root`` is the folder of all workspaces."""
    left = job.expires - now if job.expires is not None else None
    return (
        state(job),
        Cell(kind_name(job)),
        Cell(workspace_name(job.workspace, root) or "?"),
        Cell(short(now - (job.created or job.submitted)), "dim"),
        Cell(short(job.queue_wait(now)), "dim"),
        Cell(short(job.run_time(now))),
        Cell(words(job), _TONES[job.verdict]),
        Cell("gone" if left is not None and left <= timedelta(0) else short(left), "dim"),
    )


def matching(jobs: Sequence[Job], query: str, *, only_wrong: bool, words: Words = summary) -> list[Job]:
    """Jobs in which every part of the query occurs, in any case, in id, kind, workspace, state or verdict."""
    parts = query.casefold().split()
    kept = [job for job in jobs if is_wrong(job)] if only_wrong else list(jobs)
    return [job for job in kept if _holds(job, parts, words)] if parts else kept


def _holds(job: Job, parts: Sequence[str], words: Words) -> bool:
    text = " ".join((job.job_id or "", kind_name(job), job.workspace, state(job).text, job.summary, words(job))).casefold()
    return all(part in text for part in parts)


def ordered(jobs: Sequence[Job], sorting: Sorting, now: datetime, root: str | None = None, words: Words = summary) -> list[Job]:
    """Sorted by a column; equal ones stay newest first."""
    nothing = timedelta(days=-1)

    def key(job: Job) -> tuple[object, ...]:
        match sorting.key:
            case "state":
                return (job.verdict is not Verdict.BAD, job.service.value, job.exit_code or 0)
            case "kind":
                return (kind_name(job),)
            case "workspace":
                return (workspace_name(job.workspace, root).casefold(),)
            case "wait":
                return (job.queue_wait(now) or nothing,)
            case "run":
                return (job.run_time(now) or nothing,)
            case "verdict":
                return (words(job).casefold(),)
            case "expires":
                return (job.expires is None, job.expires - now if job.expires is not None else nothing)
            case _:
                return (now - (job.created or job.submitted),)

    newest_first = sorted(jobs, key=lambda job: (job.created or job.submitted, job.entry), reverse=True)
    return sorted(newest_first, key=key, reverse=sorting.descending)


def heading(job: Job, root: str | None = None) -> str:
    """``init 3f2504e0 · acme-web · azure 1111…``: which job the detail is about."""
    fields = dict(job.fields)
    provider, scope = fields.get("terraform_provider", ""), fields.get("scope_id", "")
    about = f"{provider} {scope}".strip()
    kind = job.kind.value if job.kind else "job"
    parts = (f"{kind} {job.job_id[:8] if job.job_id else 'without an id'}", workspace_name(job.workspace, root), about)
    return " · ".join(part for part in parts if part)


def planes(job: Job) -> str:
    """Both planes in words: ``service answered · engine exit 1``."""
    engine = f" · engine exit {job.exit_code}" if job.service is ServicePlane.ANSWERED else ""
    return f"service {job.standing}{engine}"


def empty_words(*, known: int, asked: bool, read_only: bool) -> str:
    """Why there is no row."""
    if known:
        return "No job matches. Esc clears the filter, ! shows all again."
    if not asked:
        return "looking…"
    return "No job is known here." if read_only else "No job is known here. + submits one, i follows one by its id."
