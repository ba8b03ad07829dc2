"""Sequences, mappings and ``for`` expressions of the native syntax."""

from __future__ import annotations

from kumoss_console.model.hcl.cursor import Cursor
from kumoss_console.model.hcl.expressions import failed, invalid, parse_expression
from kumoss_console.model.hcl.nodes import For, Mapping, Node, Sequence
from kumoss_console.model.hcl.scan import Token


def parse_sequence(cursor: Cursor) -> Node:
    opener = cursor.read()
    with cursor.newlines(False):
        if _is(cursor.peek(), "for"):
            return _for(cursor, opener, "]")
        items: list[Node] = []
        while cursor.peek().kind != "]":
            before = len(cursor.problems)
            items.append(parse_expression(cursor))
            if failed(cursor, before):
                cursor.recover("]")
                break
            separator = cursor.peek()
            if separator.kind == "]":
                cursor.read()
                break
            if separator.kind != ",":
                _no_separator(cursor, opener, separator)
                cursor.recover("]")
                break
            cursor.read()
        else:
            cursor.read()
    return Sequence(items=tuple(items), line=opener.line, start=opener.start, end=cursor.previous.end)


def _no_separator(cursor: Cursor, opener: Token, separator: Token) -> None:
    if separator.kind == "eof":
        cursor.error_unless_recovering(
            "Unterminated tuple constructor expression",
            "There is no corresponding closing bracket before the end of the file.",
            opener.line,
        )
    else:
        cursor.error_unless_recovering(
            "Missing item separator", "Expected a comma to mark the beginning of the next item.", separator.line
        )


def parse_mapping(cursor: Cursor) -> Node:
    opener = cursor.read()
    with cursor.newlines(False):
        is_for = _is(cursor.peek(), "for")
    if is_for:
        with cursor.newlines(False):
            return _for(cursor, opener, "}")
    items: list[tuple[Node, Node]] = []
    with cursor.newlines(True):
        while True:
            token = cursor.peek()
            if token.kind == "newline":
                cursor.read()
            elif token.kind == "}":
                cursor.read()
                break
            elif not _item(cursor, opener, items):
                break
    return Mapping(items=tuple(items), line=opener.line, start=opener.start, end=cursor.previous.end)


def _item(cursor: Cursor, opener: Token, items: list[tuple[Node, Node]]) -> bool:
    """One ``key = value``; false where the mapping has ended with it."""
    before = len(cursor.problems)
    key = parse_expression(cursor)
    if failed(cursor, before):
        cursor.recover("}")
        return False
    if cursor.peek().kind not in {"=", ":"}:
        _no_value(cursor, opener, cursor.peek())
        cursor.recover("}")
        return False
    cursor.read()
    items.append((key, parse_expression(cursor)))
    if failed(cursor, before):
        cursor.recover("}")
        return False
    token = cursor.peek()
    if token.kind == "}":
        cursor.read()
        return False
    if token.kind not in {",", "newline"}:
        if token.kind == "eof":
            _unterminated(cursor, opener)
        else:
            cursor.error_unless_recovering(
                "Missing attribute separator",
                "Expected a newline or comma to mark the beginning of the next attribute.",
                token.line,
            )
        cursor.recover("}")
        return False
    cursor.read()
    return True


def _unterminated(cursor: Cursor, opener: Token) -> None:
    cursor.error_unless_recovering(
        "Unterminated object constructor expression",
        "There is no corresponding closing brace before the end of the file.",
        opener.line,
    )


def _no_value(cursor: Cursor, opener: Token, token: Token) -> None:
    if token.kind == "eof":
        _unterminated(cursor, opener)
    elif token.kind in {"newline", ","}:
        cursor.error_unless_recovering(
            "Missing attribute value", 'Expected an attribute value, introduced by an equals sign ("=").', token.line
        )
    else:
        cursor.error_unless_recovering(
            "Missing key/value separator",
            'Expected an equals sign ("=") to mark the beginning of the attribute value.',
            token.line,
        )


def _is(token: Token, keyword: str) -> bool:
    return token.kind == "ident" and token.text == keyword


def _for(cursor: Cursor, opener: Token, closer: str) -> Node:
    """The rest of a ``for`` expression, the cursor at its keyword."""
    cursor.read()
    before = len(cursor.problems)

    def broken(detail: str) -> Node:
        cursor.error_unless_recovering("Invalid 'for' expression", detail, cursor.peek().line)
        return lost()

    def lost() -> Node:
        return invalid(opener, cursor.recover(closer))

    names = loop_names(cursor)
    if isinstance(names, str):
        return broken(names)
    source = parse_expression(cursor)
    if failed(cursor, before):
        return lost()
    if cursor.peek().kind != ":":
        return broken("For expression requires a colon after the collection expression.")
    cursor.read()
    key, value = None, parse_expression(cursor)
    if cursor.peek().kind == "=>":
        cursor.read()
        key, value = value, parse_expression(cursor)
    if failed(cursor, before):
        return lost()
    group = cursor.peek().kind == "..."
    if group:
        cursor.read()
    condition = None
    if _is(cursor.peek(), "if"):
        cursor.read()
        condition = parse_expression(cursor)
        if failed(cursor, before):
            return lost()
    if cursor.peek().kind == closer:
        end = cursor.read()
    else:
        cursor.error_unless_recovering(
            "Invalid 'for' expression", "Extra characters after the end of the 'for' expression.", cursor.peek().line
        )
        end = cursor.recover(closer)
    _check_keys(cursor, closer, key, value, group)
    return For(
        key_name=names[0],
        value_name=names[1],
        source=source,
        key=key,
        value=value,
        condition=condition,
        group=group,
        line=opener.line,
        start=opener.start,
        end=end.end,
    )


def _check_keys(cursor: Cursor, closer: str, key: Node | None, value: Node, group: bool) -> None:
    if closer == "]" and key is not None:
        cursor.error("Invalid 'for' expression", "Key expression is not valid when building a tuple.", key.line)
    if closer == "]" and group:
        cursor.error("Invalid 'for' expression", "Grouping ellipsis (...) cannot be used when building a tuple.", value.line)
    if closer == "}" and key is None:
        cursor.error("Invalid 'for' expression", "Key expression is required when building an object.", value.line)


def loop_names(cursor: Cursor) -> tuple[str | None, str] | str:
    """``v in`` or ``k, v in``: the names, the cursor after the keyword; or what is wrong."""
    if cursor.peek().kind != "ident":
        return "For expression requires variable name after 'for'."
    key, value = None, cursor.read().text
    if cursor.peek().kind == ",":
        cursor.read()
        if cursor.peek().kind != "ident":
            return "For expression requires value variable name after comma."
        key, value = value, cursor.read().text
    if not _is(cursor.peek(), "in"):
        return "For expression requires the 'in' keyword after its name declarations."
    cursor.read()
    return key, value
