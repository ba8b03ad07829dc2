"""uvicorn with two habits changed: it says when it listens, and a signal ends it with exit code 0 (a second one at once)."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator

import uvicorn

from kumoss_console.clients.heirs import Heirs
from kumoss_console.sidecar.app import create_app, registry
from kumoss_console.sidecar.doors import (
    ACCEPT_AT_ONCE,
    BACKLOG,
    IDLE_SECONDS,
    Doors,
    places_of,
    raise_descriptors,
    watch_accepting,
)
from kumoss_console.sidecar.offspring import Offspring
from kumoss_console.sidecar.operations import Operations
from kumoss_console.sidecar.protocol import guarded_by
from kumoss_console.sidecar.requests import Bodies
from kumoss_console.sidecar.settings import SidecarSettings

# Answers are short; whoever has not taken its own by then is cut off. Seconds.
_CONNECTIONS_GRACE = 1
# Whoever follows a job asks about once a second.
_TELLING_SECONDS = 1.5
_WISHES_TO_STOP = (signal.SIGTERM, signal.SIGINT)


class Server(uvicorn.Server):
    """Serves ``settings`` on a socket that already listens; ``started`` is called once connections are taken."""

    def __init__(
        self,
        settings: SidecarSettings,
        on_listening: Callable[[], None],
        heirs: Heirs | None = None,
        offspring: Offspring | None = None,
        doors: Doors | None = None,
    ) -> None:
        self._doors = doors or Doors(places_of(raise_descriptors()))
        self._bodies = Bodies(settings.request_limit)
        self._jobs = registry(settings)
        self._operations = Operations(settings, heirs, offspring)
        self._wait = settings.stop_wait
        self._on_listening = on_listening
        self._ending: asyncio.Task[None] | None = None
        super().__init__(
            uvicorn.Config(
                create_app(settings, jobs=self._jobs, operations=self._operations, bodies=self._bodies),
                http=guarded_by(self._doors),
                ws="none",
                backlog=ACCEPT_AT_ONCE,
                timeout_keep_alive=IDLE_SECONDS,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="on",
                timeout_graceful_shutdown=_CONNECTIONS_GRACE,
            )
        )

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().serve(sockets)
        finally:
            # Also where the lifespan was skipped: no child outlives the service.
            await self._jobs.aclose()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        watch_accepting(asyncio.get_running_loop())
        await super().startup(sockets)
        if self.started:
            for each in sockets or ():
                each.listen(BACKLOG)
            self._on_listening()

    async def on_tick(self, counter: int) -> bool:
        self._doors.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._bodies.give_up()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for wish in _WISHES_TO_STOP:
            loop.add_signal_handler(wish, self._stop)
        try:
            yield
        finally:
            for wish in _WISHES_TO_STOP:
                loop.remove_signal_handler(wish)

    def _stop(self) -> None:
        if self._ending is None:
            self._ending = asyncio.get_running_loop().create_task(self._end_in_order())
        else:
            self._operations.hurry()
            self._jobs.hurry()
            self.should_exit = True

    async def _end_in_order(self) -> None:
        """While jobs end, the service answers: no new ones (503), and whoever follows one hears how it ended."""
        await self._jobs.aclose(self._wait)
        await self._jobs.told(_TELLING_SECONDS)
        self.should_exit = True
