"""Causes that lie in what is given to init: a file of the sidecar that sets the key, read, unread or not known of."""

from __future__ import annotations

from kumoss_console.model.duration import in_words
from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.wording import listed, short, where


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


def undeclared_file(conflict: Conflict) -> Cause | None:
    """Managed state is off, and the files that name another place are older than the init: something was laid over them."""
    evidence = conflict.evidence
    declared, at = evidence.declared, evidence.engine.at
    if evidence.storage.managed or not conflict.bound or declared is None or declared.changed is None or at is None:
        return None
    if declared.changed >= at or "type" in conflict.names or conflict.other.type == "local":
        return None  # the type of a backend always comes from the files
    file = (evidence.sidecar_file or "").strip()
    other = (
        f"{file} as it was then"
        if file
        else "a file of the sidecar (IAC_BACKEND_CONFIG, not known here)"
        if evidence.sidecar_file is None
        else "an IAC_BACKEND_CONFIG that this context does not know of"
    )
    return Cause(
        code="unseen_file",
        fact=f"{conflict.verb} {where(conflict.other)}, and the files name {where(conflict.core, than=conflict.other)}, which "
        f"were last written before that init ({in_words(at - declared.changed)}): {listed(conflict.names)} was laid over them, "
        f"by a -backend-config that was typed or {other}{conflict.held}{sharing_words(evidence.sharing)}",
        wrong="not known without what was given to init",
        remedy="Find out what was given to that init, and whose resources the state holds; nothing is to be carried before that.",
    )
