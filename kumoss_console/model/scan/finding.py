"""A finding about one key of a bucket, and the key as the listing has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storedkey import KeyKind

STATES: frozenset[KeyKind] = frozenset({"state", "workspace", "elsewhere"})
"""Keys that are named like a state: what lies there is meant to be one."""

_GRAVITY = {severity: place for place, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One key, as the store has it: hostile until printed. ``kind``, ``base`` and ``workspace`` are what the key alone tells; a
    ``lock`` has no state beside it. ``orphan`` is a state of the core whose owner is not known."""

    key: str
    kind: KeyKind
    modified: datetime | None
    owner: KnownProject | None = None
    orphan: bool = False
    base: str = ""
    workspace: str = ""


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
