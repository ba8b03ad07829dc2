"""Locks that a store keeps on the object itself: what a look at the object has told of them already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kumoss_console.ports.objects import ObjectInfo

if TYPE_CHECKING:
    from kumoss_console.model.lock import LockDocument

LeaseStatus = Literal["unlocked", "locked"]


def lease_on(info: ObjectInfo) -> tuple[LeaseStatus, LockDocument | None] | None:
    """Whether the object is locked, and by what; ``None`` where the store keeps locks as objects beside the state."""
    if info.leased is None:
        return None
    return ("locked", info.lock) if info.leased else ("unlocked", None)
