"""How grave a held lock is, judged once for whoever shows it. Pure.

A lock is how engines work, so a young one is no news. One that outlived every job has a holder that died; one that nobody can
read cannot be traced to a holder; one without a state is a first apply or what an apply left behind; one from the future tells
that two clocks differ, so that its age is not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import LockDocument
from kumoss_console.model.lock.taken import CLOCKS_DIFFER
from kumoss_console.services.bucket.service import HeldLock, StateRow

LONG_HELD = timedelta(hours=1)
"""A lock held longer than the core waits for any job (``job_timeout``, 3600 s) is a holder that died, or a very long apply."""
FUTURE = "in the future (clocks differ)"


@dataclass(frozen=True, slots=True, kw_only=True)
class LockJudgement:
    """``age`` is how long it is held, ``None`` where that cannot be told; ``future`` says that the clocks are why. ``odd`` is
    what is wrong beside the age, for printing after a semicolon, or empty; it may hold external text."""

    severity: Severity
    age: timedelta | None
    future: bool = False
    odd: str = ""

    @property
    def held(self) -> str:
        """``held 3 h 12 min``, why that is not known, or nothing."""
        if self.future:
            return f"taken {FUTURE}"
        return f"held {in_words(self.age)}" if self.age is not None else ""


def judged(held: HeldLock, now: datetime) -> LockJudgement:
    """A lock that was read, or that could not be."""
    if held.lock is None and held.document is not None:
        odd = "it cannot be read" + (f": {held.document.reason}" if held.document.reason else "")
        return _judged(held.since, now, Severity.ERROR, odd)
    if held.error is not None:
        return _judged(held.since, now, Severity.WARNING, f"who holds it is not known: {held.error.title}")
    long = _when_long_held(held.document)
    if held.stateless:
        return _judged(held.since, now, Severity.WARNING, "there is no state beside it", long=long)
    return _judged(held.since, now, Severity.INFO, "", long=long)


def judged_row(row: StateRow, now: datetime) -> LockJudgement:
    """A lock of which only the listing is known."""
    return judged(HeldLock(key=row.key, owner=None, lock=None, since=row.locked_at, stateless=row.kind == "lock"), now)


def _judged(
    since: datetime | None, now: datetime, least: Severity, odd: str, *, long: Severity = Severity.ERROR
) -> LockJudgement:
    """``long`` is how grave it is to be held long."""
    age = None if since is None else now - since
    if age is not None and age < -CLOCKS_DIFFER:
        return LockJudgement(severity=_graver(least, Severity.WARNING), age=None, future=True, odd=odd)
    if age is not None and age > LONG_HELD:
        least = _graver(least, long)
    return LockJudgement(severity=least, age=age, odd=odd)


def _when_long_held(document: LockDocument | None) -> Severity:
    """How grave it is that the lock was taken long ago, by its metadata: another run may have the lease since a moment ago."""
    if document is not None and document.unasked:
        return Severity.WARNING
    return Severity.INFO if document is not None and document.ends_by_itself else Severity.ERROR


def _graver(one: Severity, other: Severity) -> Severity:
    order = tuple(Severity)
    return min(one, other, key=order.index)
