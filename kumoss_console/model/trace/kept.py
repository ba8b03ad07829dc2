"""Earlier versions of an object: how many a store keeps, or why nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from kumoss_console.model.duration import in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """``earlier`` versions beside the one that a plain read gives, ``newest`` of them; ``deleted`` where the object is gone by a
    delete marker. ``unsupported``: the store lists none; ``unknown``: it was asked in vain, and ``detail`` says why."""

    status: Literal["known", "unsupported", "unknown"]
    earlier: int = 0
    newest: datetime | None = None
    deleted: datetime | None = None
    detail: str = ""

    def words(self, now: datetime) -> str:
        """One clause; never "none" where nobody could look."""
        match self.status:
            case "unsupported":
                return "earlier versions: this store lists none"
            case "unknown":
                return f"earlier versions: could not look ({self.detail})"
        gone = f"deleted {in_words(now - self.deleted)} ago; " if self.deleted is not None else ""
        if not self.earlier:
            return f"{gone}no earlier version is kept"
        plural = "" if self.earlier == 1 else "s"
        age = f", the newest {in_words(now - self.newest)} old" if self.newest is not None else ""
        return f"{gone}{self.earlier:,} earlier version{plural}{age}"
