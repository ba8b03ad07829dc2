"""Causes that lie in the key itself: it is that of another project, or of another file name.

A managed key is a digest of repository, scope and module path and nothing else: two digests are two projects, whoever they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.ownproject import MANAGED, agreed, doubt_of_the_override, other_project, two_projects
from kumoss_console.model.trace.steps import Moving
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import change, held_at, short


def project_changed(conflict: Conflict) -> Cause | None:
    """Another project's key is bound: by name where it is known whose, else by what a key is made of."""
    if "key" not in conflict.names:
        return None
    evidence, key = conflict.evidence, conflict.other.key or ""
    before = evidence.identities.get(key.partition("/")[0])
    after = evidence.project
    if (other := other_project(conflict, before, after)) is not None:
        return other
    if before is not None and after is not None and before.project_id != after.project_id:
        since = f"since {change(before, after)} (both keys are the digests of these names)"
        fact = f"{conflict.verb} the old key ({short(key)}), {since}; {conflict.old_state}"
        doubt = doubt_of_the_override(conflict, before, after)
        return _cause(conflict, fact) if not doubt else _doubted(f"{fact}; {doubt}")
    if before is None and after is not None and not evidence.project_from and two_projects(conflict) and agreed(conflict):
        return _supported(conflict, after)
    if (before is None or after is None) and conflict.names == ("key",) and two_projects(conflict):
        was = f", that of {before.words}" if before is not None else ""
        own = short(conflict.core.key or "")
        expected = f"this project's ({own}) ({after.words})" if after is not None else f"the one that the override names ({own})"
        fact = (
            f"{conflict.verb} the old key ({short(key)}{was}), which is not {expected}: "
            f"its repository, scope or module path changed, since a key is made of these three alone; {conflict.old_state}"
        )
        return _cause(conflict, "; ".join((fact, *(_likely(conflict) if before is None else ()))))
    return None


def _doubted(fact: str) -> Cause:
    return Cause(
        code="project_changed",
        fact=fact,
        wrong="the override on disk, unless the module really moves there",
        remedy="Find out for which project the override was written before anything is initialised or carried.",
    )


def _supported(conflict: Conflict, after: Identity) -> Cause:
    """A key of nobody known is in force, and the clone speaks for the given project: what is proven, and no more."""
    key, own = short(conflict.other.key or ""), short(conflict.core.key or "")
    empty = held_at(conflict.evidence, conflict.other).status == "absent"
    again = "Find out which of the two it is; where it was renamed, the core's next init writes the new key and binds it."
    move = Moving(words=again) if empty else conflict.carrying  # an init now would bind what the old override names once more
    return Cause(
        code="project_changed",
        fact=f"{conflict.verb} key {key}, which the override on disk names, too, and the key of {after.words} is {own}; remote "
        f"and folder of the clone are those of that project, so the repository's name or the module's path was another "
        f"one when the override was written (likely it was renamed), or the scope is another one "
        f"than {after.scope}; {conflict.old_state}",
        wrong="the override on disk and what is bound, if the repository was renamed; else the scope that was given",
        remedy=move.words,
        steps=move.steps,
    )


def _cause(conflict: Conflict, fact: str) -> Cause:
    move = conflict.carrying
    return Cause(
        code="project_changed",
        fact=fact,
        wrong=_wrong(conflict),
        remedy=move.words,
        steps=move.steps,
    )


def _wrong(conflict: Conflict) -> str:
    if not conflict.bound:
        return "the override on disk"
    return "the engine" if conflict.evidence.project is not None else "the engine, if the override on disk is right"


def _likely(conflict: Conflict) -> Iterator[str]:
    """What speaks for one of the three, said as no more than that."""
    evidence, init = conflict.evidence, conflict.evidence.engine.init
    if init is not None and init.scope and evidence.project is not None:
        same = init.scope.strip().lower() == evidence.project.scope
        yield (
            f"likely not the scope, since the last init in the journal ran for the same one ({init.scope})"
            if same
            else f"likely the scope, since the last init in the journal ran for {init.scope}"
        )
    yield "whose the old key was is in no known project, clone or workspace here (kumoss-console key --owner tells with --clones)"


def filename_changed(conflict: Conflict) -> Cause | None:
    """The same project under another file name."""
    old, new = (MANAGED.fullmatch(place.key or "") for place in (conflict.other, conflict.core))
    if conflict.names != ("key",) or old is None or new is None or old["project"] != new["project"]:
        return None
    return Cause(
        code="configuration_changed",
        fact=f"{conflict.verb} {short(old[0])}, and the core writes {short(new[0])}: the same project, and another "
        f"storage.terraform_state_filename; {conflict.old_state}",
        wrong="this context, if the core runs with another configuration; else the engine, which is from before the change",
        remedy=f"Compare this context with what the core runs with. {conflict.carrying.words}",
        steps=conflict.carrying.steps,
    )
