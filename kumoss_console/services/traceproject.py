"""Which project a trace is about: given, or found by the keys that lie about; and what else it may have been called."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path

from kumoss_console.errors import InputError
from kumoss_console.model.clone import Clone
from kumoss_console.model.context import Context
from kumoss_console.model.project import ProjectKey, derive, digest
from kumoss_console.model.trace.suspects import Identity, Suspects, identify, moved_paths, path_variants
from kumoss_console.model.twins import twins
from kumoss_console.services.offloop import OffLoop

_MOST_OTHERS = 20
"""Other known projects whose keys are looked at for a renamed repository or another scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A project as it was typed."""

    repo: str
    scope: str
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """``project`` is the one that is traced, ``found_by`` how it was found where nobody gave it.

    ``identities`` are the projects of the keys that lie about. ``known`` are the configuration's, ``modules`` the root modules
    of the clone around the workspace.
    """

    project: Identity | None
    key: ProjectKey | None = None
    found_by: str = ""
    identities: Mapping[str, Identity]
    known: tuple[Identity, ...] = ()
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A key that may be the project's own under another name. ``strong`` where no other project would have it."""

    why: str
    identity: Identity
    key: str
    strong: bool


class Surveyor:
    """``clone`` reads the clone around a folder, and blocks."""

    def __init__(self, context: Context, clone: Callable[[Path], tuple[Clone, str] | None], off_loop: OffLoop) -> None:
        self._context = context
        self._clone = clone
        self._off_loop = off_loop

    async def survey(
        self, folder: Path | None, asked: Asked | None, keys: tuple[str, ...], scopes: tuple[str, ...], *, written: bool
    ) -> Surveyed:
        """``keys`` are those that lie about, the core's own first; ``scopes`` what the journal adds to the known ones.

        ``written`` says whether the first key is the core's own: then it names the project, whatever the folder looks like.
        Raises :class:`InputError` for an asked project without a key.
        """
        key = derive(asked.repo, asked.scope, asked.path) if asked is not None else None
        return await self._off_loop(lambda: self._survey(folder, key, keys, scopes, written=written))

    def _survey(
        self, folder: Path | None, key: ProjectKey | None, keys: tuple[str, ...], scopes: tuple[str, ...], *, written: bool
    ) -> Surveyed:
        known = tuple(self._known())
        around = self._clone(Path(normpath(folder.absolute()))) if folder is not None else None
        clone, path = around if around is not None else (None, "")
        suspects = _suspects(known, clone, path, scopes)
        ids = tuple(dict.fromkeys(one.partition("/")[0] for one in keys))
        identities = {one.project_id: one for one in known if one.project_id in ids}
        project = Identity.of(key) if key is not None else None
        identities |= identify(set(ids) - set(identities), _near(suspects, project))
        found_by = ""
        if project is None:
            first = next((identities[one] for one in ids if one in identities), None)
            if first is not None:
                identities |= identify(set(ids) - set(identities), _near(suspects, first))
            project = identities.get(ids[0]) if ids else None
            found_by = "found by its key" if project is not None else ""
            if project is not None and not written and clone is not None:
                project, found_by = _as_it_lies(project, clone, path, found_by)
        if project is not None:
            identities.setdefault(project.project_id, project)
        return Surveyed(
            project=project,
            key=key or (_key_of(project) if project is not None else None),
            found_by=found_by,
            identities=identities,
            known=known,
            modules=clone.modules if clone is not None else (),
        )

    def _known(self) -> Iterator[Identity]:
        for project in self._context.projects:
            try:
                key = derive(project.repo, project.scope, project.path)
            except InputError:
                continue  # the doctor says so; it has no key to be found by
            yield Identity.of(key)
            if key.path in {"", "."}:
                other = "" if key.path else "."
                yield Identity(repo=key.repo, scope=key.scope, path=other, project_id=digest(key.repo, key.scope, other))


def _as_it_lies(project: Identity, clone: Clone, path: str, found_by: str) -> tuple[Identity, str]:
    """The project that the clone and the module's folder in it give now, where one key is all there is to go by.

    It may have been bound before the module moved or the repository was renamed. Where both differ, the clone around is another
    repository that the workspace happens to lie in.
    """
    repo = clone.remotes[0].repo if clone.remotes else project.repo
    here = project.path if path in {"", "."} and project.path in {"", "."} else path
    if (repo == project.repo) == (here == project.path):
        return project, found_by
    return _identity(repo, project.scope, here), "found by the clone's remote and the folder in it"


def _suspects(known: tuple[Identity, ...], clone: Clone | None, path: str, scopes: tuple[str, ...]) -> Suspects:
    remotes = tuple(remote.repo for remote in clone.remotes) if clone is not None else ()
    modules = clone.modules if clone is not None else ()
    paths = (path, *path_variants(path), *modules) if clone is not None else ()
    return Suspects(
        repos=_once(*remotes, *(one.repo for one in known)),
        scopes=_once(*(scope.strip().lower() for scope in scopes), *(one.scope for one in known)),
        paths=_once(*paths, *(one.path for one in known)),
    )


def _near(suspects: Suspects, project: Identity | None) -> Suspects:
    return suspects if project is None else suspects.near(project.repo, project.scope, project.path)


def _key_of(identity: Identity) -> ProjectKey:
    """The key of a project found by its lines: what it was spelled like is not known, and does not matter."""
    return ProjectKey(
        repo=identity.repo,
        scope=identity.scope,
        path=identity.path,
        steps=(),
        hashed="\n".join((identity.repo, identity.scope, identity.path)),
        project_id=identity.project_id,
        findings=(),
    )


def near_misses(surveyed: Surveyed, filename: str) -> tuple[NearMiss, ...]:
    """Keys that may hold the state that is missed, likeliest first.

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
        identity = Identity(repo=twin.repo, scope=twin.scope, path=twin.path, project_id=twin.project_id)
        yield f"that of {twin.why}", identity, True


def _moved(project: Identity, modules: tuple[str, ...]) -> Iterator[_Miss]:
    likely = moved_paths(project.path)
    for path in (*likely, *path_variants(project.path)):
        if path in modules or (path == "" and "." in modules):
            continue
        identity = _identity(project.repo, project.scope, path)
        shown = path or "(empty)"
        if path in likely:
            yield f"that of module path {shown}, if the module moved from there to {project.path}", identity, True
        else:
            yield f"that of module path {shown} of the same repository", identity, False


def _others(project: Identity, known: tuple[Identity, ...]) -> Iterator[_Miss]:
    others = [one for one in known if project.changed(one) in {("repo",), ("scope",)}][:_MOST_OTHERS]
    for one in others:
        field = project.changed(one)[0]
        what = "repository" if field == "repo" else "scope"
        yield f"that of the known project with {what} {getattr(one, field)}, if the {what} changed", one, False


def _identity(repo: str, scope: str, path: str) -> Identity:
    return Identity(repo=repo, scope=scope, path=path, project_id=digest(repo, scope, path))


def _once(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
