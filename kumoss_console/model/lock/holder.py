"""Which job of the journal holds a lock. The journal does not see locks, so this is mostly a likelihood, and is told as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from posixpath import normpath
from typing import Literal

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.lock.document import Lock
from kumoss_console.model.lock.taken import CLOCKS_DIFFER

Certainty = Literal["proven", "likely", "possible"]
Standing = Literal["running", "ended", "lost"]

LOCKING = frozenset({JobKind.PLAN, JobKind.APPLY, JobKind.IMPORT})
"""The jobs that take the lock of a state: init comes with ``-reconfigure``, and reading takes none."""

_GRACE = timedelta(hours=1)
"""How much longer than a job is waited for one counts as at work that nobody can ask about."""

_OPERATIONS: Mapping[str, JobKind] = {"OperationTypePlan": JobKind.PLAN, "OperationTypeApply": JobKind.APPLY}
_NOT_RELEASED = "Error releasing the state lock"
_ORDER: tuple[Certainty, ...] = ("proven", "likely", "possible")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTie:
    """``job`` took the lock, with that ``certainty``:

    ``proven``: its own output names the lock as one that it could not release. ``likely``: it ran when the lock was taken, in a
    workspace that is bound to this state. ``possible``: it ran then, and where its workspace keeps its state is not known here.
    """

    job: Job
    certainty: Certainty

    @property
    def standing(self) -> Standing:
        """``running`` is every job whose end is not known, as of the last look."""
        if self.job.service is ServicePlane.LOST:
            return "lost"
        return "ended" if self.job.service.final else "running"

    @property
    def name(self) -> str:
        """What ``jobs show`` takes."""
        return self.job.job_id or f"#{self.job.entry}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What is known of the jobs of a context. ``here``: its service is ours, so that its workspaces are those that can be seen
    from here. ``elsewhere``: its states are kept in another store. Nothing is known of a context that is not configured."""

    here: bool = False
    elsewhere: bool = False


Reaches = Mapping[str, Reach]
"""By the name of the context. A job's context that is not in it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """What tells whether a job's workspace keeps its state at ``key``.

    ``places`` are the keys that a workspace is bound to, by its normalised path, none for one that is bound to another store; a
    workspace that is not in it is not known. ``reaches`` is ``None`` where every job is one of this context.
    """

    key: str
    places: Mapping[str, frozenset[str]]
    reaches: Reaches | None = None
    named: str = ""
    """The key that the lock's own ``Path`` names, where it is another one: whoever is bound to that may hold the lock, too."""

    def bound(self, job: Job) -> bool | None:
        """``None`` where that is not known here."""
        reach = Reach(here=True) if self.reaches is None else self.reaches.get(job.context, Reach())
        known = self.places.get(normpath(job.workspace)) if job.workspace else None
        if known is not None:
            if any(_is_of(key, place) for key in (self.key, self.named) if key for place in known):
                return True
            if reach.here:
                return False
        # The same path at another service is another folder.
        return False if reach.elsewhere else None


def holder(jobs: Iterable[Job], lock: Lock | None, times: Sequence[datetime], ties: Ties) -> JobTie | None:
    """The job that took the lock, if one of ``jobs`` did; a proven one before a likely one, else the newest.

    Jobs that come with their output can be proven ones. ``times`` are the moments at which the lock may have been taken.
    """
    found = [tie for job in jobs if (tie := _tie(job, lock, times, ties)) is not None]
    return min(found, key=lambda tie: (_ORDER.index(tie.certainty), -tie.job.entry), default=None)


def blockers(
    jobs: Iterable[Job], lock: Lock | None, times: Sequence[datetime], ties: Ties, *, now: datetime, patience: timedelta
) -> tuple[Job, ...]:
    """The jobs that may be at work, and may hold the lock.

    At work may be what has not ended as far as is known; and what the service does not know, while it was last seen less than
    ``patience`` ago, the longest that a job is waited for: a service that forgets a job does not end its command. May hold: every
    one in a workspace that is bound to this state; and where that is not known, one that had begun when the lock was taken, any
    where it is not known when that was. Without those that are :func:`given_up`.
    """
    return tuple(
        job
        for job in jobs
        if _may_be_at_work(job, now, patience) and _may_hold(job, lock, times, ties) and not _given_up(job, ties, now, patience)
    )


def given_up(
    jobs: Iterable[Job], lock: Lock | None, times: Sequence[datetime], ties: Ties, *, now: datetime, patience: timedelta
) -> tuple[Job, ...]:
    """The jobs whose end nobody will ever tell, and that would else be among the :func:`blockers` of any lock for ever: of a
    context that is not configured any more, in a workspace that is not known, and not seen for an hour more than ``patience``."""
    return tuple(job for job in jobs if _given_up(job, ties, now, patience) and _may_hold(job, lock, times, ties))


def _given_up(job: Job, ties: Ties, now: datetime, patience: timedelta) -> bool:
    if job.service.final or job.job_id is None or ties.reaches is None or job.context in ties.reaches:
        return False
    return ties.bound(job) is None and now - (job.seen or job.submitted) > patience + _GRACE


def _may_be_at_work(job: Job, now: datetime, patience: timedelta) -> bool:
    if job.service is ServicePlane.LOST:
        return job.seen is not None and now - job.seen <= patience
    return not job.service.final


def _may_hold(job: Job, lock: Lock | None, times: Sequence[datetime], ties: Ties) -> bool:
    if job.kind is not None and job.kind not in LOCKING:
        return False
    if (bound := ties.bound(job)) is not None:
        return bound
    return not times or (_fits(job, lock) and any(_begun(job) - CLOCKS_DIFFER <= at for at in times))


def _tie(job: Job, lock: Lock | None, times: Sequence[datetime], ties: Ties) -> JobTie | None:
    if job.refused or (job.kind is not None and job.kind not in LOCKING):
        return None
    if lock is not None and lock.id and _could_not_release(job, lock.id):
        return JobTie(job=job, certainty="proven")
    bound = ties.bound(job)
    if bound is False or not any(ran(job, at) for at in times) or not _fits(job, lock):
        return None
    return JobTie(job=job, certainty="likely" if bound else "possible")


def _could_not_release(job: Job, lock_id: str) -> bool:
    """The engine says so itself, and names the lock. One that was only met (``Error acquiring``) is another one's."""
    for said in (job.stderr, job.stdout):
        _, found, after = said.partition(_NOT_RELEASED)
        if found and lock_id in after:
            return True
    return False


def _is_of(key: str, place: str) -> bool:
    """A workspace of the engine keeps its state beside the default one's: ``env:/stage/KEY``, on Azure ``KEYenv:stage``."""
    return key == place or (key.startswith("env:/") and key.endswith(f"/{place}")) or key.startswith(f"{place}env:")


def ran(job: Job, at: datetime) -> bool:
    """Whether the job was, or may have been, under way at that moment. Of a lost one nothing is known after it was last seen."""
    begun = _begun(job)
    end = job.finished if job.service is not ServicePlane.LOST else job.seen or begun
    return begun - CLOCKS_DIFFER <= at and (end is None or at <= end + CLOCKS_DIFFER)


def _begun(job: Job) -> datetime:
    return job.started or job.created or job.submitted


def _fits(job: Job, lock: Lock | None) -> bool:
    wanted = _OPERATIONS.get(lock.operation) if lock is not None else None
    return wanted is None or job.kind is None or job.kind is wanted
