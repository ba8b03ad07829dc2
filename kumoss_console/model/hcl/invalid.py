"""Tokens that are never right: said once for all of a line, by name, since editors show most of them as nothing unusual."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from kumoss_console.model.hcl.problem import Problem
from kumoss_console.model.hcl.scan import Token

_CURLY = "“”‘’"
_CHARACTER = {
    "`": 'The "`" character is not valid. To create a multi-line string, use the "heredoc" syntax, like "<<EOT".',
    "'": 'Single quotes are not valid. Use double quotes (") to enclose strings.',
    ";": 'The ";" character is not valid. Use newlines to separate arguments and blocks, and commas to separate items.',
}
_SUGGESTION = {"&": ' Did you mean boolean AND ("&&")?', "|": ' Did you mean boolean OR ("||")?', "~": ' Did you mean "!"?'}
_CHECKED = {*_CHARACTER, *_SUGGESTION, "^", "invalid", "badutf8", "brokenline"}


def check_tokens(tokens: list[Token], file: str) -> Iterator[Problem]:
    """One problem for each line and kind."""
    wrong = [token for token in tokens if token.kind in _CHECKED]
    encoding = next((token for token in wrong if token.kind == "badutf8"), None)
    for (line, summary), group in groupby(wrong, key=lambda token: (token.line, _summary(token.kind))):
        if summary == "Invalid character encoding" and encoding and encoding.line != line:
            continue
        yield Problem(summary=summary, detail=_detail(list(group)), file=file, line=line)


def _summary(kind: str) -> str:
    if kind in _SUGGESTION or kind == "^":
        return "Unsupported operator"
    if kind == "badutf8":
        return "Invalid character encoding"
    return "Invalid multi-line string" if kind == "brokenline" else "Invalid character"


def _detail(tokens: list[Token]) -> str:
    kind = tokens[0].kind
    if kind == "badutf8":
        return "All input files must be UTF-8 encoded. Ensure that UTF-8 encoding is selected in your editor."
    if kind == "brokenline":
        return "Quoted strings may not be split over multiple lines. Write \\n for a line break, or use a heredoc."
    if kind in _SUGGESTION or kind == "^":
        return f"Bitwise operators are not supported.{_SUGGESTION.get(kind, '')}"
    if kind in _CHARACTER:
        return _CHARACTER[kind]
    names = ", ".join(dict.fromkeys(_name(token.text) for token in tokens))
    curly = " Curly quotes come from documents and chats: write straight ones." if any(t.text in _CURLY for t in tokens) else ""
    return f"This character is not used within the language: {names}.{curly}"


def _name(char: str) -> str:
    return f"U+{ord(char):04X} {unicodedata.name(char, 'control character').lower()}"
