"""What outranks a verdict that two layers agree, or that one is not known: faults that lie beside the two places compared."""

from __future__ import annotations

from dataclasses import replace

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.leftover import leftover_override
from kumoss_console.model.trace.localbeside import local_state_beside
from kumoss_console.model.trace.mixed import mixed_ownership
from kumoss_console.model.trace.ownblock import block_erased
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.selected import workspace_selected
from kumoss_console.model.trace.settled import Ruling


def amended(evidence: Evidence, core: Place | None, ruling: Ruling) -> Ruling:
    """``ruling`` with the first of these faults as its cause; told beside it where it disagrees for another cause already."""
    if (leftover := leftover_override(evidence)) is not None:
        return disagreeing(ruling, leftover)
    mixed = mixed_ownership(evidence, core)
    if mixed is not None and ruling.verdict == "disagree":
        return replace(ruling, summary=f"{ruling.summary} And {mixed.fact}. {mixed.remedy}")
    if ruling.verdict == "disagree":
        return ruling
    place = ruling.place or core
    cause = mixed or local_state_beside(evidence, place) or workspace_selected(evidence, place) or block_erased(evidence, place)
    if cause is None:
        return ruling
    if cause.code == "block_erased" and evidence.own is not None and evidence.own.stored.status == "unknown":
        return replace(ruling, cause=cause, summary=f"{ruling.summary} But {cause.fact}. {cause.remedy}")
    return disagreeing(ruling, cause)


def disagreeing(ruling: Ruling, cause: Cause) -> Ruling:
    """``ruling`` turned by ``cause``."""
    summary = f"They disagree: {cause.fact}. Wrong: {cause.wrong}. {cause.remedy}"
    return replace(ruling, verdict="disagree", cause=cause, summary=summary)
