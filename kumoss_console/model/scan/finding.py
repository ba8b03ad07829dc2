"""A finding about one key of a bucket, and the key as the listing has it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from heapq import merge
from itertools import chain
from operator import attrgetter

from msgspec import Struct

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.storedkey import KeyKind

STATES: frozenset[KeyKind] = frozenset({"state", "workspace", "elsewhere"})
"""Keys that are named like a state: what lies there is meant to be one."""

_RUN = 5_000
"""Findings that are sorted at once: some milliseconds."""

_GRAVITY = {severity: place for place, severity in enumerate(Severity)}


class Subject(Struct, frozen=True, kw_only=True, gc=False):
    """One key, as the store has it: hostile until printed. ``kind``, ``base`` and ``workspace`` are what the key alone tells; a
    ``lock`` has no state beside it. ``orphan`` is a state of the core whose owner is not known."""

    key: str
    kind: KeyKind
    modified: datetime | None
    owner: KnownProject | None = None
    orphan: bool = False
    base: str = ""
    workspace: str = ""


class ScanFinding(Struct, frozen=True, kw_only=True, gc=False):
    """One statement about ``key``, which is empty for what is said of the bucket as a whole. A struct, as subjects are: looking
    for garbage among some hundred thousand of them would hold everybody up for a third of a second, again and again.

    ``related`` are other keys that it is about: the first 100 of ``related_total``. Where it is about a ``lineage``, each key of
    that lineage has a finding of its own, so nothing is lost where there are more."""

    code: str
    severity: Severity
    key: str
    owner: KnownProject | None
    message: str
    remedy: str = ""
    related: tuple[str, ...] = ()
    related_total: int = 0
    lineage: str = ""

    @property
    def finding(self) -> Finding:
        """The same as every other finding is told."""
        return Finding(code=self.code, severity=self.severity, subject=self.key, message=self.message, remedy=self.remedy)


def about(
    subject: Subject,
    code: str,
    severity: Severity,
    message: str,
    remedy: str = "",
    *,
    related: tuple[str, ...] = (),
    related_total: int | None = None,
    lineage: str = "",
) -> ScanFinding:
    """A finding about ``subject``; ``code`` without the ``scan.`` that all have. ``related`` are all there are where no total is
    given."""
    return ScanFinding(
        code=f"scan.{code}",
        severity=severity,
        key=subject.key,
        owner=subject.owner,
        message=message,
        remedy=remedy,
        related=related,
        related_total=len(related) if related_total is None else related_total,
        lineage=lineage,
    )


def because(error: ConsoleError) -> str:
    """Why something could not be looked at, in a line: what happened, and the evidence that came with it."""
    evidence = error.detail.partition("\n")[0]
    return f"{error.title} ({evidence})" if evidence else error.title


def by_gravity(findings: Iterable[ScanFinding], *, by_key: bool = True) -> tuple[ScanFinding, ...]:
    """The gravest first, then by code: what is alike stands together. Within that by key, or as given."""
    groups: dict[tuple[int, str], list[ScanFinding]] = {}
    for finding in findings:
        groups.setdefault((_GRAVITY[finding.severity], finding.code), []).append(finding)
    ordered = [groups[name] for name in sorted(groups)]
    if by_key:
        ordered = [_sorted(group) for group in ordered]
    return tuple(chain.from_iterable(ordered))


def _sorted(group: list[ScanFinding]) -> list[ScanFinding]:
    """By key, in runs that are merged: sorting 100,000 at once holds the interpreter for 0.1 s, also in another thread."""
    key = attrgetter("key")
    return list(merge(*(sorted(group[start : start + _RUN], key=key) for start in range(0, len(group), _RUN)), key=key))
