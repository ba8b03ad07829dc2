"""Copies of marked values elsewhere in the document: engines mark an input, and show it again as a plain output.

A plan of 15,000 resources is 135 MB in which most strings come many times, so each distinct one is looked into once, and a
fragment that comes again (``before`` and ``after`` of what does not change, ``planned_values``, ``prior_state``) is not taken
apart again: 0.1 to 0.2 s per 100 MB.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from kumoss_console.model.masking.marked import Marked

SHORTEST_COPY = 4
"""Characters a marked text must have before strings that equal it are hidden."""
SHORTEST_PART = 6
"""Before it is hidden inside other strings: ``"prod"`` is in every other text."""
SHORTEST_IN_KEY = 12
"""Before it is hidden inside the keys of objects, which are the names of attributes nearly always."""
_GRAM = SHORTEST_PART
_STRETCH = 1 << 16
_STRING = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL)


class Copies:
    """Replaces what repeats a marked text, by what stands for it."""

    def __init__(self, marked: Marked) -> None:
        self._exact: dict[bytes, bytes] = {}
        self._parts: dict[bytes, bytes] = {}
        for text, mask in marked.texts:
            if len(text) >= SHORTEST_COPY:
                self._exact[_bytes(text)] = mask.encode()
            for form in _forms(text):
                if len(form) >= SHORTEST_PART:
                    self._parts.setdefault(_bytes(form), mask.encode())
        self._by_gram: dict[bytes, list[bytes]] = {}
        for part in self._parts:
            self._by_gram.setdefault(part[:_GRAM], []).append(part)
        self._seen: set[bytes] = set()
        self._dirty: dict[bytes, bytes] = {}
        self._fragments: dict[bytes, bytes | None] = {}
        self._known: dict[tuple[str, int], str] = {}

    def __bool__(self) -> bool:
        return bool(self._exact or self._parts)

    def text(self, text: str) -> str:
        """``text`` with what it repeats replaced."""
        return self._remembered(text, SHORTEST_PART)

    def key(self, text: str) -> str:
        """:meth:`text` for the key of an object."""
        return self._remembered(text, SHORTEST_IN_KEY)

    def _remembered(self, text: str, shortest: int) -> str:
        try:
            return self._known[text, shortest]
        except KeyError:
            raw = _bytes(text)
            masked = self._value(raw) if shortest == SHORTEST_PART else self._part(raw, shortest)
            known = self._known[text, shortest] = text if masked is None else masked.decode("utf-8", "replace")
            return known

    def fragment(self, raw: bytes | msgspec.Raw) -> bytes | None:
        """A JSON value with every string in it as :meth:`text` has it; ``None`` where nothing has to change."""
        if not self:
            return None
        data = bytes(raw)
        try:
            return self._fragments[data]
        except KeyError:
            masked = self._fragments[data] = self._masked(data)
            return masked

    def _masked(self, data: bytes) -> bytes | None:
        # Outside and inside of strings by turns, whichever way it is split.
        pieces = _STRING.split(data) if b'\\"' in data else data.split(b'"')
        strings = pieces[1::2]
        new = set(strings) - self._seen
        if new:
            self._seen |= new
            for piece in new:
                masked = self._value(_unescaped(piece))
                if masked is not None:
                    self._dirty[piece] = _escaped(masked)
        if not self._dirty or self._dirty.keys().isdisjoint(strings):
            return None
        for at in range(1, len(pieces), 2):
            if pieces[at] in self._dirty:
                pieces[at] = self._replaced(pieces[at], is_key=pieces[at + 1].lstrip().startswith(b":"))
        return b'"'.join(pieces)

    def _replaced(self, piece: bytes, *, is_key: bool) -> bytes:
        if not is_key:
            return self._dirty[piece]
        masked = self._part(_unescaped(piece), SHORTEST_IN_KEY)
        return piece if masked is None else _escaped(masked)

    def _value(self, text: bytes) -> bytes | None:
        return self._exact.get(text) or self._part(text, SHORTEST_PART)

    def _part(self, text: bytes, shortest: int) -> bytes | None:
        found = {part for gram in self._grams(text) for part in self._by_gram[gram] if len(part) >= shortest and part in text}
        if not found:
            return None
        longest_first = sorted(found, key=lambda part: (-len(part), part))
        return re.sub(b"|".join(map(re.escape, longest_first)), lambda match: self._parts[match[0]], text)

    def _grams(self, text: bytes) -> Iterator[bytes]:
        """Beginnings of marked texts that occur in ``text``."""
        if not self._by_gram:
            return
        for start in range(0, len(text) - _GRAM + 1, _STRETCH):
            stretch = text[start : start + _STRETCH + _GRAM - 1]
            yield from self._by_gram.keys() & [stretch[at : at + _GRAM] for at in range(len(stretch) - _GRAM + 1)]


def _forms(text: str) -> Iterator[str]:
    """How a text is repeated inside another: as it is, without the blanks at its ends, inside JSON that is a string."""
    yield text
    yield text.strip()
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield json.dumps(text)[1:-1]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _unescaped(piece: bytes) -> bytes:
    if b"\\" not in piece:
        return piece
    try:
        return _bytes(msgspec.json.decode(b'"%b"' % piece, type=str))
    except msgspec.DecodeError:
        return piece


def _escaped(text: bytes) -> bytes:
    return msgspec.json.encode(text.decode("utf-8", "replace"))[1:-1]
