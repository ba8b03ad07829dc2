"""Workspaces below a root, and the clone a workspace lies in. Nothing is followed, nothing is read without bounds.

Blocking: call it off the event loop.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from kumoss_console.clones import clones_below, related, remotes_in, with_history
from kumoss_console.errors import InputError, Refused
from kumoss_console.model.backend.snapshot import Entry
from kumoss_console.model.clone import Clone
from kumoss_console.model.rootmodules import TOP, root_modules, tells
from kumoss_console.text import printable
from kumoss_console.workspace import POINTER, read_file

DEEPEST = 8
"""Folders below a workspace's own that are looked into."""

MOST_NAMES = 20_000
"""Names of one workspace that are looked at; a module cache or a vendor folder may have more."""

MOST_WORKSPACES = 10_000
MOST_FOLDERS = 2_000
"""Folders of a clone that are looked into for root modules."""

SECONDS = 1.0
"""How long the workspaces below a root are looked through for names."""

_PASSED_OVER = frozenset({".git", ".terraform", "node_modules", ".venv", "__pycache__"})
_LARGEST = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWorkspace:
    """A root module as it lies there. ``name`` is its path below the root; ``override`` and ``pointer`` are ``None`` if absent.

    ``block`` is whether a file of its own may hold a backend or cloud block; ``partial`` whether the bounds cut the look short.
    """

    folder: Path
    name: str
    override: Entry | None
    pointer: Entry | None
    block: bool
    touched: float | None
    partial: bool = False


def workspace_folders(root: Path) -> tuple[Path, ...]:
    """The folders right below ``root``, by name; links are left out.

    Raises :class:`InputError` for a root that is not there, :class:`Refused` for one that may not be looked into.
    """
    shown = printable(str(root))
    try:
        with os.scandir(root) as items:
            names = [item.name for item in items if item.is_dir(follow_symlinks=False) and not item.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{shown} is not a folder", hint="Set workspaces_root to where the workspaces are.", code="workspaces.missing"
        ) from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "no usable name"
        raise Refused(
            f"{shown} cannot be looked into",
            detail=said or "",
            hint="Run this as the owner of the workspaces.",
            code="workspaces.closed",
        ) from None
    return tuple(root / name for name in sorted(names, key=os.fsencode)[:MOST_WORKSPACES])


def workspaces_in(top: Path, root: Path, override_name: str) -> tuple[FoundWorkspace, ...]:
    """The workspaces of one folder below ``root``: root modules by the core's rule, and what is bound without being one."""
    files, bound, partial = _names(top)
    modules = dict.fromkeys((*root_modules(files), *bound))
    return tuple(_workspace(top / module, root, override_name, files, module, partial) for module in modules)


def _names(top: Path) -> tuple[list[str], list[str], bool]:
    """Files that have a say below ``top``, folders with a pointer file, and whether the bounds were met."""
    files: list[str] = []
    bound: list[str] = []
    seen = 0
    stack: list[tuple[str, int]] = [("", 0)]
    while stack:
        folder, depth = stack.pop()
        for item in _scanned(top / folder):
            seen += 1
            if seen > MOST_NAMES:
                return files, bound, True
            path = f"{folder}/{item.name}" if folder else item.name
            if item.name == POINTER.parts[0]:
                if os.path.lexists(top / folder / POINTER):
                    bound.append(folder or TOP)
            elif _is_folder(item):
                if item.name not in _PASSED_OVER and depth < DEEPEST:
                    stack.append((path, depth + 1))
            elif tells(item.name):
                files.append(path)
    return files, bound, False


def _scanned(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            yield from items
    except OSError:
        return  # gone meanwhile, or closed to us: what is left still counts


def _is_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _workspace(folder: Path, root: Path, override_name: str, files: list[str], module: str, partial: bool) -> FoundWorkspace:
    override = _present(read_file(folder / override_name, override_name))
    pointer = _present(read_file(folder / POINTER, str(POINTER)))
    beginning = "" if module == TOP else f"{module}/"
    own = [path[len(beginning) :] for path in files if path.startswith(beginning)]
    block = any(
        _may_hold_block(folder / name) for name in own if "/" not in name and name.endswith(".tf") and name != override_name
    )
    times = [entry.modified for entry in (override, pointer) if entry is not None and entry.modified is not None]
    return FoundWorkspace(
        folder=folder,
        name=folder.relative_to(root).as_posix(),
        override=override,
        pointer=pointer,
        block=block,
        touched=max(times) if times else _modified(folder),
        partial=partial,
    )


def _present(entry: Entry) -> Entry | None:
    return None if entry.raw is None and entry.error == "not found" else entry


def _modified(folder: Path) -> float | None:
    try:
        return folder.stat().st_mtime
    except OSError:
        return None


def _may_hold_block(path: Path) -> bool:
    raw = (read_file(path, path.name).raw or b"")[:_LARGEST]
    return b"backend" in raw or b"cloud" in raw


def clone_around(folder: Path) -> tuple[Clone, str] | None:
    """The clone that ``folder`` lies in, and the module's path in it; ``None`` where no folder above is a repository."""
    for top in (folder, *folder.parents)[: DEEPEST + 1]:
        if os.path.lexists(top / ".git"):
            looks = islice(clones_below((top,), []), MOST_FOLDERS)
            clone = next((clone for clone in looks if clone is not None), None)
            path = folder.relative_to(top).as_posix()
            return None if clone is None else (_with_past(clone, top), "" if path == TOP else path)
    return None


def _with_past(clone: Clone, top: Path) -> Clone:
    """What is bound in a folder that holds no module any more lay there before: git leaves ``.terraform`` where it was."""
    past = with_history(clone)
    left = [folder for folder in _names(top)[1] if folder not in clone.modules]
    return replace(past, former_modules=tuple(dict.fromkeys((*left, *past.former_modules))))


def beside(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Repositories (``host/path``) and module paths of all workspaces below ``root``, for whose a key may be.

    Stops after :data:`SECONDS`. A root that cannot be looked into has none.
    """
    until = time.monotonic() + SECONDS
    repositories: dict[str, None] = {}
    paths: dict[str, None] = {}
    try:
        folders = workspace_folders(root)
    except (InputError, Refused):
        return (), ()
    for top in folders:
        if time.monotonic() > until:
            break
        files, bound, _ = _names(top)
        paths |= dict.fromkeys((*root_modules(files), *bound))
        if os.path.lexists(top / ".git"):
            repositories |= dict.fromkeys(remote.repo for remote in remotes_in(top))
    return tuple(repositories), tuple(paths)


def relatives(top: Path, root: Path | None) -> tuple[tuple[str, str], ...]:
    """Repositories (``host/path``) of other clones with a commit of the one in ``top``, each with its folder's name.

    They are looked for below ``root`` and beside ``top``, for :data:`SECONDS` at most. One repository under two names has one
    history; so has a fork.
    """
    until = time.monotonic() + SECONDS
    named = {remote.repo for remote in remotes_in(top)}
    found: dict[str, str] = {}
    for folder in _beside(top, root):
        if time.monotonic() > until:
            break
        if folder == top or not os.path.lexists(folder / ".git"):
            continue
        repos = [remote.repo for remote in remotes_in(folder) if remote.repo not in named and remote.repo not in found]
        if repos and related(top, folder, until):
            found |= dict.fromkeys(repos, folder.name)
    return tuple(found.items())


def _beside(top: Path, root: Path | None) -> tuple[Path, ...]:
    folders: dict[Path, None] = {}
    for above in (top.parent, root):
        try:
            folders |= dict.fromkeys(workspace_folders(above)) if above is not None else {}
        except (InputError, Refused):
            continue  # what cannot be looked into has no sibling that could be told
    return tuple(folders)
