"""What is as secret as a hidden value: the texts and long numbers in it, and what those hold in their turn.

A hidden JSON document has passwords among its members, a hidden base64 text is another one, and a key that is written on several
lines is the same key where each of them is indented.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import unquote, unquote_plus

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.uniqueness import reads_as_a_name

_SHORTEST_EVERYWHERE = 6
"""Characters a text must have to say much: shorter ones are in other texts by chance."""
# Numbers, versions, addresses, ranges and times; names of a few words, as engines, regions and zones have.
_TRIVIAL = re.compile(
    r"[\d.,:/+TZ_-]+|[a-z]+(?:[-_./][a-z]+){0,2}(?:[-_.]\d{1,2}[a-z]?)?|[A-Z]+(?:[-_.][A-Z]+){0,2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?"
)
_LONGEST_TRIVIAL = 24
_SHORTEST_NUMBER = 6
"""Digits of a number whose copies are hidden: ports and sizes are in every object."""
_SHORTEST_LINE = 16
_MOST_LINES = 200
_LONGEST = 1_000_000
"""Characters of a text that is taken apart."""
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}\s*")
_DEEPEST = 200
_DEEPEST_TEXT = 4
"""Documents in documents that are taken apart, and times that a text is taken out of its escapes."""
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\[\"\\/bfnrt]")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def texts_of(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in a decoded value, and its long numbers as they are written."""
    if isinstance(value, str):
        yield value
    elif (number := long_number(value)) is not None:
        yield number
    elif isinstance(value, dict | list) and depth <= _DEEPEST:
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_of(item, depth + 1)


def long_number(value: Any) -> str | None:
    """A number of six digits and more as it is written; ``None`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    written = str(value)
    return written if sum(map(str.isdigit, written)) >= _SHORTEST_NUMBER else None


def says_much(text: str) -> bool:
    """Whether a text that is found elsewhere is there because it is the same secret, and not by chance."""
    if len(text) < _SHORTEST_EVERYWHERE or reads_as_a_name(text):
        return False
    return len(text) > _LONGEST_TRIVIAL or _TRIVIAL.fullmatch(text) is None


def is_trivial(text: str) -> bool:
    """Whether ``text`` is a number, a time, a version or a name of a few words."""
    return _TRIVIAL.fullmatch(text) is not None


def inside(texts: Iterable[str], depth: int = 0) -> Iterator[str]:
    """What hidden texts hold that is hidden with them: without blanks around, members of JSON, what base64 stands for."""
    for text in texts:
        if len(text) > _LONGEST:
            continue
        if (bare := text.strip()) != text:
            yield bare
        if depth < _DEEPEST_TEXT:
            found = [*_members(bare), *_decoded(bare)]
            yield from found
            yield from inside(found, depth + 1)


def lines_in(texts: Iterable[str]) -> Iterator[str]:
    """The lines of hidden texts that say much, without blanks around; not those that every key begins and ends with."""
    for text in texts:
        if "\n" in text and len(text) <= _LONGEST:
            lines = map(str.strip, text.split("\n", _MOST_LINES)[:_MOST_LINES])
            yield from (
                line for line in lines if len(line) >= _SHORTEST_LINE and not line.startswith("-----") and says_much(line)
            )


def spellings(text: str) -> Iterator[str]:
    """``text``, and what it says where it is written with escapes of JSON, several times perhaps, or of addresses."""
    yield text
    level = text
    for _ in range(_DEEPEST_TEXT):
        if "\\" not in level:
            break
        level = _ESCAPED.sub(_plain, level)
        yield level
    if "%" in text:
        yield unquote(text)
        if "+" in text:
            yield unquote_plus(text)


def _plain(found: re.Match[str]) -> str:
    escape = found[0]
    if escape.startswith("\\u"):
        return bytes.fromhex(escape.replace("\\u", "")).decode("utf-16-be", "surrogatepass")
    return _SHORT.get(escape[1], escape[1])


def _members(text: str) -> Iterator[str]:
    if not text.startswith(("{", "[", '"')):
        return
    try:
        value, _ = repair.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return
    yield from (inner for inner in texts_of(value) if says_much(inner))


def _decoded(text: str) -> Iterator[str]:
    if _BASE64.fullmatch(text.replace("\n", "")) is None:
        return
    packed = "".join(text.split()).rstrip("=").translate({ord("-"): "+", ord("_"): "/"})
    try:
        plain = base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return
    if says_much(plain) and all(char.isprintable() or char in "\r\n\t" for char in plain):
        yield plain
