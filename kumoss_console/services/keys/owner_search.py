"""Whose is this key: known projects first, then every repository at hand times every scope times every root module."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

from kumoss_console.errors import InputError
from kumoss_console.model.clone import Clone
from kumoss_console.model.context import Context
from kumoss_console.model.ownerhash import CandidateRepository, Match, count, hashed_path, hashed_scope, search
from kumoss_console.model.project import derive
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.keys.owners import wanted_digits

SLICE = 0.1
"""Seconds of work between two looks at whether anybody still waits; also how often progress is told."""

_AT_MOST = 100
"""Matches that are kept; the beginning of a digest may fit many."""

WalkClones = Callable[[Iterable[Path], list[str]], Iterator[Clone | None]]
"""Signature of :func:`kumoss_console.clones.clones_below`."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerSearch:
    """How far a search is. ``tried`` of ``total`` candidates; ``matches`` may be several for the beginning of a digest.

    ``scopes`` and ``repositories`` are those that are tried; ``unreadable`` are folders that could not be looked into, and
    clones whose configuration could not be read.
    """

    stage: Literal["clones", "hashing", "done"] = "clones"
    clones: int = 0
    repositories: int = 0
    scopes: tuple[str, ...] = ()
    tried: int = 0
    total: int = 0
    matches: tuple[Match, ...] = ()
    unreadable: tuple[str, ...] = ()
    stopped: bool = False
    """Whether it ended before all was tried: the whole digest was found, or too much fits its beginning."""


@dataclass(slots=True)
class _Collected:
    """Repositories on the way to candidates: paths by repository, and where each was first seen."""

    paths: dict[str, dict[str, None]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def add(self, repo: str, paths: Iterable[str], source: str) -> None:
        known = self.paths.setdefault(repo, {"": None, ".": None})
        known.update((hashed, None) for path in paths if (hashed := hashed_path(path)) is not None)
        self.sources.setdefault(repo, source)

    def candidates(self) -> tuple[CandidateRepository, ...]:
        return tuple(
            CandidateRepository(repo=repo, paths=tuple(paths), source=self.sources[repo]) for repo, paths in self.paths.items()
        )


class OwnerSearchService:
    """Searches of one context. ``walk`` reads clones and blocks, so it runs by ``off_loop``, and so does the hashing.

    ``folders`` are those of the configuration, below which clones lie.
    """

    def __init__(self, context: Context, walk: WalkClones, off_loop: OffLoop, *, folders: Sequence[Path] = ()) -> None:
        self._context = context
        self._walk = walk
        self._off_loop = off_loop
        self._folders = tuple(folders)

    async def stream(self, key_or_digest: str, clones: Sequence[Path], scopes: Sequence[str]) -> AsyncIterator[OwnerSearch]:
        """How far the search is, ten times a second; the last one is ``done``. Stops at once when nobody iterates any more.

        ``clones`` and ``scopes`` are added to those of the context and of its known projects; both spellings of a root are tried
        for every repository. Raises :class:`InputError` for text without a project id.
        """
        wanted = wanted_digits(key_or_digest)
        tried = tuple(self._scopes(scopes))
        collected = self._known()
        state = OwnerSearch(scopes=tried, repositories=len(collected.paths))
        yield state
        unreadable: list[str] = []
        number = 0
        async for found in self._slices(self._walk((*clones, *self._folders), unreadable)):
            for clone in found:
                if clone is not None:
                    number += 1
                    _add(collected, clone, unreadable)
            state = replace(state, clones=number, repositories=len(collected.paths), unreadable=tuple(unreadable))
            yield state
        candidates = collected.candidates()
        state = replace(state, stage="hashing", total=count(candidates, tried))
        async for blocks in self._slices(search(wanted, candidates, tried)):
            matches = (*state.matches, *(match for _, found in blocks for match in found))
            state = replace(state, tried=state.tried + sum(size for size, _ in blocks), matches=matches[:_AT_MOST])
            if len(matches) > _AT_MOST or (matches and len(wanted) == 64):
                state = replace(state, stopped=state.tried < state.total)
                break
            yield state
        yield replace(state, stage="done")

    async def _slices(self, items: Iterator[T]) -> AsyncIterator[list[T]]:
        """What ``items`` gives in a tenth of a second, again and again, each slice on a thread."""

        def slice_of() -> tuple[list[T], bool]:
            until = time.monotonic() + SLICE
            taken: list[T] = []
            for item in items:
                taken.append(item)
                if time.monotonic() >= until:
                    return taken, True
            return taken, False

        more = True
        while more:
            taken, more = await self._off_loop(slice_of)
            yield taken

    def _scopes(self, given: Sequence[str]) -> Iterator[str]:
        named = (*given, *self._context.scopes, *(project.scope for project in self._context.projects))
        yield from dict.fromkeys(scope for text in named if (scope := hashed_scope(text)) is not None)

    def _known(self) -> _Collected:
        """The known projects' own repositories: another of the known scopes may be theirs too."""
        collected = _Collected()
        for project in self._context.projects:
            try:
                key = derive(project.repo, project.scope, project.path)
            except InputError:
                continue
            collected.add(key.repo, (project.path,), f"known project {project.name or project.repo}")
        return collected


def _add(collected: _Collected, clone: Clone, unreadable: list[str]) -> None:
    if not clone.readable:
        unreadable.append(clone.folder)
    paths = (*clone.modules, *clone.former_modules)
    for remote in clone.remotes:
        collected.add(remote.repo, paths, f"clone {clone.folder}, remote {remote.name}")
    for repo in clone.former_repositories:
        collected.add(repo, paths, f"clone {clone.folder}, which came from there")
