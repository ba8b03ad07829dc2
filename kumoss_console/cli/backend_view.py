"""The effective backend of a workspace as text."""

from __future__ import annotations

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table
from kumoss_console.cli.encode import to_json
from kumoss_console.cli.shapes import findings_blocks, heading
from kumoss_console.model.backend import BackendAttribute
from kumoss_console.model.backend.bound import same
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.services.backend.effective import WorkspaceBackend
from kumoss_console.services.backend.shape import plain

_COLUMNS = (
    Column("attribute"),
    Column("value", fit="middle"),
    Column("from", fit="end"),
    Column("beats", fit="end"),
    Column("bound", fit="middle"),
)


def backend_blocks(found: WorkspaceBackend, *, reveal: bool) -> list[Block]:
    """Who decides, the values with where they come from, and what there is to say."""
    effective = found.effective
    binding = effective.bound or effective.written
    about: list[tuple[str, Cell | str]] = [
        ("backend", _title(found)),
        ("engine", found.engine.label + (f" ({found.engine.note})" if found.engine.note else "")),
        (
            "model",
            found.ownership.model + ("" if found.ownership.certain else " (IAC_BACKEND_CONFIG is not known)"),
        ),
        ("bound", _bound_title(found)),
    ]
    blocks: list[Block] = [Fields(about)]
    if binding is not None and binding.attributes:
        blocks.append(Table(_COLUMNS, [_row(item, found, reveal) for item in binding.attributes]))
    if effective.erased:
        blocks.append(heading("Gone"))
        rows = [(shadow.name, _text(shadow.value, reveal), shadow.origin.at) for shadow in effective.erased]
        blocks.append(Table((Column("attribute"), Column("value", fit="middle"), Column("was in", fit="end")), rows))
    return [*blocks, *findings_blocks(found.findings)]


def _title(found: WorkspaceBackend) -> Cell:
    effective = found.effective
    if effective.bound is not None:
        at = effective.bound.at
        return Cell(f"{effective.bound.type} ({at.at})" if at else "local: no backend block", "plain" if at else "warn")
    if effective.unknown:
        return Cell(f"unknown: {', '.join(effective.unknown)} was not read", "bad")
    if effective.written is not None:
        return Cell(f"none: the engine refuses {effective.written.type}", "bad")
    return Cell("none: the engine refuses the configuration", "bad")


def _bound_title(found: WorkspaceBackend) -> Cell:
    if found.bound.status != "bound":
        return Cell("nothing: no init, or none with a backend" if found.bound.status == "absent" else "unreadable", "dim")
    differs = f", differs in {', '.join(item.name for item in found.differences)}" if found.differences else ", as written"
    return Cell(f"{found.bound.type}{differs}", "warn" if found.differences else "good")


def _row(attribute: BackendAttribute, found: WorkspaceBackend, reveal: bool) -> tuple[Cell | str, ...]:
    theirs = found.bound.values.get(attribute.name)
    agrees = theirs is not None and same(attribute.value, theirs)
    beats = ", ".join(f"{_text(shadow.value, reveal)} ({shadow.origin.at})" for shadow in attribute.shadows)
    via = "".join(f" ← {item.at}" for item in attribute.origin.via)
    value = attribute.expression if isinstance(attribute.value, Unresolved) else _text(attribute.value, reveal)
    tone = "dim" if isinstance(attribute.value, Unresolved) else "plain"
    bound = "" if found.bound.status != "bound" else "✓" if agrees else _text(theirs, reveal) if theirs is not None else "-"
    return (
        attribute.name,
        Cell(value, "dim" if tone == "dim" else "plain"),
        f"{attribute.origin.at}{via}",
        beats,
        Cell(bound, "plain" if agrees or not bound else "warn"),
    )


def _text(value: object, reveal: bool) -> str:
    shown = plain(value, reveal=reveal)
    return shown if isinstance(shown, str) else to_json(shown)
