"""The deadline of one call on a bridge thread.

It is set on the event loop, and put off from the bridge thread once that knows how much is coming.
"""

from __future__ import annotations

import asyncio
import time


class Patience:
    """``seconds`` from the moment that :attr:`limit` is entered, unless more is allowed."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._loop = loop
        self.seconds = seconds
        self.limit: asyncio.Timeout | None = None
        self.waits_for = ""
        """What the call waits for other than the store: written on the bridge thread, read where the time is over."""

    def more(self, seconds: float) -> float:
        """Allow ``seconds`` from now on; the monotonic time at which they are over."""
        self.seconds = seconds
        self._loop.call_soon_threadsafe(self._put_off)
        return time.monotonic() + seconds

    def _put_off(self) -> None:
        if self.limit is not None and self.limit.when() is not None and not self.limit.expired():
            self.limit.reschedule(self._loop.time() + self.seconds)
