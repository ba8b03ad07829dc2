"""What a decoded value is, in the engines' words."""

from __future__ import annotations

from decimal import Decimal


def json_type(value: object) -> str:
    """The type of a decoded value as the engines name it."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "null"
