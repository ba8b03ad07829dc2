"""States as the command line shows them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table
from kumoss_console.cli.encode import iso
from kumoss_console.cli.shapes import findings_blocks, heading, project_data, project_text
from kumoss_console.model.duration import in_words

if TYPE_CHECKING:
    from kumoss_console.model.lock import Lock
    from kumoss_console.model.state import ResourceRow, StateDocument
    from kumoss_console.services.bucket import StateRow

_ROWS = (
    Column("KEY", "middle"),
    Column("OWNER", "end"),
    Column("SIZE", right=True),
    Column("MODIFIED"),
    Column("LOCK"),
)
_RESOURCES = (Column("RESOURCE", "middle"), Column("INSTANCES", right=True), Column("IDENTIFIER", "middle"), Column("NOTE"))
_OUTPUTS = (Column("OUTPUT", "middle"), Column("VALUE", "end"))


def row_data(row: StateRow) -> dict[str, object]:
    """One object of the bucket."""
    return {
        "key": row.key,
        "project_id": row.project_id,
        "owner": project_data(row.owner),
        "kind": row.kind,
        "size": row.size,
        "modified": row.modified,
        "locked": row.locked,
    }


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
            (
                row.key,
                project_text(row.owner) if row.owner else Cell("-" if row.kind == "other" else "unknown", "dim"),
                f"{row.size:,}",
                iso(row.modified) if row.modified else "-",
                Cell("locked", "warn") if row.locked else "",
            )
            for row in rows
        ],
    )


def document_blocks(
    document: StateDocument, *, about: Sequence[tuple[str, Cell | str]], lock: Lock | None, now: datetime
) -> list[Block]:
    """``about`` comes first: where the document was found."""
    pairs: list[tuple[str, Cell | str]] = [
        *about,
        ("kind", document.form.value),
        ("readable", "yes" if document.readable else Cell(f"no: {document.reason}", "bad")),
    ]
    if document.serial is not None or document.lineage is not None:
        pairs += [
            ("serial", str(document.serial)),
            ("lineage", document.lineage or "-"),
            ("engine", f"{document.engine or 'unknown engine'} {document.engine_version or ''}".strip()),
            ("format", str(document.format_version)),
        ]
    if (counts := document.counts) is not None:
        managed = (
            f"{counts.resources_managed} managed, {counts.resources_data} data, in {counts.modules} modules besides the root"
        )
        pairs.append(("resources", managed))
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
    return [*blocks, *findings_blocks(document.findings)]


def _resource(row: ResourceRow) -> tuple[Cell | str, ...]:
    identifier = next((instance.identifier for instance in row.instances if instance.identifier), "-")
    tainted = any(instance.tainted for instance in row.instances)
    deposed = any(instance.deposed for instance in row.instances)
    marks = [mark for mark, there in (("tainted", tainted), ("deposed", deposed)) if there]
    return (row.address, str(len(row.instances)), identifier, Cell(", ".join(marks), "warn"))


def _lock_pairs(lock: Lock, now: datetime) -> list[tuple[str, Cell | str]]:
    age = lock.age(now)
    held = f"by {lock.holder or 'an unnamed holder'} for {lock.operation or 'an unnamed operation'}"
    since = f", {in_words(age)} ago ({lock.created})" if age is not None else ""
    return [("locked", Cell(held + since, "warn")), ("lock id", lock.id or "-")]
