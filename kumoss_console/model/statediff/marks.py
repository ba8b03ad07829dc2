"""Which values of an instance are sensitive, as a tree over its attributes.

A state lists paths (``sensitive_attributes``), a plan has a tree of ``true``: comparing wants the tree.
"""

from __future__ import annotations

from typing import Any

import msgspec


class _Step(msgspec.Struct):
    type: str = ""
    value: Any = None


_PATHS = msgspec.json.Decoder(list[list[_Step]])


def marks(paths: bytes, value: Any) -> Any:
    """``True`` where something sensitive is: the deepest attribute or map key that the path surely names.

    Elements of lists and sets are hidden with their whole list, whose places differ between two states. Paths that cannot be
    read hide everything: nobody knows what they would have named.
    """
    if paths in (b"", b"null", b"[]"):
        return None
    try:
        found = _PATHS.decode(paths)
    except (msgspec.DecodeError, RecursionError):
        return True
    tree: Any = None
    for path in found:
        tree = _laid(tree, [_name(step) for step in path], value)
    return tree


def _laid(tree: Any, names: list[str | None], value: Any) -> Any:
    if tree is True or not names or names[0] is None or not isinstance(value, dict):
        return True
    branch = dict(tree) if isinstance(tree, dict) else {}
    branch[names[0]] = _laid(branch.get(names[0]), names[1:], value.get(names[0]))
    return branch


def _name(step: _Step) -> str | None:
    """The attribute or the map's key that ``step`` names; ``None`` for an element of a list or a set."""
    named = step.value.get("value") if step.type == "index" and isinstance(step.value, dict) else step.value
    return named if isinstance(named, str) else None
