"""Expressions of the JSON syntax to values: strings are templates where the engine takes them for such."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumoss_console.model.hcl.file import read_expression
from kumoss_console.model.hcl.jsonsyntax import JsonArray, JsonInvalid, JsonObject, JsonScalar, JsonText
from kumoss_console.model.hcl.outcome import FAILED, collected, normal
from kumoss_console.model.hcl.types import string_of

if TYPE_CHECKING:
    from kumoss_console.model.hcl.evaluate import Evaluator


def json_value(evaluator: Evaluator, node: object) -> object:
    """As :meth:`Evaluator.value`, of a node of the JSON syntax."""
    if isinstance(node, JsonText):
        return _text(evaluator, node.value, node.line)
    if isinstance(node, JsonScalar):
        return node.value
    if isinstance(node, JsonArray):
        return collected(tuple(json_value(evaluator, item) for item in node.items))
    if isinstance(node, JsonObject):
        return _object(evaluator, node)
    assert isinstance(node, JsonInvalid), "every JSON node is handled"  # noqa: S101 - exhaustiveness
    return FAILED


def _text(evaluator: Evaluator, text: str, line: int) -> object:
    if not evaluator.templates or ("${" not in text and "%{" not in text):
        return normal(text)
    node, problems = read_expression(text, evaluator.file, line=line, template=True)
    evaluator.problems += problems
    return FAILED if node is None else evaluator.value(node)


def _object(evaluator: Evaluator, node: JsonObject) -> object:
    result: dict[str, object] = {}
    bad = False
    for member in node.members:
        name = string_of(_text(evaluator, member.name, member.line))
        value = json_value(evaluator, member.value)
        if name is None:
            evaluator.fail("Invalid object key expression", "Cannot use this expression as an object key.", member.line)
        elif name in result:
            evaluator.fail("Duplicate object attribute", f'An attribute named "{name}" was already defined.', member.line)
        else:
            result[name] = value
            bad = bad or value is FAILED
            continue
        bad = True
    return FAILED if bad else result
