"""Which workspaces that can be seen from here are bound to which states of this context's store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from posixpath import normpath

from kumoss_console.errors import ConsoleError
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace.place import outside
from kumoss_console.services.workspaces.service import WorkspaceListService, WorkspaceRow

PATIENCE_SECONDS = 10.0
"""A root of some thousand workspaces takes about a second; a network disk that hangs is not waited for."""

Places = Mapping[str, frozenset[str]]
"""Workspace folder, normalised -> the keys that it is bound to; empty for one that is bound elsewhere."""


async def workspace_places(listing: WorkspaceListService, storage: StorageSettings) -> Places:
    """Those below the context's root; nothing where there is none, or it cannot be read: workspaces may lie with the sidecar."""
    if listing.root is None:
        return {}
    try:
        snapshot = await asyncio.wait_for(listing.snapshot(), PATIENCE_SECONDS)
    except (ConsoleError, TimeoutError):
        return {}
    return {normpath(str(row.folder)): _keys(row, storage) for row in snapshot.rows if row.written or row.bound}


def _keys(row: WorkspaceRow, storage: StorageSettings) -> frozenset[str]:
    """What the core wrote and what the engine bound may differ: either may be the one that locks."""
    here = (place.key for place in (row.written, row.bound) if place is not None and not outside(place, storage))
    return frozenset(key for key in here if key)
