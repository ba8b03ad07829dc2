"""How many connections the service holds: whoever says nothing makes room for who asks, and jobs always find descriptors."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import Callable
from time import monotonic
from typing import Any, Protocol

from kumoss_console.text import printable

_log = logging.getLogger(__name__)

IDLE_SECONDS = 30
"""How long a connection may be open without a whole head of a request. Followers of jobs ask more often, and keep theirs."""
BACKLOG = 2048
"""Connections that wait in the kernel."""
ACCEPT_AT_ONCE = 32
"""Connections that are taken in one turn of the loop, before the limit can count them: with those of the turns until it does,
fewer than what is kept for jobs."""

_WANTED_DESCRIPTORS = 65536  # more does no good, and programs that close all they might have would close for seconds
_OWN_DESCRIPTORS = 64
_SILENCE = 60.0


class Connection(Protocol):
    def leave(self) -> None:
        """Close, without an answer: nobody waits for one."""


def raise_descriptors() -> int:
    """As many open files as this process may have, and what it starts after it: how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _WANTED_DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # some systems have a lower limit than they say
            return soft
        return wanted
    return _WANTED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def places_of(descriptors: int) -> int:
    """How many connections there may be with so many descriptors: half of them, the other half is for jobs."""
    return max(1, (descriptors - _OWN_DESCRIPTORS) // 2)


class Doors:
    """The connections, those that wait for a request in the order in which they began to."""

    def __init__(self, places: int, clock: Callable[[], float] = monotonic) -> None:
        self._places = places
        self._clock = clock
        self._idle: dict[Connection, float] = {}
        self._busy: set[Connection] = set()
        self._full = Seldom()

    def __len__(self) -> int:
        return len(self._idle) + len(self._busy)

    def enter(self, connection: Connection) -> bool:
        """Whether there is a place for it. Where all are taken, that of the connection which has waited longest is cleared."""
        if len(self) >= self._places:
            oldest = next(iter(self._idle), None)
            if oldest is None:
                self._full.warn("all %d connections are in the middle of a request: another one was refused", self._places)
                return False
            del self._idle[oldest]
            oldest.leave()
        self._idle[connection] = self._clock()
        return True

    def turn(self, connection: Connection, *, busy: bool) -> None:
        """It has a request to be answered, or none any more."""
        if busy and self._idle.pop(connection, None) is not None:
            self._busy.add(connection)
        elif not busy and connection in self._busy:
            self._busy.discard(connection)
            self._idle[connection] = self._clock()

    def exit(self, connection: Connection) -> None:
        self._idle.pop(connection, None)
        self._busy.discard(connection)

    def sweep(self) -> None:
        """Close what has been idle for too long, also where a request trickles in."""
        until = self._clock() - IDLE_SECONDS
        while self._idle and next(iter(self._idle.values())) <= until:
            oldest = next(iter(self._idle))
            del self._idle[oldest]
            oldest.leave()


class Seldom:
    """A warning that is repeated once a minute at most, however often there is a reason for it."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._again = -1.0

    def warn(self, text: str, *arguments: object) -> None:
        if self._clock() >= self._again:
            self._again = self._clock() + _SILENCE
            _log.warning(text, *arguments)


def watch_accepting(loop: asyncio.AbstractEventLoop) -> None:
    """A loop that cannot take a connection says so for each try, with a traceback; once a minute is enough."""
    seldom = Seldom()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, OSError) and str(context.get("message", "")).startswith("socket.accept()"):
            seldom.warn("no connection can be taken: %s", printable(error.strerror or str(error)))
        else:
            loop.default_exception_handler(context)

    loop.set_exception_handler(handle)
