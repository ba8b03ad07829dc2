"""Whose a key is: the projects an operator named, by their project ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from kumoss_console.errors import InputError
from kumoss_console.model.context import KnownProject
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.project import derive
from kumoss_console.text import printable

_DIGEST = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOwner:
    """A known project that a key belongs to; ``project.path`` is the spelling that gives this very key."""

    project: KnownProject
    project_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """Project id -> known project, its path spelled the way that gives this id; and the projects that have no key."""

    by_id: Mapping[str, KnownProject]
    problems: tuple[Finding, ...]

    def find(self, key_or_digest: str) -> KnownOwner | None:
        """The known project of an object key, a project id or the beginning of one (six digits or more).

        Raises :class:`InputError` for text that holds no project id and for a beginning that several projects share.
        """
        wanted = wanted_digits(key_or_digest)
        matches = sorted(project_id for project_id in self.by_id if project_id.startswith(wanted))
        if len(matches) > 1:
            raise InputError(
                f"{wanted} begins the ids of {len(matches)} known projects",
                detail=", ".join(matches),
                hint="Give more digits.",
                code="key.ambiguous_project_id",
            )
        return KnownOwner(project=self.by_id[matches[0]], project_id=matches[0]) if matches else None


def wanted_digits(key_or_digest: str) -> str:
    """The 64 hex digits of an object key or project id, or the 6 to 63 that begin one. Raises :class:`InputError` otherwise."""
    text = key_or_digest.strip().lower()
    found = _DIGEST.search(text)
    if found is None and not re.fullmatch(r"[0-9a-f]{6,63}", text):
        raise InputError(
            f"{printable(key_or_digest)!r} holds no project id",
            hint="Give the 64 hex digits that begin a state key, or at least the first 6.",
            code="key.no_project_id",
        )
    return found[0] if found else text


def owners_of(projects: Sequence[KnownProject]) -> Owners:
    """The owners among ``projects``. A root is known by both its spellings, ``.`` and empty, unless the other is named too."""
    exact: dict[str, KnownProject] = {}
    other_root: dict[str, KnownProject] = {}
    problems: list[Finding] = []
    for project in projects:
        try:
            key = derive(project.repo, project.scope, project.path)
        except InputError as error:
            problems.append(_unusable(project, error))
            continue
        exact.setdefault(key.project_id, project)
        if key.path in {"", "."}:
            other = replace(project, path="" if key.path else ".")
            other_root.setdefault(derive(other.repo, other.scope, other.path).project_id, other)
    return Owners(by_id=MappingProxyType(other_root | exact), problems=tuple(problems))


def _unusable(project: KnownProject, error: InputError) -> Finding:
    return Finding(
        code="key.unusable_project",
        severity=Severity.WARNING,
        subject=printable(project.name) or "projects",
        message=f"a known project has no key: {error.title}",
        remedy=error.hint,
    )
