"""What an operator decided not to be told again: a pattern, the reason, who decided, and until when.

A suppression takes nothing away: what it covers is counted and can be listed. After its last day it covers nothing, and that is
told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fnmatch import translate

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff.result import Item, Status

SOON = timedelta(days=14)
"""How long ahead the end of a suppression is told."""

_NEVER_COVERED = frozenset({Status.MANAGED_HERE, Status.MANAGED_ELSEWHERE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """``pattern`` is matched against a whole identifier; ``*`` is any text, ``?`` any character, ``[abc]`` one of these. On Azure
    case does not matter. ``expires`` is the last day, UTC; ``None`` for good. ``provider`` limits it to one cloud. ``place`` is
    file and line."""

    pattern: str
    reason: str
    author: str
    expires: date | None = None
    provider: CloudProvider | None = None
    place: str = ""

    def expired(self, today: date) -> bool:
        return self.expires is not None and today > self.expires


@dataclass(frozen=True, slots=True)
class Suppressions:
    """All of a file, judged on ``today``: those in force, and those that are over."""

    all: tuple[Suppression, ...]
    today: date
    in_force: tuple[Suppression, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "in_force", tuple(one for one in self.all if not one.expired(self.today)))

    def covering(self, items: Sequence[Item], provider: CloudProvider) -> dict[str, Suppression]:
        """By identifier: the first suppression in force that covers it. What is managed needs none."""
        rules = [
            (one, re.compile(translate(one.pattern), re.IGNORECASE if provider is CloudProvider.AZURE else 0))
            for one in self.in_force
            if one.provider in {None, provider}
        ]
        found: dict[str, Suppression] = {}
        for item in items:
            if item.status not in _NEVER_COVERED:
                covering = next((one for one, pattern in rules if pattern.match(item.id)), None)
                if covering is not None:
                    found[item.id] = covering
        return found

    def findings(self, items: Iterable[Item], provider: CloudProvider) -> Iterator[Finding]:
        """What is over, and what will be soon."""
        yield from self._twice(provider)
        ids = [item.id for item in items if item.status not in _NEVER_COVERED]
        for one in self.all:
            if one.expires is None or one.provider not in {None, provider}:
                continue
            if one.expired(self.today):
                flags = re.IGNORECASE if provider is CloudProvider.AZURE else 0
                pattern = re.compile(translate(one.pattern), flags)
                count = sum(1 for identifier in ids if pattern.match(identifier))
                would = f"it would cover {count:,} of what is told here" if count else "nothing here needs it any more"
                yield _finding(one, f"is over since {one.expires.isoformat()}: {would}", Severity.WARNING)
            elif one.expires - self.today <= SOON:
                yield _finding(one, f"is in force until {one.expires.isoformat()}", Severity.INFO)

    def _twice(self, provider: CloudProvider) -> Iterator[Finding]:
        """Two in force with one pattern: the first covers, and whoever changes the other changes nothing."""
        first: dict[str, Suppression] = {}
        for one in self.in_force:
            if one.provider not in {None, provider}:
                continue
            pattern = one.pattern.casefold() if provider is CloudProvider.AZURE else one.pattern
            known = first.setdefault(pattern, one)
            if known is not one:
                where = f" at {known.place}" if known.place else ""
                yield Finding(
                    code="discover.suppression_twice",
                    severity=Severity.WARNING,
                    subject=f"{one.place}: {one.pattern}" if one.place else one.pattern,
                    message=f"has the pattern of the suppression by {known.author}{where}, which is the one that counts",
                    remedy="keep one of them",
                )


def _finding(one: Suppression, message: str, severity: Severity) -> Finding:
    return Finding(
        code="discover.suppression_expired" if severity is Severity.WARNING else "discover.suppression_ends",
        severity=severity,
        subject=f"{one.place}: {one.pattern}" if one.place else one.pattern,
        message=f"the suppression by {one.author} ({one.reason}) {message}",
        remedy="renew it with a new reason, or remove it",
    )
