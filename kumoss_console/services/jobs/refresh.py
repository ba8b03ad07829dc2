"""All unfinished jobs of a context looked at once, side by side, and those left out that somebody has just looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from kumoss_console.errors import ServiceError
from kumoss_console.model.freshness import periods
from kumoss_console.model.job import Job
from kumoss_console.model.journal import Claim
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal

AT_ONCE = 8
"""Looks under way at the same time when many jobs are brought up to date."""

LAPSES = 15.0
"""Seconds after which the claim on a job of a console that never came back lapses."""


class Refresh:
    """``look`` looks at one job and records it; ``outage`` tells whether the service gave no answer when it was last asked."""

    def __init__(
        self, journal: JobJournal, clock: Clock, look: Callable[[Job], Awaitable[object]], outage: Callable[[], bool]
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._look = look
        self._outage = outage

    async def run(self, context: str) -> None:
        """Raises nothing for a service that cannot be asked: it is then asked once, and not once for each job."""
        waiting = await self._journal.unfinished(context)
        if not waiting:
            return
        now = self._clock()
        claims = [Claim(entry, period) for entry, period in periods(waiting, (), now).items()]
        granted = await self._journal.share([], [], claims, now, LAPSES)
        answered: set[int] = set()
        try:
            await self._look_at([job for job in waiting if job.entry in granted], answered)
        finally:
            await self._journal.share([], answered, [], now, LAPSES)
            # Nobody has looked at these after all.
            await self._journal.unclaim(granted - answered)

    async def _look_at(self, jobs: Sequence[Job], answered: set[int]) -> None:
        if not jobs:
            return
        first, *others = jobs
        await self._one(first, answered)
        places = asyncio.Semaphore(AT_ONCE)

        async def look(job: Job) -> None:
            async with places:
                if not self._outage():
                    await self._one(job, answered)

        for outcome in await asyncio.gather(*map(look, others), return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _one(self, job: Job, answered: set[int]) -> None:
        try:
            await self._look(job)
        except ServiceError:
            return  # kept among the silences, and told on the rows
        answered.add(job.entry)
