"""Where work that takes the CPU runs, as the services see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class OffLoop(Protocol):
    """Runs a function beside the event loop. The process's bridge of daemon threads satisfies it, and so does
    ``asyncio.to_thread``, whose threads hold the exit of the program until they are done."""

    def __call__(self, function: Callable[[], T], /) -> Awaitable[T]: ...
