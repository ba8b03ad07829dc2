"""Faults found while reading configuration, gathered so that an operator mends a file in one go."""

from __future__ import annotations

from dataclasses import dataclass, field

from kumoss_console.errors import ConfigError
from kumoss_console.text import clip, printable, redact

HIDDEN = "a value that is not shown here, as it may be a secret"
_FOUND_CELLS = 60
_MOST_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault. ``line`` is 1-based, 0 for the file as a whole; ``key`` is dotted and may be empty.

    ``found`` and ``accepted`` are printable and hold no secret.
    """

    file: str
    line: int
    key: str
    found: str
    accepted: str
    hint: str = ""
    code: str = "config.invalid"

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def title(self) -> str:
        subject = f"{self.key}: " if self.key else ""
        return f"{self.place}: {subject}{self.found}"

    @property
    def sentence(self) -> str:
        return "; ".join(part for part in (self.title, f"accepted: {self.accepted}" if self.accepted else "", self.hint) if part)


@dataclass(slots=True)
class Report:
    """Collects problems and warnings of all files of one load, in the order the files were met."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def meet(self, file: str) -> None:
        """Give ``file`` its place in the order of files."""
        if file not in self.files:
            self.files.append(file)

    def add(self, problem: Problem) -> None:
        self.meet(problem.file)
        if problem not in self.problems:
            self.problems.append(problem)

    def warn(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def raise_if_any(self) -> None:
        """Raise one :class:`ConfigError` for everything found: the first fault of the first file gives title, line and key."""
        if not self.problems:
            return
        first, *others = sorted(self.problems, key=lambda problem: (self.files.index(problem.file), problem.line))
        lines = [f"accepted: {first.accepted}"] if first.accepted else []
        if others:
            lines.append("also:")
            lines += [f"  {problem.sentence}" for problem in others[:_MOST_LISTED]]
        if len(others) > _MOST_LISTED:
            lines.append(f"  and {len(others) - _MOST_LISTED} more")
        raise ConfigError(
            first.title,
            detail="\n".join(lines),
            hint=first.hint,
            code=first.code,
            file=first.file,
            line=first.line or None,
            key=first.key or None,
        )


def quoted(text: str) -> str:
    """A text found in a file: in quotes, clipped, printable, and without what looks like a secret."""
    return f'"{clip(redact(printable(text[:1000])), _FOUND_CELLS)}"'
