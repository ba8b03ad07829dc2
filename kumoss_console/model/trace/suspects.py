"""Whose a project id is, tried over what may have changed: repositories, scopes and paths that lie about."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product

from kumoss_console.model.fields import Field
from kumoss_console.model.project import ProjectKey, digest

LARGEST = 200_000
"""Combinations that are tried: a fifth of a second."""

_PARENTS = ("envs", "env", "environments", "terraform", "infra", "iac", "live", "stacks", "deploy", "deployments")
_FIELDS: tuple[Field, ...] = ("repo", "scope", "path")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A project by its three hashed lines."""

    repo: str
    scope: str
    path: str
    project_id: str

    @classmethod
    def of(cls, key: ProjectKey) -> Identity:
        return cls(repo=key.repo, scope=key.scope, path=key.path, project_id=key.project_id)

    @classmethod
    def named(cls, repo: str, scope: str, path: str) -> Identity:
        """Of three hashed lines."""
        return cls(repo=repo, scope=scope, path=path, project_id=digest(repo, scope, path))

    def changed(self, other: Identity) -> tuple[Field, ...]:
        """The lines in which the two differ."""
        return tuple(name for name in _FIELDS if getattr(self, name) != getattr(other, name))

    @property
    def words(self) -> str:
        return " · ".join((self.repo, self.scope, self.path or "(no path)"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Where a workspace's folder lies: ``repos`` are the remotes of the clone, ``path`` its place in it, empty for the top."""

    repos: tuple[str, ...]
    path: str
    modules: tuple[str, ...] = ()

    def fits(self, one: Identity) -> bool:
        """Whether repository and path are those of ``one``; the folder knows of no scope."""
        return one.repo in self.repos and self.lies_at(one.path)

    def lies_at(self, path: str) -> bool:
        return path == self.path or {path, self.path} <= {"", "."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspects:
    """Hashed lines that may have been combined, likeliest first."""

    repos: tuple[str, ...]
    scopes: tuple[str, ...]
    paths: tuple[str, ...]

    def near(self, repo: str, scope: str, path: str) -> Suspects:
        """These and the variants of one project."""
        return Suspects(
            repos=_once(repo, *self.repos),
            scopes=_once(scope, *self.scopes),
            paths=_once(path, *path_variants(path), *self.paths),
        )


def identify(wanted: Collection[str], suspects: Suspects) -> Mapping[str, Identity]:
    """The wanted project ids that one of the combinations has. Ids are digests: a hit is no accident."""
    left = set(wanted)
    found: dict[str, Identity] = {}
    for tried, (repo, scope, path) in enumerate(product(suspects.repos, suspects.scopes, suspects.paths)):
        if not left or tried >= LARGEST:
            break
        project_id = digest(repo, scope, path)
        if project_id in left:
            left.discard(project_id)
            found[project_id] = Identity(repo=repo, scope=scope, path=path, project_id=project_id)
    return found


def moved_paths(path: str) -> tuple[str, ...]:
    """Where the module of ``path`` may have been before, or be now, keeping its own name: some segments more or fewer."""
    segments = [segment for segment in path.split("/") if segment not in {"", "."}]
    if not segments:
        return ()
    fewer = ["/".join(segments[start:]) for start in range(1, len(segments))]
    fewer += ["/".join((*segments[:skip], *segments[skip + 1 :])) for skip in range(1, len(segments) - 1)]
    more = [f"{parent}/{path}" for parent in _PARENTS]
    more += [f"{parent}/{shorter}" for shorter in fewer for parent in _PARENTS if f"{parent}/{shorter}" != path]
    return _once(*fewer, *more)


def path_variants(path: str) -> tuple[str, ...]:
    """:func:`moved_paths`, the root in both spellings, and every folder above."""
    segments = [segment for segment in path.split("/") if segment not in {"", "."}]
    above = ["/".join(segments[:end]) for end in range(len(segments) - 1, 0, -1)]
    return _once(*moved_paths(path), "", ".", *above)


def _once(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
