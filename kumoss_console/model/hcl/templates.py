"""Strings, heredocs and the templates in them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kumoss_console.model.hcl.constructors import loop_names
from kumoss_console.model.hcl.cursor import Cursor
from kumoss_console.model.hcl.expressions import invalid, parse_expression
from kumoss_console.model.hcl.nodes import Conditional, For, Joined, Literal, Node, Template
from kumoss_console.model.hcl.scan import Token
from kumoss_console.model.hcl.strings import unescape


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    value: str
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class _Directive:
    """``%{if}``, ``%{for}`` and their ends. ``names`` and ``node`` as the keyword has them."""

    keyword: str
    token: Token
    node: Node | None = None
    names: tuple[str | None, str] = (None, "")


_Part = _Text | _Directive | Node


def parse_string(cursor: Cursor) -> Node:
    """The string or heredoc at the cursor."""
    opener = cursor.read()
    closer = "cquote" if opener.kind == "oquote" else "cheredoc"
    return parse_template(cursor, opener, closer, flush=opener.text.startswith("<<-"))


def parse_template(cursor: Cursor, opener: Token, closer: str, *, flush: bool = False) -> Node:
    """The template from the cursor to the token ``closer``."""
    parts = _parts(cursor, closer)
    if flush:
        parts = _flushed(parts)
    parts = _melded(parts)
    end = cursor.previous.end
    if len(parts) == 1 and isinstance(parts[0], Node):
        return parts[0]
    nodes = _Tree(cursor, parts, cursor.previous).root()
    if not nodes:
        nodes = [Literal(value="", line=opener.line, start=opener.end, end=opener.end)]
    return Template(parts=tuple(nodes), line=opener.line, start=opener.start, end=end)


def _parts(cursor: Cursor, closer: str) -> list[_Part]:
    parts: list[_Part] = []
    trim_next = False
    while True:
        token = cursor.read()
        if token.kind == closer:
            return parts
        trim, trim_next = trim_next, False
        if token.kind in {"quoted", "literal"}:
            value = unescape(cursor, token)
            parts.append(_Text(value=value.lstrip() if trim else value, token=token))
        elif token.kind in {"interp", "control"}:
            if token.text.endswith("~") and parts and isinstance(parts[-1], _Text):
                parts[-1] = replace(parts[-1], value=parts[-1].value.rstrip())
            with cursor.newlines(False):
                trim_next = _sequence(cursor, token, closer, parts)
        else:
            cursor.error_unless_recovering(
                "Unterminated template string", "No closing marker was found for the string.", token.line
            )
            if token.kind != "eof":
                cursor.recover(closer)
            else:
                cursor.recovering = True
            return parts


def _sequence(cursor: Cursor, opener: Token, closer: str, parts: list[_Part]) -> bool:
    """What stands between ``${`` or ``%{`` and its brace; true where ``~}`` closes it."""
    if opener.kind == "interp":
        parts.append(parse_expression(cursor))
        keyword = ""
    else:
        directive = _directive(cursor, opener)
        if directive is None:
            cursor.recover("seqend")
            return False
        parts.append(directive)
        keyword = directive.keyword
    end = cursor.peek()
    if end.kind == "seqend":
        cursor.read()
        return end.text == "~}"
    if not cursor.recovering:
        _unclosed(cursor, opener, end, closer, keyword)
    cursor.recover("seqend")
    return False


def _unclosed(cursor: Cursor, opener: Token, end: Token, closer: str, keyword: str) -> None:
    if keyword:
        cursor.error(f"Extra characters in {keyword} marker", "Expected a closing brace to end the sequence.", end.line)
    elif end.kind == "eof" or (end.kind in {"cquote", "oquote"} and closer == "cquote"):
        cursor.error(
            "Unclosed template interpolation sequence",
            "There is no closing brace for this interpolation sequence before the end of the template.",
            opener.line,
        )
    else:
        cursor.error(
            "Extra characters after interpolation expression",
            "Expected a closing brace to end the interpolation expression, but found extra characters. "
            'To write the sequence itself, escape it as "$${".',
            end.line,
        )


def _directive(cursor: Cursor, opener: Token) -> _Directive | None:
    keyword = cursor.peek()
    if keyword.kind != "ident":
        cursor.error_unless_recovering(
            "Invalid template directive", 'A template directive keyword ("if", "for", etc) is expected here.', keyword.line
        )
        return None
    cursor.read()
    if keyword.text in {"else", "endif", "endfor"}:
        return _Directive(keyword=keyword.text, token=opener)
    if keyword.text == "if":
        return _Directive(keyword="if", token=opener, node=parse_expression(cursor))
    if keyword.text == "for":
        names = loop_names(cursor)
        if isinstance(names, str):
            detail = names.replace("expression", "directive")
            cursor.error_unless_recovering("Invalid 'for' directive", detail, cursor.peek().line)
            return None
        return _Directive(keyword="for", token=opener, node=parse_expression(cursor), names=names)
    cursor.error_unless_recovering(
        "Invalid template control keyword", f'"{keyword.text}" is not a valid template control keyword.', keyword.line
    )
    return None


def _flushed(parts: list[_Part]) -> list[_Part]:
    """Without the indentation that all lines share; blank lines have no say, but lines that begin with a sequence do."""
    starts: list[int] = []
    indent: int | None = None
    at_start = True
    for index, part in enumerate(parts):
        if at_start:
            at_start = False
            value = part.value if isinstance(part, _Text) else ""
            blank = not value.strip() and value.endswith("\n")
            if not blank:
                spaces = len(value) - len(value.lstrip())
                indent = spaces if indent is None else min(indent, spaces)
                starts.append(index)
        if isinstance(part, _Text) and part.value.endswith("\n"):
            at_start = True
    flushed = list(parts)
    for index in starts:
        part = parts[index]
        if isinstance(part, _Text):
            flushed[index] = replace(part, value=part.value[indent or 0 :])
    return flushed


def _melded(parts: list[_Part]) -> list[_Part]:
    melded: list[_Part] = []
    run: list[_Text] = []

    def close() -> None:
        if run:
            melded.append(replace(run[0], value="".join(text.value for text in run)))
            run.clear()

    for part in parts:
        if isinstance(part, _Text):
            run.append(part)
        else:
            close()
            melded.append(part)
    close()
    return melded


class _Tree:
    """Directives and what stands between them, into nested nodes."""

    def __init__(self, cursor: Cursor, parts: list[_Part], end: Token) -> None:
        self._cursor = cursor
        self._parts = parts
        self._end = end
        self._next = 0

    def root(self) -> list[Node]:
        nodes: list[Node] = []
        while self._next < len(self._parts):
            nodes.append(self._node())
        return nodes

    def _node(self) -> Node:
        part = self._parts[self._next]
        self._next += 1
        if isinstance(part, _Text):
            return Literal(value=part.value, line=part.token.line, start=part.token.start, end=part.token.end)
        if isinstance(part, Node):
            return part
        if part.keyword in {"if", "for"}:
            with self._cursor.nested():
                return self._if(part) if part.keyword == "if" else self._for(part)
        return self._error(
            f"Unexpected {part.keyword} directive", "The control directives within this template are unbalanced.", part.token
        )

    def _error(self, summary: str, detail: str, token: Token) -> Node:
        self._cursor.error(summary, detail, token.line)
        return invalid(token, token)

    def _until(self, opener: _Directive, ends: set[str]) -> tuple[list[Node], _Directive | None]:
        nodes: list[Node] = []
        while self._next < len(self._parts):
            part = self._parts[self._next]
            if isinstance(part, _Directive) and part.keyword in {"else", "endif", "endfor"}:
                self._next += 1
                if part.keyword in ends:
                    return nodes, part
                detail = f"Expecting an end{opener.keyword} directive for the {opener.keyword} that was started."
                self._error(f"Unexpected {part.keyword} directive", detail, part.token)
                return nodes, None
            nodes.append(self._node())
        detail = f"The {opener.keyword} directive is missing its corresponding end{opener.keyword} directive."
        self._error("Unexpected end of template", detail, self._end)
        return nodes, None

    def _template(self, nodes: list[Node], token: Token) -> Template:
        return Template(parts=tuple(nodes), line=token.line, start=token.start, end=token.end)

    def _if(self, opener: _Directive) -> Node:
        yes, end = self._until(opener, {"else", "endif"})
        no: list[Node] = []
        if end is not None and end.keyword == "else":
            no, end = self._until(opener, {"endif"})
        token = opener.token
        if end is None or opener.node is None:
            return invalid(token, token)
        return Conditional(
            condition=opener.node,
            yes=self._template(yes, token),
            no=self._template(no, token),
            line=token.line,
            start=token.start,
            end=end.token.end,
        )

    def _for(self, opener: _Directive) -> Node:
        body, end = self._until(opener, {"endfor"})
        token = opener.token
        if end is None or opener.node is None:
            return invalid(token, token)
        each = For(
            key_name=opener.names[0],
            value_name=opener.names[1],
            source=opener.node,
            key=None,
            value=self._template(body, token),
            condition=None,
            group=False,
            line=token.line,
            start=token.start,
            end=end.token.end,
        )
        return Joined(each=each, line=token.line, start=token.start, end=end.token.end)
