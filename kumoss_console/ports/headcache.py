"""Heads of objects, kept from one start to the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kumoss_console.model.state.head import KnownHead


class HeadCache(Protocol):
    """Heads of objects on disk, by the label of their store, by key and ETag (without quotes). Calls block."""

    def load(self, store: str) -> dict[tuple[str, str], KnownHead]:
        """What was saved for that store; empty where that is nothing, or cannot be read."""
        ...

    def save(self, store: str, heads: Mapping[tuple[str, str], KnownHead]) -> None:
        """Keep them, the ones used last at the end. What cannot be kept is no error: it is read again."""
        ...
