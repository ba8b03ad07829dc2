"""What a clone remembers of itself: where it came from before, and in which folders its modules lay. Git is not run.

Blocking and bounded: call it off the event loop.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kumoss_console.git_objects import GitObjects
from kumoss_console.model.gitremotes import repositories_of
from kumoss_console.workspace import read_file

MOST_COMMITS = 400
"""Commits that are looked at, newest first."""

MOST_TREES = 20_000
_MOST_ANCESTORS = 20_000
_MOST_STARTS = 50
SECONDS = 1.0
"""How long the commits are walked through; what was found by then counts."""

_LARGEST_LOG = 1024 * 1024
_FROM = re.compile(r"\t(?:clone: from|pull|fetch)\b[^\n]*?(?P<url>\S+[:/]\S+)")
_OF = re.compile(r" of (?P<url>\S+[:/]\S+)$", re.MULTILINE)
_PARENT = re.compile(r"^parent ([0-9a-f]{40})$", re.MULTILINE)
_OID = re.compile(r"\b[0-9a-f]{40}\b")
_FOLDER, _NAME = b"40000", b".tf"


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """``repositories`` as ``host/path``; ``modules`` are folders that held configuration in some commit, ``.`` for the top."""

    repositories: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def remembered(store: Path) -> History:
    """``store`` is the ``.git`` folder. Never raises for what is in it."""
    log = _text(store / "logs" / "HEAD")
    urls = [*_FROM.findall(log), *_OF.findall(_text(store / "FETCH_HEAD"))]
    for name in ("HEAD", "main", "master"):
        urls += _FROM.findall(_text(store / "logs" / "refs" / "remotes" / "origin" / name))
    repositories = dict.fromkeys(repo for url in urls[:200] for repo in repositories_of(url))
    objects = GitObjects(store)
    try:
        modules = tuple(_modules(objects, _starts(store, log)))
    finally:
        objects.close()
    return History(repositories=tuple(repositories), modules=modules)


def one_history(one: Path, other: Path, until: float) -> bool:
    """Whether two ``.git`` folders have a commit in common. Ends at ``until``, of the monotonic clock."""
    here, there = GitObjects(one), GitObjects(other)
    try:
        for store, objects in ((one, there), (other, here)):
            for oid in islice(_starts(store, _text(store / "logs" / "HEAD")), _MOST_STARTS):
                found = objects.read(oid)
                if found is not None and found[0] == "commit":
                    return True
        return bool(_commits(here, one, until) & _commits(there, other, until))
    finally:
        here.close()
        there.close()


def _commits(objects: GitObjects, store: Path, until: float) -> set[str]:
    seen: set[str] = set()
    waiting = deque(_starts(store, _text(store / "logs" / "HEAD")))
    while waiting and len(seen) < _MOST_ANCESTORS and time.monotonic() < until:
        oid = waiting.popleft()
        found = objects.read(oid) if oid not in seen else None
        if found is not None and found[0] == "commit":
            seen.add(oid)
            waiting.extend(_PARENT.findall(found[1].partition(b"\n\n")[0].decode("utf-8", "replace")))
    return seen


def _starts(store: Path, log: str) -> Iterator[str]:
    """Ids of commits, the newest of the reflog first."""
    yield from dict.fromkeys(reversed(_OID.findall(log)))
    head = _text(store / "HEAD").strip()
    name = head.removeprefix("ref: ")
    if ".." not in name:
        yield from _OID.findall(_text(store / name) if name != head else head)
    yield from _OID.findall(_text(store / "packed-refs"))


def _modules(objects: GitObjects, starts: Iterator[str]) -> Iterator[str]:
    until = time.monotonic() + SECONDS
    waiting, seen, trees, told = deque(starts), set[str](), set[tuple[str, str]](), set[str]()
    while waiting and len(seen) < MOST_COMMITS:
        oid = waiting.popleft()
        if oid in seen:
            continue
        seen.add(oid)
        found = objects.read(oid)
        if found is None or found[0] != "commit":
            continue
        head = found[1].partition(b"\n\n")[0].decode("utf-8", "replace")
        waiting.extend(_PARENT.findall(head))
        tree = head.partition("\n")[0].removeprefix("tree ")
        for folder in _folders(objects, tree, trees, until):
            if folder not in told:
                told.add(folder)
                yield folder
        if time.monotonic() > until or len(trees) > MOST_TREES:
            return


def _folders(objects: GitObjects, tree: str, trees: set[tuple[str, str]], until: float) -> Iterator[str]:
    """Folders of one commit that hold configuration; a folder that did not change since the last commit is known."""
    stack = [(tree, "")]
    while stack:
        oid, path = stack.pop()
        if (oid, path) in trees or len(trees) > MOST_TREES or time.monotonic() > until:
            continue
        trees.add((oid, path))
        found = objects.read(oid)
        if found is None or found[0] != "tree":
            continue
        configured = False
        for mode, name, child in _entries(found[1]):
            if mode == _FOLDER:
                shown = name.decode("utf-8", "surrogateescape")
                stack.append((child, f"{path}/{shown}" if path else shown))
            configured = configured or name.endswith(_NAME)
        if configured:
            yield path or "."


def _entries(tree: bytes) -> Iterator[tuple[bytes, bytes, str]]:
    at = 0
    while at < len(tree):
        end = tree.find(b"\0", at)
        if end < 0 or end + 21 > len(tree):
            return
        mode, _, name = tree[at:end].partition(b" ")
        yield mode, name, tree[end + 1 : end + 21].hex()
        at = end + 21


def _text(path: Path) -> str:
    return (read_file(path, path.name).raw or b"")[-_LARGEST_LOG:].decode("utf-8", "replace")
