"""What differs between two states, object by object.

Sensitive values are compared and never shown: they are replaced by stand-ins while the two sides are laid beside each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec

from kumoss_console.model.finding import Finding
from kumoss_console.model.plan.alike import alike
from kumoss_console.model.plan.leaves import Diff, compare
from kumoss_console.model.plan.sealed import ENCODER, Sealed, seal
from kumoss_console.model.plan.wire import Body
from kumoss_console.model.state import repair
from kumoss_console.model.state.copies import Copies, copies_of_outputs
from kumoss_console.model.state.document import Mode
from kumoss_console.model.state.secretnames import reads_like_a_secret
from kumoss_console.model.state.secretrules import depends_on_values, hidden_of_type
from kumoss_console.model.statediff.beside import about_members, about_state
from kumoss_console.model.statediff.identifiers import shown_identifier
from kumoss_console.model.statediff.marks import marks
from kumoss_console.model.statediff.matching import matched
from kumoss_console.model.statediff.recorded import Output, Recorded, RecordedState
from kumoss_console.model.statediff.remarks import about, equal_serials

NULL_ALONE = "what is null on one side is absent on the other"
"""What is to be said of a change in which no attribute shows."""
_EMPTY = (b"", b"null")
_UNMARKED = (b"", b"null", b"[]")


class ChangeKind(StrEnum):
    """What became of an object from the one state to the other. ``replaced``: another identifier at the same address."""

    REMOVED = "removed"
    REPLACED = "replaced"
    ADDED = "added"
    CHANGED = "changed"
    MOVED = "moved"


_ORDER = {kind: number for number, kind in enumerate(ChangeKind)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectChange:
    """One object that differs. ``before_address`` differs from ``address`` only where it moved.

    ``notes`` are differences beside the attributes: tainted or not, another provider, dependencies, schema. ``values`` is closed
    until asked for. An identifier that repeats a sensitive value of the object is masked.
    """

    kind: ChangeKind
    address: str
    before_address: str
    mode: Mode
    type: str
    deposed: str
    before_id: str | None
    after_id: str | None
    notes: tuple[str, ...]
    values: Sealed = field(compare=False)

    @property
    def place(self) -> tuple[str, str]:
        """Where it lies in the state that has it; of one that moved, in the later one."""
        return self.address, self.deposed

    def leaves(self) -> Diff:
        """The attributes that differ, sensitive ones hidden. CPU work in the size of the object."""
        return compare(self.values.open())


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputDifference:
    """One output that differs. ``notes`` are differences beside its value: sensitive or not, another type."""

    kind: ChangeKind
    name: str
    notes: tuple[str, ...]
    values: Sealed = field(compare=False)

    def leaves(self) -> Diff:
        return compare(self.values.open(), named=reads_like_a_secret(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDiff:
    """``before`` against ``after``. Changes of managed objects come first, the gravest kind first, then data sources.

    ``notes`` are differences beside objects and outputs: the engine that wrote it, results of checks.
    """

    before: RecordedState
    after: RecordedState
    changes: tuple[ObjectChange, ...]
    outputs: tuple[OutputDifference, ...]
    unchanged: int
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def differ(self) -> bool:
        """Whether anything but the serial differs."""
        one, other = self.before.document, self.after.document
        return bool(self.changes or self.outputs or self.notes) or one.lineage != other.lineage

    def counted(self) -> dict[ChangeKind, int]:
        """Managed objects of each kind, deposed ones included."""
        found = Counter(change.kind for change in self.changes if change.mode == "managed")
        return {kind: found[kind] for kind in ChangeKind}


def diff(before: RecordedState, after: RecordedState) -> StateDiff:
    """Compare them. CPU work in their size; values are decoded only where their bytes differ."""
    found = matched(before, after)
    shared = _said_in_outputs(before.outputs, after.outputs)
    in_place = [change for one, other in found.stayed if (change := _compared(one, other, shared)) is not None]
    changes = [
        *in_place,
        *(_change(ChangeKind.MOVED, one, other, shared) for one, other in found.moved),
        *(_change(ChangeKind.REPLACED, one, other, shared) for one, other in found.replaced),
        *(_change(ChangeKind.REMOVED, item, None, shared) for item in found.gone),
        *(_change(ChangeKind.ADDED, None, item, shared) for item in found.new),
    ]
    changes.sort(key=lambda change: (change.mode == "data", _ORDER[change.kind], change.address, change.deposed))
    outputs = tuple(_outputs(before.outputs, after.outputs, shared))
    notes = tuple(about_state(before.document, after.document, before.beside, after.beside))
    findings = about(before, after)
    if (changes or outputs or notes) and before.document.serial == after.document.serial and not findings:
        findings = (equal_serials(before, after),)
    return StateDiff(
        before=before,
        after=after,
        changes=tuple(changes),
        outputs=outputs,
        unchanged=len(found.stayed) - len(in_place),
        notes=notes,
        findings=findings,
    )


def _compared(one: Recorded, other: Recorded, shared: Copies) -> ObjectChange | None:
    if not tuple(_notes(one, other)) and one.identifier == other.identifier and _same(one.attributes, other.attributes):
        return None
    return _change(ChangeKind.CHANGED, one, other, shared)


def _same(one: bytes, other: bytes) -> bool:
    """Equal as values: engines write members in order, and a hand or another tool may not."""
    return one == other or alike(_decoded(one), _decoded(other))


def _notes(one: Recorded, other: Recorded) -> Iterator[str]:
    if one.tainted != other.tainted:
        yield "tainted now" if other.tainted else "not tainted any more"
    if one.provider != other.provider:
        yield f"provider {one.provider or 'unknown'} → {other.provider or 'unknown'}"
    yield from about_members(one.beside, other.beside)


def _change(kind: ChangeKind, one: Recorded | None, other: Recorded | None, shared: Copies) -> ObjectChange:
    first, last = _either(one, other)
    return ObjectChange(
        kind=kind,
        address=last.address,
        before_address=first.address,
        mode=last.mode,
        type=last.type,
        deposed=last.deposed,
        before_id=shown_identifier(one, beside=other),
        after_id=shown_identifier(other, beside=one),
        notes=tuple(_notes(one, other)) if one is not None and other is not None else (),
        values=_sealed(one, other, shared),
    )


def _either(one: Recorded | None, other: Recorded | None) -> tuple[Recorded, Recorded]:
    """Both sides, the one that is there standing for the one that is not."""
    first, last = one or other, other or one
    if first is None or last is None:
        raise ValueError("a change has at least one side")
    return first, last


def _sealed(one: Recorded | None, other: Recorded | None, shared: Copies) -> Sealed:
    before, after = (item.attributes if item is not None else b"" for item in (one, other))
    return seal(
        Body(
            before=msgspec.Raw(before),
            after=msgspec.Raw(after),
            before_sensitive=_marks(one),
            after_sensitive=_marks(other),
        ),
        shared=shared,
    )


def _marks(item: Recorded | None) -> msgspec.Raw:
    if item is None:
        return msgspec.Raw(b"")
    ruled = hidden_of_type(item.type, _decoded(item.attributes) if depends_on_values(item.type) else None)
    if item.sensitive in _UNMARKED and not ruled:
        return msgspec.Raw(b"")
    marked = None if item.sensitive in _UNMARKED else marks(item.sensitive, _decoded(item.attributes))
    if ruled and marked is not True:
        marked = {**(marked or {}), **dict.fromkeys(ruled, True)}
    return msgspec.Raw(ENCODER.encode(marked))


def _said_in_outputs(*sides: dict[str, Output]) -> Copies:
    """What repeats a sensitive output of either side: its text is hidden wherever it stands."""
    return copies_of_outputs(_decoded(one.value) for outputs in sides for one in outputs.values() if one.sensitive)


def _outputs(before: dict[str, Output], after: dict[str, Output], shared: Copies) -> Iterator[OutputDifference]:
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        notes = tuple(_about_output(one, other)) if one is not None and other is not None else ()
        if one is not None and other is not None and not notes and _same(one.value, other.value):
            continue
        kind = ChangeKind.ADDED if one is None else ChangeKind.REMOVED if other is None else ChangeKind.CHANGED
        hidden = any(side is not None and side.sensitive for side in (one, other))
        sensitive = msgspec.Raw(b"true" if hidden else b"")
        yield OutputDifference(
            kind=kind,
            name=name,
            notes=notes,
            values=seal(
                Body(
                    before=msgspec.Raw(one.value if one is not None else b""),
                    after=msgspec.Raw(other.value if other is not None else b""),
                    before_sensitive=sensitive,
                    after_sensitive=sensitive,
                ),
                shared=shared,
            ),
        )


def _about_output(one: Output, other: Output) -> Iterator[str]:
    if one.sensitive != other.sensitive:
        yield "sensitive now" if other.sensitive else "not sensitive any more"
    yield from about_members(one.beside, other.beside)


def _decoded(raw: bytes) -> Any:
    return None if raw in _EMPTY else repair.decode(raw)[0]
