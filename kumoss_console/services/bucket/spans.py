"""How a listing is cut into ranges of keys that can be asked for at the same time. Pure.

A store gives at most 1,000 keys a page and the way to the next page only with the page before. But keys of the core begin with a
digest, so their hex digits are spread evenly: how far the first full page got tells how much is left, and where it can be cut
into parts of a page each. A part that is fuller than that is cut again; one that is not full ends the matter. Any other key lies
between two digits' worth of keys like all others: ranges are of keys, not of digests, and together they hold every key there is.

Ranges rest on the store's order being that of the bytes of the keys, and on its starting where it was asked to.
:func:`take` raises :class:`OtherOrder` where a page shows otherwise.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kumoss_console.ports.objects import ListingPage, ObjectInfo

PAGE = 1000
"""Keys of a full page: no store gives more."""
PIECES = 32
"""Parts that a range is cut into at most: as many as are worth asking for at the same time, and what a wrong guess may cost."""

_FULL = 0.95
"""How full the page of a part is meant to be: chance varies a thousand keys by three in a hundred."""
_BOUND = 6
"""Hex digits of a bound between two parts: tells 16 million digests apart."""
_DIGITS = 13
"""Hex digits that are looked at of a key: what a float holds."""
_ALL = float(16**_DIGITS)
_REST = 0.02
"""Share of a range that the keys behind its last digit are taken for, where nothing is known of them."""
_TRAILING_HEX = re.compile(r"[0-9a-f]*\Z")
_LEADING_HEX = re.compile(rf"[0-9a-f]{{0,{_DIGITS}}}")


class OtherOrder(Exception):
    """The store's order is not that of the keys' bytes, or it does not start where it was asked to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The keys behind ``after`` up to ``until``, that one included; ``None`` is the end of the bucket.

    ``cursor`` leads on where a page has been seen, whose last key was ``last``. ``limit`` is what a page of it need not exceed.
    ``weight`` is the share of the whole listing that is still to come from here.
    """

    after: str = ""
    until: str | None = None
    cursor: str | None = None
    last: str | None = None
    limit: int = PAGE
    weight: float = 1.0


WHOLE = Span()


def take(span: Span, page: ListingPage) -> tuple[tuple[ObjectInfo, ...], tuple[Span, ...]]:
    """What of a page belongs to the span, and what of the span is still to be asked for."""
    keys = [info.key for info in page.objects]
    floor = span.last if span.last is not None else span.after or None
    if any(former >= latter for former, latter in pairwise(keys)) or (keys and floor is not None and keys[0] <= floor):
        raise OtherOrder
    if span.until is not None and keys and keys[-1] > span.until:
        return page.objects[: bisect_right(keys, span.until)], ()
    if page.cursor is None:
        return page.objects, ()
    if not keys:
        # Nothing, and more to come: one page at a time knows how to deal with that.
        raise OtherOrder
    return page.objects, _rest(replace(span, cursor=page.cursor, last=keys[-1]), keys)


def _rest(span: Span, keys: Sequence[str]) -> tuple[Span, ...]:
    stem = _stem(keys[0], keys[-1])
    end = f"{stem}g"
    if len(keys) < 2 or keys[-1] >= end:
        # One key, no digits, or behind all of them: nothing tells where to cut.
        return (replace(span, limit=PAGE),)
    beyond = span.until is None or span.until > end
    first, last = _place(stem, keys[0]), _place(stem, keys[-1])
    until = 1.0 if span.until is None or beyond else _place(stem, span.until)
    if last <= first:
        return _parts(span, [], end if beyond else None, span.weight, PAGE)
    expected = max(0.0, until - last) * (len(keys) - 1) / (last - first)
    size = PAGE if len(keys) >= span.limit else len(keys)
    pieces = min(PIECES, math.ceil(expected / (size * _FULL)))
    weight = span.weight * expected / (expected + len(keys))
    if pieces <= 1:
        return (replace(span, weight=weight, limit=PAGE if beyond else _enough(expected)),)
    bounds = [stem + _digits(last + (until - last) * number / pieces) for number in range(1, pieces)]
    highest = end if span.until is None or beyond else span.until
    bounds = [bound for bound in dict.fromkeys(bounds) if keys[-1] < bound < highest]
    return _parts(span, bounds, end if beyond else None, weight, _enough(expected / (len(bounds) + 1)))


def _parts(span: Span, bounds: Sequence[str], end: str | None, weight: float, limit: int) -> tuple[Span, ...]:
    """The span cut at ``bounds``, and at ``end``, behind which nothing is known of its keys."""
    tail = weight * _REST if end is not None else 0.0
    each = (weight - tail) / (len(bounds) + 1)
    stops = (*bounds, end if end is not None else span.until)
    parts = [replace(span, until=stops[0], weight=each, limit=limit)]
    parts += [Span(after=low, until=high, weight=each, limit=limit) for low, high in pairwise(stops) if low]
    if end is not None:
        parts.append(Span(after=end, until=span.until, weight=tail))
    return tuple(parts)


def _enough(expected: float) -> int:
    """A page that holds what is expected, and what chance may add to it."""
    return min(PAGE, math.ceil(expected + 2 * math.sqrt(expected)) + 8)


def _stem(one: str, other: str) -> str:
    """What both keys begin with, without the hex digits at its end."""
    length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return _TRAILING_HEX.sub("", one[:length], count=1)


def _place(stem: str, key: str) -> float:
    """Where a key lies among all digits behind the stem, from 0 to 1."""
    if not key.startswith(stem):
        return 0.0 if key < stem else 1.0
    rest = key[len(stem) : len(stem) + _DIGITS]
    found = _LEADING_HEX.match(rest)
    digits = found[0] if found is not None else ""
    following = rest[len(digits) : len(digits) + 1]
    if "9" < following < "a":
        digits += "9"
    # What is no digit lies before, between or behind those that are.
    return int(digits.ljust(_DIGITS, "f" if following > "9" else "0"), 16) / _ALL


def _digits(place: float) -> str:
    return f"{min(int(place * 16**_BOUND), 16**_BOUND - 1):0{_BOUND}x}"


def share_behind(key: str) -> float:
    """How much of all digests lies before a key, for listings that go one page after another."""
    return _place("", key)
