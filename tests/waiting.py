"""Waiting for facts, never for time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

AT_ONCE = 8.0
"""Seconds: far more than what comes at once needs on a loaded machine, far less than what hangs in a test would take."""


async def wait_until(predicate: Callable[[], bool], *, timeout: float = 30.0) -> None:
    """Return as soon as ``predicate`` holds; fail the test after ``timeout`` seconds.

    The deadline costs nothing where the fact holds; it is long, because a machine under load is no failure.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while not predicate():
        if loop.time() > deadline:
            raise AssertionError(f"still not true after {timeout} s: {predicate}")
        await asyncio.sleep(0.01)
