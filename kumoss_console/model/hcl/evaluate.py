"""Expressions to values, as far as a value can be known without the engine."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Protocol

from kumoss_console.model.hcl import nodes
from kumoss_console.model.hcl.bodies import Expression
from kumoss_console.model.hcl.file import read_expression
from kumoss_console.model.hcl.jsonsyntax import JsonArray, JsonInvalid, JsonObject, JsonScalar, JsonText
from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.numbers import CONTEXT, is_number, whole
from kumoss_console.model.hcl.problem import Problem
from kumoss_console.model.hcl.types import BOOL, NUMBER, STRING, ConversionError, Unresolved, convert, kind_of, string_of

LARGEST = 1_000_000
"""Elements or characters of one value; beyond it the engine is left to compute it."""
STEPS = 100_000
"""Nodes evaluated for one value: nested loops over constants can ask for more than anybody waits for."""
LEVELS = 120
"""Levels of evaluation: a long chain of operators or indexes is as deep as it is long."""


class Failed:
    """What an expression with an error gives; its problems are noted."""


FAILED = Failed()


class Scope(Protocol):
    """What references and functions mean. Both return :data:`FAILED` after they have noted a problem on the evaluator."""

    def reference(self, root: str, steps: tuple[str, ...], node: Node, evaluator: Evaluator) -> tuple[object, int]:
        """The value of ``root`` and how many of the attribute names after it are used up by it."""

    def call(self, name: str, arguments: list[object], node: Node, evaluator: Evaluator) -> object: ...


class NoScope:
    """Where the engine evaluates without any context: constants only."""

    def reference(self, root: str, steps: tuple[str, ...], node: Node, evaluator: Evaluator) -> tuple[object, int]:
        path = ".".join((root, *steps))
        return evaluator.fail("Variables not allowed", f"Variables may not be used here: {path}.", node.line), len(steps)

    def call(self, name: str, arguments: list[object], node: Node, evaluator: Evaluator) -> object:
        return evaluator.fail("Function calls not allowed", f"Functions may not be called here: {name}().", node.line)


class Evaluator:
    """One evaluation. ``templates`` says whether strings of the JSON syntax are templates or plain text."""

    def __init__(self, scope: Scope, file: str, *, templates: bool) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._scope = scope
        self._templates = templates
        self._variables: list[Mapping[str, object]] = []
        self._elements: list[object] = []
        self._steps = 0
        self._depth = 0

    def fail(self, summary: str, detail: str, line: int) -> Failed:
        self.problems.append(Problem(summary=summary, detail=detail, file=self.file, line=line))
        return FAILED

    def value(self, expression: Expression) -> object:
        """The value, :class:`Unresolved`, or :data:`FAILED` with problems noted."""
        return self._native(expression) if isinstance(expression, Node) else self._json(expression)

    # --- JSON

    def _json(self, node: object) -> object:
        if isinstance(node, JsonText):
            return self._json_text(node.value, node.line)
        if isinstance(node, JsonScalar):
            return node.value
        if isinstance(node, JsonArray):
            return _collected(tuple(self._json(item) for item in node.items))
        if isinstance(node, JsonObject):
            return self._json_object(node)
        assert isinstance(node, JsonInvalid), "every JSON node is handled"  # noqa: S101 - exhaustiveness
        return FAILED

    def _json_text(self, text: str, line: int) -> object:
        if not self._templates or ("${" not in text and "%{" not in text):
            return _normal(text)
        node, problems = read_expression(text, self.file, line=line, template=True)
        self.problems += problems
        return FAILED if node is None else self._native(node)

    def _json_object(self, node: JsonObject) -> object:
        result: dict[str, object] = {}
        bad = False
        for member in node.members:
            name = string_of(self._json_text(member.name, member.line))
            value = self._json(member.value)
            if name is None:
                self.fail("Invalid object key expression", "Cannot use this expression as an object key.", member.line)
            elif name in result:
                self.fail("Duplicate object attribute", f'An attribute named "{name}" was already defined.', member.line)
            else:
                result[name] = value
                bad = bad or value is FAILED
                continue
            bad = True
        return FAILED if bad else result

    # --- native syntax

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
            return _normal(node.value) if isinstance(node.value, str) else node.value
        if isinstance(node, nodes.Template):
            return self._template(node)
        if isinstance(node, nodes.Name | nodes.Attr):
            return self._path(node)
        if isinstance(node, nodes.Index):
            return self._indexed(self._native(node.source), self._native(node.key), node)
        if isinstance(node, nodes.Parentheses):
            return self._native(node.inner)
        if isinstance(node, nodes.Unary):
            return self._unary(node)
        if isinstance(node, nodes.Binary):
            return self._binary(node)
        if isinstance(node, nodes.Conditional):
            return self._conditional(node)
        if isinstance(node, nodes.Sequence):
            return _collected(tuple(self._native(item) for item in node.items))
        if isinstance(node, nodes.Mapping):
            return self._mapping(node)
        if isinstance(node, nodes.Call):
            return self._call(node)
        if isinstance(node, nodes.Splat):
            return self._splat(node)
        if isinstance(node, nodes.For):
            return self._for(node)
        if isinstance(node, nodes.Joined):
            return self._joined(node)
        if isinstance(node, nodes.Element):
            return self._elements[-1] if self._elements else FAILED
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
        return _normal(joined) if len(joined) <= LARGEST else Unresolved(reason="the text is too long")

    def _path(self, node: Node) -> object:
        """A reference with the attribute names after it, as far as they follow the root directly."""
        steps: list[str] = []
        base = node
        while isinstance(base, nodes.Attr):
            steps.append(base.name)
            base = base.source
        steps.reverse()
        if isinstance(base, nodes.Name):
            for names in reversed(self._variables):
                if base.name in names:
                    return self._attributes(names[base.name], steps, node)
            value, used = self._scope.reference(base.name, tuple(steps), base, self)
            return self._attributes(value, steps[used:], node)
        return self._attributes(self._native(base), steps, node)

    def _attributes(self, value: object, steps: list[str], node: Node) -> object:
        for name in steps:
            if isinstance(value, Failed | Unresolved):
                return value
            if not isinstance(value, dict):
                what = "null" if value is None else f"a {kind_of(value)} value"
                return self.fail("Unsupported attribute", f'This value is {what}: it has no attribute "{name}".', node.line)
            if name not in value:
                return self.fail("Unsupported attribute", f'This object does not have an attribute named "{name}".', node.line)
            value = value[name]
        return value

    def _indexed(self, source: object, key: object, node: Node) -> object:
        for value in (source, key):
            if isinstance(value, Failed | Unresolved):
                return value
        if isinstance(source, dict):
            name = string_of(key)
            if name is not None and name in source:
                return source[name]
            return self.fail("Invalid index", "The given key does not identify an element in this collection value.", node.line)
        if not isinstance(source, tuple):
            return self.fail("Invalid index", "This value does not have any indices.", node.line)
        position = self._converted(key, "number", "Invalid index", node)
        if isinstance(position, int) and 0 <= position < len(source):
            return source[position]
        if isinstance(position, Failed):
            return position
        return self.fail("Invalid index", "The given key does not identify an element in this collection value.", node.line)

    def _converted(self, value: object, kind: str, summary: str, node: Node) -> object:
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
        value = self._converted(self._native(node.operand), kind, "Invalid operand", node)
        if isinstance(value, Failed | Unresolved):
            return value
        if node.operator == "!":
            return not value
        return -value if isinstance(value, int | Decimal) else FAILED

    def _binary(self, node: nodes.Binary) -> object:
        left, right = self._native(node.left), self._native(node.right)
        if node.operator in {"==", "!="}:
            for value in (left, right):
                if isinstance(value, Failed | Unresolved):
                    return value
            return _equal(left, right) == (node.operator == "==")
        kind = "bool" if node.operator in {"&&", "||"} else "number"
        left = self._converted(left, kind, "Invalid operand", node)
        right = self._converted(right, kind, "Invalid operand", node)
        for value in (left, right):
            if isinstance(value, Failed | Unresolved):
                return value
        if kind == "bool":
            return (left and right) if node.operator == "&&" else (left or right)
        return self._arithmetic(node, left, right)

    def _arithmetic(self, node: nodes.Binary, left: object, right: object) -> object:
        assert isinstance(left, int | Decimal)  # noqa: S101 - converted by the caller
        assert isinstance(right, int | Decimal)  # noqa: S101 - converted by the caller
        operator = node.operator
        if operator in {"<", "<=", ">", ">="}:
            return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[operator]
        if operator in {"/", "%"} and right == 0:
            return Unresolved(reason="it divides by zero")
        a, b = Decimal(left), Decimal(right)
        if max(abs(a.adjusted()), abs(b.adjusted())) > CONTEXT.prec // 3:
            return Unresolved(reason="the numbers are too large")
        if operator == "+":
            return whole(CONTEXT.add(a, b))
        if operator == "-":
            return whole(CONTEXT.subtract(a, b))
        if operator == "*":
            return whole(CONTEXT.multiply(a, b))
        if operator == "%":
            return whole(CONTEXT.remainder(a, b))
        quotient = CONTEXT.divide(a, b)
        return whole(quotient) if CONTEXT.multiply(quotient, b) == a else Unresolved(reason="the fraction has no end")

    def _conditional(self, node: nodes.Conditional) -> object:
        condition = self._native(node.condition)
        # Both branches are computed for their types; only the chosen one is heard.
        yes, yes_problems = self._apart(node.yes)
        no, no_problems = self._apart(node.no)
        if condition is None:
            return self.fail("Null condition", "The condition value is null. Conditions must either be true or false.", node.line)
        condition = self._converted(condition, "bool", "Incorrect condition type", node)
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

    def _splat(self, node: nodes.Splat) -> object:
        source = self._native(node.source)
        if isinstance(source, Failed | Unresolved):
            return source
        items = () if source is None else source if isinstance(source, tuple) else (source,)
        results = []
        for item in items:
            self._elements.append(item)
            results.append(self._native(node.each))
            self._elements.pop()
        return _collected(tuple(results))

    def _for(self, node: nodes.For) -> object:
        source = self._native(node.source)
        if isinstance(source, Failed | Unresolved):
            return source
        if not isinstance(source, tuple | dict):
            return self.fail(
                "Iteration over non-iterable value", "A collection is required in a 'for' expression.", node.source.line
            )
        pairs = sorted(source.items()) if isinstance(source, dict) else list(enumerate(source))
        values: list[object] = []
        mapping: dict[str, object] = {}
        for key, value in pairs:
            names = {node.value_name: value, **({node.key_name: key} if node.key_name else {})}
            self._variables.append(names)
            outcome = self._iteration(node, values, mapping)
            self._variables.pop()
            if outcome is not None:
                return outcome
        return mapping if node.key is not None else tuple(values)

    def _iteration(self, node: nodes.For, values: list[object], mapping: dict[str, object]) -> object:
        """One turn of the loop; ``None``, or what ends it."""
        if node.condition is not None:
            wanted = self._converted(self._native(node.condition), "bool", "Invalid 'for' condition", node.condition)
            if isinstance(wanted, Failed | Unresolved):
                return wanted
            if not wanted:
                return None
        value = self._native(node.value)
        if value is FAILED:
            return FAILED
        if node.key is None:
            values.append(value)
            return None if len(values) <= LARGEST else Unresolved(reason="the list is too long")
        key = self._native(node.key)
        if isinstance(key, Failed | Unresolved):
            return key
        name = string_of(key)
        if name is None:
            return self.fail("Invalid object key", "The key expression produced an invalid result.", node.key.line)
        if node.group:
            grouped = mapping.setdefault(name, ())
            assert isinstance(grouped, tuple)  # noqa: S101 - only this line fills it
            mapping[name] = (*grouped, value)
        elif name in mapping:
            return self.fail("Duplicate object key", f'Two different items produced the key "{name}".', node.key.line)
        else:
            mapping[name] = value
        return None

    def _joined(self, node: nodes.Joined) -> object:
        values = self._for(node.each)
        if not isinstance(values, tuple):
            return values
        texts = [string_of(value) for value in values]
        known = [text for text in texts if text is not None]
        return "".join(known) if len(known) == len(texts) else next((v for v in values if isinstance(v, Unresolved)), FAILED)


def _collected(items: tuple[object, ...]) -> object:
    return FAILED if any(item is FAILED for item in items) else items


def _normal(text: str) -> str:
    """Strings are kept in Unicode's composed form, whatever the file has."""
    return unicodedata.normalize("NFC", text)


def _equal(left: object, right: object) -> bool:
    if is_number(left) and is_number(right):
        return left == right
    return kind_of(left) == kind_of(right) and left == right


def as_text(value: object) -> str | None:
    """``value`` converted to a string where it can be."""
    try:
        text = convert(value, STRING)
    except ConversionError:
        return None
    return text if isinstance(text, str) else None
