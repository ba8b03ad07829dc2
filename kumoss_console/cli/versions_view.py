"""Histories, differences and planned restores as the command line shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text, Tone
from kumoss_console.cli.shapes import counted, findings_blocks, heading
from kumoss_console.model.moment import iso
from kumoss_console.model.plan.leaves import Diff, Leaf, words
from kumoss_console.model.statediff import NULL_ALONE, ChangeKind, ObjectChange, OutputDifference, RecordedState, StateDiff
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.services.versions.remarks import VersionRow
    from kumoss_console.services.versions.restore.value import Command, Restore
    from kumoss_console.services.versions.timelines import Timeline

SIGNS: dict[ChangeKind, tuple[str, Tone]] = {
    ChangeKind.REMOVED: ("-", "bad"),
    ChangeKind.REPLACED: ("-/+", "bad"),
    ChangeKind.ADDED: ("+", "good"),
    ChangeKind.CHANGED: ("~", "warn"),
    ChangeKind.MOVED: (">", "plain"),
}
_VERSIONS = (
    Column("#", right=True),
    Column("SERIAL", right=True),
    Column("MODIFIED"),
    Column("SIZE", right=True),
    Column("ENGINE", "end"),
    Column("VERSION", "middle"),
    Column("NOTE", "end"),
)
_MOST_LEAVES = 20
"""Attributes of one object that plain output shows; --json has them all."""


def timeline_blocks(timeline: Timeline) -> list[Block]:
    """The history, newest first, and what is odd about it."""
    return [Table(_VERSIONS, [_version(row) for row in timeline.rows]), *findings_blocks(timeline.findings)]


def _version(row: VersionRow) -> tuple[Cell | str, ...]:
    version = row.version
    return (
        str(row.number),
        ("?" if row.unread else "-") if row.serial is None else str(row.serial),
        iso(version.modified.replace(microsecond=0)) if version.modified else "-",
        "-" if version.size is None else f"{version.size:,}",
        row.engine_version or "-",
        version.version_id,
        Cell(*_note(row)),
    )


def _note(row: VersionRow) -> tuple[str, Tone]:
    if row.version.kind == "delete_marker":
        return "deleted", "warn"
    if row.error is not None:
        return f"could not be read: {row.error.title}", "bad"
    notes = ["snapshot"] if row.version.kind == "snapshot" else []
    if row.version.latest:
        notes.append("active")
    if row.reason:
        notes.append(f"{'damaged' if row.damaged else 'no state'}: {row.reason}")
    if row.job is not None:
        notes.append(f"likely by {row.job.kind} {(row.job.job_id or '?')[:8]}")
    return " · ".join(notes), "bad" if row.reason else "plain"


def diff_blocks(found: StateDiff) -> list[Block]:
    """Both sides, then every object that differs with its attributes, then outputs: a line for each value, whatever is in it."""
    blocks: list[Block] = [Fields([("before", _side(found.before)), ("after", _side(found.after))])]
    blocks += findings_blocks(found.findings)
    lines = [line for change in found.changes for line in _change(change)]
    if lines:
        blocks += [heading("Objects"), Text("\n".join(lines))]
    outputs = [line for output in found.outputs for line in _output(output)]
    if outputs:
        blocks += [heading("Outputs"), Text("\n".join(outputs))]
    if found.notes:
        blocks += [heading("Beside them"), Text("\n".join(f"~   {printable(note)}" for note in found.notes))]
    return blocks


def diff_summary(found: StateDiff) -> str:
    """One line: how many objects, of which kind."""
    parts = [f"{count} {kind.value}" for kind, count in found.counted().items() if count]
    data = sum(change.mode == "data" for change in found.changes)
    if data:
        parts.append(counted(data, "data source"))
    if found.outputs:
        parts.append(counted(len(found.outputs), "output"))
    beside = f" · {counted(len(found.notes), 'difference')} beside them" if found.notes else ""
    return f"{', '.join(parts) or 'no object differs'}{beside} · {counted(found.unchanged, 'object')} the same"


def restore_blocks(restore: Restore, commands: Sequence[Command], where: str) -> list[Block]:
    """What would be pushed, what it leaves unmanaged, and the commands with ``where`` to run them."""
    plan = restore.plan
    blocks: list[Block] = [
        Fields(
            [
                ("key", restore.key),
                ("back to", _side(plan.old)),
                ("from", _side(plan.newest)),
                ("push with", f"serial {plan.serial}, lineage {plan.lineage}"),
            ]
        ),
        *findings_blocks(restore.findings),
    ]
    if plan.unmanaged:
        rows = [(_name(one), one.before_id or "-") for one in plan.unmanaged]
        blocks += [
            Text(f"{counted(len(rows), 'object')} would go on existing, and nothing would manage them:", "bad"),
            Table((Column("OBJECT", "middle"), Column("IDENTIFIER", "middle")), rows),
        ]
    if plan.returning:
        rows = [(_name(one), one.after_id or "-") for one in plan.returning]
        still = "it still exists" if len(rows) == 1 else "they still exist"
        blocks += [
            Text(f"{counted(len(rows), 'object')} would be managed again, whether or not {still}:", "warn"),
            Table((Column("OBJECT", "middle"), Column("IDENTIFIER", "middle")), rows),
        ]
    steps = [printable(line) for command in commands for line in (f"# {command.purpose}", command.text)]
    return [*blocks, heading(where), Text("\n".join(steps))]


def _side(side: RecordedState) -> str:
    document = side.document
    return f"serial {document.serial} · engine {document.engine_version or 'of unknown version'} · {side.label}"


def _name(change: ObjectChange) -> str:
    return f"{change.address} (deposed {change.deposed})" if change.deposed else change.address


def _change(change: ObjectChange) -> Iterator[str]:
    sign, _ = SIGNS[change.kind]
    name = printable(_name(change))
    if change.kind is ChangeKind.MOVED:
        name = f"{printable(change.before_address)} → {name}"
    elif change.kind is ChangeKind.REPLACED:
        name = f"{name}  {printable(change.before_id or '')} → {printable(change.after_id or '')}"
    elif identifier := change.after_id or change.before_id:
        name = f"{name}  {printable(identifier)}"
    yield f"{sign:<3} {name}"
    yield from (f"      {printable(note)}" for note in change.notes)
    if change.kind not in (ChangeKind.ADDED, ChangeKind.REMOVED):
        leaves = change.leaves()
        yield from _leaves(leaves)
        if change.kind is ChangeKind.CHANGED and not leaves.leaves and not change.notes:
            yield f"      {NULL_ALONE}"


def _output(output: OutputDifference) -> Iterator[str]:
    sign, _ = SIGNS[output.kind]
    yield f"{sign:<3} {printable(output.name)}"
    yield from (f"      {printable(note)}" for note in output.notes)
    yield from _leaves(output.leaves())


def _leaves(found: Diff) -> Iterator[str]:
    for leaf in found.leaves[:_MOST_LEAVES]:
        yield printable(f"      {leaf.sign.value} {leaf.name + ': ' if leaf.name else ''}{_words(leaf)}")
    more = len(found.leaves) - _MOST_LEAVES + found.left_out
    if more > 0:
        yield f"      … {more} more: --json has them"


def _words(leaf: Leaf) -> str:
    hidden = (leaf.before is not None and leaf.before.hidden) or (leaf.after is not None and leaf.after.hidden)
    if hidden and leaf.before is not None and leaf.after is not None:
        return "(sensitive: changed, not shown)"
    return words(leaf) + (f"  ({leaf.note})" if leaf.note else "")
