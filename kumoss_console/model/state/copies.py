"""Texts that repeat something hidden: whole, as a part, or in disguise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from kumoss_console.model.state.disguised import Disguised
from kumoss_console.model.state.learned import inside, is_trivial, lines_in, long_number, says_much, spellings, texts_of
from kumoss_console.model.state.uniqueness import reads_as_a_name
from kumoss_console.text import MASK

_SHORTEST_COPY = 4
_SHORTEST_PART = 6
"""Characters a hidden text must have before its copies are hidden, whole or as a part."""
_DEEPEST = 200


class Copies:
    """Finds what repeats one of ``secrets``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        told = [text for text in secrets if len(text) >= _SHORTEST_COPY]
        told += [text for text in inside(told) if len(text) >= _SHORTEST_COPY]
        self._secrets = frozenset((*told, *lines_in(told)))
        self._parts = (
            *(secret for secret in self._secrets if len(secret) >= _SHORTEST_PART),
            # In JSON a short one stands between quotes.
            *(f'"{secret}"' for secret in self._secrets if len(secret) < _SHORTEST_PART and not is_trivial(secret)),
        )
        self._disguised = Disguised(frozenset(told))

    def __bool__(self) -> bool:
        return bool(self._secrets)

    def repeats(self, text: str) -> bool:
        """Whether ``text`` is a secret, holds one, or is one in disguise."""
        if not self._secrets:
            return False
        if text in self._secrets:
            return True
        return any(any(part in said for part in self._parts) or self._disguised.has(said) for said in spellings(text))

    def repeats_number(self, value: Any) -> bool:
        """Whether ``value`` is a number of many digits that is a secret."""
        return bool(self._secrets) and (written := long_number(value)) is not None and written in self._secrets

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
        return (
            self._needles is None
            or b"\\" in raw
            or b"%" in raw
            or not raw.isascii()
            or any(needle in low for needle in self._needles)
        )

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
    return Copies(text for value in outputs for text in texts_of(value) if says_much(text))


NO_COPIES = Copies()
"""Of nothing."""
