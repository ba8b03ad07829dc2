"""What differs between two states, object by object.

Sensitive values are compared and never shown: they are replaced by stand-ins while the two sides are laid beside each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from kumoss_console.model.finding import Finding
from kumoss_console.model.plan.leaves import Diff, compare
from kumoss_console.model.plan.sealed import ENCODER, Sealed, seal
from kumoss_console.model.plan.wire import Body
from kumoss_console.model.state.document import Mode
from kumoss_console.model.state.secretrules import depends_on_values, hidden_of_type, reads_like_a_secret
from kumoss_console.model.statediff.identifiers import shown_identifier
from kumoss_console.model.statediff.marks import marks
from kumoss_console.model.statediff.recorded import Output, Recorded, RecordedState
from kumoss_console.model.statediff.remarks import about, equal_serials

TYPE_ALONE = "a value has another type, and reads the same"
"""What is to be said of a change in which no attribute shows: ``1`` and ``true``."""
_EMPTY = (b"", b"null")
_UNMARKED = (b"", b"null", b"[]")
# Engines compute with 512 bits: two numbers that differ must not become the same float.
_DECODER = msgspec.json.Decoder(float_hook=Decimal)


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

    ``notes`` are differences beside the attributes: tainted or not, another provider. ``values`` is closed until asked for. An
    identifier that repeats a sensitive value of the object is masked.
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

    def leaves(self) -> Diff:
        """The attributes that differ, sensitive ones hidden. CPU work in the size of the object."""
        return compare(self.values.open())


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputDifference:
    """One output that differs."""

    kind: ChangeKind
    name: str
    values: Sealed = field(compare=False)

    def leaves(self) -> Diff:
        return compare(self.values.open(), named=reads_like_a_secret(self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDiff:
    """``before`` against ``after``. Changes of managed objects come first, the gravest kind first, then data sources."""

    before: RecordedState
    after: RecordedState
    changes: tuple[ObjectChange, ...]
    outputs: tuple[OutputDifference, ...]
    unchanged: int
    findings: tuple[Finding, ...]

    @property
    def differ(self) -> bool:
        """Whether anything an engine would act upon differs. Another serial alone is not a difference."""
        one, other = self.before.document, self.after.document
        return bool(self.changes or self.outputs) or one.lineage != other.lineage

    def counted(self) -> dict[ChangeKind, int]:
        """Managed objects of each kind, deposed ones included."""
        found = Counter(change.kind for change in self.changes if change.mode == "managed")
        return {kind: found[kind] for kind in ChangeKind}


def diff(before: RecordedState, after: RecordedState) -> StateDiff:
    """Compare them. CPU work in their size; values are decoded only where their bytes differ."""
    changes: list[ObjectChange] = []
    unchanged = 0
    gone = [item for place, item in before.objects.items() if place not in after.objects]
    new = [item for place, item in after.objects.items() if place not in before.objects]
    moved = dict(_moved(gone, new))
    for place, one in before.objects.items():
        other = after.objects.get(place)
        if other is not None:
            change = _compared(one, other)
            if change is None:
                unchanged += 1
            else:
                changes.append(change)
    changes += (_change(ChangeKind.MOVED, one, other) for one, other in ((gone[a], new[b]) for a, b in moved.items()))
    changes += (_change(ChangeKind.REMOVED, item, None) for at, item in enumerate(gone) if at not in moved)
    arrived = set(moved.values())
    changes += (_change(ChangeKind.ADDED, None, item) for at, item in enumerate(new) if at not in arrived)
    changes.sort(key=lambda change: (change.mode == "data", _ORDER[change.kind], change.address, change.deposed))
    outputs = tuple(_outputs(before.outputs, after.outputs))
    findings = about(before, after)
    if (changes or outputs) and before.document.serial == after.document.serial and not findings:
        findings = (equal_serials(before, after),)
    return StateDiff(before=before, after=after, changes=tuple(changes), outputs=outputs, unchanged=unchanged, findings=findings)


def _moved(gone: list[Recorded], new: list[Recorded]) -> Iterator[tuple[int, int]]:
    """Places of the same object at another address: type and identifier name it, once on each side."""
    here, there = _named(gone), _named(new)
    for name, at in here.items():
        if at is not None and (to := there.get(name)) is not None:
            yield at, to


def _named(items: Iterable[Recorded]) -> dict[tuple[str, str], int | None]:
    found: dict[tuple[str, str], int | None] = {}
    for at, item in enumerate(items):
        if item.mode == "managed" and item.identifier and not item.deposed:
            name = (item.type, item.identifier)
            found[name] = None if name in found else at
    return found


def _compared(one: Recorded, other: Recorded) -> ObjectChange | None:
    notes = tuple(_notes(one, other))
    if not notes and one.identifier == other.identifier and _same(one.attributes, other.attributes):
        return None
    replaced = one.identifier != other.identifier and one.identifier is not None and other.identifier is not None
    return _change(ChangeKind.REPLACED if replaced and one.mode == "managed" else ChangeKind.CHANGED, one, other)


def _same(one: bytes, other: bytes) -> bool:
    """Equal as values: engines write members in order, and a hand or another tool may not. Python takes ``true`` for 1."""
    if one == other:
        return True
    return _decoded(one) == _decoded(other) and all(one.count(word) == other.count(word) for word in (b"true", b"false"))


def _notes(one: Recorded, other: Recorded) -> Iterator[str]:
    if one.tainted != other.tainted:
        yield "tainted now" if other.tainted else "not tainted any more"
    if one.provider != other.provider:
        yield f"provider {one.provider or 'unknown'} → {other.provider or 'unknown'}"


def _change(kind: ChangeKind, one: Recorded | None, other: Recorded | None) -> ObjectChange:
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
        values=_sealed(one, other),
    )


def _either(one: Recorded | None, other: Recorded | None) -> tuple[Recorded, Recorded]:
    """Both sides, the one that is there standing for the one that is not."""
    first, last = one or other, other or one
    if first is None or last is None:
        raise ValueError("a change has at least one side")
    return first, last


def _sealed(one: Recorded | None, other: Recorded | None) -> Sealed:
    before, after = (item.attributes if item is not None else b"" for item in (one, other))
    return seal(
        Body(
            before=msgspec.Raw(before),
            after=msgspec.Raw(after),
            before_sensitive=_marks(one),
            after_sensitive=_marks(other),
        )
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


def _outputs(before: dict[str, Output], after: dict[str, Output]) -> Iterator[OutputDifference]:
    for name in sorted({*before, *after}):
        one, other = before.get(name), after.get(name)
        if one is not None and other is not None and one.sensitive == other.sensitive and _same(one.value, other.value):
            continue
        kind = ChangeKind.ADDED if one is None else ChangeKind.REMOVED if other is None else ChangeKind.CHANGED
        hidden = any(side is not None and side.sensitive for side in (one, other))
        sensitive = msgspec.Raw(b"true" if hidden else b"")
        yield OutputDifference(
            kind=kind,
            name=name,
            values=seal(
                Body(
                    before=msgspec.Raw(one.value if one is not None else b""),
                    after=msgspec.Raw(other.value if other is not None else b""),
                    before_sensitive=sensitive,
                    after_sensitive=sensitive,
                )
            ),
        )


def _decoded(raw: bytes) -> Any:
    return None if raw in _EMPTY else _DECODER.decode(raw)
