"""Time that moves when a test says so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class FakeClock:
    """A :class:`kumoss_console.ports.clock.Clock`; :meth:`sleep` stands in for ``asyncio.sleep`` and moves time instead."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.advance(seconds)
