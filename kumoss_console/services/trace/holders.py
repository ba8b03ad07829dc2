"""The other workspaces that have the keys of a trace: beside it in its clone, below the root, in the clones beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from datetime import datetime
from os.path import normpath
from pathlib import Path

from kumoss_console.errors import ConsoleError
from kumoss_console.model.trace import Evidence, Holder, Place
from kumoss_console.services.workspaces.service import WorkspaceListService, WorkspaceRow

SECONDS = 2.0
"""How long the other workspaces are looked through."""


def doubtful(evidence: Evidence) -> frozenset[str]:
    """The keys that need a look at others: those that are not known to be this very folder's."""
    around = evidence.around
    places = (evidence.engine.place, evidence.written.place if evidence.written is not None else None)
    keys = {place.key for place in places if place is not None and place.key and place.type != "local"}
    if evidence.project is not None and evidence.storage.managed:
        own = evidence.project.project_id
        if around is None or around.fits(evidence.project):
            keys = {key for key in keys if key.partition("/")[0] != own}
    return frozenset(keys) if evidence.storage.managed else frozenset()


async def holders(
    listing: WorkspaceListService, evidence: Evidence, top: str | None, keys: Collection[str]
) -> tuple[Holder, ...]:
    """Who else has one of ``keys``. A folder that cannot be read, or a very large one: what was found counts."""
    rows: dict[str, tuple[WorkspaceRow, str]] = {}
    if not keys:
        return ()
    try:
        async with asyncio.timeout(SECONDS):
            if top is not None:
                for row in await listing.inside(Path(top)):
                    rows[str(row.folder)] = (row, _module(row.folder, Path(top)))
            for root in dict.fromkeys((listing.root, Path(top).parent if top is not None else None)):
                if root is None:
                    continue
                async for snapshot in listing.stream(root):
                    for row in snapshot.rows:
                        rows.setdefault(str(row.folder), (row, ""))
    except (TimeoutError, ConsoleError):
        pass  # it is one witness among several
    return tuple(_held(row, module, keys) for row, module in _others(rows, evidence.workspace) if _has(row, keys))


def _others(rows: dict[str, tuple[WorkspaceRow, str]], workspace: str | None) -> Iterator[tuple[WorkspaceRow, str]]:
    own = normpath(Path(workspace).absolute()) if workspace is not None else None
    yield from (row for folder, row in rows.items() if folder != own)


def _module(folder: Path, top: Path) -> str:
    return folder.relative_to(top).as_posix()


def _has(row: WorkspaceRow, keys: Collection[str]) -> bool:
    return any(place is not None and place.key in keys for place in (row.bound, row.written))


def _held(row: WorkspaceRow, module: str, keys: Collection[str]) -> Holder:
    bound = _key(row.bound, keys)
    at: datetime | None = row.at if bound else row.touched
    return Holder(
        name=row.name, folder=str(row.folder), key=bound or _key(row.written, keys), bound=bool(bound), module=module, at=at
    )


def _key(place: Place | None, keys: Collection[str]) -> str:
    return place.key if place is not None and place.key is not None and place.key in keys else ""
