"""The Bucket view over 1,000,000 rows, at 140x45: to open it, and how soon keys are answered, at rest and amid other work.

A key is answered when the row that it led to is painted. Bounds to compare with: 200 ms to open, 33 ms for 95 keys in 100.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import quantiles

from textual.pilot import Pilot

from kumoss_console.services.bucket.service import BucketSnapshot, StateRow
from screens.bucket.screen import BucketScreen
from tests.screens.objects import INFRA, NET
from tests.screens.world import LARGE, World, settle, view_of
from tests.waiting import wait_until

ROWS = 1_000_000
PRESSED = 150
MOVES = ("j", "j", "ctrl+f", "j", "k", "ctrl+b", "G", "k", "g", "ctrl+d")
WRITTEN = datetime(2026, 11, 30, tzinfo=UTC)


def snapshot_of(count: int) -> BucketSnapshot:
    """States as a listing would have them: one in ten of a known owner, one in a thousand locked."""
    rows = tuple(_row(number) for number in range(count))
    return BucketSnapshot(
        rows=rows, objects=count, states=count, locks=count // 1000, orphans=count, others=0, complete=True, at=WRITTEN
    )


def _row(number: int) -> StateRow:
    digest = hashlib.sha256(str(number).encode()).hexdigest()
    return StateRow(
        key=f"{digest}/terraform.tfstate",
        kind="state",
        project_id=digest,
        owner=(INFRA, NET)[number % 2] if number % 10 == 0 else None,
        size=number % 50_000,
        modified=WRITTEN - timedelta(seconds=number * 7919 % 100_000_000),
        locked=number % 1000 == 0,
        locked_at=WRITTEN if number % 1000 == 0 else None,
        etag=f'"{number:x}"',
    )


async def _painted(screen: BucketScreen) -> None:
    """Until all that was asked for so far is on the screen: through the queues of the application and the table, then a paint."""
    done = asyncio.Event()
    screen.app.call_later(lambda: screen.table.call_later(lambda: screen.table.call_after_refresh(done.set)))
    await done.wait()


async def answered(pilot: Pilot[None], screen: BucketScreen, keys: Sequence[str]) -> list[float]:
    """Seconds until what each key led to was painted."""
    seconds = []
    for key in keys:
        began = time.perf_counter()
        pilot.app.simulate_key(key)
        await _painted(screen)
        seconds.append(time.perf_counter() - began)
        # A person's next key, quick as it may be, does not come in the same instant.
        await asyncio.sleep(0.005)
    return seconds


async def _while(work: Callable[[], Awaitable[None]], pilot: Pilot[None], screen: BucketScreen) -> tuple[list[float], float]:
    """The answers to keys from before ``work`` is asked for until what it asked for is shown, and how long that took."""
    shown = screen.table.source
    began = time.perf_counter()
    await work()
    seconds: list[float] = []
    while not screen.arranged:
        seconds += await answered(pilot, screen, MOVES)
    took = time.perf_counter() - began
    assert screen.table.source is not shown
    return seconds, took


def _told(what: str, seconds: Sequence[float]) -> tuple[str, str]:
    cuts = quantiles(seconds, n=100) if len(seconds) > 1 else [*seconds] * 99
    return (
        what,
        f"p50 {cuts[49] * 1000:.1f} ms, p95 {cuts[94] * 1000:.1f} ms, worst {max(seconds) * 1000:.0f} ms ({len(seconds)} keys)",
    )


async def main() -> list[tuple[str, str]]:
    snapshot = snapshot_of(ROWS)
    rows: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        async with world.console(view="bucket", size=LARGE) as pilot:
            await settle(pilot)
            screen = view_of(pilot)
            assert isinstance(screen, BucketScreen)
            began = time.perf_counter()
            screen.snapshot = snapshot
            await _painted(screen)
            rows.append((f"{ROWS:,} rows, open", f"{(time.perf_counter() - began) * 1000:.0f} ms"))
            seconds = []
            while not screen.arranged:
                seconds += await answered(pilot, screen, ("j",))
            rows.append(_told("keys while it is ordered by owner", seconds))
            rows.append(("ordered by owner after", f"{time.perf_counter() - began:.1f} s"))
            keys = [MOVES[number % len(MOVES)] for number in range(PRESSED)]
            spent = time.process_time()
            rows.append(_told("keys at rest", await answered(pilot, screen, keys)))
            rows.append(("CPU of a key at rest", f"{(time.process_time() - spent) / PRESSED * 1000:.1f} ms"))
            for what, work in (
                ("sorting by age", lambda: _ask(screen, sorting="modified")),
                ("filtering", lambda: _ask(screen, words="abc net")),
            ):
                seconds, took = await _while(work, pilot, screen)
                rows += [_told(f"keys amid {what}", seconds), (f"{what} done after", f"{took:.1f} s")]
            await wait_until(lambda: screen.arranged)
    return rows


async def _ask(screen: BucketScreen, *, sorting: str = "", words: str = "") -> None:
    if sorting:
        screen.sorting = type(screen.sorting)(sorting)
    else:
        screen.narrowed = words
