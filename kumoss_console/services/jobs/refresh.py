"""All unfinished jobs of a context looked at once, side by side, and those left out that somebody has just looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from kumoss_console.errors import ServiceError
from kumoss_console.model.freshness import periods
from kumoss_console.model.job import Job
from kumoss_console.model.journal import Claim
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.services.asking.probe import silence
from kumoss_console.services.jobs.silence import Silences

AT_ONCE = 8
"""Looks under way at the same time when many jobs are brought up to date."""

LAPSES = 15.0
"""Seconds after which the claim on a job of a console that never came back lapses."""


OTHERS_SECONDS = 1.0
"""How long another console's look is waited for; a service that hangs is asked by us as well."""
_PAUSE = 0.1


class Refresh:
    """``look`` looks at one job and records it, and gets ``patience`` seconds for it. ``silences`` are of the same service."""

    def __init__(
        self,
        journal: JobJournal,
        clock: Clock,
        look: Callable[[Job], Awaitable[object]],
        silences: Silences,
        *,
        patience: float,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._look = look
        self._silences = silences
        self._patience = patience
        self._sleep = sleep

    async def run(self, context: str) -> None:
        """Raises nothing for a service that cannot be asked: it is then asked once, and not once for each job.

        A look of another console counts when it has come back. One that does not says nothing: that console may have been
        killed, or the service may hang, and only asking tells which.
        """
        waiting = {job.entry: job for job in await self._journal.unfinished(context)}
        if not waiting:
            return
        now = self._clock()
        claims = [Claim(entry, period) for entry, period in periods(waiting.values(), (), now).items()]
        granted = await self._journal.share([], [], claims, now, LAPSES)
        answered: set[int] = set()
        try:
            await self._look_at([job for entry, job in waiting.items() if entry in granted], answered)
        finally:
            await self._journal.share([], answered, [], now, LAPSES)
            # Nobody has looked at these after all.
            await self._journal.unclaim(granted - answered)
        if not self._silences.outage:
            left = await self._left_waiting(waiting.keys() - granted)
            await self._look_at([waiting[entry] for entry in left], set())

    async def _left_waiting(self, entries: frozenset[int] | set[int]) -> Mapping[int, float]:
        """Those at which another console is looking all the while."""
        began = await self._journal.under_way(entries, self._clock()) if entries else {}
        for _ in range(round(OTHERS_SECONDS / _PAUSE)):
            if not began:
                break
            await self._sleep(_PAUSE)
            still = await self._journal.under_way(began, self._clock())
            began = {entry: at for entry, at in began.items() if still.get(entry) == at}
        return began

    async def _look_at(self, jobs: Sequence[Job], answered: set[int]) -> None:
        if not jobs:
            return
        first, *others = jobs
        await self._one(first, answered)
        places = asyncio.Semaphore(AT_ONCE)

        async def look(job: Job) -> None:
            async with places:
                if not self._silences.outage:
                    await self._one(job, answered)

        for outcome in await asyncio.gather(*map(look, others), return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome

    async def _one(self, job: Job, answered: set[int]) -> None:
        try:
            await asyncio.wait_for(self._look(job), self._patience)
        except TimeoutError:
            await self._silences.failed(job.job_id or "", silence("the sidecar", self._patience))
            return
        except ServiceError:
            return  # kept among the silences, and told on the rows
        answered.add(job.entry)
