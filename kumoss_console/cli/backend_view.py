"""The ``backend`` shape, and the same as text."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from kumoss_console.cli.blocks import Block, Cell, Column, Fields, Table
from kumoss_console.cli.encode import to_json
from kumoss_console.cli.shapes import findings_blocks, findings_data, heading
from kumoss_console.model.backend import BackendAttribute, Binding, Origin, Shadow
from kumoss_console.model.backend.bound import same
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.services.backends import WorkspaceBackend
from kumoss_console.text import MASK, Secret

_COLUMNS = (
    Column("attribute"),
    Column("value", fit="middle"),
    Column("from", fit="end"),
    Column("beats", fit="end"),
    Column("bound", fit="middle"),
)


def backend_data(found: WorkspaceBackend, *, reveal: bool) -> dict[str, Any]:
    """``type`` and ``attributes`` are what init would bind: null and empty where the engine refuses.

    ``written`` is then what the files say all the same, and ``kept`` what init binds in spite of its own error.
    """
    effective = found.effective
    bound = effective.bound
    return {
        "type": bound.type if bound else None,
        "model": found.ownership.model,
        "engine": found.engine.name,
        "attributes": _attributes(bound, found, reveal),
        "findings": findings_data(found.findings),
        "certain": found.ownership.certain,
        "engine_version": ".".join(map(str, found.engine.version)),
        "engine_version_assumed": found.engine.assumed,
        "workspace": found.folder,
        "options": [_option(option) for option in found.options],
        "unread": list(effective.unknown),
        "written": _binding(effective.written, found, reveal) if bound is None else None,
        "kept": _binding(effective.kept, found, reveal),
        "erased": [{"name": shadow.name, **_shadow(shadow, reveal)} for shadow in effective.erased],
        "blocks": [{"type": block.type, "origin": _origin(block.origin), "wins": block.wins} for block in effective.blocks],
        "bound": {
            "status": found.bound.status,
            "type": found.bound.type,
            "certain": found.ownership.certain,
            "engine_version": found.bound.engine_version,
            "differs": [difference.name for difference in found.differences],
        },
        "files": [{"name": item.name, "role": item.role, "reason": item.reason} for item in effective.files],
    }


def _option(option: str) -> str:
    from kumoss_console.model.backend.tables import SECRETS

    name, equals, _ = option.partition("=")
    return f"{name}={MASK}" if equals and name in SECRETS else option


def _binding(binding: Binding | None, found: WorkspaceBackend, reveal: bool) -> dict[str, Any] | None:
    if binding is None:
        return None
    return {"type": binding.type, "attributes": _attributes(binding, found, reveal)}


def _attributes(binding: Binding | None, found: WorkspaceBackend, reveal: bool) -> list[dict[str, Any]]:
    return [_attribute(item, found, reveal) for item in (binding.attributes if binding else ())]


def _attribute(attribute: BackendAttribute, found: WorkspaceBackend, reveal: bool) -> dict[str, Any]:
    unresolved = isinstance(attribute.value, Unresolved)
    return {
        "name": attribute.name,
        "value": plain(attribute.value, reveal=reveal),
        "origin": _origin(attribute.origin),
        "shadows": [_shadow(shadow, reveal) for shadow in attribute.shadows],
        "bound": plain(found.bound.values.get(attribute.name), reveal=reveal),
        "expression": attribute.expression if unresolved else None,
    }


def _origin(origin: Origin) -> dict[str, Any]:
    via = [{"what": item.what, "file": item.file, "line": item.line} for item in origin.via]
    return {"layer": origin.layer, "file": origin.file, "line": origin.line, "via": via}


def _shadow(shadow: Shadow, reveal: bool) -> dict[str, Any]:
    return {"value": plain(shadow.value, reveal=reveal), "origin": _origin(shadow.origin), "erased": shadow.erased}


def plain(value: object, *, reveal: bool = False) -> Any:
    """JSON values; a secret is a mask unless ``reveal``, what only the engine can compute is null."""
    if isinstance(value, Secret):
        return value.reveal() if reveal else MASK
    if isinstance(value, Unresolved):
        return None
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: plain(item, reveal=reveal) for name, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item, reveal=reveal) for item in value]
    return value


def backend_blocks(found: WorkspaceBackend, *, reveal: bool) -> list[Block]:
    """Who decides, the values with where they come from, and what there is to say."""
    effective = found.effective
    binding = effective.bound or effective.written
    about: list[tuple[str, Cell | str]] = [
        ("backend", _title(found)),
        ("engine", found.engine.label + (" (assumed)" if found.engine.assumed else "")),
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
