"""States as the command line shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text
from kumoss_console.cli.shapes import findings_blocks, heading, project_text
from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Finding
from kumoss_console.model.moment import iso
from kumoss_console.model.names import operation_name
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.model.lock import Lock
    from kumoss_console.model.state import ResourceRow, StateDocument
    from kumoss_console.services.bucket import StateRow

_ROWS = (
    Column("KEY", "middle"),
    Column("OWNER", "end"),
    Column("SIZE", right=True),
    Column("MODIFIED"),
    Column("NOTE"),
)
_RESOURCES = (Column("RESOURCE", "middle"), Column("INSTANCES", right=True), Column("IDENTIFIER", "middle"), Column("NOTE"))
_OUTPUTS = (Column("OUTPUT", "middle"), Column("VALUE", "end"))


def matches(row: StateRow, text: str) -> bool:
    """Whether ``text`` is part of the key or of the owner's name, repository, scope or path; letter case does not matter."""
    wanted = text.casefold()
    owner = row.owner
    parts = (row.key,) if owner is None else (row.key, owner.name, owner.repo, owner.scope, owner.path)
    return any(wanted in part.casefold() for part in parts)


def rows_table(rows: Sequence[StateRow]) -> Table:
    return Table(
        _ROWS,
        [
            (row.key, _owner(row), f"{row.size:,}", _modified(row), Cell(_mark(row), "warn" if row.locked else "dim"))
            for row in rows
        ],
    )


def row_lines(rows: Sequence[StateRow]) -> Text:
    """Rows of a stream: what comes later is not known, so nothing is aligned to it."""
    return Text("\n".join(map(_row_line, rows)))


def _row_line(row: StateRow) -> str:
    owner = f"  {project_text(row.owner)}" if row.owner else ""
    # A line feed in a key must not make two lines of it.
    return printable(f"{_modified(row):<20}  {row.size:>12,}  {_mark(row):<6}  {row.key}{owner}")


def _owner(row: StateRow) -> Cell | str:
    if row.owner is not None:
        return project_text(row.owner)
    return Cell("unknown" if row.orphan else "-", "dim")


def _modified(row: StateRow) -> str:
    return iso(row.modified.replace(microsecond=0)) if row.modified else "-"


def _mark(row: StateRow) -> str:
    return "locked" if row.locked else ("" if row.kind == "state" else row.kind)


def document_blocks(
    document: StateDocument,
    findings: Sequence[Finding],
    *,
    about: Sequence[tuple[str, Cell | str]],
    lock: Lock | None,
    now: datetime,
) -> list[Block]:
    """``about`` comes first: where the document was found. ``findings`` are all there are about it."""
    pairs: list[tuple[str, Cell | str]] = [
        *about,
        ("kind", document.form.value),
        ("readable", "yes" if document.readable else Cell(f"no: {document.reason}", "bad")),
    ]
    if document.serial is not None or document.lineage is not None:
        pairs += [
            ("serial", str(document.serial)),
            ("lineage", document.lineage or "-"),
            ("engine", f"{document.engine or 'terraform or opentofu'} {document.engine_version or 'of unknown version'}"),
            ("format", str(document.format_version)),
        ]
    if (counts := document.counts) is not None:
        pairs.append(("resources", f"{counts.resources_managed} managed, {counts.resources_data} data"))
        if counts.modules:
            pairs.append(("modules", f"{counts.modules} besides the root"))
        pairs.append(("instances", f"{counts.instances_managed} managed, {counts.tainted} tainted, {counts.deposed} deposed"))
    held = document.lock.lock if document.lock is not None else lock
    if held is not None:
        pairs += _lock_pairs(held, now)
    blocks: list[Block] = [Fields(pairs)]
    if document.resources:
        rows = [_resource(row) for row in document.resources]
        blocks += [heading("Resources"), Table(_RESOURCES, rows)]
    if document.outputs:
        blocks += [heading("Outputs"), Table(_OUTPUTS, [(output.name, output.value) for output in document.outputs])]
    return [*blocks, *findings_blocks(findings)]


def _resource(row: ResourceRow) -> tuple[Cell | str, ...]:
    identifier = next((instance.identifier for instance in row.instances if instance.identifier), "-")
    tainted = any(instance.tainted for instance in row.instances)
    deposed = any(instance.deposed for instance in row.instances)
    marks = [mark for mark, there in (("tainted", tainted), ("deposed", deposed)) if there]
    return (row.address, str(len(row.instances)), identifier, Cell(", ".join(marks), "warn"))


def _lock_pairs(lock: Lock, now: datetime) -> list[tuple[str, Cell | str]]:
    age = lock.age(now)
    held = f"by {lock.holder or 'an unnamed holder'} for {operation_name(lock.operation) or 'an unnamed operation'}"
    since = f", {in_words(age)} ago ({lock.created})" if age is not None else ""
    return [("locked", Cell(held + since, "warn")), ("lock id", lock.id or "-")]
