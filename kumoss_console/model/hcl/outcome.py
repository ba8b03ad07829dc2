"""What an evaluation gives beside values, and how large a value may be."""

from __future__ import annotations

import unicodedata

LARGEST = 1_000_000
"""Elements or characters of one value; beyond it the engine is left to compute it."""


class Failed:
    """What an expression with an error gives; its problems are noted."""


FAILED = Failed()


def collected(items: tuple[object, ...]) -> object:
    """A list of ``items``; failed where one of them is."""
    return FAILED if any(item is FAILED for item in items) else items


def normal(text: str) -> str:
    """Strings are kept in Unicode's composed form, whatever the file has."""
    return unicodedata.normalize("NFC", text)
