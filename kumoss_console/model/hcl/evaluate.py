"""Expressions to values, as far as a value can be known without the engine."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from kumoss_console.model.hcl import nodes
from kumoss_console.model.hcl.bodies import Expression
from kumoss_console.model.hcl.elements import attribute_of, element_of
from kumoss_console.model.hcl.jsonvalues import json_value
from kumoss_console.model.hcl.loops import for_each, joined, splat
from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.operators import EQUALITY, LOGIC, arithmetic, equal
from kumoss_console.model.hcl.outcome import FAILED, LARGEST, Failed, collected, normal
from kumoss_console.model.hcl.problem import Problem
from kumoss_console.model.hcl.scope import NoScope, Scope
from kumoss_console.model.hcl.types import BOOL, NUMBER, ConversionError, Unresolved, convert, kind_of, string_of

__all__ = ["FAILED", "Evaluator", "Failed", "NoScope", "Scope"]

STEPS = 100_000
"""Nodes evaluated for one value: nested loops over constants can ask for more than anybody waits for."""
LEVELS = 120
"""Levels of evaluation: a long chain of operators or indexes is as deep as it is long."""


class Evaluator:
    """One evaluation. ``templates`` says whether strings of the JSON syntax are templates or plain text."""

    def __init__(self, scope: Scope, file: str, *, templates: bool) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.templates = templates
        self.variables: list[Mapping[str, object]] = []
        """Names of the loops that are being run, the innermost last."""
        self.elements: list[object] = []
        """What the splats that are being run are at, the innermost last."""
        self._scope = scope
        self._steps = 0
        self._depth = 0

    def fail(self, summary: str, detail: str, line: int) -> Failed:
        self.problems.append(Problem(summary=summary, detail=detail, file=self.file, line=line))
        return FAILED

    def value(self, expression: Expression) -> object:
        """The value, :class:`Unresolved`, or :data:`FAILED` with problems noted."""
        return self._native(expression) if isinstance(expression, Node) else json_value(self, expression)

    def _native(self, node: Node) -> object:
        self._steps += 1
        if self._steps > STEPS or self._depth > LEVELS:
            return Unresolved(reason="it takes too many steps to compute")
        self._depth += 1
        try:
            return self._evaluated(node)
        finally:
            self._depth -= 1

    def _evaluated(self, node: Node) -> object:
        if isinstance(node, nodes.Literal):
            return normal(node.value) if isinstance(node.value, str) else node.value
        if isinstance(node, nodes.Template):
            return self._template(node)
        if isinstance(node, nodes.Name | nodes.Attr):
            return self._path(node)
        if isinstance(node, nodes.Index):
            return element_of(self, self._native(node.source), self._native(node.key), node)
        if isinstance(node, nodes.Parentheses):
            return self._native(node.inner)
        if isinstance(node, nodes.Unary):
            return self._unary(node)
        if isinstance(node, nodes.Binary):
            return self._binary(node)
        if isinstance(node, nodes.Conditional):
            return self._conditional(node)
        if isinstance(node, nodes.Sequence):
            return collected(tuple(self._native(item) for item in node.items))
        if isinstance(node, nodes.Mapping):
            return self._mapping(node)
        if isinstance(node, nodes.Call):
            return self._call(node)
        if isinstance(node, nodes.Splat):
            return splat(self, node)
        if isinstance(node, nodes.For):
            return for_each(self, node)
        if isinstance(node, nodes.Joined):
            return joined(self, node)
        if isinstance(node, nodes.Element):
            return self.elements[-1] if self.elements else FAILED
        if isinstance(node, nodes.Invalid) and node.told is not None:
            self.problems.append(node.told)
        return FAILED

    def _template(self, node: nodes.Template) -> object:
        texts: list[str] = []
        result: object = None
        for part in node.parts:
            value = self._native(part)
            if value is None:
                value = self.fail("Invalid template interpolation value", "The expression result is null.", part.line)
            if isinstance(value, Failed | Unresolved):
                result = FAILED if FAILED in (result, value) else value
                continue
            text = string_of(value)
            if text is None:
                detail = f"Cannot include the given value in a string template: string required, but have {kind_of(value)}."
                result = self.fail("Invalid template interpolation value", detail, part.line)
            else:
                texts.append(text)
        if result is not None:
            return result
        joined = "".join(texts)
        return normal(joined) if len(joined) <= LARGEST else Unresolved(reason="the text is too long")

    def _path(self, node: Node) -> object:
        """A reference with the attribute names after it, as far as they follow the root directly."""
        steps: list[str] = []
        base = node
        while isinstance(base, nodes.Attr):
            steps.append(base.name)
            base = base.source
        steps.reverse()
        if isinstance(base, nodes.Name):
            for names in reversed(self.variables):
                if base.name in names:
                    return attribute_of(self, names[base.name], steps, node)
            value, used = self._scope.reference(base.name, tuple(steps), base, self)
            return attribute_of(self, value, steps[used:], node)
        return attribute_of(self, self._native(base), steps, node)

    def converted(self, value: object, kind: str, summary: str, node: Node) -> object:
        """``value`` as a ``number`` or a ``bool``; failed, with ``summary``, where it is none."""
        if isinstance(value, Failed | Unresolved):
            return value
        if value is None:
            return self.fail("Operation failed", "Error during operation: argument must not be null.", node.line)
        try:
            return convert(value, NUMBER if kind == "number" else BOOL)
        except ConversionError as error:
            return self.fail(summary, f"Unsuitable value: {error}.", node.line)

    def _unary(self, node: nodes.Unary) -> object:
        kind = "number" if node.operator == "-" else "bool"
        value = self.converted(self._native(node.operand), kind, "Invalid operand", node)
        if isinstance(value, Failed | Unresolved):
            return value
        if node.operator == "!":
            return not value
        return -value if isinstance(value, int | Decimal) else FAILED

    def _binary(self, node: nodes.Binary) -> object:
        left, right = self._native(node.left), self._native(node.right)
        if node.operator in EQUALITY:
            for value in (left, right):
                if isinstance(value, Failed | Unresolved):
                    return value
            return equal(left, right) == (node.operator == "==")
        kind = "bool" if node.operator in LOGIC else "number"
        left = self.converted(left, kind, "Invalid operand", node)
        right = self.converted(right, kind, "Invalid operand", node)
        for value in (left, right):
            if isinstance(value, Failed | Unresolved):
                return value
        if kind == "bool":
            return (left and right) if node.operator == "&&" else (left or right)
        assert isinstance(left, int | Decimal)  # noqa: S101 - converted above
        assert isinstance(right, int | Decimal)  # noqa: S101 - converted above
        return arithmetic(node.operator, left, right)

    def _conditional(self, node: nodes.Conditional) -> object:
        condition = self._native(node.condition)
        # Both branches are computed for their types; only the chosen one is heard.
        yes, yes_problems = self._apart(node.yes)
        no, no_problems = self._apart(node.no)
        if condition is None:
            return self.fail("Null condition", "The condition value is null. Conditions must either be true or false.", node.line)
        condition = self.converted(condition, "bool", "Incorrect condition type", node)
        if isinstance(condition, Failed | Unresolved):
            return condition
        chosen, other = (yes, no) if condition else (no, yes)
        self.problems += yes_problems if condition else no_problems
        if FAILED in (chosen, other):
            return chosen
        if isinstance(chosen, str) or None in (chosen, other) or kind_of(chosen) == kind_of(other):
            return chosen
        if isinstance(other, Unresolved) or isinstance(chosen, Unresolved):
            return chosen if isinstance(chosen, Unresolved) else Unresolved(reason="its type depends on the other branch")
        if isinstance(other, str) and (text := string_of(chosen)) is not None:
            return text
        detail = f"The true and false result expressions must have consistent types: {kind_of(yes)} and {kind_of(no)}."
        return self.fail("Inconsistent conditional result types", detail, node.line)

    def _apart(self, node: Node) -> tuple[object, list[Problem]]:
        """The value, with its problems taken off the list."""
        before = len(self.problems)
        value = self._native(node)
        problems = self.problems[before:]
        del self.problems[before:]
        return value, problems

    def _mapping(self, node: nodes.Mapping) -> object:
        result: dict[str, object] = {}
        bad: object = None
        for key_node, value_node in node.items:
            key: object = key_node.name if isinstance(key_node, nodes.Name) else self._native(key_node)
            value = self._native(value_node)
            if isinstance(key, Failed | Unresolved):
                bad = key
                continue
            if key is None:
                bad = self.fail("Null value as key", "Can't use a null value as a key.", key_node.line)
                continue
            name = string_of(key)
            if name is None:
                bad = self.fail("Incorrect key type", "Can't use this value as a key: string required.", key_node.line)
                continue
            if value is FAILED:
                bad = FAILED
            result[name] = value
        return result if bad is None else bad

    def _call(self, node: nodes.Call) -> object:
        if isinstance(self._scope, NoScope):
            return self._scope.call(node.name, [], node, self)
        arguments = [self._native(argument) for argument in node.arguments]
        if FAILED in arguments:
            return FAILED
        if node.expand and arguments:
            last = arguments.pop()
            if not isinstance(last, tuple):
                return (
                    last
                    if isinstance(last, Unresolved)
                    else self.fail("Invalid expanding argument value", "A list is required.", node.line)
                )
            arguments += last
        return self._scope.call(node.name, arguments, node, self)
