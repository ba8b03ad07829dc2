"""Local clones below given folders: the remotes of each and its root modules. Git is not run; nothing in a folder is trusted.

Blocking: walk it off the event loop, a slice at a time.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kumoss_console.clone_history import one_history, remembered
from kumoss_console.model.clone import Clone
from kumoss_console.model.gitremotes import Remote, remotes_of
from kumoss_console.model.rootmodules import root_modules, tells
from kumoss_console.workspace import read_file

_LARGEST_CONFIG = 1024 * 1024
_PASSED_OVER = frozenset({".git", ".terraform"})


@dataclass(frozen=True, slots=True)
class _Inside:
    """What one look into a folder showed."""

    folders: tuple[str, ...]
    telling: tuple[str, ...]
    repository: bool


def clones_below(folders: Iterable[Path], unreadable: list[str]) -> Iterator[Clone | None]:
    """Each repository found, nested ones too; ``None`` after every folder that was looked into, so that a walk can pause.

    Links are not followed. Folders that cannot be looked into are added to ``unreadable``.
    """
    waiting = deque(str(folder) for folder in folders)
    seen: set[str] = set()
    while waiting:
        folder = waiting.popleft()
        if folder in seen:
            continue
        seen.add(folder)
        inside = _look(folder, unreadable)
        if inside.repository:
            nested: list[str] = []
            files: list[str] = []
            for found in _tree(folder, inside, nested, unreadable):
                files += found
                yield None
            waiting.extend(nested)
            yield _clone(folder, files)
        else:
            waiting.extend(os.path.join(folder, name) for name in inside.folders)
            yield None


def _tree(top: str, inside: _Inside, nested: list[str], unreadable: list[str]) -> Iterator[list[str]]:
    """The telling files of one repository, folder by folder; a repository inside it is another one and goes to ``nested``."""
    waiting = [("", inside)]
    while waiting:
        prefix, here = waiting.pop()
        yield [f"{prefix}{name}" for name in here.telling]
        for name in here.folders:
            folder = f"{top}/{prefix}{name}"
            below = _look(folder, unreadable)
            if below.repository:
                nested.append(folder)
            else:
                waiting.append((f"{prefix}{name}/", below))


def _look(folder: str, unreadable: list[str]) -> _Inside:
    folders: list[str] = []
    telling: list[str] = []
    repository = False
    try:
        with os.scandir(folder) as found:
            for item in found:
                if item.name == ".git":
                    repository = True
                elif item.is_dir(follow_symlinks=False):
                    if item.name not in _PASSED_OVER:
                        folders.append(item.name)
                elif tells(item.name):
                    telling.append(item.name)
    except (OSError, ValueError):
        unreadable.append(folder)
    return _Inside(tuple(sorted(folders)), tuple(telling), repository)


def _clone(folder: str, files: list[str]) -> Clone:
    remotes, readable = _remotes(folder)
    return Clone(folder=folder, remotes=remotes, modules=root_modules(files), readable=readable)


def remotes_in(folder: Path) -> tuple[Remote, ...]:
    """The remotes of the repository in ``folder``."""
    return _remotes(str(folder))[0]


def _remotes(folder: str) -> tuple[tuple[Remote, ...], bool]:
    config = _config_of(Path(folder, ".git"))
    raw = read_file(config, "config").raw if config is not None else None
    return remotes_of((raw or b"")[:_LARGEST_CONFIG].decode("utf-8", "replace")), raw is not None


def clones_with_history(folders: Iterable[Path], unreadable: list[str]) -> Iterator[Clone | None]:
    """As :func:`clones_below`, each clone with what it remembers."""
    for clone in clones_below(folders, unreadable):
        yield None if clone is None else with_history(clone)


def with_history(clone: Clone) -> Clone:
    """``clone`` with what its repository remembers: earlier addresses, and folders that held modules in earlier commits."""
    config = _config_of(Path(clone.folder, ".git"))
    if config is None:
        return clone
    history = remembered(config.parent)
    named = {remote.repo for remote in clone.remotes}
    return replace(
        clone,
        former_repositories=tuple(repo for repo in history.repositories if repo not in named),
        former_modules=tuple(module for module in history.modules if module not in clone.modules),
    )


def related(one: Path, other: Path, until: float) -> bool:
    """Whether the repositories in two folders have a commit in common, as of
    :func:`~kumoss_console.clone_history.one_history`."""
    stores = [config.parent for folder in (one, other) if (config := _config_of(folder / ".git")) is not None]
    return len(stores) == 2 and one_history(stores[0], stores[1], until)


def _config_of(git: Path) -> Path | None:
    """Where the configuration lies: in ``.git``, or where a ``.git`` file points (a submodule), or in what a worktree shares."""
    pointer = read_file(git, ".git").raw
    if pointer is None:
        return git / "config"
    begin, _, target = pointer[:4096].decode("utf-8", "surrogateescape").partition(":")
    if begin != "gitdir" or not target.strip():
        return None
    own = git.parent / target.strip()
    shared = read_file(own / "commondir", "commondir").raw
    common = (shared or b"")[:4096].decode("utf-8", "surrogateescape").strip()
    return (own / common if common else own) / "config"
