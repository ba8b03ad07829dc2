"""The other workspaces below the root, as far as a trace needs them: who has the same state, and which keys are in use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kumoss_console.errors import ConsoleError
from kumoss_console.model.trace import Evidence, parted
from kumoss_console.services.workspaces.service import WorkspaceListService, WorkspaceRow

SECONDS = 2.0
"""How long the other workspaces are looked through."""


async def sharing(listing: WorkspaceListService, evidence: Evidence) -> tuple[str, ...]:
    """Those that are bound to the same place; only asked where a shared file sets the key, or may have set it."""
    declared, bound = evidence.declared, evidence.engine.place
    if declared is None or bound is None:
        return ()
    may = not evidence.storage.managed and declared.place is not None and bool(parted(declared.place, bound))
    may = may and bound.type != "local" and bool(bound.key)
    if declared.key_from != "backend-config" and not may:
        return ()
    return tuple(row.name for row in await _others(listing, evidence, lambda row: row.bound == bound))


async def keys_of_others(listing: WorkspaceListService, evidence: Evidence) -> frozenset[str]:
    """Keys that other workspaces are bound to."""
    rows = await _others(listing, evidence, lambda row: row.bound is not None)
    return frozenset(row.bound.key for row in rows if row.bound is not None and row.bound.key is not None)


async def _others(
    listing: WorkspaceListService, evidence: Evidence, wanted: Callable[[WorkspaceRow], bool]
) -> tuple[WorkspaceRow, ...]:
    """A root that cannot be read, or a very large one: what was found counts."""
    rows: tuple[WorkspaceRow, ...] = ()
    if listing.root is None:
        return rows
    try:
        async with asyncio.timeout(SECONDS):
            async for snapshot in listing.stream():
                rows = tuple(row for row in snapshot.rows if wanted(row) and str(row.folder) != evidence.workspace)
    except (TimeoutError, ConsoleError):
        return rows
    return rows
