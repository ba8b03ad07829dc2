"""Values with everything hidden that must not be shown: what is marked, what repeats a marked value, what reads like a secret.

A veiled value is plain JSON data in which :class:`Veiled` texts stand for what is hidden. Names stay: they are no secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from kumoss_console.model.state.copies import NO_COPIES, Copies
from kumoss_console.model.state.learned import texts_of
from kumoss_console.model.state.marks import ALL_MARKED, NOTHING_MARKED, RULED, Marks, also_ruled, read_marks
from kumoss_console.model.state.secretnames import hides, is_blocks, shown_in_a_block
from kumoss_console.model.state.secretrules import hidden_of_list, hidden_of_pairs, hidden_of_type, may_be_a_token
from kumoss_console.model.state.sensitive import masked
from kumoss_console.text import MASK

Why = Literal["marked", "named", "copy", "part", "deep"]
"""``marked`` by provider or author; ``named`` like a secret, or looks like one; ``copy`` of a marked value in the same object,
or of a sensitive output;
``part`` of the text was replaced; ``deep`` beyond what is looked at."""

_DEEPEST = 200
_ATTRIBUTES = ("attributes", "attributes_flat")
# Every pattern of secrets in texts needs one of these; most values of a state have none.
_MAY_HOLD = re.compile(r"[=:@]|(?i:bearer|basic)\s")


class Veiled(str):
    """Stands for a hidden value; ``why`` says for what reason. As text it is the mask, or what is left with a part masked."""

    why: Why

    def __new__(cls, why: Why, text: str = MASK) -> Veiled:
        made = super().__new__(cls, text)
        made.why = why
        return made


def veil(value: Any, marks: Marks = NOTHING_MARKED, *, name: str = "", shared: Copies = NO_COPIES) -> Any:
    """``value`` with everything hidden that ``marks`` or its own ``name`` or content hide, and what repeats one of ``shared``."""
    return _Veil(Copies(_marked_texts(value, marks)) if marks else NO_COPIES, shared).over(value, marks, name, 0)


def repeats_a_secret(value: Any, marks: Marks, text: str) -> bool:
    """Whether ``text`` is, holds or disguises something that ``marks`` hide in ``value``."""
    return Copies(_marked_texts(value, marks)).repeats(text)


class _Veil:
    def __init__(self, own: Copies, shared: Copies) -> None:
        self._own = own
        self._shared = shared
        self._names: dict[str, int] = {}

    def over(self, value: Any, marks: Marks, name: str, depth: int) -> Any:
        if marks.whole and value is not None:
            return Veiled("named" if marks is RULED else "marked")
        if name and hides(name, value):
            if not is_blocks(value) or depth >= _DEEPEST:
                return Veiled("named")
            return [self._block(item, marks.at(index), depth + 1) for index, item in enumerate(value)]
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            if depth >= _DEEPEST:
                return Veiled("deep", "…")
            here = marks or own_marks(value)
            secrets = hidden_of_pairs(value)
            return {
                self._name(key): Veiled("named") if key in secrets else self.over(item, here.at(key), key, depth + 1)
                for key, item in value.items()
            }
        if isinstance(value, list):
            if depth >= _DEEPEST:
                return Veiled("deep", "…")
            places = hidden_of_list(value)
            return [
                Veiled("named") if index in places else self.over(item, marks.at(index), "", depth + 1)
                for index, item in enumerate(value)
            ]
        return Veiled("copy") if self._own.repeats_number(value) else value

    def _block(self, block: dict[str, Any], marks: Marks, depth: int) -> Any:
        if marks.whole:
            return self.over(block, marks, "", depth)
        return {
            self._name(key): self.over(item, marks.at(key), key, depth + 1) if shown_in_a_block(key, item) else Veiled("named")
            for key, item in block.items()
        }

    def _repeats(self, text: str) -> bool:
        return (bool(self._own) and self._own.repeats(text)) or (bool(self._shared) and self._shared.everywhere(text))

    def _name(self, key: str) -> str:
        # A key of a map is shown everywhere: one that repeats a marked value is not. Two of them stay two.
        if not self._repeats(key):
            return key
        number = self._names.setdefault(key, len(self._names) + 1)
        return MASK if number == 1 else f"{MASK} {number}"

    def _text(self, text: str) -> str:
        if self._repeats(text):
            return Veiled("copy")
        if _MAY_HOLD.search(text) is None and "-----BEGIN" not in text and not may_be_a_token(text):
            return text
        shown = masked(text)
        if shown == text:
            return text
        return Veiled("named" if shown == MASK else "part", str(shown))


def is_hidden_name(step: str | int) -> bool:
    """Whether a key of a veiled map stands for one that is not shown."""
    return isinstance(step, str) and step.startswith(MASK)


def own_marks(value: dict[str, Any], type_: str = "") -> Marks:
    """What an object of a state, or an output, says of itself: wherever one lies, in whatever document. ``type_`` is that of the
    object's resource, where it is known: some types hold secrets that nobody marks."""
    top = Marks()
    if "sensitive_attributes" in value:
        top.inside["attributes"] = read_marks(value["sensitive_attributes"])
    for place in _ATTRIBUTES:
        attributes = value.get(place)
        if type_ and isinstance(attributes, dict) and (ruled := hidden_of_type(type_, attributes)):
            top.inside[place] = also_ruled(top.at(place), ruled)
    if "value" in value and value.get("sensitive") not in (None, False):
        top.inside["value"] = ALL_MARKED
    return top if any(top.inside.values()) else NOTHING_MARKED


def _marked_texts(value: Any, marks: Marks, depth: int = 0) -> Iterator[str]:
    if depth > _DEEPEST or not marks:
        return
    if marks.whole:
        yield from texts_of(value, depth)
    elif isinstance(value, dict | list):
        for step, inner in marks.inside.items():
            found = _member(value, step)
            if found is not None:
                yield from _marked_texts(found, inner, depth + 1)


def _member(value: Any, step: Any) -> Any:
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value) else None


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """The value at a path; ``None`` where there is none."""
    for step in path:
        value = _member(value, step)
    return value
