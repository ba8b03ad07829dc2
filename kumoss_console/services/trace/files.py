"""What an inspected workspace says about each layer, as values for the trace. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from kumoss_console.model.backend import BackendAttribute, Binding, differences
from kumoss_console.model.backend.leftover import CODE as LEFTOVER
from kumoss_console.model.storage import Ownership, StorageSettings, ownership
from kumoss_console.model.trace import Declared, Engine, Written, place_of
from kumoss_console.services.backend.effective import WorkspaceBackend

POINTER = ".terraform/terraform.tfstate"
_KEYS = frozenset({"key", "path", "prefix"})
"""The argument that tells one state from another, by type: s3 and azurerm, local, gcs."""


def written_of(found: WorkspaceBackend, override_name: str) -> Written | None:
    """The core's override on disk with the values it holds, whether or not they win; ``None`` where there is none."""
    effective = found.effective
    block = next((block for block in effective.blocks if block.origin.file == override_name), None)
    if block is None:
        return None
    winner = next((block for block in effective.blocks if block.wins), None)
    binding = effective.bound or effective.written
    values: dict[str, object] = {shadow.name: shadow.value for shadow in effective.erased if shadow.origin.file == override_name}
    for attribute in binding.attributes if binding is not None else ():
        if attribute.origin.file == override_name:
            values[attribute.name] = attribute.value
        for shadow in attribute.shadows:
            if shadow.origin.file == override_name:
                values[attribute.name] = shadow.value
    return Written(
        file=override_name,
        place=place_of(block.type, values, selected=found.selected),
        at=_moment(found, override_name),
        beaten_by="" if winner is None or winner.origin.file == override_name else winner.origin.file,
    )


def declared_of(found: WorkspaceBackend) -> Declared:
    """What the next init binds by the files, with the sidecar's over them as far as it could be read."""
    effective = found.effective
    binding = effective.bound or _accepted(found)
    key = next((attribute for attribute in binding.attributes if attribute.name in _KEYS), None) if binding is not None else None
    block = next((block for block in effective.blocks if block.wins), None)
    place = None
    if binding is not None:
        place = place_of(binding.type, {one.name: one.value for one in binding.attributes}, selected=found.selected)
    return Declared(
        place=place,
        block=binding is None or binding.at is not None,
        key_from=key.origin.layer if key is not None else None,
        key_at=key.origin.at if key is not None else block.origin.at if block is not None else "",
        complete=not effective.incomplete,
        beats=_beaten(key),
        changed=_changed(found, binding),
    )


def _changed(found: WorkspaceBackend, binding: Binding | None) -> datetime | None:
    """The files given to init are no files of the module: they may have any age."""
    if binding is None or binding.at is None:
        return None
    origins = [binding.at, *(one.origin for one in binding.attributes if one.origin.layer != "backend-config")]
    files = {origin.file for origin in origins} | {via.file for origin in origins for via in origin.via if via.line is not None}
    moments = [_moment(found, file) for file in files]
    known = [moment for moment in moments if moment is not None]
    return max(known) if known and len(known) == len(moments) else None


def _accepted(found: WorkspaceBackend) -> Binding | None:
    """What this console takes for refused, and the engine has bound all the same: what is missing came from its environment."""
    written = found.effective.written
    if written is None or found.effective.unknown or found.bound.status != "bound":
        return None
    parted = [one.name for one in differences(written, found.bound) if one.written is not None]
    return None if parted else written


def _beaten(key: BackendAttribute | None) -> str:
    """The key that the workspace's own block sets, where a file given to init sets another one."""
    if key is None or key.origin.layer != "backend-config":
        return ""
    own = next((shadow for shadow in key.shadows if shadow.origin.layer != "backend-config" and not shadow.erased), None)
    return f"{own.value} ({own.origin.at})" if own is not None and isinstance(own.value, str) else ""


def engine_of(found: WorkspaceBackend) -> Engine:
    """What the pointer file holds."""
    bound = found.bound
    match bound.status:
        case "bound" if bound.type is not None:
            return Engine(
                status="bound",
                place=place_of(bound.type, bound.values, selected=found.selected),
                at=_moment(found, POINTER),
                version=bound.engine_version,
            )
        case "unreadable":
            return Engine(status="unreadable", detail=f"{POINTER} cannot be read: {bound.detail}", at=_moment(found, POINTER))
        case _:
            return Engine(status="unbound", version=bound.engine_version)


def ownership_of(storage: StorageSettings, backend_config: str | None, inspected: WorkspaceBackend | None) -> Ownership:
    """Who decides; not certain where that is the workspace's files, and one that may matter was not read."""
    owner = ownership(storage, backend_config)
    if inspected is not None and any(finding.code == LEFTOVER for finding in inspected.findings):
        return inspected.ownership
    if storage.managed or inspected is None or not inspected.effective.incomplete:
        return owner
    unread = "not every file of the workspace could be read, so which backend that is stays unknown"
    return replace(owner, certain=False, explanation=f"{owner.explanation}; {unread}")


def _moment(found: WorkspaceBackend, name: str) -> datetime | None:
    seconds = found.modified.get(name)
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
