"""One version as it is listed, and what is to be said of all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.job import Job
from kumoss_console.model.statediff.history import Moment, history_findings
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.services.versions.choice import holds_nothing
from kumoss_console.text import printable

_MOST = 20
"""Odd steps of a history that are told one by one: two projects on one key make one of every step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version. ``serial``, ``lineage`` and ``engine_version`` are ``None`` where it has none or was not read.

    ``error`` says why it could not be read; ``reason`` why what was read is no state. ``job`` is the one job of this
    console's journal that ran when the version was written: likely its writer, not proven.
    """

    version: ObjectVersion
    number: int
    """1 for the newest."""
    serial: int | None = None
    lineage: str | None = None
    engine_version: str | None = None
    reason: str = ""
    error: ConsoleError | None = None
    job: Job | None = None
    unread: bool = False
    """Whether nobody has read it yet."""

    @property
    def damaged(self) -> bool:
        """Whether it is what engines would read now, and they cannot."""
        return self.version.latest and self.version.kind == "version" and bool(self.reason)


def about_history(
    key: str, rows: Sequence[VersionRow], *, complete: bool = True, cut: ConsoleError | None = None
) -> Iterator[Finding]:
    """What the history of ``key`` says as a whole; ``rows`` newest first, at least one. The newest oddities come first. ``cut``
    says why there are older versions that the store does not list."""
    if cut is not None:
        yield Finding(
            code="history.cut",
            severity=Severity.WARNING,
            subject=key,
            message=f"{cut.title}: {cut.detail}" if cut.detail else cut.title,
            remedy=cut.hint,
        )
    odd = list(
        history_findings(key, [Moment(name=row.version.version_id, serial=row.serial, lineage=row.lineage) for row in rows])
    )
    yield from odd[: -_MOST - 1 : -1]
    if len(odd) > _MOST:
        yield Finding(
            code="history.more",
            severity=Severity.INFO,
            subject=key,
            message=f"{len(odd) - _MOST:,} more such steps, all of them older",
        )
    if holds_nothing([row.version for row in rows]):
        yield Finding(
            code="history.deleted",
            severity=Severity.WARNING,
            subject=key,
            message="the state was deleted: engines find none under this key and would create everything anew",
            remedy="if that was not meant: state restore-plan with the version before it",
        )
    for row in rows:
        if row.damaged:
            # Engines take an empty object for no state.
            yield Finding(
                code="history.damaged",
                severity=Severity.ERROR if row.version.size else Severity.WARNING,
                subject=key,
                message=f"the active version is damaged: no state that an engine reads ({printable(row.reason)})",
                remedy="state restore-plan with an older version tells the way back",
            )
    unread = [row.error for row in rows if row.error is not None]
    if unread:
        yield Finding(
            code="history.unread",
            severity=Severity.WARNING,
            subject=key,
            message=f"{len(unread)} of {len(rows)} versions could not be read: {unread[0].title}",
            remedy="what is said of the history holds for the others only",
        )
    skipped = sum(row.unread for row in rows)
    if complete and skipped:
        yield Finding(
            code="history.partly",
            severity=Severity.INFO,
            subject=key,
            message=f"the serials of {skipped:,} older versions were not read: nothing is said of those",
            remedy="state versions --all reads every one, :all does on the screen",
        )
