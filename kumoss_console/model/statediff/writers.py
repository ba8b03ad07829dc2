"""Which job likely wrote which version of a state, from when each ran. Nothing proves it: a state does not name its writer."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from posixpath import normpath

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane

WRITERS = frozenset({JobKind.APPLY, JobKind.IMPORT, JobKind.PLAN})
"""Kinds of jobs that may write a state: a plan does where a refresh upgrades it."""
_SLACK = timedelta(seconds=2)
"""Between the store's clock, which counts in whole seconds, and the service's."""
_STILL = datetime.max.replace(tzinfo=UTC)


def likely_writers(
    written: Sequence[datetime | None], jobs: Iterable[Job], key: str, places: Mapping[str, frozenset[str]]
) -> list[Job | None]:
    """For each moment of ``written`` the one job that ran then; ``None`` where none or several did.

    ``places`` are the keys that a workspace is bound to, by its normalised path, none for one that is bound elsewhere. A job of a
    workspace that is bound to other keys is none; of several, the one whose workspace is bound to ``key`` is the one. A job whose
    end nobody knows counts until it was last heard of.
    """
    coming = sorted(
        (span for number, job in enumerate(jobs) if (span := _span(number, job)) is not None and _may(job, key, places)),
        key=lambda span: span[2],
    )
    found: list[Job | None] = [None] * len(written)
    running: list[tuple[datetime, int, datetime, Job]] = []
    begun = 0
    for at, place in sorted((at, place) for place, at in enumerate(written) if at is not None):
        while begun < len(coming) and coming[begun][2] <= at:
            heapq.heappush(running, coming[begun])
            begun += 1
        while running and running[0][0] < at:
            heapq.heappop(running)
        ran = [span[3] for span in running]
        ours = [job for job in ran if key in places.get(_folder(job), ())] or ran
        found[place] = ours[0] if len(ours) == 1 else None
    return found


def _span(number: int, job: Job) -> tuple[datetime, int, datetime, Job] | None:
    """End, a number of its own, start, job."""
    if job.kind not in WRITERS or job.started is None:
        return None
    if job.finished is not None:
        end = job.finished + _SLACK
    elif job.service is ServicePlane.RUNNING:
        end = _STILL
    else:
        end = (job.seen or job.started) + _SLACK
    return end, number, job.started - _SLACK, job


def _may(job: Job, key: str, places: Mapping[str, frozenset[str]]) -> bool:
    bound = places.get(_folder(job))
    return bound is None or key in bound


def _folder(job: Job) -> str:
    return normpath(job.workspace) if job.workspace else ""
