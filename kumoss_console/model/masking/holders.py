"""The parts of a document that hold values, each with its marks: first all are learnt, then all are masked.

Lists of resources stay undecoded but for those with a mark in them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce
from typing import Any, Protocol

import msgspec
from msgspec import Raw

from kumoss_console.model.masking.copies import Copies
from kumoss_console.model.masking.loose import PAIRS, STRUCTURE, Loose, sealed
from kumoss_console.model.masking.marked import Marked, decoded, encoded, laid_over

_MEMBERS = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[dict[str, Raw]])
_ENTRIES = msgspec.json.Decoder(list[Raw])
Members = dict[str, Raw]


class Part(Protocol):
    """One member of the document."""

    def learn(self, marked: Marked) -> None: ...

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        """The member as it may be kept; ``None`` where it stays byte for byte."""
        ...


def members(raw: bytes | Raw) -> Members:
    return _MEMBERS.decode(raw)


def joined(parts: Members, changed: Mapping[str, bytes]) -> bytes | None:
    if not changed:
        return None
    return msgspec.json.encode({**parts, **{name: Raw(data) for name, data in changed.items()}})


class Holder:
    """One object with values and marks: the ``change`` of a resource, or a resource among ``values``."""

    __slots__ = ("_marks", "_members", "_opened")

    def __init__(self, parts: Members) -> None:
        self._members = parts
        self._marks: Any = None
        self._opened: dict[str, Any] = {}

    def learn(self, marked: Marked) -> None:
        marks = [self._members[name] for name in PAIRS.values() if name in self._members]
        if not any(b"true" in bytes(raw) for raw in marks):
            return
        self._marks = reduce(laid_over, map(decoded, marks))
        self._opened = {name: decoded(self._members[name]) for name in PAIRS if name in self._members}
        for value in self._opened.values():
            marked.learn(value, self._marks)

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        changed = {}
        for name, raw in self._members.items():
            if name in self._opened:
                changed[name] = encoded(sealed(self._opened[name], self._marks, marked, copies))
            elif name not in STRUCTURE and (fragment := copies.fragment(raw)) is not None:
                changed[name] = fragment
        return joined(self._members, changed)


class Changes:
    """``resource_changes`` and ``resource_drift``."""

    def __init__(self, raw: Raw) -> None:
        self._entries = _LIST.decode(raw)
        self._holders = [Holder(members(entry["change"])) if "change" in entry else None for entry in self._entries]

    def learn(self, marked: Marked) -> None:
        for holder in self._holders:
            if holder is not None:
                holder.learn(marked)

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        changed = False
        for at, holder in enumerate(self._holders):
            body = holder.masked(marked, copies) if holder is not None else None
            if body is not None:
                self._entries[at] = {**self._entries[at], "change": Raw(body)}
                changed = True
        return msgspec.json.encode(self._entries) if changed else None


class Module:
    """A module of ``planned_values`` or of a state: its resources and, below it, its modules."""

    def __init__(self, raw: Raw) -> None:
        self._members = members(raw)
        self._entries = {name: _listed(self._members, name) for name in ("resources", "child_modules")}
        self._parts: dict[str, list[Part]] = {
            "resources": [Holder(members(entry)) for entry in self._entries["resources"]],
            "child_modules": [Module(entry) for entry in self._entries["child_modules"]],
        }

    def learn(self, marked: Marked) -> None:
        for parts in self._parts.values():
            for part in parts:
                part.learn(marked)

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        changed = {}
        for name, parts in self._parts.items():
            found = [part.masked(marked, copies) for part in parts]
            if any(one is not None for one in found):
                kept = zip(found, self._entries[name], strict=True)
                changed[name] = msgspec.json.encode([entry if one is None else Raw(one) for one, entry in kept])
        return joined(self._members, changed)


def _listed(parts: Members, name: str) -> list[Raw]:
    raw = parts.get(name)
    return [] if raw is None or bytes(raw) == b"null" else _ENTRIES.decode(raw)


class Nested:
    """An object some of whose members are parts of their own, such as ``prior_state``."""

    def __init__(self, raw: Raw, parts: Mapping[str, Callable[[Raw], Part]]) -> None:
        self._members = members(raw)
        self._parts: dict[str, Part] = {
            name: part(self._members[name]) for name, part in parts.items() if bytes(self._members.get(name, b"null")) != b"null"
        }

    def learn(self, marked: Marked) -> None:
        for part in self._parts.values():
            part.learn(marked)

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        found = {name: part.masked(marked, copies) for name, part in self._parts.items()}
        return joined(self._members, {name: data for name, data in found.items() if data is not None})


def values(raw: Raw) -> Nested:
    """``planned_values``, or the ``values`` of a state."""
    return Nested(raw, {"root_module": Module, "outputs": Loose})


def state(raw: Raw) -> Nested:
    """``prior_state``."""
    return Nested(raw, {"values": values})


class Variables:
    """``variables``: values without marks. Those of ``names`` are sensitive; all of them where that is not known."""

    def __init__(self, raw: Raw, names: Collection[str] | None) -> None:
        self._values = {name: decoded(value) for name, value in members(raw).items()}
        self._marks = {name: names is None or name in names for name in self._values}

    def learn(self, marked: Marked) -> None:
        for name, variable in self._values.items():
            if isinstance(variable, dict):
                marked.learn(variable.get("value"), self._marks[name])

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        masked = {
            name: {key: sealed(value, self._marks[name], marked, copies) for key, value in variable.items()}
            if isinstance(variable, dict)
            else sealed(variable, None, marked, copies)
            for name, variable in self._values.items()
        }
        return None if masked == self._values else encoded(masked)
