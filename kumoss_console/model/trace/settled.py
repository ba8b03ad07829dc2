"""What the store says where core and engine mean one place: there, not there yet, deleted, left behind, or not known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Candidate, Evidence, Stored
from kumoss_console.model.trace.inuse import live_elsewhere
from kumoss_console.model.trace.kept import Kept
from kumoss_console.model.trace.lost import earlier_words as _earlier
from kumoss_console.model.trace.lost import meant, state_lost
from kumoss_console.model.trace.place import Place, outside
from kumoss_console.model.trace.selected import first_init
from kumoss_console.model.trace.steps import moving
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import held_at, locked, serial, short, stored_at, where

Verdict = Literal["agree", "disagree", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A verdict on the way to a trace."""

    verdict: Verdict
    summary: str
    place: Place | None = None
    cause: Cause | None = None


def unless_left_behind(evidence: Evidence, core: Place, words: str) -> Ruling:
    """Unknown, unless the state is where neither looks: then core and store contradict each other already."""
    held = stored_at(evidence, core)
    if held.status == "absent" and (left := _left_behind(evidence)) is not None:
        return _old_key(evidence, core, left)
    if held.status == "absent" and held.kept is not None and held.kept.earlier:
        return _deleted(evidence, core, held.kept)
    if held.status == "absent" and (cause := state_lost(evidence, core, held)) is not None:
        summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
        return Ruling(verdict="disagree", place=core, cause=cause, summary=summary)
    return Ruling(verdict="unknown", place=core, summary=f"{words}. The core writes {where(core)}: {_there(evidence, held)}.")


def settled(evidence: Evidence, place: Place, words: str) -> Ruling:
    """Where core and engine mean one place: what the store says about it."""
    held = held_at(evidence, place) if place.type == "local" else stored_at(evidence, place)
    at = f"{words}: {where(place)}"
    match held.status:
        case "present":
            return Ruling(verdict="agree", place=place, summary=f"{at}; {_there(evidence, held)}.")
        case "absent" if (left := _left_behind(evidence)) is not None:
            return _old_key(evidence, place, left)
        case "absent" if held.kept is not None and held.kept.earlier:
            return _deleted(evidence, place, held.kept)
        case "absent" if (cause := state_lost(evidence, place, held)) is not None:
            summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
            return Ruling(verdict="disagree", place=place, cause=cause, summary=summary)
        case "absent":
            return Ruling(
                verdict="agree",
                place=place,
                summary=f"{at}; nothing is stored there yet, so a plan creates everything: right before the first apply only, "
                f"and whether one ran is not known{_earlier(evidence)}{first_init(evidence)}.",
            )
        case _ if place.type == "local":
            return Ruling(
                verdict="agree", place=place, summary=f"{at}; no store keeps it, and it is lost where the workspace is."
            )
        case _:
            could = "" if outside(place, evidence.reads) else "what is stored there could not be looked at: "
            return Ruling(
                verdict="unknown", place=place, summary=f"Not known: {words.lower()} on {where(place)}, but {could}{held.detail}."
            )


def another_store(evidence: Evidence, core: Place, bound: Place) -> Ruling:
    """Override and engine agree on a store that this context's configuration names otherwise, or not at all."""
    held = stored_at(evidence, core)
    here = {"present": f"holds {serial(held)}", "absent": "holds nothing"}.get(held.status, f"is not known ({held.detail})")
    cause = Cause(
        code="configuration_changed",
        fact=f"the override on disk and the engine both name the store at {bound.store}, and this context's configuration names "
        f"{core.store}: another store, or the same one by another name, which this console cannot tell; in this context's store "
        f"the key {here}",
        wrong="this context, if the core runs with another configuration or the two are one store; else what is on disk",
        remedy="Compare this context with what the core runs with: it may name this store by storage.public_endpoint_url, too.",
    )
    return Ruling(verdict="unknown", place=bound, cause=cause, summary=f"Not known: {cause.fact}. {cause.remedy}")


def unkept(binds: Place) -> Ruling:
    """Managed state is off, and no file declares a backend."""
    cause = Cause(
        code="nobody_keeps_it",
        fact="managed state is off and no backend is declared, so the state is a file of the workspace and is lost with it",
        wrong="the configuration: nobody is there to keep the state",
        remedy="Declare a backend in the module, or turn managed state on, before anything is applied.",
    )
    return Ruling(verdict="disagree", place=binds, cause=cause, summary=f"Nobody keeps this state: {cause.fact}. {cause.remedy}")


def _deleted(evidence: Evidence, place: Place, kept: Kept) -> Ruling:
    cause = Cause(
        code="state_deleted",
        fact=f"{meant(evidence)} {where(place)}, and "
        + ("the state there was " if kept.deleted is not None else "nothing is stored there now, of which the store keeps ")
        + kept.words(evidence.now),
        wrong="the store: somebody deleted the object, so a plan creates everything once more",
        remedy="Restore the version that was right before anything is planned; the bucket view shows them.",
    )
    summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
    return Ruling(verdict="disagree", place=place, cause=cause, summary=summary)


def _there(evidence: Evidence, held: Stored) -> str:
    if held.status == "absent":
        return "nothing is stored there"
    if held.status == "unknown":
        return f"what is stored there is not known ({held.detail})"
    return f"the store holds {serial(held)}" + (f", {lock}" if (lock := locked(evidence, held)) else "")


def _left_behind(evidence: Evidence) -> Candidate | None:
    return next((candidate for candidate in evidence.candidates if candidate.strong), None)


def _old_key(evidence: Evidence, place: Place, left: Candidate) -> Ruling:
    old = replace(place, key=left.stored.key)
    move = moving(evidence, old, place)
    live = live_elsewhere(evidence, old.key)
    spelled = evidence.project is not None and _spelling(evidence.project, left.identity)
    before = f"Spell the project as before ({left.identity.words})"
    cause = Cause(
        code="left_behind",
        fact=f"nothing is stored under the project's key ({short(place.key or '')}), and a state ({serial(left.stored)}) is "
        f"under another one ({short(left.stored.key)}): {left.why}",
        wrong="the key that is in use now, if this is the same project",
        remedy=f"{before}; only where the new spelling is meant: {move.words}"
        if spelled
        else f"{move.words} {_fork(evidence, left.identity) if live else ''}Or: {before}.",
        steps=() if spelled else move.steps,
    )
    return Ruling(verdict="disagree", place=place, cause=cause, summary=f"They disagree: {cause.fact}. {cause.remedy}")


def _fork(evidence: Evidence, other: Identity) -> str:
    """Where the other place is in use by a repository whose name is another one: two that live are no renamed one."""
    own = evidence.project
    if own is None or own.repo == other.repo:
        return ""
    return f"{own.repo} may be a fork of {other.repo}, whose clone still has its own name: then nothing here is the old state. "


def _spelling(one: Identity, other: Identity) -> bool:
    """Whether two projects differ in how they are spelled only: in case, or in the spelling of the root."""

    def plain(project: Identity) -> tuple[str, str, str]:
        return project.repo.lower(), project.scope.lower(), project.path.strip(".").lower()

    return plain(one) == plain(other)
