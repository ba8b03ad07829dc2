"""The effective backend of a workspace folder: which value wins, what it beat, what the engine bound, and what is wrong."""

from __future__ import annotations

import stat
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from kumoss_console.model.backend import (
    Bound,
    Difference,
    EffectiveBackend,
    Engine,
    Entry,
    Snapshot,
    differences,
    effective_backend,
    option_files,
    read_bound,
)
from kumoss_console.model.backend.findings import SIDECAR_UID, Surroundings, backend_findings
from kumoss_console.model.backend.gitstanding import GitStanding, git_findings
from kumoss_console.model.backend.leftover import leftover, leftover_finding, leftover_owner
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding
from kumoss_console.model.storage import Ownership, ownership
from kumoss_console.services.backend.engine import WhichEngine
from kumoss_console.workspace_git import git_standing


class ReadWorkspace(Protocol):
    """Signature of :func:`kumoss_console.workspace.read_workspace`."""

    def __call__(self, folder: Path, options: Iterable[str], *, environ_workspace: str) -> Snapshot: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceBackend:
    """One look at one folder. ``options`` are the ``-backend-config`` values that were laid over the files.

    ``modified`` is when each file that was read was last written, the pointer under its path; ``selected`` the engine's
    workspace.
    """

    folder: Path
    engine: Engine
    options: tuple[str, ...]
    effective: EffectiveBackend
    bound: Bound
    differences: tuple[Difference, ...]
    ownership: Ownership
    findings: tuple[Finding, ...]
    modified: Mapping[str, float] = field(default_factory=dict)
    selected: str = "default"


class WorkspaceBackendService:
    """Workspaces of one context. ``read`` and ``off_loop`` are injected: reading blocks, parsing takes CPU."""

    def __init__(
        self,
        context: Context,
        read: ReadWorkspace,
        environ: Mapping[str, str],
        off_loop: Callable[..., Awaitable[WorkspaceBackend]],
        git: Callable[[Path, str], GitStanding | None] = git_standing,
        engines: WhichEngine | None = None,
    ) -> None:
        self._engines = engines or WhichEngine(environ=environ)
        self._context = context
        self._read = read
        self._environ = environ
        self._off_loop = off_loop
        self._git = git

    async def inspect(
        self,
        folder: Path,
        *,
        options: Sequence[str] | None = None,
        engine: str | None = None,
    ) -> WorkspaceBackend:
        """The backend of ``folder``.

        ``options`` as after ``-backend-config=``; ``None`` takes the sidecar's file as the context states it. ``engine`` as
        :meth:`WhichEngine.of` takes it. Raises :class:`InputError` for an engine or folder that is not there,
        :class:`Refused` for one that may not be looked into.
        """
        which = await self._engines.of(folder, engine)
        given = self._configured() if options is None else tuple(options)
        return await self._off_loop(self._look, folder, given, which)

    def _look(self, folder: Path, options: tuple[str, ...], which: Callable[[Snapshot], Engine]) -> WorkspaceBackend:
        what_if = options != self._configured()
        snapshot = self._read(folder, option_files(options), environ_workspace=self._environ.get("TF_WORKSPACE", ""))
        engine = which(snapshot)
        if not what_if:
            snapshot = _as_the_sidecar_sees(snapshot)
        effective = effective_backend(snapshot, engine, options=options, environ=self._environ)
        bound = read_bound(snapshot.pointer)
        binding = effective.bound or effective.kept
        parted = differences(binding, bound) if binding is not None and binding.at is not None else ()
        stated = options[-1] if options else self._context.backend_config
        owner = ownership(self._context.storage, stated)
        override_name = self._context.paths.backend_override_filename
        left = not self._context.storage.managed and leftover(effective, override_name)
        around = Surroundings(
            ownership=owner,
            override_name=self._context.paths.backend_override_filename,
            provider=self._context.storage.provider,
            options=options,
            what_if=what_if,
            unreadable=tuple(name for name, entry in snapshot.options.items() if _closed(entry)),
            terragrunt=any(entry.name == "terragrunt.hcl" for entry in snapshot.entries),
        )
        if left:
            owner = leftover_owner(owner, override_name)
        return WorkspaceBackend(
            folder=folder,
            engine=engine,
            options=options,
            effective=effective,
            bound=bound,
            differences=parted,
            ownership=owner,
            findings=(
                *((leftover_finding(override_name),) if left else ()),
                *backend_findings(effective, bound, parted, around),
                *self._of_git(folder, snapshot, owner),
            ),
            modified={entry.name: entry.modified for entry in _read(snapshot) if entry.modified is not None},
            selected=snapshot.selected,
        )

    def _of_git(self, folder: Path, snapshot: Snapshot, owner: Ownership) -> Iterable[Finding]:
        """Only where the core's override is, or will be."""
        name = self._context.paths.backend_override_filename
        present = any(entry.name == name for entry in snapshot.entries)
        if not present and owner.model not in {"managed", "mixed"}:
            return ()
        return git_findings(self._git(folder, name), name, present=present)

    def _configured(self) -> tuple[str, ...]:
        stated = (self._context.backend_config or "").strip()
        return (stated,) if stated else ()


def _as_the_sidecar_sees(snapshot: Snapshot) -> Snapshot:
    """An absolute path is one in the sidecar's file system: not being here says nothing about it."""
    options = {
        name: replace(entry, kind="elsewhere") if name.startswith("/") and entry.raw is None else entry
        for name, entry in snapshot.options.items()
    }
    return replace(snapshot, options=options)


def _read(snapshot: Snapshot) -> Iterable[Entry]:
    return (*snapshot.entries, *snapshot.options.values(), *((snapshot.pointer,) if snapshot.pointer is not None else ()))


def _closed(entry: Entry) -> bool:
    """Whether the sidecar's user may read the file only by being in its group."""
    return entry.mode is not None and not entry.mode & stat.S_IROTH and entry.owner != SIDECAR_UID
