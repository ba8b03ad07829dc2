"""Two states of 34 MB against each other, beside the typed decode of both: nothing differs, one value does, and everything does.

From the bytes on, as a history has them. Figures are medians of rounds that alternate in one run.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from statistics import median

from kumoss_console.model.statediff import StateDiff, diff, recorded
from tests.model.state_generated import generated
from tests.screens.state_bench import decoded

MEGABYTES = 34.0
_ROUNDS = 5
_ID = re.compile(rb'"id":\s*"')


async def main() -> list[tuple[str, str]]:
    one = generated(MEGABYTES)
    versions = {
        "equal": one.replace(b'"serial":', b'"serial": '),
        "one value": b"m5.metal".join(one.rsplit(b"m5.large", 1)),
        "every object": _ID.sub(b'"id":"other-', one),
    }
    found: dict[str, list[float]] = {"two typed decodes": [], **{f"diff, {name}": [] for name in versions}}
    counts: dict[str, int] = {}
    for _ in range(_ROUNDS):
        found["two typed decodes"].append(_timed(lambda: (decoded(one), decoded(one))))
        for name, other in versions.items():
            found[f"diff, {name}"].append(_timed(lambda other=other: _compare(one, other)))  # type: ignore[misc]  # bound on purpose
            counts[name] = len(_compare(one, other).changes) if name not in counts else counts[name]
    figures = {what: median(seconds) for what, seconds in found.items()}
    base = figures["two typed decodes"]
    return [
        ("megabytes of each", f"{len(one) / 1e6:>8.1f}"),
        *((what, f"{seconds * 1000:>8.0f} ms  {seconds / base:>5.2f} x") for what, seconds in figures.items()),
        *((f"changes, {name}", f"{count:>8,}") for name, count in counts.items()),
    ]


def _compare(one: bytes, other: bytes) -> StateDiff:
    return diff(recorded(one, label="before"), recorded(other, label="after"))


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
