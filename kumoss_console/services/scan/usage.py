"""Which states nobody uses any more, as far as the store's clock and the job journal tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import chain
from posixpath import normpath
from typing import TYPE_CHECKING

from kumoss_console.model.job import Job
from kumoss_console.model.scan import LastJob, ScanFinding, Subject, Witness, of_usage

if TYPE_CHECKING:
    from kumoss_console.services.workspaces.places import Places


def usage_findings(
    states: Sequence[Subject], *, now: datetime, stale: timedelta, jobs: Iterable[Job] | None, places: Places
) -> list[ScanFinding]:
    """What is told of states that were neither written nor had a job for as long as ``stale``.

    ``jobs`` is ``None`` where the journal could not be read; ``places`` are the keys that each workspace seen from here is bound
    to.
    """
    last = None if jobs is None else _last_jobs(jobs, places)
    bound = frozenset(chain.from_iterable(places.values()))
    found: list[ScanFinding] = []
    for subject in states:
        witness: Witness = "unreadable" if last is None else "bound" if subject.key in bound else "unbound"
        job = last.get(subject.key) if last is not None else None
        found += of_usage(subject, now=now, stale=stale, witness=witness, job=job)
    return found


def _last_jobs(jobs: Iterable[Job], places: Places) -> Mapping[str, LastJob]:
    """The newest job for each key that one of its workspaces is bound to."""
    found: dict[str, LastJob] = {}
    for job in jobs:
        at = job.finished or job.started or job.created or job.submitted
        kind = job.kind.value if job.kind is not None else "a job"
        for key in places.get(normpath(job.workspace), ()) if job.workspace else ():
            if key not in found or found[key].at < at:
                found[key] = LastJob(kind=kind, name=(job.job_id or f"#{job.entry}")[:8], at=at)
    return found
