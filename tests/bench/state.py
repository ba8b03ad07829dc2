"""A state of 34 MB beside a small one: to decode every value of it, to parse, to open on the screen, and each key.

Opening is from the bytes on. What the harness itself takes is in both, so the small state is what keys have to be compared with.
"""

from __future__ import annotations

from tests.screens.state_bench import measure

LARGE, SMALL = 34.0, 0.1


async def main() -> list[tuple[str, str]]:
    large, small = await measure(LARGE), await measure(SMALL)
    rows = [(what, f"{large[what] * 1000:>8.0f} {small[what] * 1000:>8.0f} ms") for what in large]
    return [
        ("megabytes", f"{LARGE:>8.1f} {SMALL:>8.1f}"),
        *rows,
        ("open / typed decode", f"{large['open'] / large['typed decode']:>8.2f}"),
    ]
