"""Numbers of JSON as they are written.

Engines compute with 512 bits, and what nobody computes with (attributes) they pass on as text. A float has 53 bits and ends at
1e308: what is shown must be what is written, and a number that a float cannot hold must not be the end of the document.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

import msgspec
from msgspec import Raw

_LONGEST_INT = 4_000
"""Digits of a whole number that is decoded as one; the decoder refuses those of more than 4,300."""
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]{%d,}(?![0-9.eE])' % _LONGEST_INT, re.DOTALL)
_WIDE = "e+0000000"
"""Makes a whole number one that the hook is asked about."""


class Number(Decimal):
    """A number with a fraction or an exponent, or a very long one. ``text`` is what is written; it compares by value.

    One whose exponent is beyond any reckoning equals only what is written like it.
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        written = text.removesuffix(_WIDE)
        try:
            made = super().__new__(cls, written)
        except InvalidOperation:
            made = super().__new__(cls, "NaN")
        made.text = written
        return made

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        if self.is_nan():
            return isinstance(other, Number) and self.text == other.text
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self.text) if self.is_nan() else super().__hash__()


def _written(value: object) -> Raw:
    if isinstance(value, Number):
        return Raw(value.text.encode())
    raise TypeError(f"no JSON form for {type(value).__name__}")


ENCODER = msgspec.json.Encoder(decimal_format="number", enc_hook=_written)
"""JSON of decoded values, every number as it was written."""


def is_out_of_range(error: msgspec.DecodeError) -> bool:
    """Whether the decoder gave up on a whole number for its length: :func:`widened` lets it read the document."""
    return "out of range" in str(error)


def widened(raw: bytes) -> bytes:
    """JSON in which very long whole numbers have an exponent, so that they become a :class:`Number` without one."""
    return _TOKEN.sub(lambda found: found[0] if found[0][:1] == b'"' else found[0] + _WIDE.encode(), raw)


def as_int64(value: object) -> int | None:
    """The whole number that engines make of a key: they read a float and cut off its fraction. ``None`` for what no float holds
    and for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    if number != number or number in (float("inf"), float("-inf")):
        return None
    # Beyond 64 bits it is what the processors of most machines make of it.
    return int(number) if -(2.0**63) <= number < 2.0**63 else -(2**63)
