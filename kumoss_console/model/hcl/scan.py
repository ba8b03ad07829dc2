"""Native syntax into tokens: names, numbers, operators, and the inside of strings and heredocs with their templates.

The grammar is that of the HCL native syntax specification. Text comes decoded with ``surrogateescape``: a lone surrogate is
a byte that is not UTF-8.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from kumoss_console.model.hcl.problem import TOKENS, TooLongError

Mode = Literal["main", "string", "heredoc", "template"]


class Token(NamedTuple):
    """``kind`` is a word for tokens with content, else the symbol itself. ``start`` and ``end`` are offsets into the text."""

    kind: str
    text: str
    line: int
    start: int
    end: int


_BAD = "\ud800-\udfff"
_NAME = r"[^\W\d][\w\-\u0300-\u036f]*"
_MAIN = re.compile(
    rf"""
    (?P<space>[ \t]+)
  | (?P<ident>{_NAME})
  | (?P<newline>\r?\n)
  | (?P<comment>(?:\#|//)[^\n]*\n?)
  | (?P<number>[0-9](?:(?:[0-9.]|[eE][+-]?[0-9])*(?:[0-9]|[eE][+-]?[0-9]))?)
  | (?P<oheredoc><<-?{_NAME}\r?\n)
  | (?P<symbol>==|!=|>=|<=|&&|\|\||::|\.\.\.|=>)
  | (?P<eatclose>~\}})
  | (?P<oquote>")
  | (?P<obrace>\{{)
  | (?P<cbrace>\}})
  | (?P<self>[\[\]().,*/%+\-=<>!?:&|~^;`'])
    """,
    re.VERBOSE,
)
_SEQUENCE = re.compile(r"(?P<interp>\$\{~?)|(?P<control>%\{~?)|(?P<escaped>\$\$\{~?|%%\{~?)")
_RUN = {
    "string": re.compile(rf'[^$%"\\\r\n{_BAD}]+|\\[^\r\n{_BAD}]'),
    "heredoc": re.compile(rf"[^$%\r\n{_BAD}]+"),
    "template": re.compile(rf"[^$%\r\n{_BAD}]+"),
}
_LINE_END = re.compile(r"\r?\n")
_BREAKS = re.compile(r"[\r\n]+")


def scan(text: str, *, line: int = 1, template: bool = False) -> list[Token]:
    """The tokens of ``text``, an ``eof`` at their end. Comments are gone; a line comment leaves its line break.

    ``template`` reads text that is a template from its first character, as strings of the JSON syntax are. Raises
    :class:`~kumoss_console.model.hcl.problem.TooLongError`.
    """
    return _Scanner(text, line, "template" if template else "main").run()


class _Scanner:
    def __init__(self, text: str, line: int, mode: Mode) -> None:
        self._text = text
        self._line = line
        self._pos = 0
        self._modes: list[Mode] = [mode]
        self._braces = 0
        self._returns: list[int] = []
        self._heredocs: list[_Heredoc] = []
        self._tokens: list[Token] = []
        self._no_comment_end = False

    def run(self) -> list[Token]:
        end = len(self._text)
        while self._pos < end:
            if self._modes[-1] == "main":
                self._main()
            else:
                self._literal(self._modes[-1])
            if len(self._tokens) > TOKENS:
                raise TooLongError(self._line)
        self._emit("eof", end)
        return self._tokens

    def _emit(self, kind: str, end: int, breaks: int = 0) -> None:
        self._tokens.append(Token(kind, self._text[self._pos : end], self._line, self._pos, end))
        self._pos = end
        self._line += breaks

    def _main(self) -> None:
        if self._text.startswith("/*", self._pos) and self._block_comment():
            return
        match = _MAIN.match(self._text, self._pos)
        if match is None:
            bad = "\ud800" <= self._text[self._pos] <= "\udfff"
            self._emit("badutf8" if bad else "invalid", self._pos + 1)
            return
        kind, end = str(match.lastgroup), match.end()
        if kind == "space":
            self._pos = end
        elif kind == "comment":
            self._comment(end)
        elif kind == "newline":
            self._emit("newline", end, 1)
        elif kind in {"symbol", "self"}:
            self._emit(match[0], end)
        elif kind == "obrace":
            self._emit("{", end)
            self._braces += 1
        elif kind in {"cbrace", "eatclose"}:
            self._close(kind, end)
        elif kind == "oquote":
            self._emit("oquote", end)
            self._modes.append("string")
        elif kind == "oheredoc":
            self._heredocs.append(_Heredoc(match[0].strip().lstrip("<").removeprefix("-")))
            self._emit("oheredoc", end, 1)
            self._modes.append("heredoc")
        else:
            self._emit(kind, end)

    def _block_comment(self) -> bool:
        # Once no end was found there is none further on either: without the note a file of "/*" costs quadratic time.
        end = -1 if self._no_comment_end else self._text.find("*/", self._pos + 2)
        if end < 0:
            self._no_comment_end = True
            return False
        self._line += self._text.count("\n", self._pos, end)
        self._pos = end + 2
        return True

    def _comment(self, end: int) -> None:
        if self._text[end - 1] == "\n":
            self._emit("newline", end, 1)
        else:
            self._pos = end

    def _close(self, kind: str, end: int) -> None:
        returns = bool(self._returns) and self._returns[-1] == self._braces
        self._emit("seqend" if returns or kind == "eatclose" else "}", end)
        self._braces -= 1
        if returns:
            self._returns.pop()
            self._modes.pop()

    def _literal(self, mode: Mode) -> None:
        if sequence := _SEQUENCE.match(self._text, self._pos):
            self._sequence(str(sequence.lastgroup), sequence.end(), mode)
            return
        if mode == "string":
            self._string()
        elif mode == "heredoc":
            self._heredoc()
        else:
            self._template()

    def _sequence(self, kind: str, end: int, mode: Mode) -> None:
        if mode == "heredoc":
            self._heredocs[-1].line_start = False
        if kind == "escaped":
            # An escaped opener may close its line: then the line break belongs to the same token.
            broken = _LINE_END.match(self._text, end) if mode != "string" else None
            if broken and mode == "heredoc":
                self._heredocs[-1].line_start = True
            self._emit("quoted" if mode == "string" else "literal", broken.end() if broken else end, 1 if broken else 0)
            return
        self._emit(kind, end)
        self._braces += 1
        self._returns.append(self._braces)
        self._modes.append("main")

    def _run_end(self, mode: Mode) -> int:
        end = self._pos
        while run := _RUN[mode].match(self._text, end):
            end = run.end()
        # A dollar or percent sign that opens nothing is text, a token of its own.
        return end if end > self._pos or self._text[end] not in "$%" else end + 1

    def _string(self) -> None:
        if self._text[self._pos] == '"':
            self._emit("cquote", self._pos + 1)
            self._modes.pop()
        elif breaks := _BREAKS.match(self._text, self._pos):
            self._emit("brokenline", breaks.end(), breaks[0].count("\n"))
        else:
            self._text_token("quoted", self._run_end("string"))

    def _template(self) -> None:
        end = self._run_end("template")
        broken = _LINE_END.match(self._text, end)
        self._text_token("literal", broken.end() if broken else end, 1 if broken else 0)

    def _heredoc(self) -> None:
        document = self._heredocs[-1]
        end = self._run_end("heredoc")
        broken = _LINE_END.match(self._text, end)
        if broken and document.line_start and self._text[self._pos : end].strip() == document.marker:
            self._emit("cheredoc", end)
            self._emit("newline", broken.end(), 1)
            self._heredocs.pop()
            self._modes.pop()
            return
        document.line_start = broken is not None
        self._text_token("literal", broken.end() if broken else end, 1 if broken else 0)

    def _text_token(self, kind: str, end: int, breaks: int = 0) -> None:
        if end > self._pos:
            self._emit(kind, end, breaks)
        else:
            bad = "\ud800" <= self._text[self._pos] <= "\udfff"
            self._emit("badutf8" if bad else "invalid", self._pos + 1)


class _Heredoc:
    __slots__ = ("line_start", "marker")

    def __init__(self, marker: str) -> None:
        self.marker = marker
        self.line_start = True
