"""Texts that repeat something hidden: whole, as a part, or in disguise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from kumoss_console.model.state.disguised import Disguised
from kumoss_console.model.state.uniqueness import reads_as_a_name
from kumoss_console.text import MASK

_SHORTEST_COPY = 4
_SHORTEST_PART = 6
"""Characters a hidden text must have before its copies are hidden, whole or as a part."""
_SHORTEST_EVERYWHERE = 6
"""Before they are hidden in other objects than its own: shorter ones are in other texts by chance."""
_DEEPEST = 200
# Numbers, versions, addresses, ranges and times; names of a few words, as engines, regions and zones have.
_TRIVIAL = re.compile(
    r"[\d.,:/+TZ_-]+|[a-z]+(?:[-_./][a-z]+){0,2}(?:[-_.]\d{1,2}[a-z]?)?|[A-Z]+(?:[-_.][A-Z]+){0,2}|[A-Z][a-z]+(?: [A-Z][a-z]+)?"
)
_LONGEST_TRIVIAL = 24


class Copies:
    """Finds what repeats one of ``secrets``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(text for text in secrets if len(text) >= _SHORTEST_COPY)
        self._parts = tuple(secret for secret in self._secrets if len(secret) >= _SHORTEST_PART)
        self._disguised = Disguised(self._secrets)

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def repeats(self, text: str) -> bool:
        """Whether ``text`` is a secret, holds one, or is one in disguise."""
        if not self._secrets:
            return False
        return text in self._secrets or any(part in text for part in self._parts) or self._disguised.has(text)

    def everywhere(self, text: str) -> bool:
        """As :meth:`repeats`, for a text of another object: what names an object of a cloud stays, whatever is part of it."""
        return self.repeats(text) and not reads_as_a_name(text)

    def has(self, text: str) -> bool:
        """Whether ``text`` is one of them."""
        return text in self._secrets

    def over(self, value: Any, depth: int = 0) -> Any:
        """JSON data of another object, with a mask in place of what repeats one of them."""
        if not self._secrets or depth > _DEEPEST:
            return value
        if isinstance(value, str):
            return MASK if self.everywhere(value) else value
        if isinstance(value, dict):
            return {key: self.over(item, depth + 1) for key, item in value.items()}
        return [self.over(item, depth + 1) for item in value] if isinstance(value, list) else value

    @cached_property
    def _needles(self) -> tuple[bytes, ...] | None:
        """What bytes in lower case have at least where such a text is in them; ``None`` where bytes cannot be asked."""
        if not all(secret.isascii() for secret in self._secrets):
            return None
        return tuple(_needles(self._secrets, self._disguised))

    def may_be_in(self, raw: bytes) -> bool:
        """Whether undecoded JSON can hold such a text. Escapes and other scripts may hide one: then it can."""
        if not self._secrets:
            return False
        low = raw.lower()
        return self._needles is None or b"\\" in raw or not raw.isascii() or any(needle in low for needle in self._needles)

    def __repr__(self) -> str:
        return f"Copies({len(self._secrets)} texts)"


def _needles(secrets: Iterable[str], disguised: Disguised) -> Iterator[bytes]:
    for secret in secrets:
        # The better half is what a text that was cut off has at least.
        yield secret[: (len(secret) + 1) // 2].lower().encode()
    for form in disguised.forms:
        yield form.encode()


def copies_of_outputs(outputs: Iterable[Any]) -> Copies:
    """Of the values of sensitive outputs, decoded: what an author calls sensitive is so in the object that it comes from, too.

    Texts that say little are left out: whole outputs are called sensitive for one password in them, and the regions, ports and
    names beside it are in every object.
    """
    return Copies(text for value in outputs for text in _texts(value, 0) if _says_much(text))


def _says_much(text: str) -> bool:
    if len(text) < _SHORTEST_EVERYWHERE or reads_as_a_name(text):
        return False
    return len(text) > _LONGEST_TRIVIAL or _TRIVIAL.fullmatch(text) is None


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth <= _DEEPEST:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)


NO_COPIES = Copies()
"""Of nothing."""
