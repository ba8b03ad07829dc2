"""Causes that lie in the key itself: it is that of another project, of another file name, or was set over the core's.

A managed key is a digest of repository, scope and module path and nothing else: two digests are two projects, whoever they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kumoss_console.model.duration import in_words
from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.wording import change, listed, short, where

_MANAGED = re.compile(r"(?P<project>[0-9a-f]{64})/(?P<file>[A-Za-z0-9._-]{1,128})")


def project_changed(conflict: Conflict) -> Cause | None:
    """Another project's key is bound: by name where it is known whose, else by what a key is made of."""
    if "key" not in conflict.names:
        return None
    evidence, key = conflict.evidence, conflict.other.key or ""
    before = evidence.identities.get(key.partition("/")[0])
    after = evidence.project
    if before is not None and after is not None and before.project_id != after.project_id:
        since = f"since {change(before, after)} (both keys are the digests of these names)"
        return _cause(conflict, f"{conflict.verb} the old key ({short(key)}), {since}; {conflict.old_state}")
    if (before is None or after is None) and conflict.names == ("key",) and _two_projects(conflict):
        whose = f" ({after.words})" if after is not None else ""
        was = f", that of {before.words}" if before is not None else ""
        own = short(conflict.core.key or "")
        fact = (
            f"{conflict.verb} the old key ({short(key)}{was}), which is not this project's ({own}){whose}: "
            f"its repository, scope or module path changed, since a key is made of these three alone; {conflict.old_state}"
        )
        return _cause(conflict, "; ".join((fact, *(_likely(conflict) if before is None else ()))))
    return None


def _cause(conflict: Conflict, fact: str) -> Cause:
    move = conflict.carrying
    return Cause(
        code="project_changed",
        fact=fact,
        wrong="the engine" if conflict.bound else "the override on disk",
        remedy=move.words,
        steps=move.steps,
    )


def _two_projects(conflict: Conflict) -> bool:
    old, new = (_MANAGED.fullmatch(place.key or "") for place in (conflict.other, conflict.core))
    return old is not None and new is not None and old["project"] != new["project"] and old["file"] == new["file"]


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
    old, new = (_MANAGED.fullmatch(place.key or "") for place in (conflict.other, conflict.core))
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


def shared_file(conflict: Conflict) -> Cause | None:
    """The sidecar's file was read, and the key that is bound stands in it."""
    declared = conflict.evidence.declared
    if declared is None or declared.place is None or declared.key_from != "backend-config" or "key" not in conflict.names:
        return None
    if declared.place.key != conflict.other.key:
        return None
    every = ", as every workspace that is initialised with this file" if is_shared(conflict.evidence.sidecar_file) else ""
    return Cause(
        code="key_in_shared_file",
        fact=f"the sidecar's file sets key ({declared.key_at}), so {conflict.verb} {short(conflict.other.key or '')} and not "
        f"the project's own key{every}{sharing_words(conflict.evidence.sharing)}{conflict.held}",
        wrong="the sidecar's file",
        remedy=SHARED_REMEDY,
    )


SHARED_REMEDY = (
    "Take key out of the file (or unset IAC_BACKEND_CONFIG); then sort out whose resources the shared state holds before "
    "anything is moved."
)


def is_shared(sidecar_file: str | None) -> bool:
    """Whether the sidecar's file is one for all: a relative path is looked for in each workspace."""
    return (sidecar_file or "").strip().startswith("/")


def sharing_words(names: tuple[str, ...]) -> str:
    """``; infra_1 has the same state``; empty where nobody else is known to."""
    if not names:
        return ""
    few = names if len(names) <= 3 else (*names[:3], f"{len(names) - 3} more")
    return f"; {listed(few)} {'has' if len(names) == 1 else 'have'} the same state"


def laid_over(conflict: Conflict) -> Cause | None:
    """Init ran with the core's override in place and bound another key all the same: something was given to it."""
    evidence = conflict.evidence
    written, at = evidence.written, evidence.engine.at
    if not conflict.bound or "key" not in conflict.names or written is None or written.place is None:
        return None
    if written.at is None or at is None or written.at > at or parted(written.place, conflict.core):
        return None
    if evidence.sidecar_file is not None and evidence.sidecar_file.strip():
        return None  # that file is named: it was read and has no such key, or the rule of the unseen file speaks
    unknown = evidence.sidecar_file is None
    source = (
        "a file of the sidecar (IAC_BACKEND_CONFIG, not known here) or a -backend-config that was typed"
        if unknown
        else "a -backend-config that was typed, or an IAC_BACKEND_CONFIG that this context does not know of"
    )
    return Cause(
        code="unseen_file",
        fact=f"{conflict.verb} {short(conflict.other.key or '')} and not the project's own key "
        f"({short(conflict.core.key or '')}), though the core's override was there when init ran "
        f"{in_words(evidence.now - at)} ago: a key was laid over it, by {source}{conflict.held}",
        wrong="likely the sidecar's file: a key in it gives every workspace one state",
        remedy="Look at IAC_BACKEND_CONFIG in the sidecar's container and take key out of that file; state the path in this "
        "context (sidecar.backend_config) to have it read here.",
    )


def shared_key(evidence: Evidence, place: Place | None, *, bound: bool) -> Cause | None:
    """Managed state is off, and the key in force stands in a file that every workspace gets."""
    declared = evidence.declared
    if evidence.storage.managed or place is None or declared is None or declared.place is None:
        return None
    if declared.key_from != "backend-config" or not is_shared(evidence.sidecar_file) or declared.place.key != place.key:
        return None
    own = f" and not {declared.beats}, which the repository names" if declared.beats else ""
    verb = "the engine is bound to" if bound else "the next init binds"
    return Cause(
        code="key_in_shared_file",
        fact=f"the sidecar's file sets key ({declared.key_at}), so {verb} {place.key}{own}: every workspace that is initialised "
        f"with this file has this one state{sharing_words(evidence.sharing)}",
        wrong="the sidecar's file",
        remedy=SHARED_REMEDY,
    )


def unread_file(evidence: Evidence, core: Place, bound: Place) -> Cause | None:
    """Managed state is off, something else is bound than the files name, and the sidecar's file is not seen from here."""
    file = (evidence.sidecar_file or "").strip()
    unseen = any(finding.code == "reader.file_not_seen_from_here" for finding in evidence.inspection)
    if not file or not unseen or not parted(core, bound):
        return None
    key = "key" in parted(core, bound)
    every = ", and every workspace that gets that file has this one state" if key and is_shared(file) else ""
    return Cause(
        code="unseen_file",
        fact=f"the engine is bound to {where(bound)}, and the files here name {where(core)}; the sidecar lays {file} over them, "
        f"which this console cannot read: likely it sets {listed(parted(core, bound))}{every}",
        wrong="not known without that file",
        remedy=f"Look into {file} on the sidecar; with key in it, take it out. Else the block was changed after the last init.",
    )
