"""A gate that calls pass through, shut when a test wants a service that hangs."""

from __future__ import annotations

import asyncio


class Gate:
    """Open at first. ``waiting`` counts the calls that stand before it."""

    def __init__(self) -> None:
        self._open = asyncio.Event()
        self._open.set()
        self.waiting = 0

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    async def passed(self) -> None:
        self.waiting += 1
        try:
            await self._open.wait()
        finally:
            self.waiting -= 1
