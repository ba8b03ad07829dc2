"""How often a listing that still arrives is shown: ordering a million rows all the time would leave time for nothing else."""

from __future__ import annotations

from collections.abc import Callable

from kumoss_console.services.bucket.service import BucketSnapshot
from screens.bucket.listing import newer


class Arrivals:
    """Takes every snapshot and hands on those that are worth showing now; ``ready`` says whether the last one was rested from."""

    def __init__(self, show: Callable[[BucketSnapshot], None], ready: Callable[[], bool]) -> None:
        self._show = show
        self._ready = ready
        self._shown: BucketSnapshot | None = None
        self._waiting: BucketSnapshot | None = None

    def take(self, snapshot: BucketSnapshot) -> None:
        """Show it, keep it for later, or leave it: rows that an earlier listing found are never taken away."""
        if newer(self._shown, snapshot) is not snapshot:
            return
        if snapshot.complete or self._ready():
            self._now(snapshot)
        else:
            self._waiting = snapshot

    def finish(self) -> None:
        """The listing ended, in one way or another: what was kept for later is shown."""
        if self._waiting is not None:
            self._now(self._waiting)

    def _now(self, snapshot: BucketSnapshot) -> None:
        self._shown, self._waiting = snapshot, None
        self._show(snapshot)
