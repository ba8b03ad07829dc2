"""The workspaces below a context's root: whose they are, who owns their state, what is bound, and how old that is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

from kumoss_console.errors import Refused
from kumoss_console.model.backend import Bound, read_bound
from kumoss_console.model.backend.snapshot import Entry
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.storage import OwnershipModel, ownership
from kumoss_console.model.trace.place import Place, parted, place_of
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.text import printable

Model = OwnershipModel | Literal["local"]
"""``local`` where neither the core nor the repository names a backend: the state is lost with the workspace."""

_AT_ONCE = 24
"""Folders that one call off the loop looks through: some 20 ms, so that a listing never waits long for its first row."""

_TYPE = re.compile(r'^\s*backend\s+"([a-z0-9_]+)"\s*\{', re.MULTILINE)
_VALUE = re.compile(r'^\s*(bucket|container_name|key|storage_account_name|s3)\s*=\s*"([^"\\$%]*)"', re.MULTILINE)


class Found(Protocol):
    """A root module as the file system shows it; :class:`kumoss_console.workspaces.FoundWorkspace` is one."""

    @property
    def folder(self) -> Path: ...
    @property
    def name(self) -> str: ...
    @property
    def override(self) -> Entry | None: ...
    @property
    def pointer(self) -> Entry | None: ...
    @property
    def block(self) -> bool: ...
    @property
    def touched(self) -> float | None: ...
    @property
    def partial(self) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRow:
    """One workspace. ``name`` is its path below the root.

    ``written`` is what the override on disk names, ``bound`` what the engine bound; ``differs`` in what the two part. ``owner``
    is the known project of the written key, else of the bound one. ``at`` is when it was bound, ``touched`` the newest sign of
    life. ``partial`` where the folder has more names than are looked at.
    """

    folder: Path
    name: str
    model: Model
    written: Place | None
    status: Literal["absent", "unreadable", "bound"]
    bound: Place | None
    differs: tuple[str, ...]
    owner: KnownProject | None
    at: datetime | None
    touched: datetime | None
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSnapshot:
    """What was found so far, in byte order of the folders; ``folders`` of them were looked through."""

    root: Path
    rows: tuple[WorkspaceRow, ...]
    folders: int
    complete: bool
    at: datetime


class WorkspaceListService:
    """``folders`` and ``look`` read the disk and block; ``off_loop`` runs them beside the event loop."""

    def __init__(
        self,
        context: Context,
        folders: Callable[[Path], Sequence[Path]],
        look: Callable[[Path, Path, str], Sequence[Found]],
        owners: Callable[[], Mapping[str, KnownProject]],
        clock: Clock,
        off_loop: OffLoop,
    ) -> None:
        self._context = context
        self._folders = folders
        self._look = look
        self._owners = owners
        self._clock = clock
        self._off_loop = off_loop

    @property
    def root(self) -> Path | None:
        """Where the workspaces are, ``None`` where the context does not say."""
        return Path(self._context.workspaces_root) if self._context.workspaces_root else None

    async def stream(self, root: Path | None = None) -> AsyncIterator[WorkspaceSnapshot]:
        """The workspaces as they are found, the last snapshot ``complete``.

        Raises :class:`Refused` where no root is known, and what reading it raises.
        """
        top = root or self._known_root()
        folders = await self._off_loop(lambda: self._folders(top))
        owners = self._owners()
        rows: list[WorkspaceRow] = []
        for begin in range(0, len(folders), _AT_ONCE):
            batch = folders[begin : begin + _AT_ONCE]
            rows += await self._off_loop(partial(self._rows, batch, top, owners))
            done = begin + len(batch)
            if done < len(folders):
                yield WorkspaceSnapshot(root=top, rows=tuple(rows), folders=done, complete=False, at=self._clock())
        yield WorkspaceSnapshot(root=top, rows=tuple(rows), folders=len(folders), complete=True, at=self._clock())

    async def snapshot(self, root: Path | None = None) -> WorkspaceSnapshot:
        """All of them, once."""
        return [snapshot async for snapshot in self.stream(root)][-1]

    async def inside(self, top: Path) -> tuple[WorkspaceRow, ...]:
        """The workspaces of one folder, a clone for instance; their names begin with its own."""
        owners = self._owners()
        return tuple(await self._off_loop(lambda: self._rows((top,), top.parent, owners)))

    def _known_root(self) -> Path:
        if self.root is None:
            raise Refused(
                f"context {printable(self._context.name)} does not say where its workspaces are",
                hint="Set workspaces_root in the console's configuration, or name the folder.",
                code="workspaces.no_root",
            )
        return self.root

    def _rows(self, folders: Sequence[Path], root: Path, owners: Mapping[str, KnownProject]) -> list[WorkspaceRow]:
        name = self._context.paths.backend_override_filename
        return [self._row(found, owners) for folder in folders for found in self._look(folder, root, name)]

    def _row(self, found: Found, owners: Mapping[str, KnownProject]) -> WorkspaceRow:
        written = core_layout(found.override.raw) if found.override is not None and found.override.raw else None
        pointer = read_bound(found.pointer)
        bound = place_of(pointer.type, pointer.values) if pointer.type is not None else None
        keys = [place.key.partition("/")[0] for place in (written, bound) if place is not None and place.key]
        return WorkspaceRow(
            folder=found.folder,
            name=found.name,
            model=self._model(found, pointer),
            written=written,
            status=pointer.status,
            bound=bound,
            differs=parted(written, bound) if written is not None and bound is not None else (),
            owner=next((owners[key] for key in keys if key in owners), None),
            at=_moment(found.pointer.modified) if found.pointer is not None else None,
            touched=_moment(found.touched),
            partial=found.partial,
        )

    def _model(self, found: Found, pointer: Bound) -> Model:
        stated = ownership(self._context.storage, self._context.backend_config).model
        nothing = not found.block and found.override is None and pointer.status != "bound"
        return "local" if stated == "repository" and nothing else stated


def core_layout(raw: bytes) -> Place | None:
    """The place that an override in the core's own layout names; ``None`` for any other text. No parser: a listing has many."""
    text = raw[:65536].decode("utf-8", "replace")
    kind = _TYPE.search(text)
    if kind is None:
        return None
    values: dict[str, object] = dict(_VALUE.findall(text))
    if "s3" in values:
        values["endpoints"] = {"s3": values.pop("s3")}
    return place_of(kind[1], values)


def row_shape(row: WorkspaceRow) -> dict[str, Any]:
    """One workspace as the command line prints it."""
    return {
        "workspace": str(row.folder),
        "name": row.name,
        "model": row.model,
        "bound": {
            "status": row.status,
            "type": row.bound.type if row.bound else None,
            "bucket": row.bound.bucket if row.bound else None,
            "key": row.bound.key if row.bound else None,
            "at": row.at,
        },
        "written": None if row.written is None else {"bucket": row.written.bucket, "key": row.written.key},
        "differs": list(row.differs),
        "owner": None
        if row.owner is None
        else {"name": row.owner.name, "repo": row.owner.repo, "scope": row.owner.scope, "path": row.owner.path},
        "touched": row.touched,
        "partial": row.partial,
    }


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
