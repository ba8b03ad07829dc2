"""Equality as JSON has it. Python takes ``true`` for 1, wherever it lies."""

from __future__ import annotations

from typing import Any


def alike(one: Any, other: Any) -> bool:
    """Whether two decoded values are the same: members in any order, numbers by what they are worth."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)
