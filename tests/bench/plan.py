"""The plan view at 15,000 resources beside a small one: to parse, to paint first, and each key.

What the harness itself takes is in both, so the small plan is what the large one has to be compared with.
"""

from __future__ import annotations

from tests.screens.plan_bench import measure

LARGE, SMALL = 15_000, 150


async def main() -> list[tuple[str, str]]:
    large, small = await measure(LARGE), await measure(SMALL)
    rows = [("resources", f"{LARGE:>8,} {SMALL:>8,}")]
    for what in large:
        unit, factor = ("MB", 1) if what == "megabytes" else ("ms", 1_000)
        name = "size of the document" if what == "megabytes" else what
        rows.append((name, f"{large[what] * factor:>8.1f} {small[what] * factor:>8.1f} {unit}"))
    return rows
