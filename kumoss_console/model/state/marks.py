"""What ``sensitive_attributes`` of an instance marks: paths into its attributes.

Source: state format 4. A path is a list of steps, ``{"type": "get_attr", "value": NAME}`` or ``{"type": "index", "value":
{"value": KEY, "type": "string" | "number"}}``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.numbers import as_int64

Step = str | int
Path = tuple[Step, ...]


class Marks:
    """Marks below one place: ``whole`` where all of it is sensitive, else what is marked inside, by step."""

    __slots__ = ("inside", "whole")

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        self.inside: dict[Step, Marks] = {}

    def at(self, step: Step) -> Marks:
        return self.inside.get(step, NOTHING_MARKED)

    @property
    def whole_names(self) -> frozenset[str]:
        """Names directly below that are marked whole."""
        return frozenset(step for step, marks in self.inside.items() if marks.whole and isinstance(step, str))

    def __bool__(self) -> bool:
        return self.whole or bool(self.inside)


NOTHING_MARKED = Marks()
ALL_MARKED = Marks(whole=True)
RULED = Marks(whole=True)
"""Stands where nobody marked anything, and a rule for the type says that it is a secret."""


def also_ruled(marks: Marks, names: Iterable[str]) -> Marks:
    """``marks`` of attributes, and those ``names`` of them hidden by a rule where no mark is."""
    if marks.whole:
        return marks
    made = Marks()
    made.inside = dict(marks.inside)
    for name in names:
        if not marks.at(name).whole:
            made.inside[name] = RULED
    return made


def read_marks(paths: Any) -> Marks:
    """The marks in decoded ``sensitive_attributes``. What is not understood marks everything it may have meant."""
    if paths in (None, []):
        return NOTHING_MARKED
    if not isinstance(paths, list):
        return ALL_MARKED
    top = Marks()
    for path in paths:
        if not isinstance(path, list):
            return ALL_MARKED
        place = top
        for step in path:
            found = _step(step)
            if found is None:
                break
            place = place.inside.setdefault(found, Marks())
        place.whole = True
    return top


def _step(step: Any) -> Step | None:
    if not isinstance(step, dict):
        return None
    value = step.get("value")
    if step.get("type") == "get_attr":
        return value if isinstance(value, str) else None
    if step.get("type") != "index":
        return None
    key = value.get("value") if isinstance(value, dict) else value
    if isinstance(key, str):
        return key
    number = as_int64(key)
    return number if number is not None and number == key else None


# The objects of a resource, and resources of a type, mark the same attributes.
@lru_cache(maxsize=4096)
def decode_marks(raw: bytes) -> Marks:
    """:func:`read_marks` of JSON that is not decoded yet; empty for none at all."""
    if not raw:
        return NOTHING_MARKED
    try:
        return read_marks(repair.decode(raw)[0])
    except msgspec.DecodeError:
        return ALL_MARKED
