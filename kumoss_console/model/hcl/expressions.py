"""Expressions of the native syntax into a tree."""

from __future__ import annotations

from typing import Literal as OneOf

from kumoss_console.model.hcl.cursor import Cursor
from kumoss_console.model.hcl.nodes import (
    Attr,
    Binary,
    Call,
    Conditional,
    Element,
    Index,
    Invalid,
    Literal,
    Name,
    Node,
    Parentheses,
    Splat,
    Unary,
)
from kumoss_console.model.hcl.numbers import number
from kumoss_console.model.hcl.scan import Token

_LEVELS = {"||": 1, "&&": 2, "==": 3, "!=": 3, ">": 4, ">=": 4, "<": 4, "<=": 4, "+": 5, "-": 5, "*": 6, "/": 6, "%": 6}
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}


def parse_expression(cursor: Cursor) -> Node:
    """The expression at the cursor; what cannot be read becomes :class:`Invalid`, with a problem noted on the cursor."""
    with cursor.nested():
        return _conditional(cursor)


def failed(cursor: Cursor, before: int) -> bool:
    """Whether problems were noted since ``before`` and the cursor has lost its way: then the caller recovers too."""
    return cursor.recovering and len(cursor.problems) > before


def invalid(first: Token | Node, last: Token | Node) -> Invalid:
    return Invalid(line=first.line, start=first.start, end=last.end)


def _told(cursor: Cursor, first: Token | Node, last: Token | Node) -> Invalid:
    """Left behind by the problem that was noted last."""
    return Invalid(line=first.line, start=first.start, end=last.end, told=cursor.problems[-1])


def _conditional(cursor: Cursor) -> Node:
    before = len(cursor.problems)
    condition = _binary(cursor, 1)
    if failed(cursor, before) or cursor.peek().kind != "?":
        return condition
    cursor.read()
    yes = parse_expression(cursor)
    if failed(cursor, before):
        return condition
    colon = cursor.peek()
    if colon.kind != ":":
        cursor.error(
            "Missing false expression in conditional",
            "The conditional operator (...?...:...) requires a false expression, delimited by a colon.",
            colon.line,
        )
        return condition
    cursor.read()
    no = parse_expression(cursor)
    if failed(cursor, before):
        return condition
    return Conditional(condition=condition, yes=yes, no=no, line=condition.line, start=condition.start, end=no.end)


def _binary(cursor: Cursor, level: int) -> Node:
    before = len(cursor.problems)
    left = _operand(cursor)
    while not failed(cursor, before):
        operator = cursor.peek().kind
        strength = _LEVELS.get(operator, 0)
        if strength < level:
            break
        cursor.read()
        right = _binary(cursor, strength + 1)
        if failed(cursor, before):
            break
        left = Binary(operator=operator, left=left, right=right, line=left.line, start=left.start, end=right.end)
    return left


def _operand(cursor: Cursor) -> Node:
    return _traversals(cursor, _term(cursor))


def _traversals(cursor: Cursor, source: Node) -> Node:
    while True:
        kind = cursor.peek().kind
        if kind == ".":
            source = _dot(cursor, source)
        elif kind == "[":
            source = _bracket(cursor, source)
        else:
            return source
        if isinstance(source, Invalid):
            return source


def _dot(cursor: Cursor, source: Node) -> Node:
    dot = cursor.read()
    token = cursor.peek()
    if token.kind == "*":
        cursor.read()
        each: Node = Element(line=token.line, start=dot.start, end=token.end)
        while cursor.peek().kind == ".":
            step = _step(cursor, each, cursor.read())
            if isinstance(step, Invalid):
                return step
            each = step
        return Splat(source=source, each=each, line=source.line, start=source.start, end=each.end)
    return _step(cursor, source, dot)


def _step(cursor: Cursor, source: Node, dot: Token) -> Node:
    """The name, or the number of the old index syntax, after a dot."""
    token = cursor.peek()
    if token.kind == "ident":
        cursor.read()
        return Attr(source=source, name=token.text, line=source.line, start=source.start, end=token.end)
    if token.kind == "number":
        cursor.read()
        if "." in token.text:
            cursor.error(
                "Invalid legacy index syntax",
                "When using the legacy index syntax, chaining two indexes together is not permitted.",
                token.line,
            )
            return invalid(source, token)
        key = Literal(value=number(token.text), line=token.line, start=token.start, end=token.end)
        return Index(source=source, key=key, line=source.line, start=source.start, end=token.end)
    cursor.error("Invalid attribute name", "An attribute name is required after a dot.", token.line)
    cursor.recovering = True
    return _told(cursor, source, dot)


def _bracket(cursor: Cursor, source: Node) -> Node:
    opener = cursor.read()
    if cursor.peek().kind == "*":
        cursor.read()
        closer = cursor.read()
        if closer.kind != "]" and not cursor.recovering:
            cursor.error(
                "Missing close bracket on splat index", 'The star must be followed by a closing bracket ("]").', closer.line
            )
            closer = cursor.recover("]")
        element = Element(line=opener.line, start=opener.start, end=closer.end)
        with cursor.nested():
            each = _traversals(cursor, element)
        return Splat(source=source, each=each, line=source.line, start=source.start, end=each.end)
    before = len(cursor.problems)
    with cursor.newlines(False):
        key = parse_expression(cursor)
        if failed(cursor, before):
            closer = cursor.recover("]")
        else:
            closer = cursor.read()
            if closer.kind != "]" and not cursor.recovering:
                cursor.error(
                    "Missing close bracket on index", 'The index operator must end with a closing bracket ("]").', closer.line
                )
                closer = cursor.recover("]")
    return Index(source=source, key=key, line=source.line, start=source.start, end=closer.end)


def _term(cursor: Cursor) -> Node:
    from kumoss_console.model.hcl.constructors import parse_mapping, parse_sequence
    from kumoss_console.model.hcl.templates import parse_string

    token = cursor.peek()
    if token.kind == "(":
        return _parentheses(cursor)
    if token.kind == "number":
        return _number(cursor, cursor.read())
    if token.kind == "ident":
        return _name(cursor, cursor.read())
    if token.kind in {"oquote", "oheredoc"}:
        return parse_string(cursor)
    if token.kind in {"-", "!"}:
        cursor.read()
        with cursor.nested():
            operand = _operand(cursor)
        operator: OneOf["-", "!"] = "-" if token.kind == "-" else "!"
        return Unary(operator=operator, operand=operand, line=token.line, start=token.start, end=operand.end)
    if token.kind == "[":
        return parse_sequence(cursor)
    if token.kind == "{":
        return parse_mapping(cursor)
    if token.kind == "eof":
        cursor.error_unless_recovering(
            "Missing expression", "Expected the start of an expression, but found the end of the file.", token.line
        )
    else:
        cursor.error_unless_recovering(
            "Invalid expression", "Expected the start of an expression, but found an invalid expression token.", token.line
        )
    cursor.recovering = True
    return invalid(token, token)


def _parentheses(cursor: Cursor) -> Node:
    opener = cursor.read()
    before = len(cursor.problems)
    with cursor.newlines(False):
        inner = parse_expression(cursor)
        if len(cursor.problems) > before:
            cursor.recover(")")
            return inner
        closer = cursor.peek()
        if closer.kind != ")":
            cursor.error("Unbalanced parentheses", "Expected a closing parenthesis to terminate the expression.", closer.line)
            cursor.recovering = True
        closer = cursor.read()
    return Parentheses(inner=inner, line=opener.line, start=opener.start, end=closer.end)


def _number(cursor: Cursor, token: Token) -> Node:
    value = number(token.text)
    if value is None:
        cursor.error("Invalid number literal", "Failed to recognize the value of this number literal.", token.line)
        return invalid(token, token)
    return Literal(value=value, line=token.line, start=token.start, end=token.end)


def _name(cursor: Cursor, token: Token) -> Node:
    if cursor.peek().kind in {"(", "::"}:
        return _call(cursor, token)
    if token.text in _CONSTANTS:
        return Literal(value=_CONSTANTS[token.text], line=token.line, start=token.start, end=token.end)
    return Name(name=token.text, line=token.line, start=token.start, end=token.end)


def _call(cursor: Cursor, first: Token) -> Node:
    name = first.text
    opener = cursor.read()
    while opener.kind == "::":
        part = cursor.read()
        if part.kind != "ident":
            cursor.error(
                "Missing function name", "Function scope resolution symbol :: must be followed by a function name.", part.line
            )
            cursor.recover_over("(")
            return _told(cursor, first, part)
        name = f"{name}::{part.text}"
        opener = cursor.read()
    if opener.kind != "(":
        cursor.error("Missing open parenthesis", "Function selector must be followed by an open parenthesis.", opener.line)
        cursor.recover_over("(")
        return _told(cursor, first, opener)
    with cursor.newlines(False):
        arguments, expand = _arguments(cursor, first)
    end = cursor.previous.end
    return Call(name=name, arguments=tuple(arguments), expand=expand, line=first.line, start=first.start, end=end)


def _arguments(cursor: Cursor, first: Token) -> tuple[list[Node], bool]:
    arguments: list[Node] = []
    while cursor.peek().kind != ")":
        before = len(cursor.problems)
        arguments.append(parse_expression(cursor))
        if failed(cursor, before):
            cursor.recover(")")
            return arguments, False
        separator = cursor.read()
        if separator.kind == ")":
            return arguments, False
        if separator.kind == "...":
            if cursor.peek().kind != ")":
                cursor.error_unless_recovering(
                    "Missing closing parenthesis",
                    "An expanded function argument (with ...) must be immediately followed by closing parentheses.",
                    separator.line,
                )
                cursor.recover(")")
            else:
                cursor.read()
            return arguments, True
        if separator.kind != ",":
            if separator.kind == "eof":
                cursor.error("Unterminated function call", "There is no closing parenthesis for this function call.", first.line)
            else:
                cursor.error(
                    "Missing argument separator",
                    "A comma is required to separate each function argument from the next.",
                    separator.line,
                )
            cursor.recover(")")
            return arguments, False
    cursor.read()
    return arguments, False
