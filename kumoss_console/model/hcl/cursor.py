"""A walk over tokens, with the recovery of the engines' parser: where it goes on after an error decides what ``init`` keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kumoss_console.model.hcl.problem import DEPTH, Problem, TooDeepError
from kumoss_console.model.hcl.scan import Token

_CLOSER = {
    "{": "}",
    "[": "]",
    "(": ")",
    "oquote": "cquote",
    "oheredoc": "cheredoc",
    "interp": "seqend",
    "control": "seqend",
}
_OPENER = {closer: opener for opener, closer in _CLOSER.items()} | {"seqend": "interp"}


class Cursor:
    """``recovering`` is set by the first error and stays: the engines then say no more about single bad tokens."""

    def __init__(self, tokens: list[Token], text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.problems: list[Problem] = []
        self.recovering = False
        self.previous = tokens[0]
        self._tokens = tokens
        self._next = 0
        self._newlines = [True]
        self._depth = 0

    @property
    def mark(self) -> int:
        return self._next

    def rewind(self, mark: int) -> None:
        """Back to ``mark``, outside of all brackets."""
        self._next = mark
        self._depth = 0
        self._newlines = [True]

    def peek(self) -> Token:
        return self._tokens[self._index()]

    def read(self) -> Token:
        index = self._index()
        token = self._tokens[index]
        self._next = min(index + 1, len(self._tokens) - 1)
        self.previous = token
        return token

    def _index(self) -> int:
        index = self._next
        if not self._newlines[-1]:
            while self._tokens[index].kind == "newline":
                index += 1
        return index

    @contextmanager
    def newlines(self, significant: bool) -> Iterator[None]:
        """Whether line breaks are tokens: not in brackets and templates, but in braces."""
        self._newlines.append(significant)
        try:
            yield
        finally:
            if len(self._newlines) > 1:
                self._newlines.pop()

    @contextmanager
    def nested(self) -> Iterator[None]:
        """One level deeper; raises :class:`TooDeepError` beyond the limit."""
        self._depth += 1
        if self._depth > DEPTH:
            raise TooDeepError(self.peek().line)
        try:
            yield
        finally:
            self._depth -= 1

    def error(self, summary: str, detail: str, line: int) -> None:
        self.problems.append(Problem(summary=summary, detail=detail, file=self.file, line=line))

    def error_unless_recovering(self, summary: str, detail: str, line: int) -> None:
        if not self.recovering:
            self.error(summary, detail, line)

    def recover(self, end: str) -> Token:
        """Read on to the closing token ``end`` of the brackets at hand, or to the end of the file."""
        self.recovering = True
        opener = _OPENER.get(end)
        nest = 0
        while True:
            token = self.read()
            kind = "interp" if end == "seqend" and token.kind == "control" else token.kind
            if kind == "eof":
                return token
            if kind == opener:
                nest += 1
            elif kind == end:
                if nest < 1:
                    return token
                nest -= 1

    def recover_over(self, opener: str) -> None:
        """Read on to the next ``opener``, then to its end."""
        while self.read().kind not in {opener, "eof"}:
            pass
        self.recover(_CLOSER[opener])

    def recover_item(self) -> None:
        """Read on to the line break that ends the argument or block at hand."""
        self.recovering = True
        opened: list[str] = []
        while True:
            token = self.read()
            kind = token.kind
            if kind == "eof" or (kind == "newline" and not opened):
                return
            if kind in _CLOSER:
                opened.append(kind)
            elif kind in _OPENER:
                while opened and _CLOSER[opened[-1]] != kind:
                    opened.pop()
                if opened:
                    opened.pop()
