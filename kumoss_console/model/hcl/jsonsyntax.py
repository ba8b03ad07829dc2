"""JSON as the engines read it: a tree that knows its lines, keeps doubled members, and refuses what they refuse."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NamedTuple

from kumoss_console.model.hcl.numbers import number
from kumoss_console.model.hcl.problem import DEPTH, TOKENS, Problem, TooDeepError, TooLongError, too_long

_TOKEN = re.compile(
    r"""
    (?P<space>[\x20\t\r\n]+)
  | (?P<string>"(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*"?)
  | (?P<number>[0-9+\-.][0-9eE.+\-]*)
  | (?P<keyword>[A-Za-z_][A-Za-z0-9_\-]*)
  | (?P<self>[{}\[\]:,=])
  | (?P<invalid>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_VALUE = "A JSON value must start with a brace, a bracket, a number, a string, or a keyword."


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonNode:
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonText(JsonNode):
    """A string; ``value`` may hold a template, depending on who asks."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonScalar(JsonNode):
    """A number, a truth value or null."""

    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonInvalid(JsonNode):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonArray(JsonNode):
    items: tuple[JsonNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    name: str
    line: int
    value: JsonNode


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonObject(JsonNode):
    members: tuple[Member, ...]
    end_line: int


class _Token(NamedTuple):
    kind: str
    text: str
    line: int
    start: int
    end: int


def parse_json(text: str, file: str) -> tuple[JsonNode, list[Problem]]:
    """The value in ``text``. A part with a problem is :class:`JsonInvalid`; the engines go on after it, and so does this."""
    parser = _Parser(text, file)
    try:
        node = parser.value()
    except TooDeepError as error:
        detail = f"More than {DEPTH} levels of brackets: the file was not read."
        limit = Problem(summary="Nested too deeply", detail=detail, file=file, line=error.line, kind="limit")
        return JsonInvalid(line=1, start=0, end=0), [limit]
    except TooLongError as error:
        return JsonInvalid(line=1, start=0, end=0), [too_long(file, error.line)]
    if not parser.problems and parser.peek().kind != "eof":
        parser.note("Extraneous data after value", "Extra characters appear after the JSON value.", parser.peek().line)
    return node, parser.problems


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._pos = 0
        self._line = 1
        self._depth = 0
        self._tokens = 0
        self.problems: list[Problem] = []
        self._token = self._scan()

    def _scan(self) -> _Token:
        while match := _TOKEN.match(self._text, self._pos):
            line = self._line
            self._pos = match.end()
            self._line += match[0].count("\n")
            kind = str(match.lastgroup)
            if kind == "invalid":
                # The engines read nothing behind a character that is no JSON.
                self._pos = len(self._text)
            if kind != "space":
                return _Token(match[0] if kind == "self" else kind, match[0], line, match.start(), match.end())
        end = len(self._text)
        return _Token("eof", "", self._line, end, end)

    def peek(self) -> _Token:
        return self._token

    def _read(self) -> _Token:
        token = self._token
        self._tokens += 1
        if self._tokens > TOKENS:
            raise TooLongError(token.line)
        self._token = self._scan()
        return token

    def note(self, summary: str, detail: str, line: int) -> None:
        self.problems.append(Problem(summary=summary, detail=detail, file=self._file, line=line))

    def _bad(self, summary: str, detail: str, token: _Token, start: _Token | None = None) -> JsonInvalid:
        self.note(summary, detail, token.line)
        first = start or token
        return JsonInvalid(line=first.line, start=first.start, end=first.end)

    def _recover(self, token: _Token, opener: str, closer: str) -> None:
        """Read on to what looks like the end of the object or array at hand, beginning with ``token``."""
        opened = 1
        while token.kind != "eof":
            if token.kind == opener:
                opened += 1
            elif token.kind == closer:
                opened -= 1
                if opened <= 1:
                    return
            token = self._read()

    def value(self) -> JsonNode:
        self._depth += 1
        if self._depth > DEPTH:
            raise TooDeepError(self._token.line)
        try:
            return self._value()
        finally:
            self._depth -= 1

    def _value(self) -> JsonNode:
        token = self._token
        if token.kind == "{":
            return self._object()
        if token.kind == "[":
            return self._array()
        if token.kind == "string":
            return self._string(self._read())
        if token.kind == "number":
            return self._number(self._read())
        if token.kind == "keyword":
            return self._keyword(self._read())
        if token.kind == "}":
            return self._bad("Missing JSON value", _VALUE, token)
        if token.kind == "]":
            return self._bad("Missing array element value", _VALUE, token)
        if token.kind == "eof":
            return self._bad("Missing value", "The JSON data ends prematurely.", token)
        bom = " The file begins with a byte order mark, which editors do not show." if token.text == "\ufeff" else ""
        return self._bad("Invalid start of value", f"{_VALUE}{bom}", token)

    def _string(self, token: _Token) -> JsonNode:
        try:
            value = str(json.loads(token.text))
        except ValueError:
            return self._bad("Invalid JSON string", "There is a syntax error in the given JSON string.", token)
        return JsonText(value=_SURROGATE.sub("\ufffd", value), line=token.line, start=token.start, end=token.end)

    def _number(self, token: _Token) -> JsonNode:
        value = number(token.text) if _NUMBER.fullmatch(token.text) else None
        if value is None:
            return self._bad("Invalid JSON number", "There is a syntax error in the given JSON number.", token)
        return JsonScalar(value=value, line=token.line, start=token.start, end=token.end)

    def _keyword(self, token: _Token) -> JsonNode:
        known: dict[str, object] = {"true": True, "false": False, "null": None}
        if token.text not in known:
            return self._bad("Invalid JSON keyword", f'"{token.text}" is not a valid JSON keyword.', token)
        return JsonScalar(value=known[token.text], line=token.line, start=token.start, end=token.end)

    def _object(self) -> JsonNode:
        opener = self._read()
        members: list[Member] = []
        while self._token.kind != "}":
            key = self.value()
            if not isinstance(key, JsonText):
                self.note("Invalid object property name", "A JSON object property name must be a string", key.line)
                return JsonInvalid(line=opener.line, start=opener.start, end=opener.end)
            if (bad := self._colon(opener)) is not None:
                return bad
            members.append(Member(name=key.value, line=key.line, value=self.value()))
            if (bad := self._after_member(opener)) is not None:
                return bad
        closer = self._read()
        return JsonObject(members=tuple(members), line=opener.line, start=opener.start, end=closer.end, end_line=closer.line)

    def _colon(self, opener: _Token) -> JsonInvalid | None:
        colon = self._read()
        if colon.kind == ":":
            return None
        self._recover(colon, "{", "}")
        if colon.kind in {"}", ","}:
            detail = "A JSON object attribute must have a value, introduced by a colon."
            return self._bad("Missing object value", detail, colon, opener)
        detail = "A colon must appear between an object property's name and its value."
        return self._bad("Missing property value colon", detail, colon, opener)

    def _after_member(self, opener: _Token) -> JsonInvalid | None:
        token = self._token
        if token.kind == "}":
            return None
        if token.kind == ",":
            self._read()
            if self._token.kind == "}":
                detail = "JSON does not permit a trailing comma after the final property in an object."
                return self._bad("Trailing comma in object", detail, token, opener)
            return None
        if token.kind == "eof":
            return self._bad("Unclosed object", "No closing brace was found for this JSON object.", opener)
        if token.kind == "]":
            self._read()
            return self._bad("Mismatched braces", "A JSON object must be closed with a brace, not a bracket.", token, opener)
        self._recover(self._read(), "{", "}")
        detail = "A comma must appear between each property definition in an object."
        return self._bad("Missing attribute seperator comma", detail, self._token, opener)

    def _array(self) -> JsonNode:
        opener = self._read()
        items: list[JsonNode] = []
        while self._token.kind != "]":
            items.append(self.value())
            if (bad := self._after_item(opener)) is not None:
                return bad
        closer = self._read()
        return JsonArray(items=tuple(items), line=opener.line, start=opener.start, end=closer.end)

    def _after_item(self, opener: _Token) -> JsonInvalid | None:
        token = self._token
        if token.kind == "]":
            return None
        self._read()
        if token.kind == ",":
            if self._token.kind == "]":
                detail = "JSON does not permit a trailing comma after the final value in an array."
                return self._bad("Trailing comma in array", detail, token, opener)
            return None
        self._recover(token, "[", "]")
        if token.kind == ":":
            return self._bad(
                "Invalid array value", "A colon is not used to introduce values in a JSON array.", self._token, opener
            )
        if token.kind == "eof":
            return self._bad("Unclosed object", "No closing bracket was found for this JSON array.", opener)
        if token.kind == "}":
            return self._bad("Mismatched brackets", "A JSON array must be closed with a bracket, not a brace.", token, opener)
        return self._bad(
            "Missing attribute seperator comma", "A comma must appear between each value in an array.", self._token, opener
        )
