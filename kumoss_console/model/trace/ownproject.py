"""Whether a project that was given is the workspace's own: what override, engine, folder and journal say about that.

A project may be given that is merely a near relative: another case in its path, another scope. Where the workspace agrees with
itself, it is the given one that is wrong, unless the folder proves that the workspace has become that project's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import parted
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import listed, short

MANAGED = re.compile(r"(?P<project>[0-9a-f]{64})/(?P<file>[A-Za-z0-9._-]{1,128})")
"""A managed key: the digest of a project, and the file's name."""


def two_projects(conflict: Conflict) -> bool:
    """Whether both keys are managed ones, of two digests and one file name."""
    old, new = (MANAGED.fullmatch(place.key or "") for place in (conflict.other, conflict.core))
    return old is not None and new is not None and old["project"] != new["project"] and old["file"] == new["file"]


def other_project(conflict: Conflict, before: Identity | None, after: Identity | None) -> Cause | None:
    """The project that was given is not this workspace's. ``before`` is the one of the key in force, ``None`` where unknown."""
    evidence = conflict.evidence
    if after is None or evidence.project_from or (before is None and not two_projects(conflict)):
        return None
    if before is not None and before.project_id == after.project_id:
        return None
    if _has_become(evidence, before, after):
        return None
    if not agreed(conflict) and not _by_the_folder(conflict, before, after):
        return None
    known = f": {_parting(before, after)}" if before is not None else ", of no project that is known here"
    keys = f"{short(conflict.other.key or '')}, and the given one's is {short(conflict.core.key or '')}"
    wrote = "; the core wrote its override for it, too" if evidence.written is not None and conflict.bound else ""
    return Cause(
        code="other_project",
        fact="; ".join(
            (
                f"{_subject(conflict)} the key of another project than the one given ({keys}){known}{wrote}{conflict.held}",
                *reasons(evidence, before, after),
            )
        ),
        wrong="the project that was given, if this workspace was meant",
        remedy="Trace the workspace alone, or give its own repository, scope and path; nothing in it has to be changed for that.",
    )


def doubt_of_the_override(conflict: Conflict, before: Identity, after: Identity) -> str:
    """A clause where the folder is the old project's still: in another case of the path, or the clone has no such module."""
    around, workspace = conflict.evidence.around, conflict.evidence.workspace
    if before.path != after.path and before.path.lower() == after.path.lower() and _ends(workspace, before.path):
        return f"but the folder's own path ends in {before.path}, and nobody moves a module to another case lightly"
    if around is None or not around.fits(before) or around.lies_at(after.path) or after.path in around.modules:
        return ""
    missing = at_the_top(after.path)
    return f"but the folder still lies at {_shown(around.path)} of its clone, in which there is no module {missing}"


def _subject(conflict: Conflict) -> str:
    return "the workspace is bound to" if conflict.bound else "the workspace's override names"


def _parting(before: Identity, after: Identity) -> str:
    names = {"repo": "repository", "scope": "scope", "path": "module path"}
    return listed(
        tuple(
            f"{names[field]} {getattr(before, field) or '(empty)'} and not {getattr(after, field) or '(empty)'}"
            for field in before.changed(after)
        )
    )


def agreed(conflict: Conflict) -> bool:
    """Whether the workspace agrees with itself: what the override names is in force. Without one, far relatives only count."""
    evidence = conflict.evidence
    written, engine = evidence.written, evidence.engine
    if written is None:
        return False
    if written.place is None or parted(written.place, conflict.other):
        return False
    return conflict.bound or engine.place is None


def _by_the_folder(conflict: Conflict, before: Identity | None, after: Identity) -> bool:
    """Without an override: the folder is that of the bound project, or nothing at all speaks for one project."""
    evidence = conflict.evidence
    if evidence.written is not None or not conflict.bound or before is None:
        return False
    around = evidence.around
    if around is not None and around.fits(before) and not around.fits(after):
        return True
    return {"repo", "scope"} <= set(before.changed(after))


def _has_become(evidence: Evidence, before: Identity | None, after: Identity) -> bool:
    """Whether the folder proves that the workspace is the given project's now: it lies there, no more where it was bound."""
    around, init = evidence.around, evidence.engine.init
    if around is None or not around.fits(after) or (before is not None and around.fits(before)):
        return False
    scope = init.scope.strip().lower() if init is not None else ""
    if before is None:
        return not scope or scope == after.scope
    return before.scope == after.scope or scope == after.scope


def reasons(evidence: Evidence, before: Identity | None, after: Identity) -> Iterator[str]:
    """What disproves the given project (``after``), beside the keys."""
    around, init = evidence.around, evidence.engine.init
    if around is not None:
        if around.repos and after.repo not in around.repos and (before is None or before.repo in around.repos):
            yield f"the clone's remote is {around.repos[0]}"
        if not around.lies_at(after.path) and (before is None or around.lies_at(before.path)):
            gone = "" if after.path in around.modules else f", and {_none_there(after.path)}"
            yield f"the folder lies at {_shown(around.path)} of its clone{gone}"
    elif before is not None and _ends(evidence.workspace, before.path) and not _ends(evidence.workspace, after.path):
        yield f"the folder's own path ends in {before.path}"
    if init is not None and init.scope and init.scope.strip().lower() != after.scope:
        yield f"the last init in the journal ran for scope {init.scope}"


def _ends(workspace: str | None, path: str) -> bool:
    return bool(path.strip("./")) and workspace is not None and workspace.endswith(f"/{path}")


def _none_there(path: str) -> str:
    return f"no module {path} is in it" if path not in {"", "."} else "it has no module at the top"


def at_the_top(path: str) -> str:
    """What goes on after *no module*."""
    return path if path not in {"", "."} else "at the top"


def _shown(path: str) -> str:
    return path if path not in {"", "."} else "the top"
