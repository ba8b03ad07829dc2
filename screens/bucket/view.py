"""What the listing says: its rows, how far it got, and why it is empty. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.state import DocumentKind
from kumoss_console.services.bucket import BucketSnapshot, HeldLock, StateRow
from kumoss_console.services.lock_judgement import FUTURE, judged, judged_row
from screens.bucket.listing import owner_name, short_key
from screens.durations import short
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column

COLUMNS = (
    Column(key="owner", title="OWNER", width=24, stretch=3, middle=True),
    Column(key="size", title="SIZE", width=8, priority=4, right=True),
    Column(key="modified", title="MODIFIED", width=8, priority=3, right=True),
    Column(key="lock", title="LOCK", width=17, priority=2, stretch=2, middle=True),
    Column(key="key", title="KEY", width=18, stretch=2),
)

LOCK_TONES: Mapping[Severity, Tone] = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "busy"}
KINDS: Mapping[DocumentKind, str] = {
    DocumentKind.STATE: "a state",
    DocumentKind.LOCK: "a lock",
    DocumentKind.ENCRYPTED: "an encrypted state",
    DocumentKind.PLAN: "a plan file",
    DocumentKind.DEPENDENCY_LOCK: "a dependency lock file",
    DocumentKind.UNKNOWN: "no document this console knows",
}
_NOTHING_READ: Mapping[str, DocumentKind] = {}


def cells(
    row: StateRow, held: Mapping[str, HeldLock], now: datetime, found: Mapping[str, DocumentKind] = _NOTHING_READ
) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`. ``found`` is what was read, by key."""
    return (
        _owner(row, found.get(row.key)),
        Cell(size(row.size), "dim"),
        Cell(short(now - row.modified) if row.modified is not None else "-", "dim"),
        _lock(row, held, now),
        Cell(short_key(row.key, row.project_id)),
    )


def _owner(row: StateRow, found: DocumentKind | None) -> Cell:
    match row.kind:
        case "state" if row.owner is not None:
            return Cell(owner_name(row.owner))
        case "state":
            return Cell("? unknown", "warn")
        case "lock":
            return Cell("✗ a lock without a state", "bad")
        case _:
            # The key says nothing of what is there: repositories that declare their own backend choose it themselves.
            if found is None:
                return Cell("? not the core's key", "dim")
            return Cell("· " + ("no state" if found is DocumentKind.UNKNOWN else f"{KINDS[found]}, at another key"), "dim")


def _lock(row: StateRow, held: Mapping[str, HeldLock], now: datetime) -> Cell:
    if not row.locked:
        return Cell("-", "dim")
    lock = held.get(row.lock_key.removesuffix(LOCK_SUFFIX))
    judgement = judged(lock, now) if lock is not None else judged_row(row, now)
    who = lock.lock.holder if lock is not None and lock.lock is not None else ""
    age = f" {short(judgement.age)}" if judgement.age is not None else f" {FUTURE}" if judgement.future else ""
    return Cell(f"{SIGNS[judgement.severity]} {who or 'locked'}{age}", LOCK_TONES[judgement.severity])


def size(number: int) -> str:
    """Bytes in one unit: ``512 B``, ``1.4 kB``, ``34 MB``."""
    if number < 1000:
        return f"{number} B"
    amount, unit = number / 1000, "kB"
    for larger in ("MB", "GB"):
        if amount >= 999.5:
            amount, unit = amount / 1000, larger
    return f"{amount:.1f} {unit}" if amount < 9.95 else f"{amount:,.0f} {unit}"


def summary(
    shown: int, snapshot: BucketSnapshot | None, *, arriving: int | None, broken: bool, only_wrong: bool
) -> tuple[Cell, ...]:
    """The line above the rows. ``arriving`` counts what a listing under way has named, ``None`` where none is under way."""
    if snapshot is None:
        return (Cell("nothing listed", "dim"),) if arriving is None else (Cell("listing…", "busy"),)
    rows = len(snapshot.rows)
    pieces = [Cell(f"{shown:,} of {rows:,} shown" if shown != rows else f"{rows:,} shown")]
    if only_wrong:
        pieces.append(Cell(" · only what is wrong", "warn"))
    return (
        *pieces,
        Cell(" · "),
        _progress(snapshot, arriving, broken),
        Cell(" · "),
        Cell(counted(snapshot.locks, "lock"), "warn" if snapshot.locks else ""),
        Cell(" · "),
        Cell(f"{snapshot.orphans:,} of unknown owner", "warn" if snapshot.orphans else ""),
        Cell(f" · {counted(snapshot.states, 'state')}", "dim"),
        *((Cell(f" · {counted(snapshot.others, 'other key')}", "dim"),) if snapshot.others else ()),
    )


def _progress(snapshot: BucketSnapshot, arriving: int | None, broken: bool) -> Cell:
    objects = counted(snapshot.objects, "object")
    if not snapshot.complete:
        return Cell(f"✗ broken off after {objects}", "bad") if broken else Cell(f"listing… {objects} so far", "busy")
    if arriving:
        return Cell(f"all {objects} listed, again: {arriving:,}", "busy")
    return Cell(f"all {objects} listed", "good")


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def empty_words(snapshot: BucketSnapshot | None, error: ConsoleError | None, *, narrowed: bool) -> str:
    """Why there is no row. That there are no objects is only said of a listing that came to its end."""
    if snapshot is not None and snapshot.complete:
        if narrowed and snapshot.objects:
            return "Nothing matches. Esc clears the filter, ! shows all again."
        return "No objects: the bucket is empty."
    if error is not None:
        return "? What is in the bucket is not known: see above."
    return "listing…"
