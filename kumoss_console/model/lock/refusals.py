"""How a removal ends that would have taken another lock than the one that was looked at. Whoever keeps the lock says it so."""

from __future__ import annotations

from kumoss_console.errors import Refused
from kumoss_console.model.lock.document import plain
from kumoss_console.text import printable

AGAIN = "look again (state locks), then decide again"


def lock_none(key: str, *, state: bool | None) -> Refused:
    """No lock is on ``key``. ``state`` is whether a state lies there, ``None`` where that is not known."""
    shown = printable(key)
    if state is False:
        return Refused(
            f"there is no lock on {shown}, and no state either: nothing was removed",
            hint="check the key (state locks lists every lock that is held, state list every state)",
            code="lock.none",
        )
    return Refused(
        f"{shown} is not locked: nothing was removed",
        detail="" if state else "whether a state is there could not be looked at",
        hint="nothing is left to do, unless a new run takes the lock: state locks shows it then",
        code="lock.none",
    )


def lock_otherwise(key: str) -> Refused:
    """The store answered to ``key``, which it does not list: it takes it for another one."""
    meant = printable(plain(key))
    return Refused(
        f"{printable(key)} is not a key of this store, which takes it for another one: nothing was removed",
        detail="it answers to the key, and does not list it: slashes in front, or next to each other, mean nothing to it",
        hint=f"if the lock on {meant} is meant, look at that one first (state locks {meant})",
        code="lock.other_spelling",
    )


def lock_gone(key: str, *, detail: str = "") -> Refused:
    """The lock on the state ``key`` was there and is not any more: its holder released it, or somebody else removed it."""
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
