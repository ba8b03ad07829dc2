"""Under which keys a state that is missed may lie: what else the project may be called, or have been called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.trace.suspects import Identity, moved_paths, path_variants
from kumoss_console.model.twins import twins
from kumoss_console.services.trace.project import Surveyed

_MOST_OTHERS = 20
"""Other known projects whose keys are looked at for a renamed repository or another scope."""

_MOST_FORMER = 40
"""Former module paths whose keys are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A key that may be the project's own under another name. ``strong`` where no other project would have it."""

    why: str
    identity: Identity
    key: str
    strong: bool


def near_misses(surveyed: Surveyed, filename: str, related: tuple[tuple[str, str], ...] = ()) -> tuple[NearMiss, ...]:
    """Keys that may hold the state that is missed, likeliest first.

    ``related`` are repositories with the same history, each with the folder of its clone.

    A key of another known project is no near-miss of a known one: both live. Modules that lie in the clone are others, too.
    """
    project = surveyed.project
    if project is None or surveyed.key is None:
        return ()
    named = {one.project_id for one in surveyed.known}
    own_is_known = project.project_id in named
    found: dict[str, NearMiss] = {}
    for why, identity, strong in (
        *_spellings(surveyed.key),
        *_moved(project, surveyed.modules),
        *_before(project, surveyed),
        *_related(project, surveyed, related),
        *_others(project, surveyed.known),
    ):
        project_id = identity.project_id
        if project_id == project.project_id or project_id in found or (own_is_known and project_id in named):
            continue
        found[project_id] = NearMiss(why=why, identity=identity, key=f"{project_id}/{filename}", strong=strong)
    return tuple(found.values())


_Miss = tuple[str, Identity, bool]


def _spellings(key: ProjectKey) -> Iterator[_Miss]:
    for twin in twins(key):
        hashed = derive(twin.repo, twin.scope, twin.path)
        identity = Identity(repo=hashed.repo, scope=twin.scope, path=hashed.path, project_id=twin.project_id)
        yield f"that of {twin.why}", identity, True


def _moved(project: Identity, modules: tuple[str, ...]) -> Iterator[_Miss]:
    likely = moved_paths(project.path)
    for path in (*likely, *path_variants(project.path)):
        if path in modules or (path == "" and "." in modules):
            continue
        identity = Identity.named(project.repo, project.scope, path)
        shown = path or "(empty)"
        if path in likely:
            yield f"that of module path {shown}, if the module moved from there to {project.path}", identity, True
        else:
            yield f"that of module path {shown} of the same repository", identity, False


def _before(project: Identity, surveyed: Surveyed) -> Iterator[_Miss]:
    """What the clone remembers: nobody else would have had these names. A folder that is gone is likely this module's where it
    is the only one, or is called alike."""
    for path in surveyed.former[:_MOST_FORMER]:
        identity = Identity.named(project.repo, project.scope, path)
        lived = f"where a module of this clone lay before, if it moved from there to {project.path or '(empty)'}"
        likely = len(surveyed.former) == 1 or _same_name(path, project.path)
        yield f"that of module path {path}, {lived}", identity, likely
    for repo in surveyed.renamed:
        why = f"that of repository {repo}, from which this clone was made, if it was renamed to {project.repo}"
        yield why, Identity.named(repo, project.scope, project.path), True


def _related(project: Identity, surveyed: Surveyed, related: tuple[tuple[str, str], ...]) -> Iterator[_Miss]:
    for repo, folder in related:
        why = f"that of repository {repo}, whose clone in {folder} has the same commits, if it was renamed to {project.repo}"
        for path in dict.fromkeys((project.path, *surveyed.former[:_MOST_FORMER])):
            same = path == project.path
            moved = "" if same else f" and its module {path} moved"
            yield why + moved, Identity.named(repo, project.scope, path), same or _same_name(path, project.path)


def _same_name(one: str, other: str) -> bool:
    """Whether the last folders are called alike: then the one is likely the other, moved."""
    return one.rpartition("/")[2] == other.rpartition("/")[2]


def _others(project: Identity, known: tuple[Identity, ...]) -> Iterator[_Miss]:
    others = [one for one in known if project.changed(one) in {("repo",), ("scope",)}][:_MOST_OTHERS]
    for one in others:
        field = project.changed(one)[0]
        what = "repository" if field == "repo" else "scope"
        yield f"that of the known project with {what} {getattr(one, field)}, if the {what} changed", one, False
