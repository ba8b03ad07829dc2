"""Work on very many rows in slices, so that keys are answered while it is done.

A thread would not do: sorting a million rows is one call into C, and holds the interpreter for a second in any thread.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable, Sequence
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")

SLICE = 0.002
"""Seconds of work at a time."""
ROUNDS = 5
"""Rounds of the event loop between two slices: what a key leads to takes ten and more, through the queues of several widgets."""
CHUNK = 512
"""Rows between two looks at the clock: some tenths of a millisecond."""
SMALL = 2000
"""Rows that are sorted at once: two milliseconds."""
_SAMPLED = 8


class Superseded(Exception):
    """Something else was asked for: this is not worth finishing."""


class Pace:
    """Awaited between two pieces of work: gives way to the event loop when a slice is over.

    ``wanted`` is asked then; where the result is not wanted any more, :class:`Superseded` is raised.
    """

    def __init__(self, wanted: Callable[[], bool] = lambda: True) -> None:
        self._wanted = wanted
        self._began = perf_counter()

    async def __call__(self) -> None:
        if perf_counter() - self._began >= SLICE:
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
            if not self._wanted():
                raise Superseded
            self._began = perf_counter()


async def chunks(rows: Sequence[T], pace: Pace) -> AsyncIterator[Sequence[T]]:
    """The rows, some at a time."""
    for start in range(0, len(rows), CHUNK):
        yield rows[start : start + CHUNK]
        await pace()


async def sorted_slowly(rows: Sequence[T], key: Callable[[T], Any], pace: Pace) -> list[T]:
    """``sorted(rows, key=key)``: equal rows stay in their order.

    Rows are dealt into bins by a sample of their keys, and each bin is sorted by itself. Rows with the very key that parts two
    bins have a bin of their own, which needs no sorting: a column may have one value for all rows.
    """
    if len(rows) <= SMALL:
        return sorted(rows, key=key)
    step = max(1, len(rows) // (len(rows) // CHUNK * _SAMPLED))
    sample = await sorted_slowly([key(row) for row in rows[::step]], lambda value: value, pace)
    bounds = list(dict.fromkeys(sample[::_SAMPLED]))
    between: list[list[T]] = [[] for _ in range(len(bounds) + 1)]
    equal: list[list[T]] = [[] for _ in range(len(bounds) + 1)]
    async for some in chunks(rows, pace):
        for row in some:
            value = key(row)
            place = bisect_left(bounds, value)
            same = place < len(bounds) and bounds[place] == value
            (equal if same else between)[place].append(row)
    result: list[T] = []
    for place, bin_ in enumerate(between):
        bin_.sort(key=key)
        result += bin_
        result += equal[place]
        await pace()
    return result
