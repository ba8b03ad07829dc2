"""What the versions of one key say together. Each step is judged against the one before it in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kumoss_console.model.finding import Finding, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A version that was read: what it is called, and what its head tells."""

    name: str
    serial: int | None
    lineage: str | None


def history_findings(key: str, newest_first: Sequence[Moment]) -> Iterator[Finding]:
    """Lineage that changes, and serial that falls, from one version to the next. Versions without either are passed over."""
    told = [moment for moment in reversed(newest_first) if moment.serial is not None and moment.lineage]
    for before, after in pairwise(told):
        if before.lineage != after.lineage:
            yield Finding(
                code="history.lineage_changes",
                severity=Severity.ERROR,
                subject=key,
                message=f"lineage changes at version {after.name} (from {before.lineage} to {after.lineage}): "
                "two projects write over each other, or the state was begun anew",
                remedy="state diff shows what was lost; find out which workspaces are bound to this key",
            )
        elif (before.serial or 0) > (after.serial or 0):
            yield Finding(
                code="history.serial_falls",
                severity=Severity.WARNING,
                subject=key,
                message=f"serial falls at version {after.name} (from {before.serial} to {after.serial}): "
                "an older state was put back as it was, or two engines wrote without a lock",
                remedy="compare the two with state diff; go back with the serial above the newest (state restore-plan)",
            )
