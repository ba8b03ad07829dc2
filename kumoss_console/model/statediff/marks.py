"""Which values of an instance are sensitive, as a tree over its attributes.

A state lists paths (``sensitive_attributes``), a plan has a tree of ``true``: comparing wants the tree.
"""

from __future__ import annotations

from typing import Any

from kumoss_console.model.state.marks import Marks, decode_marks


def marks(paths: bytes, value: Any) -> Any:
    """``True`` where something sensitive is: the deepest attribute or map key that a path surely names; ``None`` for nothing.

    Elements of lists and sets are hidden with their whole list: their places differ between two states. Paths that cannot be
    read hide everything, nobody knows what they would have named.
    """
    return _tree(decode_marks(paths), value)


def _tree(found: Marks, value: Any) -> Any:
    if found.whole:
        return True
    if not found.inside:
        return None
    if not isinstance(value, dict) or any(isinstance(step, int) for step in found.inside):
        return True
    return {step: _tree(inside, value.get(step)) for step, inside in found.inside.items()}
