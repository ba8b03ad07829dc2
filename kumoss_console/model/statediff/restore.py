"""The way back to an older state, planned and never taken here.

A backend takes a state where its lineage is the one that is there and its serial is higher (``state push``, without force).
Putting the old serial back, or editing the lineage away, makes later applies change infrastructure and then fail to save.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.state.parse import legible
from kumoss_console.model.statediff.diff import ChangeKind, ObjectChange, StateDiff, diff
from kumoss_console.model.statediff.identifiers import shown_identifier
from kumoss_console.model.statediff.identity import Census, names, names_one, says_nothing
from kumoss_console.model.statediff.recorded import Recorded, RecordedState
from kumoss_console.text import Secret

LARGEST_SERIAL = 2**64 - 1
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """An object that the old state has where the active one has none, or has deposed. ``now`` is its address in the active one,
    empty where that is not sure; ``identifier`` may be shown."""

    address: str
    type: str
    deposed: str
    identifier: str | None
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorePlan:
    """What a push of ``content`` would do. ``diff`` goes from what is active now to what would be.

    ``unmanaged`` are managed objects that exist now and that the restored state does not know at any address: they go on
    existing, and nothing would manage them. ``returning`` are managed objects that only the old state knows: they may exist no
    longer. Deposed objects count on both sides. ``content`` holds every secret of the old state.

    The others are what the next plan would do beside that, with the configuration that belongs to the active state: destroy the
    ``doomed``, which both states know, create anew what it has at the addresses ``anew``, and replace the ``tainted``.
    """

    old: RecordedState
    newest: RecordedState
    lineage: str
    serial: int
    content: Secret = field(repr=False)
    diff: StateDiff
    unmanaged: tuple[ObjectChange, ...]
    returning: tuple[ObjectChange, ...]
    doomed: tuple[Doomed, ...]
    anew: tuple[str, ...]
    tainted: tuple[str, ...]
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
    unmanaged = tuple(_only_on(newest, old, changes, ChangeKind.REMOVED))
    returning = tuple(_only_on(old, newest, changes, ChangeKind.ADDED))
    return RestorePlan(
        old=old,
        newest=newest,
        lineage=lineage,
        serial=serial + 1,
        content=Secret(content.decode()),
        diff=changes,
        unmanaged=unmanaged,
        returning=returning,
        doomed=tuple(_doomed(old, newest, {one.place for one in returning})),
        anew=tuple(item.address for item in _without(newest, old) if item.place not in {one.place for one in unmanaged}),
        tainted=tuple(item.address for item in old.objects.values() if item.tainted and _current(item)),
        findings=tuple(_findings(old, newest, changes)),
    )


def _only_on(side: RecordedState, other: RecordedState, changes: StateDiff, kind: ChangeKind) -> Iterator[ObjectChange]:
    """What became of managed objects of ``side`` that ``other`` does not know at any address; of a replaced one each side has its
    own. A name that several objects of one side share, or a mere word, tells nothing, unless it can only name one object."""
    gone = [one for one in changes.changes if one.mode == "managed" and one.kind in (kind, ChangeKind.REPLACED)]
    if not gone:
        return
    here, there = (Census(state) for state in (side, other))
    for change in gone:
        its = names(side.objects[change.place])
        name = its.arn or its.id
        vague = says_nothing(name) or here.like(its) > 1 or there.like(its) > 1
        if not there.like(its) or (vague and not names_one(its.type, name)):
            yield change


def _current(item: Recorded) -> bool:
    return item.mode == "managed" and not item.deposed


def _without(side: RecordedState, other: RecordedState) -> list[Recorded]:
    """Current objects of ``side`` at addresses where ``other`` has none."""
    return [item for item in side.objects.values() if _current(item) and item.place not in other.objects]


def _doomed(old: RecordedState, newest: RecordedState, returning: set[tuple[str, str]]) -> Iterator[Doomed]:
    """What the engine would find in the restored state and not in the configuration, and what it finds deposed."""
    deposed = [item for item in old.objects.values() if item.mode == "managed" and item.deposed]
    found = [item for item in (*_without(old, newest), *deposed) if item.place not in returning]
    if not found:
        return
    lies: dict[tuple[str, str], set[str]] = {}
    for item in filter(_current, newest.objects.values()):
        lies.setdefault((item.type, item.identifier or ""), set()).add(item.address)
    for item in found:
        at = lies.get((item.type, item.identifier or ""), set())
        now = next(iter(at)) if len(at) == 1 and item.identifier else ""
        yield Doomed(address=item.address, type=item.type, deposed=item.deposed, identifier=shown_identifier(item), now=now)


def _rewritten(raw: bytes, *, lineage: str, serial: int) -> bytes:
    """The document with another lineage and serial, every other byte of its members as it was."""
    members = msgspec.json.decode(legible(raw), type=dict[str, msgspec.Raw])
    head = member_line("serial", serial) + "\n" + member_line("lineage", lineage) + "\n"
    # Engines know members by any case of their letters: the last one would count.
    rest = ((name, value) for name, value in members.items() if name.lower() not in ("serial", "lineage"))
    return (
        b"{\n"
        + head.encode()
        + b",\n".join(b"  " + msgspec.json.encode(name) + b": " + bytes(value) for name, value in rest)
        + b"\n}\n"
    )


def member_line(name: str, value: str | int) -> str:
    """The very line that a planned document has for its serial, or its lineage: whoever holds one can check it by that."""
    return f"  {msgspec.json.encode(name).decode()}: {msgspec.json.encode(value).decode()},"


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
