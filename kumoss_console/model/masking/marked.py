"""The values of one document that are marked sensitive, and what stands in their place."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.numbers import ENCODER

DEEPEST = 200
"""Levels of marks and values that are walked; what nests deeper under a mark is hidden whole."""
_SHORTEST_WHOLE = 5
"""Bytes of JSON that a marked number or container has before its equals are hidden: ``80`` is everywhere."""
COST = 2**14
"""Of the fingerprint, as scrypt counts it: some 50 ms and 16 MiB for each guess at what is hidden."""


def decoded(raw: bytes | msgspec.Raw) -> Any:
    """Plain values, numbers exact. What nests beyond reason is cut off. Raises :class:`msgspec.DecodeError`."""
    return repair.decode(bytes(raw))[0]


def encoded(value: Any) -> bytes:
    return ENCODER.encode(value)


def laid_over(one: Any, other: Any, depth: int = 0) -> Any:
    """Marks of two sides laid over each other: what only becomes sensitive, or only was, is hidden on both."""
    if one is True or other is True or depth > DEEPEST:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: laid_over(one.get(key), other.get(key), depth + 1) for key in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list):
        return [laid_over(a, b, depth + 1) for a, b in zip_longest(one, other)]
    return one or other


class Marked:
    """Numbers what is marked, equal values alike, in the order in which they come: the same document, the same numbers."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._texts: dict[str, bytes] = {}
        self._wholes: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def texts(self) -> Iterator[tuple[str, str]]:
        """Each text that is marked, alone or inside something, with what stands for it."""
        return ((text, self._stand_in(key)) for text, key in self._texts.items())

    def learn(self, value: Any, marks: Any, depth: int = 0) -> None:
        """Remember what ``marks`` (shaped like ``value``, ``True`` where it is sensitive) says of ``value``."""
        if value is None:
            return
        if marks is True or depth > DEEPEST:
            self._remember(value)
        elif isinstance(marks, dict) and isinstance(value, dict):
            for key, inner in marks.items():
                self.learn(value.get(key), inner, depth + 1)
        elif isinstance(marks, list) and isinstance(value, list):
            for item, inner in zip(value, marks, strict=False):
                self.learn(item, inner, depth + 1)

    def _remember(self, value: Any) -> None:
        key = encoded(value)
        self._numbers.setdefault(key, len(self._numbers) + 1)
        if isinstance(value, str):
            self._texts[value] = key
            return
        if not isinstance(value, bool) and len(key) >= _SHORTEST_WHOLE:
            self._wholes.add(key)
        for text in _texts(value):
            inner = encoded(text)
            self._numbers.setdefault(inner, len(self._numbers) + 1)
            self._texts[text] = inner

    def mask(self, value: Any) -> str:
        """What stands for a marked value. It tells equal ones from others, and nothing else."""
        key = encoded(value)
        self._numbers.setdefault(key, len(self._numbers) + 1)
        return self._stand_in(key)

    def equals_one(self, value: Any) -> bool:
        """Whether a number or container is the same as a marked one, which engines do not mark where they repeat it."""
        return bool(self._wholes) and not isinstance(value, str | bool) and encoded(value) in self._wholes

    def fingerprint(self, salt: bytes, cost: int) -> str:
        """Of all hidden values together: another one for any other value, and slow to compute, so that none can be guessed."""
        everything = b"\n".join(sorted(self._numbers))
        return hashlib.scrypt(everything, salt=salt, n=cost, r=8, p=1, dklen=32).hex()

    def _stand_in(self, key: bytes) -> str:
        return f"(sensitive value {self._numbers[key]})"


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth <= DEEPEST:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)
