"""Which workspaces that can be seen from here are bound to which states of this context's store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import normpath

from kumoss_console.errors import ConsoleError
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace.place import Place, outside
from kumoss_console.services.workspaces.service import WorkspaceListService, WorkspaceRow

PATIENCE_SECONDS = 10.0
"""A root of some thousand workspaces takes about a second; a network disk that hangs is not waited for."""

Places = Mapping[str, frozenset[str]]
"""Workspace folder, normalised -> the keys that it is bound to; empty for one that is bound elsewhere."""


async def workspace_places(listing: WorkspaceListService, storage: StorageSettings) -> Places:
    """Those below the context's root; nothing where there is none, or it cannot be read: workspaces may lie with the sidecar."""
    rows = await _rows(listing)
    return {normpath(str(row.folder)): _keys(row, storage) for row in rows if row.written or row.bound}


async def _rows(listing: WorkspaceListService) -> tuple[WorkspaceRow, ...]:
    if listing.root is None:
        return ()
    try:
        snapshot = await asyncio.wait_for(listing.snapshot(), PATIENCE_SECONDS)
    except (ConsoleError, TimeoutError):
        return ()
    return snapshot.rows


def _keys(row: WorkspaceRow, storage: StorageSettings) -> frozenset[str]:
    """What the core wrote and what the engine bound may differ: either may be the one that locks."""
    here = (_key(place, storage) for place in (row.written, row.bound))
    return frozenset(key for key in here if key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A workspace folder, and the keys of this context's store that its override names (``written``) and that its engine is bound
    to (``bound``): empty for none, or one elsewhere. ``differs`` where the two are known to part."""

    folder: str
    written: str
    bound: str
    differs: bool

    @property
    def usable(self) -> bool:
        """Whether an engine works there as it is: one whose override says something else refuses until it is initialised."""
        return bool(self.bound) and not self.differs


async def workspace_bindings(listing: WorkspaceListService, storage: StorageSettings) -> tuple[Binding, ...]:
    """As :func:`workspace_places`, with who says so."""
    return tuple(
        Binding(
            folder=normpath(str(row.folder)),
            written=_key(row.written, storage),
            bound=_key(row.bound, storage),
            differs=bool(row.differs),
        )
        for row in await _rows(listing)
    )


def _key(place: Place | None, storage: StorageSettings) -> str:
    return (place.key or "") if place is not None and not outside(place, storage) else ""
