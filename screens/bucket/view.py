"""What the listing says: its rows, how far it got, and why it is empty. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.state import DocumentKind
from kumoss_console.model.state.head import Head, HeadStatus
from kumoss_console.model.storedkey import KeyKind
from kumoss_console.services.bucket.service import BucketSnapshot, HeldLock, StateRow
from kumoss_console.services.locks.judgement import FUTURE, judged, judged_row
from screens.bucket.heads import NOTHING, Known
from screens.bucket.listing import owner_name, row_key, short_key
from screens.durations import short
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column

COLUMNS = (
    Column(key="owner", title="OWNER", width=20, stretch=3, middle=True),
    Column(key="serial", title="SERIAL", width=6, priority=3, right=True),
    Column(key="resources", title="RESOURCES", width=9, priority=5, right=True),
    Column(key="modified", title="MODIFIED", width=8, priority=3, right=True),
    Column(key="lock", title="LOCK", width=17, priority=2, stretch=3, middle=True),
    Column(key="key", title="KEY", width=18, stretch=2, middle=True),
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
_TOLD: Mapping[KeyKind, str] = {
    "plan": "plan file",
    "dependency_lock": "dependency lock file",
    "folder": "empty folder",
}
"""What a key tells of what lies there, where the operator need not do anything about it."""
_SEEN: Mapping[HeadStatus, str] = {
    "state": "a state elsewhere",
    "encrypted": "encrypted elsewhere",
    "damaged": "damaged elsewhere",
    "empty": "empty",
    "compressed": "compressed",
    "backend_cache": "an engine's backend cache",
    "lock": "a lock elsewhere",
    "plan": "a plan file",
    "dependency_lock": "a dependency lock file",
    "not_a_state": "no state",
}
_BROKEN: Mapping[HeadStatus, str] = {
    "damaged": "torn",
    "empty": "void",
    "compressed": "zip",
    "not_a_state": "none",
    "plan": "plan",
    "backend_cache": "init",
    "lock": "lock",
    "dependency_lock": "lock",
}
"""What stands in place of the serial of an object that no engine takes for a state."""
_OLDEST_FORMAT, _NEWEST_FORMAT = 1, 4


@dataclass(frozen=True, slots=True)
class Arriving:
    """How far a listing under way has got. ``share`` is from 0 to 1, ``None`` where it cannot be told."""

    objects: int = 0
    share: float | None = 0.0


def cells(row: StateRow, held: Mapping[str, HeldLock], now: datetime, known: Known = NOTHING) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    managed = known.managed(row) if not known.is_wrong(row) else None
    return (
        _owner(row, known),
        _serial(row, known),
        Cell(f"{managed:,}" if managed is not None else "-", "dim"),
        Cell(short(now - row.modified) if row.modified is not None else "-", "dim"),
        _lock(row, held, now),
        Cell(row_key(row)),
    )


def _owner(row: StateRow, known: Known) -> Cell:
    owner = owner_name(row.owner) if row.owner is not None else ""
    match row.kind:
        case "state":
            return Cell(owner) if owner else Cell("? unknown", "warn")
        case "workspace":
            # The state that it belongs to stands in the row above, in full.
            whose = row.owner.name or owner if row.owner is not None else "? unknown" if row.project_id else row.base
            return Cell(f"↳ {row.workspace} · {whose}", "" if owner else "warn" if row.project_id else "dim")
        case "lock":
            return Cell("✗ lock without state", "bad")
        case "backup":
            return Cell(f"· backup · {owner or short_key(row.base, row.project_id)}", "dim")
        case "plan" | "dependency_lock" | "folder":
            return Cell(f"· {_TOLD[row.kind]}", "dim")
        case _:
            # The key says nothing of what is there: repositories that declare their own backend choose it themselves.
            seen = _seen(row, known)
            return Cell(f"· {seen}" if seen else "? not the core's key", "dim")


def _seen(row: StateRow, known: Known) -> str:
    """What was read at a key that tells nothing; empty where nothing was, or where it could not be read."""
    head = known.head(row)
    return _SEEN.get(head.status, "") if head is not None else ""


def _serial(row: StateRow, known: Known) -> Cell:
    """What is wrong with the object comes before its serial: a broken one may tell one, too."""
    head = known.head(row)
    if head is None:
        return Cell("-", "dim")
    if head.status == "unknown":
        return Cell("?", "warn")
    if known.is_wrong(row):
        return Cell(f"✗ {_BROKEN.get(head.status) or _unread(head)}", "bad")
    if head.serial is not None:
        return Cell(str(head.serial))
    return Cell("encr." if head.status == "encrypted" else _BROKEN.get(head.status, "-"), "dim")


def _unread(head: Head) -> str:
    """Of a state that no engine reads."""
    known = head.format_version is None or _OLDEST_FORMAT <= head.format_version <= _NEWEST_FORMAT
    return "odd" if known else f"v{head.format_version}"


def _lock(row: StateRow, held: Mapping[str, HeldLock], now: datetime) -> Cell:
    lock = held.get(row.lock_key.removesuffix(LOCK_SUFFIX))
    # A lease, or a row of a table, is in no listing of keys.
    if not row.locked and lock is None:
        return Cell("-", "dim")
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
    shown: int,
    snapshot: BucketSnapshot | None,
    *,
    arriving: Arriving | None,
    broken: bool = False,
    stopped: bool = False,
    only_wrong: bool = False,
) -> tuple[Cell, ...]:
    """The line above the rows. ``arriving`` is the listing under way, ``None`` where none is."""
    if snapshot is None:
        return (Cell("nothing listed", "dim"),) if arriving is None else (Cell("listing…", "busy"),)
    return (
        *_counts(shown, snapshot),
        *((Cell(" · only what is wrong", "warn"),) if only_wrong else ()),
        Cell(" · "),
        Cell(counted(snapshot.locks, "lock"), "warn" if snapshot.locks else ""),
        Cell(" · "),
        _progress(snapshot, arriving, broken=broken, stopped=stopped),
        Cell(" · "),
        Cell(counted(snapshot.orphans, "orphan"), "warn" if snapshot.orphans else ""),
    )


def _counts(shown: int, snapshot: BucketSnapshot) -> tuple[Cell, ...]:
    rows = len(snapshot.rows)
    if shown != rows:
        return (Cell(f"{shown:,} of {counted(rows, 'state' if rows == snapshot.states else 'key')}"),)
    others = rows - snapshot.states
    return (
        Cell(counted(snapshot.states, "state")),
        *((Cell(f" · {counted(others, 'other key')}", "dim"),) if others else ()),
    )


def _progress(snapshot: BucketSnapshot, arriving: Arriving | None, *, broken: bool, stopped: bool) -> Cell:
    objects = counted(snapshot.objects, "object")
    if snapshot.complete:
        return Cell("listing 100 %", "good") if arriving is None else Cell(f"listing 100 %, again{_percent(arriving)}", "busy")
    if arriving is not None:
        return Cell(f"listing{_percent(arriving)}", "busy")
    if broken:
        return Cell(f"✗ broken off after {objects}", "bad")
    return Cell(f"! stopped after {objects}" if stopped else f"! {objects} so far", "warn")


def _percent(arriving: Arriving) -> str:
    """A listing is whole when it has ended, not before."""
    if arriving.share is None:
        return f"… {counted(arriving.objects, 'object')} so far"
    return f" {min(99, int(arriving.share * 100))} %"


def counted(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def what_is_kept(judged: int) -> str:
    """What ``!`` keeps, and how far contents were judged for it: those of rows that came into view."""
    return f"locked, unknown owner, put there by others, broken ({judged:,} read); ! shows all"


def empty_words(
    snapshot: BucketSnapshot | None,
    error: ConsoleError | None,
    *,
    narrowed: bool,
    stopped: bool = False,
    judged: int | None = None,
) -> str:
    """Why there is no row. That there are no objects is only said of a listing that came to its end. ``judged`` objects were
    looked into, where only those that are wrong are wanted and no word narrows them."""
    if snapshot is not None and snapshot.complete:
        if judged is not None and snapshot.objects:
            return f"Nothing wrong in keys and locks, nor in {judged:,} of {snapshot.objects:,} contents; X reads all."
        if narrowed and snapshot.objects:
            return "Nothing matches. Esc clears the filter, ! shows all again."
        return "No objects: the bucket is empty."
    if error is not None:
        return "? What is in the bucket is not known: see above."
    if stopped:
        return "? The listing was stopped: r lists again."
    return "listing…"
