"""The jobs of the contexts that nobody has on the screen: followed too, since the service forgets them within the hour."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from kumoss_console.errors import ConsoleError
from kumoss_console.ports.journal import JobJournal

LOOK_EVERY = 15.0
"""Seconds between two looks for contexts with open jobs."""


class Runs(Protocol):
    async def run(self) -> None: ...


class Following(Protocol):
    """The services of one context, as far as they are needed here."""

    @property
    def follow(self) -> Runs: ...

    async def aclose(self) -> None: ...


class FollowAll:
    """``build`` gives the services of a context by its name. ``names`` are the contexts of the configuration."""

    def __init__(
        self,
        journal: JobJournal,
        names: tuple[str, ...],
        build: Callable[[str], Following],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._journal = journal
        self._names = names
        self._build = build
        self._sleep = sleep
        self._running: dict[str, asyncio.Task[None]] = {}
        self.shown: str | None = None
        """The context whose jobs the console follows itself; two followers would do no harm, and no good."""

    @property
    def followed(self) -> tuple[str, ...]:
        return tuple(self._running)

    async def run(self) -> None:
        """Until cancelled. A context that cannot be built, or a journal that cannot be read, is tried again."""
        try:
            while True:
                await self._turn()
                await self._sleep(LOOK_EVERY)
        finally:
            for task in self._running.values():
                task.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)
            self._running.clear()

    async def _turn(self) -> None:
        try:
            waiting = await self._journal.open_contexts()
        except ConsoleError:
            return
        wanted = {name for name in waiting if name in self._names and name != self.shown}
        for name in [name for name, task in self._running.items() if name not in wanted or task.done()]:
            task = self._running.pop(name)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for name in sorted(wanted - self._running.keys()):
            self._running[name] = asyncio.create_task(self._follow(name))

    async def _follow(self, name: str) -> None:
        try:
            services = self._build(name)
            try:
                await services.follow.run()
            finally:
                await services.aclose()
        except ConsoleError:
            return  # an endpoint that cannot be used, say: whoever opens that context is told
