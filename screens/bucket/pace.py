"""How often rows that still arrive are shown: ordering 100,000 rows ten times a second would leave time for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

SHARE = 4
"""Rest between two showings, in multiples of what the last one took: at most one part in five of the time is spent."""


class Pace:
    """Measures each showing and says whether the next one may begin."""

    def __init__(self) -> None:
        self._rested_at = 0.0

    @property
    def ready(self) -> bool:
        return perf_counter() >= self._rested_at

    @contextmanager
    def showing(self) -> Iterator[None]:
        began = perf_counter()
        yield
        ended = perf_counter()
        self._rested_at = ended + SHARE * (ended - began)
