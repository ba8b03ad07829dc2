"""How a service that gives no answers is left in peace: one question now and then, and more time after each."""

from __future__ import annotations

from datetime import datetime, timedelta

from kumoss_console.errors import BadAnswer, ServiceError
from kumoss_console.ports.sidecar import Busy

FIRST = 1.0
LONGEST = 30.0


class Patience:
    """Nonsense about one job makes the looks at that job rarer; no answer at all, or a refusal, those at every job."""

    def __init__(self) -> None:
        self.error: ServiceError | None = None
        """Why the service could not be asked last, ``None`` while it answers."""
        self._failures = 0
        self._until: datetime | None = None
        self._odd: dict[int, tuple[int, datetime]] = {}

    @property
    def odd(self) -> frozenset[int]:
        """The entries about which the service tells nonsense."""
        return frozenset(self._odd)

    def answered(self, entry: int) -> None:
        self.error = None
        self._failures = 0
        self._until = None
        self._odd.pop(entry, None)

    def failed(self, entry: int, error: ServiceError, now: datetime) -> None:
        if isinstance(error, BadAnswer):
            times = self._odd.get(entry, (0, now))[0] + 1
            self._odd[entry] = (times, now + _pause(times))
            return
        if self._until is None or now >= self._until:
            # The looks that were under way together tell of one silence, not of many.
            self._failures += 1
            self._until = now + _pause(self._failures)
        if isinstance(error, Busy) and error.retry_after:
            self._until = max(self._until, now + timedelta(seconds=error.retry_after))
        self.error = error

    def may_ask(self, entry: int, now: datetime) -> bool:
        if self._until is not None and now < self._until:
            return False
        odd = self._odd.get(entry)
        return odd is None or now >= odd[1]

    def at_once(self, usual: int) -> int:
        """How many looks may be under way: one, until a service that gave no answer gives one."""
        return usual if self.error is None else 1


def _pause(times: int) -> timedelta:
    doubled: float = FIRST * 2.0 ** min(times - 1, 10)
    return timedelta(seconds=min(doubled, LONGEST))
