"""A trace of a large workspace costs no more than reading it: most files are not parsed."""

from __future__ import annotations

from pathlib import Path

from tests.bench.trace import measure, workspace


async def test_two_thousand_files_with_a_block_each_trace_in_under_twice_the_time_of_reading_them(tmp_path: Path) -> None:
    reading, trace = await measure(workspace(tmp_path / "ws", blocks=True))

    assert trace < 2 * reading, f"{trace * 1000:.0f} ms for what takes {reading * 1000:.0f} ms to read"
