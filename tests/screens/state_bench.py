"""How fluent a state of 34 MB is: ``python -m tests.screens.state_bench`` prints the figures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from textual.pilot import Pilot

from kumoss_console.model.state import parse_state
from kumoss_console.model.state.wire import StateV4
from kumoss_console.services.states.detail import OpenedState, opened_file
from screens.statedetail.screen import StateDetailScreen
from tests.model.state_generated import generated
from tests.screens.world import LARGE, World, console_of, painted, settle

ROUNDS = 7
NAME = "terraform.tfstate"


class _Instance(msgspec.Struct):
    index_key: str | int | None = None
    status: str | None = None
    deposed: str | None = None
    attributes: dict[str, Any] | None = None
    sensitive_attributes: list[Any] | None = None
    dependencies: list[str] | None = None


class _Resource(msgspec.Struct):
    module: str = ""
    mode: str = ""
    type: str = ""
    name: str = ""
    provider: str = ""
    instances: list[_Instance] = []


class _State(msgspec.Struct):
    """What a program decodes that shows a state and does nothing to be quick: every value of it."""

    version: int
    serial: int
    lineage: str
    outputs: dict[str, Any]
    resources: list[_Resource]


def decoded(raw: bytes) -> object:
    return msgspec.json.decode(raw, type=_State)


async def measure(megabytes: float = 34.0) -> Mapping[str, float]:
    """Seconds by what took them, medians of rounds that alternate. The rest of the console stands on fakes."""
    raw = generated(megabytes)
    found: dict[str, list[float]] = {"typed decode": [], "values skipped": [], "parse": [], "open": []}
    with TemporaryDirectory() as folder:
        async with World(Path(folder)).console(size=LARGE) as pilot:
            await settle(pilot)
            for _ in range(ROUNDS):
                found["typed decode"].append(_timed(lambda: decoded(raw)))
                found["values skipped"].append(_timed(lambda: msgspec.json.decode(raw, type=StateV4)))
                found["parse"].append(_timed(lambda: parse_state(raw)))
                found["open"].append(await _opened(pilot, raw))
                await pilot.app.pop_screen()
                await settle(pilot)
            figures = {what: median(times) for what, times in found.items()}
            await _opened(pilot, raw)
            stalls: list[float] = []
            watch = asyncio.create_task(_watch(stalls))
            for name, keys in (
                ("down", "j" * 20),
                ("page down", ["ctrl+f"] * 10),
                ("bottom and top", "Gg" * 5),
                ("open resources and a module", ["g", "j", "enter", "enter", "j", "enter"]),
                ("open everything below", ["g", "e"]),
                ("page down among all objects", ["ctrl+f"] * 10),
                ("search, a letter", ["slash", *"node-01700"]),
                ("next match", ["enter", *"n" * 10]),
            ):
                figures[name] = await _per_key(pilot, list(keys))
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            figures["longest stall"] = max(stalls)
    return figures


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    kept = work()
    took = time.perf_counter() - started
    del kept
    return took


async def _opened(pilot: Pilot[None], raw: bytes) -> float:
    """Seconds from the bytes on until the tree is painted. What a store takes to send them is not in it."""
    app = console_of(pilot)
    services, at = app.services, app.services.clock()

    async def read() -> OpenedState:
        return await services.off_loop(lambda: opened_file(NAME, raw, at))

    started = time.perf_counter()
    screen = StateDetailScreen(NAME, read)
    app.push_screen(screen)
    while screen.outline is None or not screen.table.visible_rows:  # noqa: ASYNC110 - nothing tells of a paint
        await asyncio.sleep(0.002)
    painted(pilot)
    took = time.perf_counter() - started
    await pilot.pause()
    return took


async def _per_key(pilot: Pilot[None], keys: list[str]) -> float:
    """Mean seconds from a key until everything it led to is painted."""
    started = time.perf_counter()
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    return (time.perf_counter() - started) / len(keys)


async def _watch(stalls: list[float]) -> None:
    """How long the loop was away, again and again."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        stalls.append(time.perf_counter() - began - 0.005)


if __name__ == "__main__":
    large, small = (asyncio.run(measure(megabytes)) for megabytes in (34.0, 0.1))
    for what in large:
        print(f"{what:<30} {large[what] * 1000:>8.0f} {small[what] * 1000:>8.0f} ms")  # noqa: T201
