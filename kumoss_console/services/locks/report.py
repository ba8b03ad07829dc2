"""What is told of one held lock, and of many: values that both front ends show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.lock import LockMechanism
from kumoss_console.model.lock.holder import JobTie
from kumoss_console.model.lock.release import ReleaseCommand
from kumoss_console.model.lock.taken import Taken, taken
from kumoss_console.ports.locks import LockSighting
from kumoss_console.services.bucket.service import HeldLock
from kumoss_console.services.locks.judgement import LONG_HELD, judged


@dataclass(frozen=True, slots=True, kw_only=True)
class LockReport:
    """One held lock. ``sighting`` is ``None`` where it is there and could not be fetched (``held.error``).

    ``stale`` says why it looks abandoned, empty where nothing says so. ``word`` is what is typed to remove it, ``release`` the
    commands that do so without this console. ``tie`` is the job of this console that took it, as far as that can be told.
    """

    held: HeldLock
    mechanism: LockMechanism
    sighting: LockSighting | None = None
    tie: JobTie | None = None
    stale: str = ""
    word: str = ""
    release: tuple[ReleaseCommand, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def key(self) -> str:
        return self.held.key

    @property
    def taken(self) -> Taken:
        return taken_of(self.sighting) if self.sighting is not None else Taken(written=self.held.since)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockSurvey:
    """Every lock there is, the stale ones first. ``unlooked`` is why some may be missing: a keeper that could not be asked, or a
    listing that broke off, which is ``broken_off`` as well."""

    locks: tuple[LockReport, ...]
    at: datetime
    unlooked: tuple[ConsoleError, ...] = ()
    broken_off: ConsoleError | None = None
    journal_error: ConsoleError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLocks:
    """One state: its locks, and what else there is to know: released long ago, a digest that disagrees. ``state`` is whether it
    is there, ``None`` where that is not known."""

    key: str
    locks: tuple[LockReport, ...]
    findings: tuple[Finding, ...]
    at: datetime
    state: bool | None = None
    unlooked: tuple[ConsoleError, ...] = ()


def taken_of(seen: LockSighting) -> Taken:
    """When a lock that was seen was taken, by both clocks."""
    return taken(seen.document.lock, seen.mechanism, seen.modified)


def stale_because(held: HeldLock, tie: JobTie | None, now: datetime) -> str:
    """Why a lock looks abandoned, empty where nothing says so. A running job says that it is not, however old; of a lease that
    may be another run's than the lock that is read, nothing is known; and one that ends by itself is there since a minute at
    most, or somebody renews it."""
    if held.document is not None and (held.document.unasked or held.document.ends_by_itself):
        return ""
    if tie is not None and tie.certainty != "possible":
        if tie.standing == "running":
            return ""
        kind = tie.job.kind.value if tie.job.kind else "job"
        whose = "took it" if tie.certainty == "proven" else "probably took it"
        became = "has ended" if tie.standing == "ended" else "is not known to its sidecar any more"
        return f"{kind} {tie.name[:8]}, which {whose}, {became}"
    age = judged(held, now).age
    return "held longer than any job of the core may take (1 h)" if age is not None and age > LONG_HELD else ""


def rank(report: LockReport, now: datetime) -> tuple[bool, int, float, str]:
    """The order of locks: stale ones first, then the gravest, then the oldest."""
    judgement = judged(report.held, now)
    age = judgement.age.total_seconds() if judgement.age is not None else 0.0
    return (not report.stale, tuple(Severity).index(judgement.severity), -age, report.key)
