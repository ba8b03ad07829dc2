"""How often a listing that still arrives is shown: ordering 100,000 rows ten times a second would leave time for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from kumoss_console.services.bucket import BucketSnapshot
from screens.bucket.listing import newer

SHARE = 4
"""Rest between two showings, in multiples of what the last one took: at most one part in five of the time is spent."""


class Arrivals:
    """Takes every snapshot and hands on those that are worth showing now."""

    def __init__(self, show: Callable[[BucketSnapshot], None]) -> None:
        self._show = show
        self._shown: BucketSnapshot | None = None
        self._waiting: BucketSnapshot | None = None
        self._rested_at = 0.0

    def take(self, snapshot: BucketSnapshot) -> None:
        """Show it, keep it for later, or leave it: rows that an earlier listing found are never taken away."""
        if newer(self._shown, snapshot) is not snapshot:
            return
        if snapshot.complete or perf_counter() >= self._rested_at:
            self._now(snapshot)
        else:
            self._waiting = snapshot

    def finish(self) -> None:
        """The listing ended, in one way or another: what was kept for later is shown."""
        if self._waiting is not None:
            self._now(self._waiting)

    def _now(self, snapshot: BucketSnapshot) -> None:
        self._shown, self._waiting = snapshot, None
        began = perf_counter()
        self._show(snapshot)
        ended = perf_counter()
        self._rested_at = ended + SHARE * (ended - began)
