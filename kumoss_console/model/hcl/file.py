"""One configuration file, from bytes to a body and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from kumoss_console.model.hcl.bodies import Body
from kumoss_console.model.hcl.cursor import Cursor
from kumoss_console.model.hcl.expressions import parse_expression
from kumoss_console.model.hcl.invalid import check_tokens
from kumoss_console.model.hcl.jsonbody import JsonBody
from kumoss_console.model.hcl.jsonsyntax import JsonArray, JsonObject, parse_json
from kumoss_console.model.hcl.native import NativeBody, parse_file_body
from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.problem import Problem, TooDeepError, TooLongError, first, nesting, too_long
from kumoss_console.model.hcl.scan import Token, scan
from kumoss_console.model.hcl.templates import parse_template

LARGEST = 4 * 1024 * 1024
"""Bytes of a file that is parsed; the whole of ordinary configuration files stays far below."""

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """``complete`` is false where this reader, not the engine, gave up on a part of the file."""

    name: str
    body: Body
    problems: tuple[Problem, ...]

    @property
    def complete(self) -> bool:
        return all(problem.kind != "limit" for problem in self.problems)


def parse_file(name: str, raw: bytes) -> ConfigFile:
    """The file called ``name``, JSON where the name ends in ``.json``. Never raises for what the bytes are."""
    if len(raw) > LARGEST:
        return _unread(name, f"The file has {len(raw):,} bytes; files of more than {LARGEST:,} are not read.")
    text = raw.decode("utf-8", "surrogateescape")
    return _parse_json(name, text) if name.endswith(".json") else _parse_native(name, text)


def _unread(name: str, detail: str) -> ConfigFile:
    problem = Problem(summary="Too large to read", detail=detail, file=name, line=None, kind="limit")
    return ConfigFile(name=name, body=NativeBody(file=name, missing_line=1), problems=(problem,))


def _parse_native(name: str, text: str) -> ConfigFile:
    text = text.removeprefix(_BOM)
    try:
        tokens = scan(text)
    except TooLongError as error:
        body = NativeBody(file=name, missing_line=1)
        return ConfigFile(name=name, body=body, problems=(too_long(name, error.line),))
    cursor = Cursor(tokens, text, name)
    body = parse_file_body(cursor)
    return ConfigFile(name=name, body=body, problems=first((*check_tokens(tokens, name), *cursor.problems)))


def _parse_json(name: str, text: str) -> ConfigFile:
    node, problems = parse_json(text, name)
    if not isinstance(node, JsonObject | JsonArray):
        if all(problem.kind == "error" for problem in problems):
            detail = "The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects."
            problems = [*problems, Problem(summary="Root value must be object", detail=detail, file=name, line=node.line)]
        return ConfigFile(name=name, body=NativeBody(file=name, missing_line=1), problems=first(problems))
    return ConfigFile(name=name, body=JsonBody(file=name, node=node, text=text), problems=first(problems))


def read_expression(text: str, file: str, *, line: int = 1, template: bool = False) -> tuple[Node | None, list[Problem]]:
    """One expression that stands alone, or (``template``) a text that is a template from its start; ``None`` with problems."""
    try:
        tokens = scan(text, line=line, template=template)
        cursor = Cursor(tokens, text, file)
        if template:
            opener = Token("oquote", "", line, 0, 0)
            node = parse_template(cursor, opener, "eof")
        else:
            with cursor.newlines(False):
                node = parse_expression(cursor)
                end = cursor.peek()
            if end.kind != "eof":
                detail = "An expression was successfully parsed, but extra characters were found after it."
                cursor.error_unless_recovering("Extra characters after expression", detail, end.line)
    except (TooLongError, TooDeepError) as error:
        return None, [nesting(file, error.line)]
    problems = [*check_tokens(tokens, file), *cursor.problems]
    return (None, problems) if problems else (node, [])
