"""Candidates for the owner of a key: repositories times scopes times paths, hashed in bulk.

One copy of the hash of ``repo LF scope LF`` serves all paths: 2.6 million candidates a second on one core of a laptop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from kumoss_console.errors import InputError
from kumoss_console.model.project import derive

BLOCK = 4096
"""Candidates that are hashed at a stretch at most: about 2 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRepository:
    """A repository as it is hashed (``host/path``), its root modules as they are hashed, and where both were seen."""

    repo: str
    paths: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A candidate whose digest is the one that is looked for. The three lines as they are hashed."""

    project_id: str
    repo: str
    scope: str
    path: str
    source: str


def hashed_path(path: str) -> str | None:
    """A folder as it is hashed, ``None`` for a name that has no key (a line break in it)."""
    try:
        return derive("https://h/r", "s", path).path
    except InputError:
        return None


def hashed_scope(scope: str) -> str | None:
    """A scope as it is hashed, ``None`` for one that has no key."""
    try:
        return derive("https://h/r", scope).scope
    except InputError:
        return None


def count(repositories: Sequence[CandidateRepository], scopes: Sequence[str]) -> int:
    return len(scopes) * sum(len(repository.paths) for repository in repositories)


def search(
    wanted: str, repositories: Sequence[CandidateRepository], scopes: Sequence[str]
) -> Iterator[tuple[int, tuple[Match, ...]]]:
    """Block after block: how many candidates it held, and which of them have an id that begins with ``wanted`` (hex digits)."""
    whole_bytes = bytes.fromhex(wanted[: len(wanted) // 2 * 2])
    lines = [f"{scope}\n".encode() for scope in scopes]
    for repository in repositories:
        begun = sha256(f"{repository.repo}\n".encode())
        paths = [path.encode() for path in repository.paths]
        for start in range(0, len(paths), BLOCK):
            block = paths[start : start + BLOCK]
            at_once = max(1, BLOCK // len(block))
            for first in range(0, len(lines), at_once):
                group = lines[first : first + at_once]
                hits = _hits(whole_bytes, begun, group, block)
                matches = (_match(repository, line, path, digest) for line, path, digest in hits)
                yield len(group) * len(block), tuple(match for match in matches if match.project_id.startswith(wanted))


def _hits(whole_bytes: bytes, begun: Any, lines: Sequence[bytes], paths: Sequence[bytes]) -> list[tuple[bytes, bytes, bytes]]:
    """The inner loop: nothing in it but copying, updating and comparing."""
    hits = []
    for line in lines:
        prefix = begun.copy()
        prefix.update(line)
        copy = prefix.copy
        for path in paths:
            candidate = copy()
            candidate.update(path)
            if candidate.digest().startswith(whole_bytes):
                hits.append((line, path, candidate.digest()))
    return hits


def _match(repository: CandidateRepository, line: bytes, path: bytes, digest: bytes) -> Match:
    return Match(
        project_id=digest.hex(), repo=repository.repo, scope=line[:-1].decode(), path=path.decode(), source=repository.source
    )
