"""What the versions of one key show: a lineage that changes, a serial that falls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from kumoss_console.model.finding import Severity
from kumoss_console.model.moment import iso_or_none
from kumoss_console.model.scan.finding import ScanFinding, Subject, about, because
from kumoss_console.model.state.head import Head
from kumoss_console.text import clip, printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a state, and its head."""

    version_id: str
    modified: datetime | None
    head: Head


def of_history(subject: Subject, versions: Sequence[Version], *, left_out: int = 0) -> Iterator[ScanFinding]:
    """What changed between one version and the next. ``versions`` come newest first, delete markers left out.

    ``left_out`` is how many older ones were not looked at. A version without a lineage or a serial is passed over: what comes
    before it is compared with what comes after.
    """
    told = [version for version in reversed(versions) if version.head.lineage]
    for older, newer in pairwise(told):
        if older.head.lineage != newer.head.lineage:
            yield _lineage(subject, older, newer)
        elif older.head.serial is not None and newer.head.serial is not None and newer.head.serial < older.head.serial:
            yield _serial(subject, older, newer)
    yield from _gaps(subject, versions, left_out)


def _lineage(subject: Subject, older: Version, newer: Version) -> ScanFinding:
    return about(
        subject,
        "lineage_changed",
        Severity.ERROR,
        f"the lineage changed from {_shown(older.head.lineage)} to {_shown(newer.head.lineage)} "
        f"with the version of {_at(newer)}: two projects write to this key, or it was begun anew",
        f"compare the versions (state diff), and see what else derives this key; the last of the old lineage is version "
        f"{_shown(older.version_id)} of {_at(older)}, serial {older.head.serial}",
    )


def _serial(subject: Subject, older: Version, newer: Version) -> ScanFinding:
    return about(
        subject,
        "serial_fell",
        Severity.WARNING,
        f"the serial fell from {older.head.serial} to {newer.head.serial} with the version of {_at(newer)}: "
        "an older state was put back, or pushed by force",
        f"compare the versions (state diff): what was made between them is no longer managed; version "
        f"{_shown(older.version_id)} of {_at(older)} has it",
    )


def _gaps(subject: Subject, versions: Sequence[Version], left_out: int) -> Iterator[ScanFinding]:
    failed = [version for version in versions if version.head.error is not None]
    if failed:
        error = failed[0].head.error
        yield about(
            subject,
            "history_not_looked",
            Severity.ERROR,
            f"{len(failed):,} of {len(versions):,} versions could not be looked at: {because(error) if error else ''}",
            error.hint if error else "",
        )
    if left_out:
        message = f"{left_out:,} older versions were not looked at, only the newest {len(versions):,}"
        yield about(subject, "history_left_out", Severity.INFO, message)


def _at(version: Version) -> str:
    return iso_or_none(version.modified) or "unknown time"


def _shown(text: str | None) -> str:
    return clip(printable(text or "none"), 60)
