"""How git sees a file of a workspace, without running git: is it tracked, is it ignored."""

from __future__ import annotations

import os
from pathlib import Path

from kumoss_console.model.backend.gitignore import IgnoreFile, ignored
from kumoss_console.model.backend.gitindex import tracked
from kumoss_console.model.backend.gitstanding import GitStanding
from kumoss_console.workspace import read_file

_LEVELS = 64


def git_standing(folder: Path, name: str) -> GitStanding | None:
    """The file ``name`` of ``folder``; ``None`` where no repository is around it. Blocking, and never waits.

    Excludes that a person has for all repositories are not looked at: another clone does not have them.
    """
    here = Path(os.path.realpath(folder))
    for root in (here, *here.parents)[:_LEVELS]:
        store = _store(root / ".git")
        if store is not None:
            return _standing(root, store, here.relative_to(root), name)
    return None


def _store(path: Path) -> Path | None:
    """The folder that holds the index: ``.git`` itself, or what a file of that name points to."""
    if not path.is_dir():
        text = _text(path)
        if not text.startswith("gitdir:"):
            return None
        path = path.parent / text.removeprefix("gitdir:").strip()
    return path if read_file(path / "HEAD", "HEAD").raw is not None else None


def _standing(root: Path, store: Path, inner: Path, name: str) -> GitStanding:
    path = os.fsencode(inner / name)
    index = read_file(store / "index", "index")
    known = False if index.error == "not found" else tracked(index.raw, path) if index.raw is not None else None
    common = store / (_text(store / "commondir").strip() or ".")
    files, complete = [], True
    places = [(common / "info" / "exclude", "")]
    for depth in range(len(inner.parts) + 1):
        base = Path(*inner.parts[:depth])
        places.append((root / base / ".gitignore", "/".join(inner.parts[:depth])))
    for place, base_name in places:
        entry = read_file(place, place.name)
        if entry.raw is not None:
            files.append(IgnoreFile(base=os.fsencode(base_name).decode("latin-1"), raw=entry.raw))
        elif entry.error != "not found":
            complete = False
    return GitStanding(tracked=known, ignored=ignored(path.decode("latin-1"), files) if complete else None)


def _text(path: Path) -> str:
    return (read_file(path, path.name).raw or b"").decode("utf-8", "surrogateescape")
