"""Expressions that go through a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumoss_console.model.hcl import nodes
from kumoss_console.model.hcl.outcome import FAILED, LARGEST, Failed, collected
from kumoss_console.model.hcl.types import Unresolved, string_of

if TYPE_CHECKING:
    from kumoss_console.model.hcl.evaluate import Evaluator


def splat(evaluator: Evaluator, node: nodes.Splat) -> object:
    """``source[*].each``."""
    source = evaluator.value(node.source)
    if isinstance(source, Failed | Unresolved):
        return source
    items = () if source is None else source if isinstance(source, tuple) else (source,)
    results = []
    for item in items:
        evaluator.elements.append(item)
        results.append(evaluator.value(node.each))
        evaluator.elements.pop()
    return collected(tuple(results))


def for_each(evaluator: Evaluator, node: nodes.For) -> object:
    """A ``for`` expression: a list, or an object where it names keys."""
    source = evaluator.value(node.source)
    if isinstance(source, Failed | Unresolved):
        return source
    if not isinstance(source, tuple | dict):
        return evaluator.fail(
            "Iteration over non-iterable value", "A collection is required in a 'for' expression.", node.source.line
        )
    pairs = sorted(source.items()) if isinstance(source, dict) else list(enumerate(source))
    values: list[object] = []
    mapping: dict[str, object] = {}
    for key, value in pairs:
        names = {node.value_name: value, **({node.key_name: key} if node.key_name else {})}
        evaluator.variables.append(names)
        outcome = _turn(evaluator, node, values, mapping)
        evaluator.variables.pop()
        if outcome is not None:
            return outcome
    return mapping if node.key is not None else tuple(values)


def _turn(evaluator: Evaluator, node: nodes.For, values: list[object], mapping: dict[str, object]) -> object:
    """One turn of the loop; ``None``, or what ends it."""
    if node.condition is not None:
        wanted = evaluator.converted(evaluator.value(node.condition), "bool", "Invalid 'for' condition", node.condition)
        if isinstance(wanted, Failed | Unresolved):
            return wanted
        if not wanted:
            return None
    value = evaluator.value(node.value)
    if value is FAILED:
        return FAILED
    if node.key is None:
        values.append(value)
        return None if len(values) <= LARGEST else Unresolved(reason="the list is too long")
    key = evaluator.value(node.key)
    if isinstance(key, Failed | Unresolved):
        return key
    name = string_of(key)
    if name is None:
        return evaluator.fail("Invalid object key", "The key expression produced an invalid result.", node.key.line)
    if node.group:
        grouped = mapping.setdefault(name, ())
        assert isinstance(grouped, tuple)  # noqa: S101 - only this line fills it
        mapping[name] = (*grouped, value)
    elif name in mapping:
        return evaluator.fail("Duplicate object key", f'Two different items produced the key "{name}".', node.key.line)
    else:
        mapping[name] = value
    return None


def joined(evaluator: Evaluator, node: nodes.Joined) -> object:
    """The texts of a ``for`` inside of a template, one after the other."""
    values = for_each(evaluator, node.each)
    if not isinstance(values, tuple):
        return values
    texts = [string_of(value) for value in values]
    known = [text for text in texts if text is not None]
    return "".join(known) if len(known) == len(texts) else next((v for v in values if isinstance(v, Unresolved)), FAILED)
