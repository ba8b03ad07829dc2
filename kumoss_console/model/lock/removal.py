"""A lock that was removed on a person's word, and what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from kumoss_console.model.lock.document import LockMechanism

RemovalOutcome = Literal["begun", "removed", "kept"]
"""``begun`` is not known: the console ended before the answer came. ``kept`` is a removal that was refused, or failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A lock that somebody removed with this console, or was about to. ``document`` is what the lock said, whole.

    ``entry`` is the journal's own number. ``by`` is ``user@host`` of this machine. ``despite`` are the jobs that were named to
    override; ``note`` is what could not be made sure of, or why the lock was kept.
    """

    entry: int = 0
    context: str
    store: str
    key: str
    mechanism: LockMechanism
    where: str
    lock_id: str
    document: bytes
    proof: str | None
    by: str
    at: datetime
    despite: tuple[str, ...] = ()
    outcome: RemovalOutcome = "begun"
    note: str = ""
