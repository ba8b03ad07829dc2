"""Parts of a value: attributes by their names, elements by an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.outcome import Failed
from kumoss_console.model.hcl.types import Unresolved, kind_of, string_of

if TYPE_CHECKING:
    from kumoss_console.model.hcl.evaluate import Evaluator


def attribute_of(evaluator: Evaluator, value: object, steps: list[str], node: Node) -> object:
    """What ``value`` has under the names ``steps``, one in the other."""
    for name in steps:
        if isinstance(value, Failed | Unresolved):
            return value
        if not isinstance(value, dict):
            what = "null" if value is None else f"a {kind_of(value)} value"
            return evaluator.fail("Unsupported attribute", f'This value is {what}: it has no attribute "{name}".', node.line)
        if name not in value:
            return evaluator.fail("Unsupported attribute", f'This object does not have an attribute named "{name}".', node.line)
        value = value[name]
    return value


def element_of(evaluator: Evaluator, source: object, key: object, node: Node) -> object:
    """``source[key]``."""
    for value in (source, key):
        if isinstance(value, Failed | Unresolved):
            return value
    if isinstance(source, dict):
        name = string_of(key)
        if name is not None and name in source:
            return source[name]
        return evaluator.fail("Invalid index", "The given key does not identify an element in this collection value.", node.line)
    if not isinstance(source, tuple):
        return evaluator.fail("Invalid index", "This value does not have any indices.", node.line)
    position = evaluator.converted(key, "number", "Invalid index", node)
    if isinstance(position, int) and 0 <= position < len(source):
        return source[position]
    if isinstance(position, Failed):
        return position
    return evaluator.fail("Invalid index", "The given key does not identify an element in this collection value.", node.line)
