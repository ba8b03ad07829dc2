"""How fluent a plan of 15,000 resources is: ``python -m tests.screens.plan_bench`` prints the figures."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.pilot import Pilot

from kumoss_console.model.plan import parse_plan
from screens.plan.screen import PlanScreen
from tests.model.plan_generated import generated
from tests.screens.world import LARGE, World, settle


async def measure(resources: int = 15_000) -> Mapping[str, float]:
    """Seconds by what took them; ``megabytes`` is the size of the document. The rest of the console stands on fakes."""
    document = generated(resources)
    found = {"megabytes": len(document) / 1e6}
    started = time.perf_counter()
    plan = parse_plan(document)
    found["parse"] = time.perf_counter() - started
    del document
    with TemporaryDirectory() as folder:
        async with World(Path(folder)).console(size=LARGE) as pilot:
            await settle(pilot)
            started = time.perf_counter()
            await pilot.app.push_screen(PlanScreen(plan, "bench"))
            await pilot.pause()
            found["first paint"] = time.perf_counter() - started
            for name, keys in (
                ("down", "j" * 50),
                ("page down", ["ctrl+f"] * 20),
                ("bottom and top", "Gg" * 5),
                ("open a change", ["g", "j", "j", "j", "j", "enter"]),
                ("open everything below", ["E", "G", "k", "e"]),
                ("one letter of a search", ["slash", *"host-0149"]),
                ("next match", ["enter", *"n" * 10]),
            ):
                found[name] = await _per_key(pilot, list(keys))
    return found


async def _per_key(pilot: Pilot[None], keys: list[str]) -> float:
    """Mean seconds from a key until everything it led to is painted."""
    started = time.perf_counter()
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    return (time.perf_counter() - started) / len(keys)


if __name__ == "__main__":
    large, small = (asyncio.run(measure(resources)) for resources in (15_000, 150))
    print(f"{'resources':<24} {15_000:>9,} {150:>9,}   what the harness itself takes is in both")  # noqa: T201
    for name in large:
        unit, factor = ("MB", 1) if name == "megabytes" else ("ms", 1_000)
        print(f"{name:<24} {large[name] * factor:>9.0f} {small[name] * factor:>9.0f} {unit}")  # noqa: T201
