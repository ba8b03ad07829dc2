"""How old the news of a job may be while many are followed at once. No clock in here; times are seconds."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from kumoss_console.model.job import Job

REST = 4.2
"""Between two looks at a job that nobody has on the screen, so that its news is at most 5 s old."""

VISIBLE = 1.0
YOUNG = 0.25
"""A validate takes about a second, and whoever submitted it is waiting."""

STALENESS = 0.1
"""The share of its age by which the news of a young job may be late."""

YOUNG_AT_MOST = 16
VISIBLE_AT_MOST = 50
"""Jobs that get the better treatment at once: a thousand submitted together must not be asked about four times a second each."""


def periods(jobs: Iterable[Job], visible: Collection[int], now: datetime) -> dict[int, float]:
    """Seconds between two looks, by entry. ``visible`` are the entries on a screen; the youngest jobs come first."""
    found: dict[int, float] = {}
    young = shown = 0
    for job in sorted(jobs, key=lambda job: job.entry, reverse=True):
        fresh = max(YOUNG, (now - (job.created or job.submitted)).total_seconds() * STALENESS)
        period = REST
        if fresh < REST and young < YOUNG_AT_MOST:
            young += 1
            period = fresh
        if job.entry in visible and period > VISIBLE and shown < VISIBLE_AT_MOST:
            shown += 1
            period = VISIBLE
        found[job.entry] = period
    return found
