"""Escapes of quoted text, and the labels of blocks."""

from __future__ import annotations

import re

from kumoss_console.model.hcl.cursor import Cursor
from kumoss_console.model.hcl.scan import Token

_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|([$%])\4\{", re.DOTALL)
_DOUBLED = re.compile(r"([$%])\1\{")


def unescape(cursor: Cursor, token: Token) -> str:
    """The text that a token of a string or heredoc stands for; a bad escape is noted on the cursor."""
    if token.kind == "literal":
        return _DOUBLED.sub(r"\1{", token.text)

    def replaced(match: re.Match[str]) -> str:
        four, eight, other, doubled = match.groups()
        if doubled:
            return f"{doubled}{{"
        if four or eight:
            return _character(cursor, int(four or eight, 16), token.line) or match[0]
        if other in _SIMPLE:
            return _SIMPLE[other]
        cursor.error("Invalid escape sequence", _bad_escape(other), token.line)
        return match[0] if other in "uU" else str(other)

    return _ESCAPE.sub(replaced, token.text)


def _bad_escape(selector: str) -> str:
    if selector == "u":
        return "The \\u escape sequence must be followed by four hexadecimal digits."
    if selector == "U":
        return "The \\U escape sequence must be followed by eight hexadecimal digits."
    return f'The symbol "{selector}" is not a valid escape sequence selector.'


def _character(cursor: Cursor, point: int, line: int) -> str:
    """The character, or nothing for a number that is none."""
    if point > 0x10FFFF or 0xD800 <= point <= 0xDFFF:
        cursor.error("Invalid escape sequence", f"Cannot encode character U+{point:04x} in UTF-8.", line)
        return ""
    return chr(point)


def parse_label(cursor: Cursor) -> str:
    """A quoted text that may hold no template, the cursor at its quote."""
    cursor.read()
    parts: list[str] = []
    while True:
        token = cursor.read()
        if token.kind == "cquote":
            break
        if token.kind == "quoted":
            parts.append(unescape(cursor, token))
        elif token.kind in {"interp", "control"}:
            sign = token.text[0]
            cursor.error(
                "Invalid string literal",
                f'Template sequences are not allowed in this string. To include a literal "{sign}", double it to escape it.',
                token.line,
            )
            parts.append(f"{sign}{{ ... }}")
            cursor.recover("seqend")
        elif token.kind == "eof":
            cursor.error(
                "Unterminated string literal", "Unable to find the closing quote mark before the end of the file.", token.line
            )
            break
        else:
            cursor.error("Invalid string literal", "This item is not valid in a string literal.", token.line)
            cursor.recover("cquote")
            break
    return "".join(parts)
