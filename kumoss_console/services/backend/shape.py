"""The effective backend of a workspace as the data both front ends give out. Keys in a fixed order, secrets masked."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from kumoss_console.model.backend import BackendAttribute, Binding, Origin, Shadow
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.services.backend.effective import WorkspaceBackend
from kumoss_console.text import MASK, Secret


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
        "findings": [asdict(finding) for finding in found.findings],
        "certain": found.ownership.certain,
        "engine_version": ".".join(map(str, found.engine.version)),
        "engine_version_assumed": found.engine.assumed and not found.engine.bound,
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
