"""Numbers as the engines hold them: exact where they are whole, decimal with 150 digits elsewhere."""

from __future__ import annotations

import re
from decimal import Context, Decimal, InvalidOperation

Number = int | Decimal

_FORM = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_DIGITS = 400
CONTEXT = Context(prec=150)


def number(text: str) -> Number | None:
    """The number that ``text`` spells in full; ``None`` where it spells none (or one with more than 400 digits)."""
    if len(text) > _DIGITS or not _FORM.fullmatch(text):
        return None
    try:
        return whole(CONTEXT.create_decimal(text))
    except InvalidOperation:
        return None


def whole(value: Decimal) -> Number:
    """An ``int`` where the value is one and can be written out."""
    if value.is_finite() and value.adjusted() < _DIGITS and value == value.to_integral_value(context=CONTEXT):
        return int(value)
    return value


def is_number(value: object) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def number_text(value: Number) -> str:
    """As the engines write it into a string: plain digits, no exponent."""
    return str(value) if isinstance(value, int) else f"{value.normalize(CONTEXT):f}"
