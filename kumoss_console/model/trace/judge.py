"""Evidence -> one verdict. Never a guess: what could not be looked at is unknown, unless what is known contradicts already."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from kumoss_console.model.backend.engine import ASSUMED
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.trace.amended import amended
from kumoss_console.model.trace.causes import cause_of
from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.layers import Layer, layers_of
from kumoss_console.model.trace.place import Place, may_be_one_store, outside, parted
from kumoss_console.model.trace.placed import placed
from kumoss_console.model.trace.remarks import remarks
from kumoss_console.model.trace.selected import of_the_selected, unselected_core
from kumoss_console.model.trace.settled import Ruling, Verdict, another_store, settled, unkept, unless_left_behind
from kumoss_console.model.trace.sharedfile import shared_key, unread_file
from kumoss_console.model.trace.steps import NextStep
from kumoss_console.model.trace.wording import capital, serial, stored_at, where


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


def judge(evidence: Evidence) -> Trace:
    """The verdict on ``evidence``, with the layers as they are shown."""
    core = core_place(evidence)
    ruling = amended(evidence, core, _shared(evidence, placed(evidence, _rule(evidence, core))))
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
        layers=layers_of(evidence, unselected_core(evidence, _shown_core(evidence, core, cause)), ruling.place),
        findings=(*found, *remarks(evidence, core, cause.code if cause is not None else ""), *_engine_doubt(evidence, cause)),
        steps=cause.steps if cause is not None else (),
        evidence=evidence,
        at=evidence.now,
    )


def _shown_core(evidence: Evidence, core: Place | None, cause: Cause | None) -> Place | None:
    """What the core wrote, where the given project is not this workspace's: the core never wrote that one's key there."""
    foreign = cause is not None and cause.code == "other_project"
    return evidence.written.place if foreign and evidence.written is not None and evidence.written.place is not None else core


def _engine_doubt(evidence: Evidence, cause: Cause | None) -> tuple[Finding, ...]:
    """Where the next commands are written for an engine that nothing names."""
    named = any(step.command.startswith(evidence.engine_name) for step in cause.steps) if cause is not None else False
    if not named or evidence.engine_note != ASSUMED:
        return ()
    other = "terraform" if evidence.engine_name == "tofu" else "tofu"
    return (
        Finding(
            code="trace.engine_assumed",
            severity=Severity.INFO,
            subject="the commands",
            message=f"they are written for {evidence.engine_name}, which nothing here names: the sidecar may run {other}",
            remedy=f"Type the engine that the sidecar runs, or trace again with --engine {other}.",
        ),
    )


def core_place(evidence: Evidence) -> Place | None:
    """Where the core writes, or wrote; where the repository's files say where it writes nothing. ``None`` where unknown."""
    if not evidence.storage.managed:
        return evidence.declared.place if evidence.declared is not None else None
    written = evidence.written.place if evidence.written is not None else None
    if evidence.derived is not None:
        # A host may have one name for the core and another one here; all else is the project's own.
        if written is not None and parted(evidence.derived, written) == ("store",):
            known = not outside(written, evidence.reads)
            return written if known or may_be_one_store(evidence.derived.store, written.store) else evidence.derived
        return evidence.derived
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


def _rule(evidence: Evidence, core: Place | None) -> Ruling:
    engine = evidence.engine
    if engine.status == "bound" and engine.place is not None:
        return _bound(evidence, core, engine.place)
    if engine.status == "unbound":
        return _unbound(evidence, core)
    return _engine_not_known(evidence, core)


def _bound(evidence: Evidence, core: Place | None, bound: Place) -> Ruling:
    if core is None:
        return _core_not_known(evidence, bound)
    if not evidence.storage.managed and _files_unread(evidence):
        cause = unread_file(evidence, core, bound)
        said = f"{cause.fact}. {cause.remedy}" if cause is not None else f"the engine is bound to {where(bound)}, and {_UNREAD}."
        return Ruling(verdict="unknown", place=bound, cause=cause, summary=f"Not known: {said}")
    names = parted(core, bound)
    open_ = may_be_one_store(core.store, bound.store)
    if names == ("store",) and evidence.written is None and evidence.storage.managed and open_:
        # Nothing on disk says which name of the store the core uses.
        return Ruling(
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
    if evidence.derived is not None and parted(evidence.derived, bound) == ("store",) and outside(bound, evidence.reads):
        return another_store(evidence, evidence.derived, bound)
    return settled(evidence, bound, "They agree")


def _shared(evidence: Evidence, ruling: Ruling) -> Ruling:
    """One state for all workspaces is named whatever the rest says; it disagrees where somebody else's state is proven."""
    cause = shared_key(evidence, ruling.place, bound=evidence.engine.status == "bound") if ruling.cause is None else None
    if cause is None:
        return ruling
    if (evidence.declared is not None and evidence.declared.beats) or evidence.sharing:
        summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
        return replace(ruling, verdict="disagree", cause=cause, summary=summary)
    return replace(ruling, cause=cause, summary=f"{ruling.summary} And {cause.fact}. {cause.remedy}")


def _disagree(conflict: Conflict, place: Place) -> Ruling:
    cause = cause_of(conflict)
    return Ruling(
        verdict="disagree",
        place=place,
        cause=cause,
        summary=f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}",
    )


def _core_not_known(evidence: Evidence, bound: Place) -> Ruling:
    held = stored_at(evidence, bound)
    there = {"present": f"holds {serial(held)}", "absent": "holds nothing"}.get(held.status, f"is not known ({held.detail})")
    why = (
        "this workspace has no override of the core, and belongs to no known project"
        if evidence.storage.managed
        else "the engine refuses what the files say"
    )
    return Ruling(
        verdict="unknown",
        place=bound,
        summary=f"Not known: the engine is bound to {where(bound)}, which {there}; what it should be bound to is not known, "
        f"since {why}.",
    )


def _unbound(evidence: Evidence, core: Place | None) -> Ruling:
    declared = evidence.declared
    binds = declared.place if declared is not None else None
    if not evidence.storage.managed:
        if _files_unread(evidence):
            return Ruling(verdict="unknown", summary=f"Not known: nothing is bound, and {_UNREAD}.")
        if binds is None:
            return Ruling(
                verdict="unknown", summary="Not known: nothing is bound, and the engine refuses what the files say; see below."
            )
        if declared is not None and not declared.block:
            return unkept(binds)
        return settled(
            evidence, binds, f"Nothing is bound yet; the next init binds what the files say{of_the_selected(evidence)}"
        )
    if core is None:
        return Ruling(
            verdict="unknown",
            place=binds,
            summary="Not known: nothing is bound, the core's override is not in the folder, and it belongs to no known project: "
            "give repository and scope as well.",
        )
    if evidence.written is not None and binds is not None and (names := parted(core, binds)):
        return _disagree(Conflict(evidence=evidence, core=core, other=binds, names=names, bound=False), binds)
    if evidence.sidecar_file is None or (declared is not None and not declared.complete):
        return unless_left_behind(
            evidence,
            core,
            "Not known: nothing is bound yet, and what the sidecar lays over the core's override is not known here",
        )
    if evidence.written is not None and binds is None:
        return unless_left_behind(evidence, core, "Not known: nothing is bound, and the engine refuses what the files say")
    if evidence.sidecar_file.strip() and evidence.written is None:
        return unless_left_behind(
            evidence, core, "Not known: nothing is bound, and the sidecar's file is laid over an override that is not written yet"
        )
    return settled(evidence, core, f"Nothing is bound yet; the next init binds what the core writes{of_the_selected(evidence)}")


_UNREAD = "not every file that may name a backend could be read, so what the next init binds is not known; see below"


def _files_unread(evidence: Evidence) -> bool:
    return evidence.declared is not None and not evidence.declared.complete


def _engine_not_known(evidence: Evidence, core: Place | None) -> Ruling:
    reason = evidence.engine.detail or "nobody could look"
    if core is None:
        said = "managed state is off, and the repository's own backend decides" if not evidence.storage.managed else "no project"
        return Ruling(verdict="unknown", summary=f"Not known: {said}; what the engine bound is not known: {reason}.")
    return unless_left_behind(evidence, core, f"Not known: what the engine bound could not be looked at ({reason})")
