"""Which project a trace is about: given, or found by the keys that lie about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from os.path import normpath
from pathlib import Path

from kumoss_console.errors import InputError
from kumoss_console.model.clone import Clone
from kumoss_console.model.context import Context
from kumoss_console.model.gitremotes import repositories_of
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.trace.suspects import Around, Identity, Suspects, identify, path_variants
from kumoss_console.model.twins import twins
from kumoss_console.ports.offloop import OffLoop


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
    of the clone around the workspace; ``former`` are where modules of it lay before, and ``renamed`` what it was called before.
    """

    project: Identity | None
    key: ProjectKey | None = None
    found_by: str = ""
    identities: Mapping[str, Identity]
    known: tuple[Identity, ...] = ()
    modules: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    around: Around | None = None
    top: str | None = None
    scopes: tuple[str, ...] = ()
    """Those that were tried for whose a key is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What the journal adds to the scopes and paths that may belong to a key."""

    scopes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class Surveyor:
    """``clone`` reads the clone around a folder, ``beside`` what the workspaces below a root are called, ``relatives`` which
    other clones have the same history; all block."""

    def __init__(
        self,
        context: Context,
        clone: Callable[[Path], tuple[Clone, str] | None],
        beside: Callable[[Path], tuple[tuple[str, ...], tuple[str, ...]]],
        off_loop: OffLoop,
        relatives: Callable[[Path, Path | None], tuple[tuple[str, str], ...]] = lambda top, root: (),
    ) -> None:
        self._relatives = relatives
        self._context = context
        self._clone = clone
        self._beside = beside
        self._off_loop = off_loop

    async def survey(
        self, folder: Path | None, asked: Asked | None, keys: tuple[str, ...], witness: Witness, *, written: bool
    ) -> Surveyed:
        """``keys`` are those that lie about, the core's own first.

        ``written`` says whether the first key is the core's own: then it names the project, whatever the folder looks like.
        Raises :class:`InputError` for an asked project without a key.
        """
        key = derive(asked.repo, asked.scope, asked.path) if asked is not None else None
        return await self._off_loop(lambda: self._survey(folder, key, keys, witness, written=written))

    async def related(self, surveyed: Surveyed) -> tuple[tuple[str, str], ...]:
        """Other repositories with the history of the clone that was surveyed, each with the folder of its clone."""
        top, root = surveyed.top, self._context.workspaces_root
        if top is None:
            return ()
        return await self._off_loop(lambda: self._relatives(Path(top), Path(root) if root else None))

    def _survey(
        self, folder: Path | None, key: ProjectKey | None, keys: tuple[str, ...], witness: Witness, *, written: bool
    ) -> Surveyed:
        known = tuple(self._known())
        around = self._clone(Path(normpath(folder.absolute()))) if folder is not None else None
        clone, path = around if around is not None else (None, "")
        suspects = _suspects(known, clone, path, witness, self._context.scopes)
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
        missing = set(ids) - set(identities)
        if missing and self._context.workspaces_root:
            repos, paths = self._beside(Path(self._context.workspaces_root))
            wider = Suspects(repos=_once(*suspects.repos, *repos), scopes=suspects.scopes, paths=_once(*suspects.paths, *paths))
            identities |= identify(missing, _near(wider, project))
        if project is None and ids:
            project = identities.get(ids[0])
            found_by = "found by its key" if project is not None else ""
        if project is not None:
            identities.setdefault(project.project_id, project)
        return Surveyed(
            project=project,
            key=key or (_key_of(project) if project is not None else None),
            found_by=found_by,
            identities=identities,
            known=known,
            modules=clone.modules if clone is not None else (),
            former=clone.former_modules if clone is not None else (),
            renamed=clone.former_repositories if clone is not None else (),
            around=_around(clone, path),
            top=clone.folder if clone is not None else None,
            scopes=suspects.scopes,
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
                yield Identity.named(key.repo, key.scope, other)


def _as_it_lies(project: Identity, clone: Clone, path: str, found_by: str) -> tuple[Identity, str]:
    """The project that the clone and the module's folder in it give now, where one key is all there is to go by.

    It may have been bound before the module moved or the repository was renamed. Where both differ, the clone around is another
    repository that the workspace happens to lie in.
    """
    repo = clone.remotes[0].repo if clone.remotes else project.repo
    here = project.path if path in {"", "."} and project.path in {"", "."} else path
    if (repo == project.repo) == (here == project.path):
        return project, found_by
    return Identity.named(repo, project.scope, here), "found by the clone's remote and the folder in it"


def _around(clone: Clone | None, path: str) -> Around | None:
    if clone is None:
        return None
    return Around(repos=tuple(remote.repo for remote in clone.remotes), path=path, modules=clone.modules)


def _suspects(known: tuple[Identity, ...], clone: Clone | None, path: str, witness: Witness, scopes: tuple[str, ...]) -> Suspects:
    remotes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    if clone is not None:
        remotes = (*(remote.repo for remote in clone.remotes), *clone.former_repositories)
        paths = (path, *path_variants(path), *clone.modules, *clone.former_modules)
    return Suspects(
        repos=_once(*remotes, *(one.repo for one in known)),
        scopes=_once(*(scope.strip().lower() for scope in (*witness.scopes, *scopes)), *(one.scope for one in known)),
        paths=_once(*paths, *(one.path for one in known), *witness.paths),
    )


def _near(suspects: Suspects, project: Identity | None) -> Suspects:
    if project is None:
        return suspects
    near = suspects.near(project.repo, project.scope, project.path)
    close = twins(_key_of(project))
    return Suspects(
        repos=_once(*near.repos, *(repo for twin in close for repo in repositories_of(twin.repo))),
        scopes=_once(*near.scopes, *(twin.scope for twin in close)),
        paths=_once(*near.paths, *(twin.path for twin in close)),
    )


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


def _once(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
