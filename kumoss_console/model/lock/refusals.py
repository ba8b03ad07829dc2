"""How a removal ends that would have taken another lock than the one that was looked at. Whoever keeps the lock says it so."""

from __future__ import annotations

from kumoss_console.errors import Refused
from kumoss_console.text import printable

AGAIN = "look again (state locks), then decide again"


def lock_gone(key: str, *, detail: str = "") -> Refused:
    """The lock on the state ``key`` is not there any more: its holder has released it, or somebody else has removed it."""
    return Refused(
        f"{printable(key)} is not locked any more: nothing was removed",
        detail=detail,
        hint="nothing is left to do, unless a new run takes the lock: state locks shows it then",
        code="lock.gone",
    )


def lock_changed(key: str, *, detail: str = "") -> Refused:
    """Another lock is on the state ``key`` than the one that was looked at: a living run may hold it."""
    return Refused(
        f"{printable(key)} is locked by another lock than the one that was looked at: nothing was removed",
        detail=detail,
        hint=AGAIN,
        code="lock.changed",
    )
