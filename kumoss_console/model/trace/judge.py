"""Evidence -> one verdict. Never a guess: what could not be looked at is unknown, unless what is known contradicts already."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.trace.causes import cause_of
from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Candidate, Evidence, Stored
from kumoss_console.model.trace.kept import Kept
from kumoss_console.model.trace.keychange import shared_key, unread_file
from kumoss_console.model.trace.layers import Layer, layers_of
from kumoss_console.model.trace.place import Place, outside, parted
from kumoss_console.model.trace.remarks import remarks
from kumoss_console.model.trace.steps import NextStep, moving
from kumoss_console.model.trace.wording import capital, locked, serial, short, stored_at, where

Verdict = Literal["agree", "disagree", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The answer. ``place`` is the one active state where the layers agree, else where the engine is (or would be).

    ``cause`` is a stable word for why they disagree, or for what is wrong where that is not known; empty otherwise.
    """

    verdict: Verdict
    summary: str
    cause: str
    place: Place | None
    layers: tuple[Layer, ...]
    findings: tuple[Finding, ...]
    steps: tuple[NextStep, ...]
    evidence: Evidence
    at: datetime

    @property
    def unkept(self) -> bool:
        """Whether they agree and it is no good news: on a file of the workspace, which nobody keeps, or on a key of all."""
        return self.verdict == "agree" and (bool(self.cause) or (self.place is not None and self.place.type == "local"))

    @property
    def unanswered(self) -> bool:
        """Whether the verdict is missing because the store did not answer."""
        return self.verdict == "unknown" and any(stored.unanswered for stored in self.evidence.stored.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ruling:
    verdict: Verdict
    summary: str
    place: Place | None = None
    cause: Cause | None = None


def judge(evidence: Evidence) -> Trace:
    """The verdict on ``evidence``, with the layers as they are shown."""
    core = core_place(evidence)
    ruling = _shared(evidence, _rule(evidence, core))
    cause = ruling.cause
    found = (
        (
            Finding(
                code=f"trace.{cause.code}",
                severity=Severity.ERROR if ruling.verdict == "disagree" else Severity.WARNING,
                subject=cause.wrong,
                message=capital(cause.fact),
                remedy=cause.remedy,
            ),
        )
        if cause is not None
        else ()
    )
    return Trace(
        verdict=ruling.verdict,
        summary=ruling.summary,
        cause=cause.code if cause is not None else "",
        place=ruling.place,
        layers=layers_of(evidence, core, ruling.place),
        findings=(*found, *remarks(evidence, core, cause.code if cause is not None else "")),
        steps=cause.steps if cause is not None else (),
        evidence=evidence,
        at=evidence.now,
    )


def core_place(evidence: Evidence) -> Place | None:
    """Where the core writes, or wrote; where the repository's files say where it writes nothing. ``None`` where unknown."""
    if not evidence.storage.managed:
        return evidence.declared.place if evidence.declared is not None else None
    written = evidence.written.place if evidence.written is not None else None
    if evidence.derived is not None:
        # A host may have one name for the core and another one here; all else is the project's own.
        same_store = written is not None and parted(evidence.derived, written) == ("store",)
        return written if same_store else evidence.derived
    if written is not None:
        return written
    return logged_place(evidence)


def logged_place(evidence: Evidence) -> Place | None:
    """The place that the core's log names: it knows no endpoint and no account."""
    found = evidence.logged.found if evidence.logged is not None else None
    if found is None:
        return None
    kind = "azurerm" if found.provider == "storage_account" else "s3"
    return Place(type=kind, bucket=found.bucket, key=found.key)


def _rule(evidence: Evidence, core: Place | None) -> _Ruling:
    engine = evidence.engine
    if engine.status == "bound" and engine.place is not None:
        return _bound(evidence, core, engine.place)
    if engine.status == "unbound":
        return _unbound(evidence, core)
    return _engine_not_known(evidence, core)


def _bound(evidence: Evidence, core: Place | None, bound: Place) -> _Ruling:
    if core is None:
        return _core_not_known(evidence, bound)
    if not evidence.storage.managed and _files_unread(evidence):
        cause = unread_file(evidence, core, bound)
        said = f"{cause.fact}. {cause.remedy}" if cause is not None else f"the engine is bound to {where(bound)}, and {_UNREAD}."
        return _Ruling(verdict="unknown", place=bound, cause=cause, summary=f"Not known: {said}")
    names = parted(core, bound)
    if names == ("store",) and evidence.written is None and evidence.storage.managed:
        # Nothing on disk says which name of the store the core uses.
        return _Ruling(
            verdict="unknown",
            place=bound,
            summary=f"Not known: the engine is bound to the project's own key at {bound.store or 'AWS'}, and this context "
            f"knows its store as {core.store or 'AWS'}; whether the two are one store, this console cannot tell.",
        )
    if names:
        return _disagree(Conflict(evidence=evidence, core=core, other=bound, names=names), bound)
    written = evidence.written
    if written is not None and written.place is not None and not written.beaten_by and parted(written.place, bound):
        stale = Conflict(evidence=evidence, core=core, other=written.place, names=parted(written.place, bound), bound=False)
        return _disagree(stale, bound)
    return _settled(evidence, bound, "They agree")


def _shared(evidence: Evidence, ruling: _Ruling) -> _Ruling:
    """One state for all workspaces is named whatever the rest says; it disagrees where somebody else's state is proven."""
    cause = shared_key(evidence, ruling.place, bound=evidence.engine.status == "bound") if ruling.cause is None else None
    if cause is None:
        return ruling
    if (evidence.declared is not None and evidence.declared.beats) or evidence.sharing:
        summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
        return replace(ruling, verdict="disagree", cause=cause, summary=summary)
    return replace(ruling, cause=cause, summary=f"{ruling.summary} And {cause.fact}. {cause.remedy}")


def _disagree(conflict: Conflict, place: Place) -> _Ruling:
    cause = cause_of(conflict)
    return _Ruling(
        verdict="disagree",
        place=place,
        cause=cause,
        summary=f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}",
    )


def _core_not_known(evidence: Evidence, bound: Place) -> _Ruling:
    held = stored_at(evidence, bound)
    there = {"present": f"holds {serial(held)}", "absent": "holds nothing"}.get(held.status, f"is not known ({held.detail})")
    why = (
        "this workspace has no override of the core, and belongs to no known project"
        if evidence.storage.managed
        else "the engine refuses what the files say"
    )
    return _Ruling(
        verdict="unknown",
        place=bound,
        summary=f"Not known: the engine is bound to {where(bound)}, which {there}; what it should be bound to is not known, "
        f"since {why}.",
    )


def _unbound(evidence: Evidence, core: Place | None) -> _Ruling:
    declared = evidence.declared
    binds = declared.place if declared is not None else None
    if not evidence.storage.managed:
        if _files_unread(evidence):
            return _Ruling(verdict="unknown", summary=f"Not known: nothing is bound, and {_UNREAD}.")
        if binds is None:
            return _Ruling(
                verdict="unknown", summary="Not known: nothing is bound, and the engine refuses what the files say; see below."
            )
        if declared is not None and not declared.block:
            return _Ruling(
                verdict="agree",
                place=binds,
                summary="Nobody keeps this state: managed state is off and no backend is declared, so it is a file of the "
                "workspace and is lost with it.",
            )
        return _settled(evidence, binds, "Nothing is bound yet; the next init binds what the files say")
    if core is None:
        return _Ruling(
            verdict="unknown",
            place=binds,
            summary="Not known: nothing is bound, the core's override is not in the folder, and it belongs to no known project: "
            "give repository and scope as well.",
        )
    if evidence.written is not None and binds is not None and (names := parted(core, binds)):
        return _disagree(Conflict(evidence=evidence, core=core, other=binds, names=names, bound=False), binds)
    if evidence.sidecar_file is None or (declared is not None and not declared.complete):
        return _unless_left_behind(
            evidence,
            core,
            "Not known: nothing is bound yet, and what the sidecar lays over the core's override is not known here",
        )
    if evidence.written is not None and binds is None:
        return _unless_left_behind(evidence, core, "Not known: nothing is bound, and the engine refuses what the files say")
    if evidence.sidecar_file.strip() and evidence.written is None:
        return _unless_left_behind(
            evidence, core, "Not known: nothing is bound, and the sidecar's file is laid over an override that is not written yet"
        )
    return _settled(evidence, core, "Nothing is bound yet; the next init binds what the core writes")


_UNREAD = "not every file that may name a backend could be read, so what the next init binds is not known; see below"


def _files_unread(evidence: Evidence) -> bool:
    return evidence.declared is not None and not evidence.declared.complete


def _engine_not_known(evidence: Evidence, core: Place | None) -> _Ruling:
    reason = evidence.engine.detail or "nobody could look"
    if core is None:
        said = "managed state is off, and the repository's own backend decides" if not evidence.storage.managed else "no project"
        return _Ruling(verdict="unknown", summary=f"Not known: {said}; what the engine bound is not known: {reason}.")
    return _unless_left_behind(evidence, core, f"Not known: what the engine bound could not be looked at ({reason})")


def _unless_left_behind(evidence: Evidence, core: Place, words: str) -> _Ruling:
    """Unknown, unless the state is where neither looks: then core and store contradict each other already."""
    held = stored_at(evidence, core)
    if held.status == "absent" and (left := _left_behind(evidence)) is not None:
        return _old_key(evidence, core, left)
    return _Ruling(verdict="unknown", place=core, summary=f"{words}. The core writes {where(core)}: {_there(evidence, held)}.")


def _settled(evidence: Evidence, place: Place, words: str) -> _Ruling:
    """Where core and engine mean one place: what the store says about it."""
    held = stored_at(evidence, place)
    at = f"{words}: {where(place)}"
    match held.status:
        case "present":
            return _Ruling(verdict="agree", place=place, summary=f"{at}; {_there(evidence, held)}.")
        case "absent" if (left := _left_behind(evidence)) is not None:
            return _old_key(evidence, place, left)
        case "absent" if held.kept is not None and held.kept.deleted is not None and held.kept.earlier:
            return _deleted(evidence, place, held.kept)
        case "absent":
            return _Ruling(
                verdict="agree",
                place=place,
                summary=f"{at}; nothing is stored there yet, so a plan creates everything: right before the first apply only.",
            )
        case _ if place.type == "local":
            return _Ruling(
                verdict="agree", place=place, summary=f"{at}; no store keeps it, and it is lost where the workspace is."
            )
        case _:
            could = "" if outside(place, evidence.storage) else "this console could not look at what is stored there: "
            return _Ruling(
                verdict="unknown", place=place, summary=f"Not known: {words.lower()} on {where(place)}, but {could}{held.detail}."
            )


def _deleted(evidence: Evidence, place: Place, kept: Kept) -> _Ruling:
    cause = Cause(
        code="state_deleted",
        fact=f"core and engine mean {where(place)}, and the state there was {kept.words(evidence.now)}",
        wrong="the store: somebody deleted the object, so a plan creates everything once more",
        remedy="Restore the version that was right before anything is planned; the bucket view shows them.",
    )
    summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
    return _Ruling(verdict="disagree", place=place, cause=cause, summary=summary)


def _there(evidence: Evidence, held: Stored) -> str:
    if held.status == "absent":
        return "nothing is stored there"
    if held.status == "unknown":
        return f"what is stored there is not known ({held.detail})"
    return f"the store holds {serial(held)}" + (f", {lock}" if (lock := locked(evidence, held)) else "")


def _left_behind(evidence: Evidence) -> Candidate | None:
    return next((candidate for candidate in evidence.candidates if candidate.strong), None)


def _old_key(evidence: Evidence, place: Place, left: Candidate) -> _Ruling:
    old = replace(place, key=left.stored.key)
    move = moving(evidence, old, place)
    cause = Cause(
        code="left_behind",
        fact=f"nothing is stored under the project's key ({short(place.key or '')}), and a state ({serial(left.stored)}) is "
        f"under another one ({short(left.stored.key)}): {left.why}",
        wrong="the key that is in use now, if this is the same project",
        remedy=f"{move.words} Or spell the project as before.",
        steps=move.steps,
    )
    return _Ruling(verdict="disagree", place=place, cause=cause, summary=f"They disagree: {cause.fact}. {cause.remedy}")
