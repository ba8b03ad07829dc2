"""Why what is bound is not what the core writes. The first rule that fits names the cause; each rests on facts alone."""

from __future__ import annotations

from collections.abc import Callable

from kumoss_console.model.duration import in_words
from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.copied import copied_binding
from kumoss_console.model.trace.keychange import filename_changed, project_changed
from kumoss_console.model.trace.localbeside import local_state_bound
from kumoss_console.model.trace.place import parted
from kumoss_console.model.trace.sharedfile import laid_over, shared_file, sharing_words, undeclared_file
from kumoss_console.model.trace.steps import compare, rebind
from kumoss_console.model.trace.wording import held_at, where


def cause_of(conflict: Conflict) -> Cause:
    """The cause; what is bound to what, where none of the rules knows why."""
    return next(found for rule in _RULES if (found := rule(conflict)) is not None)


def _beaten(conflict: Conflict) -> Cause | None:
    written = conflict.evidence.written
    if written is None or not written.beaten_by:
        return None
    return Cause(
        code="override_beaten",
        fact=f"{written.beaten_by} sorts after {written.file} and replaces what the core wrote, so {conflict.verb} "
        f"{where(conflict.other, than=conflict.core)}{conflict.held}",
        wrong=written.beaten_by,
        remedy=f"Take the backend block out of {written.beaten_by}, or a name that sorts before {written.file}; then init.",
    )


def _configuration_changed(conflict: Conflict) -> Cause | None:
    """The override on disk is what is bound, and the configuration names another bucket or store for the same key."""
    written = conflict.evidence.written
    if not conflict.bound or written is None or written.place is None or "key" in conflict.names:
        return None
    if parted(written.place, conflict.other):
        return None
    return Cause(
        code="configuration_changed",
        fact=f"the override on disk and the engine both name {where(conflict.other)}, and this context's configuration names "
        f"{where(conflict.core, than=conflict.other)}; {conflict.old_state}",
        wrong="this context, if the core runs with another configuration; else what is on disk, which is from before the change",
        remedy="Compare this context with what the core runs with. Where the change is meant, the next init binds the "
        f"new place and moves nothing. {conflict.carrying.words}",
        steps=conflict.carrying.steps,
    )


def _changed_after_init(conflict: Conflict) -> Cause | None:
    evidence = conflict.evidence
    written, at = evidence.written, evidence.engine.at
    if not conflict.bound or written is None or written.at is None or at is None or written.at <= at:
        return None
    if written.place is None or not parted(written.place, conflict.other):
        return None
    ages = f"{in_words(evidence.now - written.at)} ago, after the last init {in_words(evidence.now - at)} ago"
    return Cause(
        code="override_changed",
        fact=f"the engine is still bound to the old backend ({where(conflict.other)}), since the override was changed {ages}"
        f" (to {where(conflict.core, than=conflict.other)}); {conflict.old_state}",
        wrong="the engine",
        remedy=conflict.carrying.words,
        steps=conflict.carrying.steps,
    )


def _files_changed(conflict: Conflict) -> Cause | None:
    if conflict.evidence.storage.managed:
        return None
    fact = (
        f"{conflict.verb} {where(conflict.other)}, and the files name {where(conflict.core, than=conflict.other)} now; "
        f"{conflict.old_state}"
    )
    if sharing := conflict.evidence.sharing:
        return Cause(
            code="block_changed",
            fact=f"{fact}{sharing_words(sharing)}",
            wrong="not known: others have the state that is bound",
            remedy="Find out whose state that is first; it is not this workspace's alone, so no commands are given "
            "to carry it away.",
        )
    return Cause(
        code="block_changed",
        fact=fact,
        wrong="the engine, if the files are right",
        remedy=f"Where the files are right, the next init binds the new place and moves nothing. {conflict.carrying.words}",
        steps=conflict.carrying.steps,
    )


def _no_override(conflict: Conflict) -> Cause | None:
    evidence = conflict.evidence
    declared = evidence.declared
    if evidence.written is not None or declared is None or declared.place is None or not declared.complete:
        return None
    own = conflict.other == declared.place
    whose = "the repository's own backend" if own else "another backend than its files name"
    return Cause(
        code="no_override",
        fact=f"{conflict.verb} {whose} ({where(conflict.other)}), and the core's {evidence.override_name} is not in the folder, "
        f"which would name {where(conflict.core, than=conflict.other)}{conflict.held}",
        wrong="the workspace: it was initialised without the core",
        remedy="Let the core initialise it, or turn managed state off; one of the two has to own the state.",
    )


def _unseen_file(conflict: Conflict) -> Cause | None:
    file = (conflict.evidence.sidecar_file or "").strip()
    if not file or conflict.evidence.declared is None or conflict.evidence.declared.complete:
        return None
    return Cause(
        code="unseen_file",
        fact=f"{conflict.verb} {where(conflict.other, than=conflict.core)}, which is not in the core's override; the sidecar "
        f"lays {file} over it, and this console cannot read that file",
        wrong="not known without that file",
        remedy=f"Look into {file} on the sidecar: a key or bucket in it wins over the core's.",
    )


def _plain(conflict: Conflict) -> Cause:
    evidence = conflict.evidence
    owner = evidence.identities.get((conflict.other.key or "").partition("/")[0])
    whose = f", the key of {owner.words}" if owner is not None and owner != evidence.project else ""
    unknown = "; IAC_BACKEND_CONFIG of the sidecar is not known here" if evidence.sidecar_file is None else ""
    return Cause(
        code="bound_elsewhere",
        fact=f"{conflict.verb} {where(conflict.other, than=conflict.core)}{whose}, and the core writes {where(conflict.core)}"
        f"{conflict.held}{unknown}",
        wrong="the engine" if conflict.bound else "the files",
        remedy="Compare what lies at both places; then run init -reconfigure for the core's, and carry the state over "
        "if it is the old place that holds it.",
        steps=(
            rebind(evidence)
            if held_at(evidence, conflict.other).status == "absent"
            else compare(evidence, conflict.other, conflict.core)
        ),
    )


_RULES: tuple[Callable[[Conflict], Cause | None], ...] = (
    shared_file,
    _beaten,
    copied_binding,
    project_changed,
    filename_changed,
    _configuration_changed,
    laid_over,
    local_state_bound,
    undeclared_file,
    _changed_after_init,
    _files_changed,
    _unseen_file,
    _no_override,
    _plain,
)
