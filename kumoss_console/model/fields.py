"""What happens to one field of a project on its way into the key, and what an operator should know about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import InputError
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.text import printable

Field = Literal["repo", "scope", "path"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rule applied to one field: the text before and after, what it dropped in words, and the rule in words.

    ``before`` and ``after`` hold raw text; user names, passwords and query values are masked in them.
    """

    field: Field
    before: str
    after: str
    dropped: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A field as it is hashed, how it got there, and what is doubtful about it."""

    value: str
    steps: tuple[Step, ...]
    findings: tuple[Finding, ...]


class Trail:
    """Collects the steps of one field. A rule that changes nothing leaves no step."""

    def __init__(self, field: Field, text: str) -> None:
        self._field = field
        self._text = text
        self._steps: list[Step] = []

    def to(self, after: str, rule: str, *dropped: str) -> None:
        if after != self._text or dropped:
            self._steps.append(Step(field=self._field, before=self._text, after=after, dropped=dropped, rule=rule))
            self._text = after

    def steps(self) -> tuple[Step, ...]:
        """The steps taken; one that says so where none was needed."""
        if self._steps:
            return tuple(self._steps)
        return (Step(field=self._field, before=self._text, after=self._text, dropped=(), rule="taken as it is"),)


def ambiguous(what: str, subject: Field, message: str, remedy: str = "", *, severity: Severity = Severity.WARNING) -> Finding:
    """A spelling that another reading of the rule would hash differently."""
    return Finding(
        code=f"key.ambiguous_{what}",
        severity=severity,
        subject=subject,
        message=message,
        remedy=remedy or "Write it the same way everywhere; the near-twins name the key of the other reading.",
    )


def remark(what: str, subject: Field, message: str, remedy: str = "", *, severity: Severity = Severity.INFO) -> Finding:
    return Finding(code=f"key.{what}", severity=severity, subject=subject, message=message, remedy=remedy)


def trimmed(subject: Field, raw: str) -> str:
    """``raw`` without the white space around it; :class:`InputError` for text that cannot be hashed unambiguously.

    A line break inside would move text from one hashed line to the next: two different projects would share a key.
    """
    try:
        raw.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{subject} holds bytes that are not UTF-8",
            hint="Type it again: the key is a digest of UTF-8 text.",
            code="key.not_utf8",
        ) from None
    text = raw.strip()
    if "\n" in text or "\r" in text:
        raise InputError(
            f"{subject} holds a line break",
            detail="The hashed text is one line per field; a line break inside a field would make two projects share one key.",
            hint="Give each field on one line.",
            code="key.line_break",
        )
    return text


def doubts_of_edges(subject: Field, raw: str) -> Iterator[Finding]:
    """White space around a field that is more than blanks: another reading of "stripped" would keep it."""
    if raw.strip(" ") != raw.strip():
        yield ambiguous(
            "white_space", subject, f"{subject} had tabs, line ends or other white space around it; all of it was dropped"
        )


def doubts_of_characters(subject: Field, value: str) -> Iterator[Finding]:
    """Characters of the hashed ``value`` that nobody sees."""
    hidden = sorted({char for char in value if printable(char) != char or char in "\u200d\ufe0e\ufe0f"})
    if hidden:
        named = ", ".join(f"U+{ord(char):04X}" for char in hidden[:5])
        yield remark(
            "invisible_character",
            subject,
            f"{subject} holds characters that are not shown ({named}); they are part of the key",
            "Type it by hand instead of pasting it.",
            severity=Severity.WARNING,
        )
