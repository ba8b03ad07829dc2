"""A finding about one key of a bucket, and the key as the listing has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding, Severity

SubjectKind = Literal["state", "lock", "other"]
_GRAVITY = {severity: place for place, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One key: ``state`` is at a place where the core puts one, ``lock`` a lock object without the state it locks, ``other``
    any other key. ``key`` is as the store has it: hostile until printed."""

    key: str
    kind: SubjectKind
    size: int
    modified: datetime | None
    owner: KnownProject | None = None
    locked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanFinding:
    """One statement about ``key``. ``related`` are other keys that it is about, the first 20 of them.
    ``key`` is empty for what is said of the bucket as a whole."""

    code: str
    severity: Severity
    key: str
    owner: KnownProject | None
    message: str
    remedy: str = ""
    related: tuple[str, ...] = ()

    @property
    def finding(self) -> Finding:
        """The same as every other finding is told."""
        return Finding(code=self.code, severity=self.severity, subject=self.key, message=self.message, remedy=self.remedy)


def about(
    subject: Subject, code: str, severity: Severity, message: str, remedy: str = "", *, related: Iterable[str] = ()
) -> ScanFinding:
    """A finding about ``subject``; ``code`` without the ``scan.`` that all have."""
    return ScanFinding(
        code=f"scan.{code}",
        severity=severity,
        key=subject.key,
        owner=subject.owner,
        message=message,
        remedy=remedy,
        related=tuple(related),
    )


def by_gravity(findings: Iterable[ScanFinding]) -> tuple[ScanFinding, ...]:
    """The gravest first, then by code, then by key: what is alike stands together."""
    return tuple(sorted(findings, key=lambda one: (_GRAVITY[one.severity], one.code, one.key)))
