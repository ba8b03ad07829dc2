"""Looks at jobs that are under way: sent out, bounded in number, collected when they come back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection

from kumoss_console.errors import ServiceError
from kumoss_console.model.job import Job

AT_ONCE = 16
"""Requests under way at the same time, over the one connection pool of the context's client."""


class Lookouts:
    """``ask`` gives the job as it is now, or raises :class:`~kumoss_console.errors.ServiceError`."""

    def __init__(self, ask: Callable[[Job], Awaitable[Job]]) -> None:
        self._ask = ask
        self._places = asyncio.Semaphore(AT_ONCE)
        self._out: dict[int, asyncio.Task[None]] = {}
        self._returned: list[tuple[Job, Job | ServiceError]] = []

    @property
    def out(self) -> Collection[int]:
        """The entries that somebody is looking at, or waits to."""
        return self._out

    def send(self, job: Job) -> None:
        self._out[job.entry] = asyncio.create_task(self._look(job))

    def returned(self) -> list[tuple[Job, Job | ServiceError]]:
        """The jobs before and after, of all looks that have ended since this was last asked. A bug of ours is raised here."""
        back, self._returned = self._returned, []
        for entry in [entry for entry, task in self._out.items() if task.done()]:
            self._out.pop(entry).result()
        return back

    async def _look(self, job: Job) -> None:
        async with self._places:
            try:
                seen: Job | ServiceError = await self._ask(job)
            except ServiceError as error:
                seen = error
        self._returned.append((job, seen))

    async def aclose(self) -> None:
        """Call everybody back. What they saw is not recorded; their claims lapse."""
        for task in self._out.values():
            task.cancel()
        await asyncio.gather(*self._out.values(), return_exceptions=True)
        self._out.clear()
