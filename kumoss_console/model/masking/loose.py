"""Values and marks wherever they stand in a decoded part of the document."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any

from msgspec import Raw

from kumoss_console.model.masking.copies import Copies
from kumoss_console.model.masking.marked import DEEPEST, Marked, decoded, encoded, laid_over

PAIRS: Mapping[str, str] = {
    "before": "before_sensitive",
    "after": "after_sensitive",
    "values": "sensitive_values",
    "config_values": "config_sensitive",
}
"""Members that hold values, and those beside them that mark them."""
MARKS = frozenset(PAIRS.values())
ALONE = ("value", "default", "constant_value")
"""Members that are sensitive where ``"sensitive": true`` stands beside them."""
STRUCTURE = frozenset(
    {*MARKS, "address", "module_address", "previous_address", "mode", "type", "name", "index", "provider_name", "schema_version"}
    | {"actions", "action_reason", "after_unknown", "replace_paths", "depends_on", "tainted", "deposed_key", "deposed", "reason"}
    | {"kind", "to_display", "module", "resource", "instance_key", "status"}
)
"""Members that name a thing or say what happens to it. No sensitive value can be in them."""
_VALUES = frozenset({*PAIRS, *ALONE})


def sealed(value: Any, marks: Any, marked: Marked, copies: Copies, depth: int = 0) -> Any:
    """``value`` with stand-ins for what is marked, or repeats what is marked anywhere in the document."""
    if value is None:
        return None
    if marks is True or depth > DEEPEST or marked.equals_one(value):
        return marked.mask(value)
    if isinstance(value, str):
        return copies.text(value)
    if isinstance(value, dict):
        inner = marks if isinstance(marks, dict) else {}
        return {copies.key(key): sealed(item, inner.get(key), marked, copies, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        listed = marks if isinstance(marks, list) else []
        return [
            sealed(item, listed[at] if at < len(listed) else None, marked, copies, depth + 1) for at, item in enumerate(value)
        ]
    return value


class Loose:
    """Anything else: decoded, and walked by the same rules. ``only`` names the members that hold values, where few do."""

    def __init__(self, raw: Raw, *, only: Collection[str] | None = None) -> None:
        self._document = decoded(raw)
        self._only = only

    def learn(self, marked: Marked) -> None:
        _learn(self._document, marked, 0)

    def masked(self, marked: Marked, copies: Copies) -> bytes | None:
        masked = _Walk(marked, copies, self._only).walked(self._document, "", 0)
        return None if masked == self._document else encoded(masked)


def _marks_of(node: Mapping[str, Any]) -> Any:
    return reduce(laid_over, (node[name] for name in PAIRS.values() if name in node), None)


def _is_sensitive(node: Mapping[str, Any]) -> bool:
    return node.get("sensitive") is True


def _learn(node: Any, marked: Marked, depth: int) -> None:
    if depth > DEEPEST or not isinstance(node, dict | list):
        return
    if isinstance(node, list):
        for item in node:
            _learn(item, marked, depth + 1)
        return
    marks = _marks_of(node)
    for name in PAIRS:
        marked.learn(node.get(name), marks)
    if _is_sensitive(node):
        for name in ALONE:
            marked.learn(node.get(name), True)
        if isinstance(expression := node.get("expression"), dict):
            marked.learn(expression.get("constant_value"), True)
    for item in node.values():
        _learn(item, marked, depth + 1)


class _Walk:
    """Masks a decoded part. ``only`` as :class:`Loose` has it."""

    def __init__(self, marked: Marked, copies: Copies, only: Collection[str] | None) -> None:
        self._marked = marked
        self._copies = copies
        self._only = only

    def walked(self, node: Any, name: str, depth: int) -> Any:
        """``name`` is that of the member that ``node`` is, or is listed in."""
        if depth > DEEPEST:
            return None
        if isinstance(node, list):
            return [self.walked(item, name, depth + 1) for item in node]
        if isinstance(node, dict):
            return {key: self._member(node, key, item, depth) for key, item in node.items()}
        if isinstance(node, str) and (name not in STRUCTURE if self._only is None else name in self._only):
            return self._copies.text(node)
        return node

    def _member(self, node: Mapping[str, Any], name: str, item: Any, depth: int) -> Any:
        if name in PAIRS and (marks := _marks_of(node)):
            return self._sealed(item, marks)
        if _is_sensitive(node):
            if name in ALONE:
                return self._sealed(item, True)
            if name == "expression" and isinstance(item, dict):
                return {key: self._sealed(value, key == "constant_value") for key, value in item.items()}
        if name in (_VALUES if self._only is None else self._only) and not _is_part(item):
            return self._sealed(item, None)
        return self.walked(item, name, depth + 1)

    def _sealed(self, value: Any, marks: Any) -> Any:
        return sealed(value, marks, self._marked, self._copies)


def _is_part(item: Any) -> bool:
    """Whether a member that is named like one with values is an object with marks of its own: an output called ``value``."""
    return isinstance(item, dict) and any(mark in item for mark in (*MARKS, "sensitive"))
