"""What changes inside one resource: the leaves of ``before`` and ``after``, side by side. Computed when a change is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec

from kumoss_console.model.plan.alike import alike
from kumoss_console.model.plan.document import Action, Change, OutputChange
from kumoss_console.model.plan.lists import align
from kumoss_console.model.plan.paths import IN_JSON, Path, hides, overlap, path_text
from kumoss_console.model.plan.sealed import ENCODER, Values, is_sealed
from kumoss_console.model.plan.values import UNKNOWN, Line, Value, changed_lines, shown
from kumoss_console.model.state import repair
from kumoss_console.model.state.secretnames import hides as hides_value
from kumoss_console.model.state.secretnames import reads_like_a_secret
from kumoss_console.model.state.secretrules import hidden_of_list, hidden_of_pairs

MOST_LEAVES = 2_000
"""Leaves of one change that are listed; how many more there are is said."""
_DEEPEST = 200
_LONGEST_JSON = 1_000_000
"""Characters of a text that is tried as JSON."""


class Sign(StrEnum):
    ADD = "+"
    REMOVE = "-"
    CHANGE = "~"
    SAME = " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value that is added, removed, changed or stays. ``None`` on a side where there is nothing."""

    path: Path
    sign: Sign
    before: Value | None = None
    after: Value | None = None
    unknown: bool = False
    """Known only after the apply."""
    forces: bool = False
    """Whether this is what forces the replacement."""
    lines: tuple[Line, ...] = ()
    """For texts of several lines: the lines that change."""
    note: str = ""

    @property
    def name(self) -> str:
        return path_text(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The leaves of one change in the order of their names."""

    leaves: tuple[Leaf, ...]
    same: int
    """Values that stay as they are; among ``leaves`` only where they were asked for."""
    left_out: int = 0
    """Leaves beyond :data:`MOST_LEAVES`."""
    forced_by: tuple[str, ...] = ()
    """Paths that force the replacement and have no leaf of their own here."""


def diff(change: Change | OutputChange, *, unchanged: bool = False) -> Diff:
    """Open ``change`` and compare; with ``unchanged`` also list what stays. CPU work in the size of its values."""
    values = change.values.open()
    if change.action is Action.FORGET:
        # What is forgotten stays as it is: only the state loses it.
        values = values._replace(after=values.before)
    return compare(
        values,
        replace_paths=change.replace_paths if isinstance(change, Change) else (),
        named=isinstance(change, OutputChange) and reads_like_a_secret(change.name),
        unchanged=unchanged,
    )


def compare(values: Values, *, replace_paths: Sequence[Path] = (), named: bool = False, unchanged: bool = False) -> Diff:
    """The leaves of opened values. ``named`` says that they belong to something that is named like a secret."""
    walk = _Walk(replace_paths, unchanged=unchanged, named=named)
    walk.compare((), values.before, values.after, values.unknown)
    forced = tuple(path for path in replace_paths if not any(leaf.forces and overlap(leaf.path, path) for leaf in walk.leaves))
    return Diff(
        leaves=tuple(walk.leaves),
        same=walk.same,
        left_out=walk.left_out,
        forced_by=tuple(map(path_text, forced)) if not walk.left_out else (),
    )


class _Walk:
    """Collects leaves while it goes down both sides at once."""

    def __init__(self, replace_paths: Sequence[Path], *, unchanged: bool, named: bool) -> None:
        self._replace_paths = replace_paths
        self._named = named
        self._unchanged = unchanged
        self.leaves: list[Leaf] = []
        self.same = 0
        self.left_out = 0

    def compare(self, path: Path, before: Any, after: Any, unknown: Any) -> None:
        if unknown is True:
            self._add(path, before, None, unknown=True)
        elif is_sealed(before) or is_sealed(after) or len(path) > _DEEPEST or _is_empty(before, after, unknown):
            self._add(path, before, after)
        elif _both(dict, before, after, unknown):
            self._objects(path, before or {}, after or {}, unknown if isinstance(unknown, dict) else {})
        elif _both(list, before, after, unknown):
            self._lists(path, before or [], after or [], unknown if isinstance(unknown, list) else [])
        elif (inner := _as_json(before, after)) is not None:
            self._json(path, before, after, inner)
        else:
            self._add(path, before, after)

    def _objects(self, path: Path, before: dict[str, Any], after: dict[str, Any], unknown: dict[str, Any]) -> None:
        secrets = hidden_of_pairs(before) | hidden_of_pairs(after)
        for key in sorted({*before, *after, *unknown}):
            named, self._named = self._named, self._named or key in secrets
            self.compare((*path, key), before.get(key), after.get(key), unknown.get(key))
            self._named = named

    def _lists(self, path: Path, before: list[Any], after: list[Any], unknown: list[Any]) -> None:
        old = [ENCODER.encode(item) for item in before]
        # What is not known yet equals nothing.
        new = [f"unknown {at}".encode() if _at(unknown, at) is True else ENCODER.encode(item) for at, item in enumerate(after)]
        secrets = hidden_of_list(before), hidden_of_list(after)
        for a, b in align(old, new):
            place = b if b is not None else a
            if place is not None:
                named, self._named = self._named, self._named or a in secrets[0] or b in secrets[1]
                self.compare((*path, place), _at(before, a), _at(after, b), _at(unknown, b))
                self._named = named

    def _json(self, path: Path, before: Any, after: Any, inner: tuple[Any, Any]) -> None:
        if before is not None and after is not None and before != after and alike(*inner):
            self._add(path, before, after, note="only the whitespace of the JSON changes")
        else:
            self.compare((*path, IN_JSON), *inner, None)

    def _add(self, path: Path, before: Any, after: Any, *, unknown: bool = False, note: str = "") -> None:
        if before is None and after is None and not unknown:
            return
        changed = unknown or not alike(before, after)
        if not changed:
            self.same += 1
            if not self._unchanged:
                return
        if len(self.leaves) >= MOST_LEAVES:
            self.left_out += 1
            return
        named = self._named or hides(path) or _hidden_for_value(path, before, after)
        self.leaves.append(
            Leaf(
                path=path,
                sign=_sign(before, after, unknown=unknown) if changed else Sign.SAME,
                before=shown(before, named=named) if before is not None else None,
                after=shown(after, named=named) if after is not None else None,
                unknown=unknown,
                forces=changed and any(overlap(path, forced) for forced in self._replace_paths),
                lines=() if named or not changed else _changed_lines(before, after),
                note=note,
            )
        )


def _hidden_for_value(path: Path, *sides: Any) -> bool:
    """Whether the name is one that hides some values only, and this is such a value."""
    name = path[-1] if path else None
    return isinstance(name, str) and any(isinstance(side, str) and hides_value(name, side) for side in sides)


def _sign(before: Any, after: Any, *, unknown: bool) -> Sign:
    if before is None:
        return Sign.ADD
    return Sign.REMOVE if after is None and not unknown else Sign.CHANGE


def _both(kind: type, before: Any, after: Any, unknown: Any) -> bool:
    """Whether the sides can be walked as ``kind``: at least one is one, the other is too or is not there."""
    sides = [side for side in (before, after) if side is not None]
    if not sides:
        return isinstance(unknown, kind) and bool(unknown)
    return all(isinstance(side, kind) for side in sides)


def _is_empty(*sides: Any) -> bool:
    """Whether there is nothing to walk into on any side."""
    return all(side is None or side is False or side == {} or side == [] for side in sides)


def _at(items: Sequence[Any], index: int | None) -> Any:
    return items[index] if index is not None and index < len(items) else None


def _as_json(before: Any, after: Any) -> tuple[Any, Any] | None:
    """Both sides decoded where the texts are JSON objects or lists; a side that is not there stays ``None``."""
    if not any(isinstance(side, str) for side in (before, after)):
        return None
    decoded: list[Any] = []
    for side in (before, after):
        if side is None:
            decoded.append(None)
            continue
        if not isinstance(side, str) or len(side) > _LONGEST_JSON or not side.lstrip().startswith(("{", "[")):
            return None
        try:
            value, cut = repair.decode(side.encode())
        except (msgspec.DecodeError, UnicodeEncodeError):
            return None
        if cut or not value:
            return None
        decoded.append(value)
    return decoded[0], decoded[1]


def _changed_lines(before: Any, after: Any) -> tuple[Line, ...]:
    if not isinstance(before, str) or not isinstance(after, str) or is_sealed(before) or is_sealed(after):
        return ()
    return changed_lines(before, after)


def words(leaf: Leaf) -> str:
    """The leaf in one line: ``"a" → "b"``, with what is not known yet in the engines' words."""
    before = leaf.before.text if leaf.before is not None else None
    after = UNKNOWN if leaf.unknown else leaf.after.text if leaf.after is not None else None
    if leaf.sign is Sign.SAME or before is None:
        return after if after is not None else before or ""
    return f"{before} → {after if after is not None else 'null'}"
