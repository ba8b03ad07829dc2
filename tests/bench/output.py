"""The output view at 100,000 lines and at 100 MB: to open it, to search all of it, to turn a page, and the longest stall."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from screens.widgets.line_view import LineView
from tests.waiting import wait_until

NEEDLE = "the needle"
LINE = "\x1b[32maws_instance.x[{}]\x1b[0m: Creating... \x1b[1m[id=i-0abc{}]\x1b[0m │\n"
PAGES = 20


class _Shown(App[None]):
    def compose(self) -> ComposeResult:
        yield LineView()

    @property
    def lines(self) -> LineView:
        return self.screen.query_one(LineView)

    def on_mount(self) -> None:
        self.lines.focus()


def _texts() -> Iterator[tuple[str, str]]:
    yield "100,000 lines", "".join(LINE.format(number, number) for number in range(100_000)) + NEEDLE
    block = "".join(LINE.format(number, number) for number in range(10_000))
    yield "100 MB", block * (100_000_000 // len(block.encode())) + NEEDLE
    yield "one line of 10 MB", "x" * 10_000_000 + NEEDLE


async def _watch(stalls: list[float]) -> None:
    """How long the event loop was not free, looked at every millisecond."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        stalls.append(time.perf_counter() - began)


async def _opened(app: _Shown, pilot: Pilot[None], text: str) -> float:
    began = time.perf_counter()
    app.lines.show(text)
    await pilot.pause()
    return time.perf_counter() - began


async def _searched(app: _Shown, pilot: Pilot[None]) -> float:
    began = time.perf_counter()
    app.lines.search(NEEDLE)
    await wait_until(lambda: "match" in app.lines.told, timeout=60)
    seconds = time.perf_counter() - began
    await pilot.pause()
    return seconds


async def _paged(pilot: Pilot[None]) -> float:
    began = time.perf_counter()
    for _ in range(PAGES):
        await pilot.press("ctrl+b")
        await pilot.pause()
    return (time.perf_counter() - began) / PAGES


async def main() -> list[tuple[str, str]]:
    """Each text in a widget of its own, at 140x45."""
    rows = []
    for name, text in _texts():
        app = _Shown()
        async with app.run_test(size=(140, 45)) as pilot:
            await pilot.pause()
            stalls: list[float] = []
            watch = asyncio.create_task(_watch(stalls))
            opened = await _opened(app, pilot, text)
            searched = await _searched(app, pilot)
            paged = await _paged(pilot)
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
        rows += [
            (f"{name}, open", f"{opened * 1000:.0f} ms"),
            (f"{name}, search all of it", f"{searched * 1000:.0f} ms"),
            (f"{name}, a page", f"{paged * 1000:.0f} ms"),
            (f"{name}, longest stall", f"{max(stalls) * 1000:.0f} ms"),
        ]
    return rows
