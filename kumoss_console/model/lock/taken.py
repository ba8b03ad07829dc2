"""When a lock was taken: by its holder's clock, and by that of the store that wrote it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from kumoss_console.model.lock.document import Lock, LockMechanism

CLOCKS_DIFFER = timedelta(seconds=60)
"""How far two machines' clocks may be apart before an age cannot be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """``said`` is what the holder wrote; ``written`` when the store wrote the lock, ``None`` where only more than the lock has
    such a time: a leased blob is written by the run that holds it, too, and a row has none."""

    said: datetime | None = None
    written: datetime | None = None

    @property
    def behind(self) -> timedelta | None:
        """By how much the holder's clock is behind (or how much later the lock was copied); ``None`` where it is not."""
        if self.said is None or self.written is None or self.written - self.said <= CLOCKS_DIFFER:
            return None
        return self.written - self.said

    @property
    def since(self) -> datetime | None:
        """The time to go by: the holder's own, and the store's where that one is later by more than clocks differ."""
        return self.written if self.said is None or self.behind is not None else self.said

    @property
    def times(self) -> tuple[datetime, ...]:
        """Every moment at which it may have been taken; none where nothing is known."""
        return tuple(dict.fromkeys(at for at in (self.said, self.written) if at is not None))


def taken(lock: Lock | None, mechanism: LockMechanism, modified: datetime | None) -> Taken:
    """``modified`` is when the store last wrote what has the lock."""
    said = lock.since if lock is not None else None
    return Taken(said=said, written=modified if mechanism == "object" or said is None else None)
