"""Which elements of two lists belong together, so that one insertion is one line and not a change of all that follows.

The document does not tell lists from sets, so both are matched by equal elements first and by place for what is left between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

_MOST_MATCHED = 200
"""Elements on either side beyond which only the common beginning and end are matched: the matching takes 50 ms there at worst."""


def align(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[tuple[int | None, int | None]]:
    """Pairs of indices, in order; ``None`` where an element has no partner. Elements are compared by what they are given as."""
    start = 0
    shorter = min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        yield start, start
        start += 1
    tail = 0
    while tail < shorter - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    yield from _middle(before[start : len(before) - tail], after[start : len(after) - tail], start)
    for back in range(tail, 0, -1):
        yield len(before) - back, len(after) - back


def _middle(before: Sequence[bytes], after: Sequence[bytes], start: int) -> Iterator[tuple[int | None, int | None]]:
    if max(len(before), len(after)) > _MOST_MATCHED:
        yield from _by_place(range(start, start + len(before)), range(start, start + len(after)))
        return
    for _, a, a_end, b, b_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield from _by_place(range(start + a, start + a_end), range(start + b, start + b_end))


def _by_place(before: range, after: range) -> Iterator[tuple[int | None, int | None]]:
    yield from zip_longest(before, after)
