"""Running async work to its end, or to an interrupt, without waiting for threads that wait for the network."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_FAREWELL_SECONDS = 1.0


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """The result of ``main``; ^C cancels it and raises :class:`KeyboardInterrupt` once its cleanup is done.

    ``Runner.close`` is not used: it joins the default executor, where a name that no server resolves can hang for minutes.
    """
    runner = asyncio.Runner()
    try:
        return runner.run(main)
    finally:
        _close(runner.get_loop())


def _close(loop: asyncio.AbstractEventLoop) -> None:
    try:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=_FAREWELL_SECONDS))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        asyncio.set_event_loop(None)
        loop.close()
