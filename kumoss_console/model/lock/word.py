"""What a person types to remove a lock: its id, else the fingerprint of what lies there. Never a yes."""

from __future__ import annotations

import hashlib

from kumoss_console.model.lock.document import LockDocument
from kumoss_console.text import printable

_LONGEST = 128
_DIGITS = 16
_PREFIX = "sha256:"


def legible_id(document: LockDocument) -> str | None:
    """The id that an engine would take; ``None`` where there is none, or none that can be typed as it is shown."""
    named = document.lock.id if document.lock is not None else ""
    usable = named and len(named) <= _LONGEST and named == named.strip() and printable(named) == named
    return named if usable else None


def unlock_word(document: LockDocument, raw: bytes, proof: str | None) -> str:
    """The id of the lock, else ``sha256:`` and the first 16 digits of its content's SHA-256.

    A lock without any content (a lease that says nothing) is told by its ``proof``. The word is what a person means; that
    nothing else is removed, the proof alone makes sure of.
    """
    if (named := legible_id(document)) is not None:
        return named
    content = raw or (proof or "").encode("utf-8", "surrogatepass")
    return f"{_PREFIX}{hashlib.sha256(content).hexdigest()[:_DIGITS]}"
