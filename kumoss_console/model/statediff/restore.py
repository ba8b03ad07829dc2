"""The way back to an older state, planned and never taken here.

A backend takes a state where its lineage is the one that is there and its serial is higher (``state push``, without force).
Putting the old serial back, or editing the lineage away, makes later applies change infrastructure and then fail to save.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.state.parse import legible
from kumoss_console.model.state.uniqueness import names_one_object
from kumoss_console.model.statediff.diff import ChangeKind, ObjectChange, StateDiff, diff
from kumoss_console.model.statediff.recorded import RecordedState
from kumoss_console.text import Secret

LARGEST_SERIAL = 2**64 - 1
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan:
    """What a push of ``content`` would do. ``diff`` goes from what is active now to what would be.

    ``unmanaged`` are managed objects that exist now and that the restored state does not know at any address: they go on
    existing, and nothing would manage them. ``returning`` are managed objects that only the old state knows: they may exist no
    longer. Deposed objects count on both sides. ``content`` holds every secret of the old state.
    """

    old: RecordedState
    newest: RecordedState
    lineage: str
    serial: int
    content: Secret = field(repr=False)
    diff: StateDiff
    unmanaged: tuple[ObjectChange, ...]
    returning: tuple[ObjectChange, ...]
    findings: tuple[Finding, ...]


def plan_restore(old_raw: bytes, old: RecordedState, newest: RecordedState, *, highest: int = 0) -> RestorePlan:
    """Plan it from the bytes of the old state, and both read. CPU work in their size. ``highest`` is a serial that was used
    already, by a version that cannot be read.

    Raises :class:`~kumoss_console.errors.ConsoleError` where the newest has no serial or lineage to go on from.
    """
    serial, lineage = newest.document.serial, newest.document.lineage
    if serial is None or not lineage or serial >= LARGEST_SERIAL:
        raise ConsoleError(
            f"{newest.label} cannot be gone on from: it has no usable serial and lineage",
            hint="state show tells what it is; find the highest serial among the versions first",
            code="state.no_base",
        )
    serial = max(serial, min(highest, LARGEST_SERIAL - 1))
    content = _rewritten(old_raw, lineage=lineage, serial=serial + 1)
    changes = diff(newest, old)
    return RestorePlan(
        old=old,
        newest=newest,
        lineage=lineage,
        serial=serial + 1,
        content=Secret(content.decode()),
        diff=changes,
        unmanaged=tuple(_only_on(newest, old, changes, ChangeKind.REMOVED)),
        returning=tuple(_only_on(old, newest, changes, ChangeKind.ADDED)),
        findings=tuple(_findings(old, newest, changes)),
    )


def _only_on(side: RecordedState, other: RecordedState, changes: StateDiff, kind: ChangeKind) -> Iterator[ObjectChange]:
    """What became of managed objects of ``side`` that ``other`` does not know at any address; of a replaced one each side has its
    own. An identifier that several objects of one side share tells nothing, unless it is one that can only name one object."""
    here, there = _counted(side), _counted(other)
    for change in changes.changes:
        if change.mode != "managed" or change.kind not in (kind, ChangeKind.REPLACED):
            continue
        item = side.objects[change.place]
        name = (item.type, item.identifier or "")
        shared = here[name] > 1 or there[name] > 1
        if not there[name] or (shared and not names_one_object(*name)):
            yield change


def _counted(side: RecordedState) -> Counter[tuple[str, str]]:
    managed = (item for item in side.objects.values() if item.mode == "managed" and item.identifier)
    return Counter((item.type, item.identifier or "") for item in managed)


def _rewritten(raw: bytes, *, lineage: str, serial: int) -> bytes:
    """The document with another lineage and serial, every other byte of its members as it was."""
    members = msgspec.json.decode(legible(raw), type=dict[str, msgspec.Raw])
    members["lineage"] = msgspec.Raw(msgspec.json.encode(lineage))
    members["serial"] = msgspec.Raw(msgspec.json.encode(serial))
    return (
        b"{\n"
        + b",\n".join(b"  " + msgspec.json.encode(name) + b": " + bytes(value) for name, value in members.items())
        + b"\n}\n"
    )


def _findings(old: RecordedState, newest: RecordedState, changes: StateDiff) -> Iterator[Finding]:
    if old.document.lineage != newest.document.lineage:
        yield Finding(
            code="restore.other_lineage",
            severity=Severity.ERROR,
            subject=old.label,
            message=f"its lineage is {old.document.lineage or '(none)'}, the active one is {newest.document.lineage}: "
            "it may be the state of another project",
            remedy="compare the resources before anything is pushed; the plan gives it the active lineage",
        )
    one, other = (_numbers(side.document.engine_version) for side in (old, newest))
    if one and other and one < other:
        yield Finding(
            code="restore.older_engine",
            severity=Severity.INFO,
            subject=old.label,
            message=f"written by engine {old.document.engine_version}, the active one by {newest.document.engine_version}",
            remedy="use the engine of today: it upgrades what it reads",
        )
    if not changes.changes and not changes.outputs:
        yield Finding(
            code="restore.no_difference",
            severity=Severity.INFO,
            subject=old.label,
            message="records the same objects and outputs as the active state: there is nothing to go back to",
        )


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(number) for number in _NUMBERS.findall((version or "").partition("-")[0]))
