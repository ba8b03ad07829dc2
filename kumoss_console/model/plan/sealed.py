"""The values of a change, closed until somebody looks.

A plan holds every attribute in clear, those marked sensitive included. What is marked is replaced while the plan is read, and
the original is not kept; so is whatever repeats a marked value elsewhere in the same change, because engines do not mark
copies (``terraform_data`` shows a sensitive ``input`` again as a plain ``output``); and so is what disguises one (in other case,
as base64, with escapes, cut off). The rest stays undecoded.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from kumoss_console.model.plan.wire import Body
from kumoss_console.model.state import repair
from kumoss_console.model.state.copies import NO_COPIES, Copies
from kumoss_console.model.state.learned import texts_of
from kumoss_console.model.state.numbers import ENCODER
from kumoss_console.text import MASK

__all__ = ["ENCODER", "Sealed", "Values", "is_sealed", "seal"]

Key = str | int | float
ReplacePath = tuple[Key, ...]
_SEALED = "\x00sensitive\x00"
"""Stands for a sensitive value, with a number that says which ones are equal within one change. A plain value that happens to
begin like this is hidden too, which harms nobody."""
_DEEPEST = 200
"""Levels that are walked; what nests deeper is hidden whole where anything in the change is sensitive."""


class Values(NamedTuple):
    """Decoded ``before`` and ``after`` (``None`` where there is nothing), and what is unknown until the apply.

    ``unknown`` mirrors ``after``: ``True`` where a value is not known yet, containers where something inside may be.
    """

    before: Any
    after: Any
    unknown: Any


class Sealed:
    """The values of one change. Not a dataclass on purpose: its ``repr`` must not show what crash reports print."""

    __slots__ = ("_after", "_before", "_unknown", "replace_paths")

    def __init__(self, before: bytes, after: bytes, unknown: bytes, replace_paths: tuple[ReplacePath, ...] = ()) -> None:
        """``replace_paths`` lead to what forces a replacement; they are shown."""
        self.replace_paths = replace_paths
        self._before = before
        self._after = after
        self._unknown = unknown

    def open(self) -> Values:
        """The values; those that are sensitive answer to :func:`is_sealed`. CPU work in the size of the change."""
        return Values(_decode(self._before), _decode(self._after), _decode(self._unknown))

    @property
    def size(self) -> int:
        """Bytes of JSON."""
        return len(self._before) + len(self._after)

    def __repr__(self) -> str:
        return f"Sealed({self.size} bytes)"

    def __reduce__(self) -> str:
        raise TypeError("the values of a plan do not travel")


def is_sealed(value: object) -> bool:
    """Whether ``value`` stands for one that is marked sensitive. Equal stand-ins in one change stand for equal values."""
    return isinstance(value, str) and value.startswith(_SEALED)


def seal(body: Body, *, shared: Copies = NO_COPIES) -> Sealed:
    """The values of ``body`` without what is marked sensitive. Copies: nothing refers to the document afterwards."""
    marked = b"true" in bytes(body.before_sensitive) or b"true" in bytes(body.after_sensitive)
    if not (marked or shared.may_be_in(bytes(body.before)) or shared.may_be_in(bytes(body.after))):
        return Sealed(bytes(body.before), bytes(body.after), bytes(body.after_unknown), _paths(body))
    hide = _Hide(shared)
    before, after = _decode(body.before), _decode(body.after)
    # A value that only becomes sensitive, or only was, is hidden on both sides: it may be the same value.
    marks = _either(_decode(body.before_sensitive), _decode(body.after_sensitive))
    hide.learn(before, marks)
    hide.learn(after, marks)
    hide.learnt()
    return Sealed(
        ENCODER.encode(hide.sealed(before, marks)),
        ENCODER.encode(hide.sealed(after, marks)),
        ENCODER.encode(hide.named(_decode(body.after_unknown))),
        tuple(tuple(map(hide.name, path)) for path in _paths(body)),
    )


def _paths(body: Body) -> tuple[ReplacePath, ...]:
    return tuple(tuple(step for step in path if isinstance(step, str | int | float)) for path in body.replace_paths or ())


def _either(one: Any, other: Any, depth: int = 0) -> Any:
    """Marks of both sides laid over each other."""
    if one is True or other is True or depth > _DEEPEST:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: _either(one.get(key), other.get(key), depth + 1) for key in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list):
        return [_either(a, b, depth + 1) for a, b in zip_longest(one, other)]
    return one or other


def _decode(raw: bytes | msgspec.Raw) -> Any:
    data = bytes(raw)
    return repair.decode(data)[0] if data else None


class _Hide:
    """Replaces marked values of one change, equal ones alike, and texts that repeat them."""

    def __init__(self, shared: Copies) -> None:
        self._shared = shared
        self._numbers: dict[bytes, int] = {}
        self._secrets: set[str] = set()
        self._copies = NO_COPIES

    def learn(self, value: Any, mark: Any, depth: int = 0) -> None:
        """Remember the texts that are marked, until the change is sealed."""
        if depth > _DEEPEST:
            return
        if mark is True:
            self._secrets.update(texts_of(value, depth))
        elif isinstance(mark, dict) and isinstance(value, dict):
            for key, inner in mark.items():
                self.learn(value.get(key), inner, depth + 1)
        elif isinstance(mark, list) and isinstance(value, list):
            for item, inner in zip(value, mark, strict=False):
                self.learn(item, inner, depth + 1)

    def learnt(self) -> None:
        """All marks were seen: what follows may repeat them."""
        self._copies = Copies(self._secrets)

    def sealed(self, value: Any, mark: Any, depth: int = 0) -> Any:
        """``value`` with stand-ins for what is marked or repeats what is marked."""
        if value is None:
            return None
        if mark is True or depth > _DEEPEST or (isinstance(value, str) and self._repeats(value)):
            return f"{_SEALED}{self._number(value)}"
        if _elsewhere(value, mark):
            # The mark was made for another shape of the value: what it would hide in this one, nobody knows.
            return self.sealed(value, True, depth)
        if isinstance(value, dict):
            inner = mark if isinstance(mark, dict) else {}
            return {self.name(key): self.sealed(item, inner.get(key), depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            marks = mark if isinstance(mark, list) else []
            return [
                self.sealed(item, marks[index] if index < len(marks) else None, depth + 1) for index, item in enumerate(value)
            ]
        return f"{_SEALED}{self._number(value)}" if self._copies.repeats_number(value) else value

    def named(self, unknown: Any, depth: int = 0) -> Any:
        """What is unknown until the apply, under the names that :meth:`sealed` gives."""
        if isinstance(unknown, dict) and depth <= _DEEPEST:
            return {self.name(key): self.named(item, depth + 1) for key, item in unknown.items()}
        if isinstance(unknown, list) and depth <= _DEEPEST:
            return [self.named(item, depth + 1) for item in unknown]
        return unknown

    def name(self, key: Key) -> Key:
        """A key of a map is shown everywhere: one that repeats a marked value has a number instead."""
        return f"{MASK} {self._number(key)}" if isinstance(key, str) and self._repeats(key) else key

    def _number(self, value: Any) -> int:
        return self._numbers.setdefault(ENCODER.encode(value), len(self._numbers))

    def _repeats(self, text: str) -> bool:
        return self._copies.repeats(text) or self._shared.everywhere(text)


def _elsewhere(value: Any, mark: Any) -> bool:
    """Whether ``mark`` marks something, and cannot be followed into ``value``."""
    if not isinstance(mark, dict | list) or isinstance(value, type(mark)):
        return False
    return any(inner is True or _elsewhere(None, inner) for inner in (mark.values() if isinstance(mark, dict) else mark))
