"""The repository's own backend block, in force or erased by an override, and what lies at the place it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace import OwnBlock, Stored, outside, place_of
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.backend.effective import WorkspaceBackend
from kumoss_console.services.trace.look import Look

_REPOSITORY = "repository"


def own_block(found: WorkspaceBackend) -> OwnBlock | None:
    """The block that the module's plain files declare, nobody having looked; ``None`` where there is none, or cloud's."""
    effective = found.effective
    block = next((one for one in effective.blocks if one.origin.layer == _REPOSITORY), None)
    if block is None or block.type == "cloud":
        return None
    binding = effective.bound or effective.written
    losers = list(effective.erased)
    values: dict[str, object] = {}
    for attribute in binding.attributes if binding is not None else ():
        losers += attribute.shadows
        if attribute.origin.layer == _REPOSITORY:
            values[attribute.name] = attribute.value
    values |= {one.name: one.value for one in losers if one.origin.layer == _REPOSITORY}
    place = place_of(block.type, values, selected=found.selected)
    nobody = Stored(key=place.key or "", status="unknown", detail="nobody looked")
    return OwnBlock(place=place, at=block.origin.at, erased=not block.wins, stored=nobody)


async def own_looked(
    own: OwnBlock | None,
    storage: StorageSettings,
    lend: Callable[[str], ObjectStore | None],
    off_loop: OffLoop,
    *,
    workspace: str | None,
) -> OwnBlock | None:
    """``own`` with what lies there: only this context's endpoint gets this context's keys."""
    if own is None or not own.erased:
        return own
    place = own.place
    if place.type == "local":
        found = await Look(None, storage, off_loop).file(Path(workspace or "."), place.key or "")
        return replace(own, stored=found)
    reads = replace(storage, terraform_state_bucket=place.bucket or "")
    reason = outside(place, reads) if place.bucket else "its bucket or key is not known here"
    store = lend(place.bucket) if not reason and place.store is not None and place.bucket else None
    if store is None:
        detail = f"this console cannot look there: {reason or 'its endpoint is not known here'}"
        return replace(own, stored=replace(own.stored, detail=detail))
    [looked] = await Look(store, reads, off_loop).at((place.key or "",))
    return replace(own, stored=replace(looked, role="the repository's own block names"))
