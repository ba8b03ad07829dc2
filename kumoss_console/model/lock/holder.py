"""Which job of the journal holds a lock. The journal does not see locks, so this is mostly a likelihood, and is told as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from posixpath import normpath
from typing import Literal

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.lock.awkward import CLOCKS_DIFFER
from kumoss_console.model.lock.document import Lock

Certainty = Literal["proven", "likely", "possible"]
Standing = Literal["running", "ended", "lost"]

LOCKING = frozenset({JobKind.PLAN, JobKind.APPLY, JobKind.IMPORT})
"""The jobs that take the lock of a state: init comes with ``-reconfigure``, and reading takes none."""

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


def holder(
    jobs: Iterable[Job], lock: Lock | None, since: datetime | None, key: str, places: Mapping[str, frozenset[str]]
) -> JobTie | None:
    """The job that took the lock on ``key``, if one of ``jobs`` did; a proven one before a likely one, else the newest.

    ``places`` are the keys that a workspace is bound to, by its normalised path, none for one that is bound to another store;
    a workspace that is not in it is not known. Jobs
    that come with their output can be proven ones. ``since`` is when the lock was taken.
    """
    found = [tie for job in jobs if (tie := _tie(job, lock, since, key, places)) is not None]
    return min(found, key=lambda tie: (_ORDER.index(tie.certainty), -tie.job.entry), default=None)


def blockers(
    jobs: Iterable[Job], lock: Lock | None, since: datetime | None, key: str, places: Mapping[str, frozenset[str]]
) -> tuple[Job, ...]:
    """The jobs that have not ended as far as is known, and may hold the lock on ``key``.

    Every one in a workspace that is bound to this state; and where that is not known, one that ran when the lock was taken, any
    where it is not known when that was.
    """
    return tuple(job for job in jobs if _blocks(job, lock, since, key, places))


def _blocks(job: Job, lock: Lock | None, since: datetime | None, key: str, places: Mapping[str, frozenset[str]]) -> bool:
    if job.service.final or job.service is ServicePlane.LOST or (job.kind is not None and job.kind not in LOCKING):
        return False
    bound = _bound(job, key, places)
    if bound is not None:
        return bound
    return since is None or _tie(job, lock, since, key, places) is not None


def _tie(job: Job, lock: Lock | None, since: datetime | None, key: str, places: Mapping[str, frozenset[str]]) -> JobTie | None:
    if job.refused or (job.kind is not None and job.kind not in LOCKING):
        return None
    if lock is not None and lock.id and _could_not_release(job, lock.id):
        return JobTie(job=job, certainty="proven")
    bound = _bound(job, key, places)
    if bound is False or since is None or not ran(job, since) or not _fits(job, lock):
        return None
    return JobTie(job=job, certainty="likely" if bound else "possible")


def _could_not_release(job: Job, lock_id: str) -> bool:
    """The engine says so itself, and names the lock. One that was only met (``Error acquiring``) is another one's."""
    for said in (job.stderr, job.stdout):
        _, found, after = said.partition(_NOT_RELEASED)
        if found and lock_id in after:
            return True
    return False


def _bound(job: Job, key: str, places: Mapping[str, frozenset[str]]) -> bool | None:
    """Whether the job's workspace keeps its state at ``key``; ``None`` where that is not known here."""
    known = places.get(normpath(job.workspace)) if job.workspace else None
    return None if known is None else any(_is_of(key, place) for place in known)


def _is_of(key: str, place: str) -> bool:
    """A workspace of the engine keeps its state beside the default one's: ``env:/stage/KEY``, on Azure ``KEYenv:stage``."""
    return key == place or (key.startswith("env:/") and key.endswith(f"/{place}")) or key.startswith(f"{place}env:")


def ran(job: Job, at: datetime) -> bool:
    """Whether the job was, or may have been, under way at that moment."""
    begun = job.started or job.created or job.submitted
    # Where the end is not known, the job may be running still; what is lost was alive when it was last seen.
    end = job.finished
    return begun - CLOCKS_DIFFER <= at and (end is None or at <= end + CLOCKS_DIFFER)


def _fits(job: Job, lock: Lock | None) -> bool:
    wanted = _OPERATIONS.get(lock.operation) if lock is not None else None
    return wanted is None or job.kind is None or job.kind is wanted
