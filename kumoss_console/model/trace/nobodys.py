"""Override and engine agree on a key, and nobody here can tell whose: that they agree does not say that it is the right one.

A module that moved takes the override and the pointer in its folder along. Where the old key cannot be computed, all that is
known is which keys it is not.
"""

from __future__ import annotations

import shlex

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.ownproject import MANAGED
from kumoss_console.model.trace.place import Place, default_place
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import listed, serial, short, stored_at

_NAMED = 3
"""Scopes that are named; the rest is counted."""


def unowned_key(evidence: Evidence, place: Place) -> str:
    """The managed key of ``place``, where it is that of no project known here; else empty."""
    key = default_place(place, evidence.selected).key or ""
    match = MANAGED.fullmatch(key)
    if match is None or not evidence.storage.managed or evidence.project is not None:
        return ""
    return "" if match["project"] in evidence.identities else key


def nobodys_key(evidence: Evidence, place: Place) -> Cause | None:
    """What is known of such a key, where repository, folder and a scope are: it is none that these give."""
    key, around = unowned_key(evidence, place), evidence.around
    if not key or around is None or not around.repos or not evidence.scopes:
        return None
    repo, path = around.repos[0], around.path
    bound = evidence.engine.status == "bound"
    who = "override and engine agree on" if bound and evidence.written is not None else _one(evidence)
    return Cause(
        code="unknown_project",
        fact=f"{who} key {short(key)}{_held(evidence, place)}, which is the key of no project known here, and none that the "
        f"clone's remote ({repo}) and the folder in it ({path or 'the top'}) give for {_scopes(evidence.scopes)}"
        f"{_by_the_journal(evidence, repo, path)}",
        wrong="not known: the module moved or the repository was renamed since the core wrote the override, or the scope is "
        "another one than those known here",
        remedy="Trace it as the project that it is "
        f"(--repo {shlex.quote(f'https://{repo}')} --scope ID --path {shlex.quote(path or '.')}) before anything is applied; "
        f"kumoss-console key --owner {shlex.quote(key)} --clones DIR looks further for whose the key was.",
    )


def _one(evidence: Evidence) -> str:
    return "the engine is bound to" if evidence.engine.status == "bound" else "the override on disk names"


def _held(evidence: Evidence, place: Place) -> str:
    held = stored_at(evidence, place)
    return {"present": f" ({serial(held)})", "absent": " (nothing is stored there)"}.get(held.status, "")


def _scopes(scopes: tuple[str, ...]) -> str:
    named = listed(scopes[:_NAMED])
    more = f" or the {len(scopes) - _NAMED} others known" if len(scopes) > _NAMED else ""
    return f"scope {named}{more}" if len(scopes) == 1 else f"scopes {named}{more}"


def _by_the_journal(evidence: Evidence, repo: str, path: str) -> str:
    init = evidence.engine.init
    if init is None or not init.scope:
        return ""
    own = Identity.named(repo, init.scope.strip().lower(), path)
    return f"; for {init.scope}, which the last init in the journal ran for, that is {short(own.project_id)}"
