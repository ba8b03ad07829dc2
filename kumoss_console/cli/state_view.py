"""States as the command line shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table, Text, Tone
from kumoss_console.cli.shapes import findings_blocks, heading, project_text
from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Finding
from kumoss_console.model.moment import iso
from kumoss_console.model.names import operation_name
from kumoss_console.model.state.providers import providers_of
from kumoss_console.text import printable

if TYPE_CHECKING:
    from kumoss_console.model.lock import Lock
    from kumoss_console.model.state import ResourceRow, StateDocument
    from kumoss_console.model.state.document import CheckRow
    from kumoss_console.services.bucket.service import StateRow

_ROWS = (
    Column("KEY", "middle"),
    Column("OWNER", "end"),
    Column("SIZE", right=True),
    Column("MODIFIED"),
    Column("NOTE"),
)
_RESOURCES = (Column("ADDRESS", "middle"), Column("IDENTIFIER", "middle"), Column("NOTE"))
_PROVIDERS = (Column("PROVIDER", "middle"), Column("ALIAS"), Column("RESOURCES", right=True), Column("OBJECTS", right=True))
_CHECKS = (Column("CHECK", "middle"), Column("KIND"), Column("STATUS"), Column("MESSAGE", "end"))
_STATUS: dict[str, Tone] = {"pass": "good", "fail": "bad", "error": "bad"}
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
    if row.locked:
        return "locked"
    if row.kind == "workspace":
        return f"workspace {row.workspace}"
    return "" if row.kind == "state" else row.kind.replace("_", " ")


def document_blocks(
    document: StateDocument,
    findings: Sequence[Finding],
    *,
    about: Sequence[tuple[str, Cell | str]],
    lock: Lock | None,
    now: datetime,
) -> list[Block]:
    """What is wrong first, then ``about``: where the document was found. ``findings`` are all there are about it."""
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
    blocks: list[Block] = [*findings_blocks(findings), Fields(pairs)]
    for title, mode in (("Resources", "managed"), ("Data sources", "data")):
        rows = [line for row in document.resources if row.mode == mode for line in _objects(row)]
        if rows:
            blocks += [heading(title), Table(_RESOURCES, rows)]
    if document.outputs:
        blocks += [heading("Outputs"), Table(_OUTPUTS, [(output.name, output.value) for output in document.outputs])]
    if providers := providers_of(document.resources):
        blocks += [
            heading("Providers"),
            Table(_PROVIDERS, [(row.source, row.alias, f"{row.resources:,}", f"{row.objects:,}") for row in providers]),
        ]
    if document.checks:
        blocks += [heading("Check results"), Table(_CHECKS, [line for row in document.checks for line in _check(row)])]
    return blocks


def _objects(row: ResourceRow) -> Iterator[tuple[Cell | str, ...]]:
    """A line for each object, and one for a resource that has none."""
    if not row.instances:
        yield (row.address, "-", Cell("no objects", "dim"))
    for instance in row.instances:
        note = f"deposed {instance.deposed}" if instance.deposed else "tainted" if instance.tainted else ""
        yield (instance.address, instance.identifier or "-", Cell(note, "warn"))


def _check(row: CheckRow) -> Iterator[tuple[Cell | str, ...]]:
    """A line for each object that was checked, and one for a check that has none."""
    kind = row.kind.replace("_", " ")
    if not row.objects:
        yield (row.address, kind, _status(row.status), "")
    for one in row.objects:
        yield (one.address or row.address, kind, _status(one.status), "; ".join(one.messages))


def _status(status: str) -> Cell:
    return Cell(status or "unknown", _STATUS.get(status, "warn"))


def _lock_pairs(lock: Lock, now: datetime) -> list[tuple[str, Cell | str]]:
    age = lock.age(now)
    held = f"by {lock.holder or 'an unnamed holder'} for {operation_name(lock.operation) or 'an unnamed operation'}"
    since = f", {in_words(age)} ago ({lock.created})" if age is not None else ""
    return [("locked", Cell(held + since, "warn")), ("lock id", lock.id or "-")]
