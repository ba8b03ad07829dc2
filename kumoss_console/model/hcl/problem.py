"""What is wrong at a place of a file, in the engines' words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

DEPTH = 64
"""Levels of nesting that are followed. The engines follow more; nobody writes more."""
TOKENS = 100_000
"""Words and signs of one file that are read (0.5 s); 10,000 lines of ordinary configuration stay below."""
PROBLEMS = 100
"""Problems of one file that are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """``summary`` is the engine's, word for word. ``line`` is 1-based, ``None`` where the problem has no place in a file.

    ``kind`` tells what the engine says (``error``, ``warning``) from what only this reader could not do (``limit``).
    """

    summary: str
    detail: str
    file: str
    line: int | None
    kind: Literal["error", "warning", "limit"] = "error"

    @property
    def at(self) -> str:
        """``file:line``, or the file alone."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class TooDeepError(Exception):
    """Raised inside a parser where nesting goes beyond :data:`DEPTH`; never leaves this package."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class TooLongError(Exception):
    """More than :data:`TOKENS` tokens; never leaves this package. ``line`` is where reading stopped."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def first(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems that are told."""
    return tuple(islice(problems, PROBLEMS))


def too_long(file: str, line: int) -> Problem:
    """The problem that stands for a file that was not read to its end."""
    detail = f"More than {TOKENS:,} words and signs: reading stopped at line {line}."
    return Problem(summary="Too large to read", detail=detail, file=file, line=line, kind="limit")


def nesting(file: str, line: int) -> Problem:
    """The problem that stands for what was not read."""
    return Problem(
        summary="Nested too deeply",
        detail=f"More than {DEPTH} levels of brackets: what stands in them was not read.",
        file=file,
        line=line,
        kind="limit",
    )
