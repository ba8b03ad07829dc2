"""What differs between two states: objects and outputs as rows, one of them with its values. Pure."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from kumoss_console.model.plan.leaves import Diff, Leaf, Sign, words
from kumoss_console.model.statediff import NULL_ALONE, ChangeKind, ObjectChange, OutputDifference, StateDiff
from kumoss_console.services.versions.shape import change_shape, output_shape
from kumoss_console.text import printable
from screens.copies import Copy
from screens.findings import TONES
from screens.flash import SIGNS
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact


@dataclass(frozen=True, slots=True)
class Beside:
    """A difference beside objects and outputs, in a sentence."""

    note: str
    kind: ChangeKind = ChangeKind.CHANGED


Item = ObjectChange | OutputDifference | Beside
KINDS: dict[ChangeKind, tuple[str, Tone]] = {
    ChangeKind.REMOVED: ("-", "bad"),
    ChangeKind.REPLACED: ("±", "bad"),
    ChangeKind.ADDED: ("+", "good"),
    ChangeKind.CHANGED: ("~", "warn"),
    ChangeKind.MOVED: (">", ""),
}
GRAVE = frozenset({ChangeKind.REMOVED, ChangeKind.REPLACED})
_SIGNS: dict[Sign, Tone] = {Sign.ADD: "good", Sign.REMOVE: "bad", Sign.CHANGE: "warn", Sign.SAME: "dim"}
COLUMNS = (
    Column(key="kind", title="", width=1, sortable=False),
    Column(key="what", title="WHAT", width=9, priority=2, sortable=False),
    Column(key="address", title="OBJECT", width=30, stretch=3, middle=True, sortable=False),
    Column(key="id", title="IDENTIFIER", width=20, priority=3, stretch=2, middle=True, sortable=False),
)


def identity(item: Item) -> Hashable:
    """What names a row."""
    if isinstance(item, Beside):
        return "beside", item.note
    if isinstance(item, OutputDifference):
        return "output", item.name
    return item.address, item.deposed, item.before_address


def items(found: StateDiff) -> Sequence[Item]:
    """Managed objects, then data sources, then outputs, then what differs beside them."""
    return (*found.changes, *found.outputs, *map(Beside, found.notes))


def matching(found: Sequence[Item], text: str, *, only_grave: bool) -> Sequence[Item]:
    """Those whose name or identifier has ``text`` in it, whatever the case of its letters."""
    wanted = text.casefold()
    return [one for one in found if (not only_grave or one.kind in GRAVE) and (not wanted or wanted in _words(one).casefold())]


def _words(item: Item) -> str:
    if isinstance(item, Beside):
        return item.note
    if isinstance(item, OutputDifference):
        return f"output {item.name}"
    return " ".join((item.address, item.before_address, item.before_id or "", item.after_id or ""))


def cells(item: Item) -> Sequence[Cell]:
    """One row, in the order of :data:`COLUMNS`."""
    sign, tone = KINDS[item.kind]
    if isinstance(item, Beside):
        return Cell(sign, tone), Cell("beside", "dim"), Cell(item.note, tone), Cell("", "dim")
    if isinstance(item, OutputDifference):
        return Cell(sign, tone), Cell("output", "dim"), Cell(item.name, tone), Cell("", "dim")
    kind = "data" if item.mode == "data" else item.kind.value
    return (
        Cell(sign, tone),
        Cell(kind, tone if item.mode == "managed" else "dim"),
        Cell(named(item), tone),
        Cell(_identifier(item), "dim"),
    )


def named(change: ObjectChange) -> str:
    """Its address; of a deposed object its deposed key, too."""
    return f"{change.address} (deposed {change.deposed})" if change.deposed else change.address


def _identifier(item: ObjectChange) -> str:
    if item.kind is ChangeKind.REPLACED:
        return f"{item.before_id} → {item.after_id}"
    return item.after_id or item.before_id or "-"


def summary(found: StateDiff | None, shown: int) -> tuple[Cell, ...]:
    """The line above the rows: from where to where, and how much differs."""
    if found is None:
        return (Cell("comparing…", "busy"),)
    one, other = found.before.document, found.after.document
    counted = [Cell(f" · {count} {kind.value}", KINDS[kind][1] or "warn") for kind, count in found.counted().items() if count]
    outputs = [Cell(f" · {len(found.outputs)} output{'' if len(found.outputs) == 1 else 's'}", "warn")] if found.outputs else []
    everything = len(items(found))
    narrowed = [Cell(f" · {shown} shown", "warn")] if shown != everything else []
    beside = [Cell(f" · {len(found.notes)} beside them", "warn")] if found.notes else []
    same = Cell(f" · {found.unchanged:,} the same", "dim")
    return (Cell(f"serial {one.serial} → {other.serial}"), *counted, *outputs, *beside, same, *narrowed)


def about(found: StateDiff) -> tuple[Fact, ...]:
    """Both sides, and what is odd about them together."""
    facts = [
        fact(label, side.label, Cell(f" · serial {side.document.serial}", "dim"))
        for label, side in (("before", found.before), ("after", found.after))
    ]
    facts += [fact("beside", Cell(note, "warn")) for note in found.notes]
    facts += [fact(SIGNS[one.severity], Cell(one.message, TONES[one.severity])) for one in found.findings]
    return tuple(facts)


def facts(item: ObjectChange | OutputDifference, leaves: Diff | None) -> tuple[Fact, ...]:
    """One object or output with its values; ``leaves`` is ``None`` while they are compared."""
    tone = KINDS[item.kind][1]
    found: list[Fact] = []
    if isinstance(item, OutputDifference):
        found.append(fact(item.kind.value, Cell(item.name, tone)))
    else:
        found.append(fact(item.kind.value, Cell(item.address, tone)))
        if item.kind is ChangeKind.MOVED:
            found.append(fact("from", item.before_address))
        if item.before_id or item.after_id:
            found.append(fact("identifier", _identifier(item)))
    found += [fact("also", Cell(note, "warn")) for note in item.notes]
    if leaves is None:
        return (*found, fact("values", Cell("comparing…", "busy")))
    found += [_leaf(leaf) for leaf in leaves.leaves]
    if item.kind is ChangeKind.CHANGED and not leaves.leaves and not item.notes:
        found.append(fact("also", Cell(NULL_ALONE, "warn")))
    if leaves.left_out:
        found.append(fact("", Cell(f"{leaves.left_out:,} more values are not listed", "warn")))
    return tuple(found)


def _leaf(leaf: Leaf) -> Fact:
    hidden = any(side is not None and side.hidden for side in (leaf.before, leaf.after))
    both = leaf.before is not None and leaf.after is not None
    text = "sensitive: changed, not shown" if hidden and both else words(leaf)
    note = Cell(f"  {leaf.note}", "dim") if leaf.note else Cell("")
    return fact(leaf.sign.value, Cell(f"{leaf.name}: " if leaf.name else "", _SIGNS[leaf.sign]), Cell(text), note)


def copies(item: Item | None, command: str) -> tuple[Copy, ...]:
    """For the row under the cursor. Sensitive values are in none of them."""
    whole = Copy(label="the command that shows this", text=command, role="command")
    if item is None:
        return (whole,)
    if isinstance(item, Beside):
        return (Copy(label="the difference", text=printable(item.note), role="thing"), whole)
    shape = output_shape(item) if isinstance(item, OutputDifference) else change_shape(item)
    name = item.name if isinstance(item, OutputDifference) else item.address
    return (
        Copy(label="the name", text=printable(name), role="thing"),
        Copy(label="the difference as JSON", text=json.dumps(shape, indent=2, ensure_ascii=False, default=str), role="json"),
        whole,
    )
