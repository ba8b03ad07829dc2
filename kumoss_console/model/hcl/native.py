"""Files and blocks of the native syntax, read with the engines' recovery: what stays after an error is what they go on with."""

from __future__ import annotations

from dataclasses import dataclass, field

from kumoss_console.model.hcl.bodies import Attribute, Block, Content, Schema
from kumoss_console.model.hcl.cursor import Cursor
from kumoss_console.model.hcl.expressions import failed, parse_expression
from kumoss_console.model.hcl.problem import Problem, TooDeepError, nesting
from kumoss_console.model.hcl.scan import Token
from kumoss_console.model.hcl.strings import parse_label
from kumoss_console.model.hcl.suggest import did_you_mean

_NEEDED = "An argument or block definition is required here."
_EQUALS = f'{_NEEDED} To set an argument, use the equals sign "=" to introduce the argument value.'
_UNCLOSED = "There is no closing brace for this block before the end of the file."


@dataclass(slots=True, kw_only=True)
class NativeBody:
    """A :class:`~kumoss_console.model.hcl.bodies.Body` of the native syntax."""

    file: str
    missing_line: int
    attributes: dict[str, Attribute] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Names of outermost items that were left out because they nest too deeply."""

    def content(self, schema: Schema, *, lenient: bool = False) -> Content:
        problems: list[Problem] = []
        found = {name: item for name, item in self.attributes.items() if name in schema.attributes}
        blocks = [block for block in self.blocks if block.type in schema.blocks and self._labelled(block, schema, problems)]
        if not lenient:
            problems += [self._unsupported_argument(item, schema) for item in self.attributes.values() if item.name not in found]
            problems += [self._unsupported_block(block, schema) for block in self.blocks if block.type not in schema.blocks]
        return Content(attributes=found, blocks=tuple(blocks), problems=tuple(problems))

    def just_attributes(self) -> Content:
        problems = [
            self._problem(f'Unexpected "{block.type}" block', "Blocks are not allowed here.", block.line)
            for block in self.blocks[:1]
        ]
        return Content(attributes=dict(self.attributes), blocks=(), problems=tuple(problems))

    def _problem(self, summary: str, detail: str, line: int) -> Problem:
        return Problem(summary=summary, detail=detail, file=self.file, line=line)

    def _labelled(self, block: Block, schema: Schema, problems: list[Problem]) -> bool:
        names = schema.blocks[block.type].labels
        if len(block.labels) > len(names):
            expected = f"Only {len(names)} labels ({', '.join(names)}) are" if names else "No labels are"
            problems.append(
                self._problem(
                    f"Extraneous label for {block.type}",
                    f"{expected} expected for {block.type} blocks.",
                    block.label_lines[len(names)],
                )
            )
        elif len(block.labels) < len(names):
            problems.append(
                self._problem(
                    f"Missing {names[len(block.labels)]} for {block.type}",
                    f"All {block.type} blocks must have {len(names)} labels ({', '.join(names)}).",
                    block.line,
                )
            )
        return len(block.labels) == len(names)

    def _unsupported_argument(self, item: Attribute, schema: Schema) -> Problem:
        hint = did_you_mean(item.name, schema.attributes - self.attributes.keys())
        if not hint and item.name in schema.blocks:
            hint = f' Did you mean to define a block of type "{item.name}"?'
        detail = f'An argument named "{item.name}" is not expected here.{hint}'
        return self._problem("Unsupported argument", detail, item.line)

    def _unsupported_block(self, block: Block, schema: Schema) -> Problem:
        hint = did_you_mean(block.type, schema.blocks.keys())
        if not hint and block.type in schema.attributes:
            hint = f' Did you mean to define argument "{block.type}"? If so, use the equals sign to assign it a value.'
        detail = f'Blocks of type "{block.type}" are not expected here.{hint}'
        return self._problem("Unsupported block type", detail, block.line)


def parse_file_body(cursor: Cursor) -> NativeBody:
    """The whole file. Nesting that is not followed costs the outermost item it stands in, and no other."""
    return _body(cursor, "eof", cursor.previous, outermost=True)


def _body(cursor: Cursor, closer: str, opener: Token, *, outermost: bool = False) -> NativeBody:
    body = NativeBody(file=cursor.file, missing_line=opener.line)
    while True:
        token = cursor.peek()
        if token.kind == closer:
            cursor.read()
            return body
        if token.kind == "newline":
            cursor.read()
        elif token.kind == "ident":
            if outermost:
                _guarded_item(cursor, body)
            else:
                _item(cursor, body)
        else:
            _bad_item(cursor, cursor.read(), closer, opener)
            cursor.recover(closer)
            return body


def _guarded_item(cursor: Cursor, body: NativeBody) -> None:
    start = cursor.mark
    try:
        _item(cursor, body)
    except TooDeepError as error:
        cursor.problems.append(nesting(cursor.file, error.line))
        cursor.rewind(start)
        body.skipped.append(cursor.peek().text)
        was = cursor.recovering
        cursor.recover_item()
        cursor.recovering = was


def _bad_item(cursor: Cursor, bad: Token, closer: str, opener: Token) -> None:
    if bad.kind == "oquote":
        cursor.error_unless_recovering("Invalid argument name", "Argument names must not be quoted.", bad.line)
    elif bad.kind == "eof" and closer == "}":
        cursor.error_unless_recovering("Unclosed configuration block", _UNCLOSED, opener.line)
    else:
        cursor.error_unless_recovering("Argument or block definition required", _NEEDED, bad.line)


def _item(cursor: Cursor, body: NativeBody) -> None:
    name = cursor.read()
    kind = cursor.peek().kind
    if kind == "=":
        _add(cursor, body, _attribute(cursor, name))
    elif kind in {"oquote", "{", "ident"}:
        with cursor.nested():
            body.blocks.append(_block(cursor, name))
    else:
        cursor.recover_item()
        cursor.error("Argument or block definition required", _EQUALS, name.line)


def _add(cursor: Cursor, body: NativeBody, attribute: Attribute) -> None:
    first = body.attributes.setdefault(attribute.name, attribute)
    if first is not attribute:
        detail = f'The argument "{attribute.name}" was already set at {first.at}. Each argument may be set only once.'
        cursor.error("Attribute redefined", detail, attribute.line)


def _attribute(cursor: Cursor, name: Token, *, alone: bool = False) -> Attribute:
    """The argument whose equals sign is next. ``alone``: in a block of one line, which ends with a brace."""
    cursor.read()
    before = len(cursor.problems)
    expression = parse_expression(cursor)
    text = cursor.text[expression.start : expression.end]
    if failed(cursor, before):
        cursor.recover_item()
    elif not alone:
        end = cursor.peek()
        if end.kind in {"newline", "eof"}:
            cursor.read()
        else:
            if end.kind == ",":
                summary, cause = (
                    "Unexpected comma after argument",
                    "Argument definitions must be separated by newlines, not commas. ",
                )
            else:
                summary, cause = "Missing newline after argument", ""
            cursor.error_unless_recovering(summary, f"{cause}An argument definition must end with a newline.", end.line)
            cursor.recover_item()
    return Attribute(name=name.text, expression=expression, file=cursor.file, line=name.line, text=text)


def _block(cursor: Cursor, name: Token) -> Block:
    labels: list[str] = []
    lines: list[int] = []
    while cursor.peek().kind in {"oquote", "ident"}:
        token = cursor.peek()
        lines.append(token.line)
        labels.append(parse_label(cursor) if token.kind == "oquote" else cursor.read().text)
    token = cursor.peek()
    if token.kind != "{":
        _bad_header(cursor, token)
        cursor.recover_item()
        empty = NativeBody(file=cursor.file, missing_line=name.line)
        return Block(type=name.text, labels=tuple(labels), body=empty, file=cursor.file, line=name.line, label_lines=tuple(lines))
    opener = cursor.read()
    many = cursor.peek().kind in {"newline", "eof", "}"}
    body = _body(cursor, "}", opener) if many else _single(cursor, opener)
    end = cursor.peek()
    if end.kind in {"newline", "eof"}:
        cursor.read()
    else:
        cursor.error_unless_recovering(
            "Missing newline after block definition", "A block definition must end with a newline.", end.line
        )
        cursor.recover_item()
    return Block(type=name.text, labels=tuple(labels), body=body, file=cursor.file, line=name.line, label_lines=tuple(lines))


def _bad_header(cursor: Cursor, token: Token) -> None:
    if token.kind == "=":
        detail = 'The equals sign "=" indicates an argument definition, and must not be used when defining a block.'
        cursor.error("Invalid block definition", detail, token.line)
    elif token.kind == "newline":
        detail = (
            'A block definition must have block content delimited by "{" and "}", starting on the same line as the block header.'
        )
        cursor.error("Invalid block definition", detail, token.line)
    else:
        detail = 'Either a quoted string block label or an opening brace ("{") is expected here.'
        cursor.error_unless_recovering("Invalid block definition", detail, token.line)


def _single(cursor: Cursor, opener: Token) -> NativeBody:
    """``{ name = value }`` on one line."""
    body = NativeBody(file=cursor.file, missing_line=opener.line)
    _single_argument(cursor, body)
    token = cursor.peek()
    if token.kind == "}":
        cursor.read()
        return body
    summary = "Invalid single-argument block definition"
    if token.kind == ",":
        cursor.error(summary, "Single-line block syntax can include only one argument definition.", token.line)
    elif token.kind == "newline":
        cursor.error(
            summary,
            "An argument definition on the same line as its containing block creates a single-line block definition, which must "
            "also be closed on the same line. Place the block's closing brace immediately after the argument definition.",
            token.line,
        )
    elif token.kind == "eof":
        cursor.error_unless_recovering("Unclosed configuration block", _UNCLOSED, opener.line)
    else:
        detail = "A single-line block definition must end with a closing brace immediately after its single argument definition."
        cursor.error_unless_recovering(summary, detail, token.line)
    cursor.recover("}")
    return body


def _single_argument(cursor: Cursor, body: NativeBody) -> None:
    name = cursor.read()
    kind = cursor.peek().kind
    if name.kind == "ident" and kind == "=":
        _add(cursor, body, _attribute(cursor, name, alone=True))
        return
    cursor.recover_item()
    if name.kind != "ident":
        cursor.error("Argument or block definition required", _NEEDED, name.line)
    elif kind in {"oquote", "{", "ident"}:
        cursor.error(
            "Argument definition required",
            f"A single-line block definition can contain only a single argument. If you meant to define argument "
            f'"{name.text}", use an equals sign to assign it a value. To define a nested block, place it on a line of its own '
            "within its parent block.",
            name.line,
        )
    else:
        cursor.error("Argument or block definition required", _EQUALS, name.line)
