"""The repository's own block, erased by the core's override: where the state is that a plan wants to create once more."""

from __future__ import annotations

from dataclasses import replace

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Evidence, OwnBlock
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.steps import moving
from kumoss_console.model.trace.wording import full, serial, stored_at, where

_OFF = (
    "Where the repository is to keep its state, turn managed state off (storage.terraform_state_bucket blank, then rebuild the "
    "core), and apply nothing before that"
)


def block_erased(evidence: Evidence, place: Place | None) -> Cause | None:
    """A state, or possibly one, where the erased block says, and nothing at ``place``, which is in force."""
    own = erased_elsewhere(evidence, place)
    if own is None or place is None or not evidence.storage.managed or stored_at(evidence, place).status != "absent":
        return None
    if own.stored.status == "absent":
        return None
    names = f"the repository's block ({own.at}, erased by the override) says {full(own.place)}"
    if own.stored.status == "unknown":
        return Cause(
            code="block_erased",
            fact=f"{names}, and the state may lie there: {own.stored.detail}",
            wrong="possibly the configuration: managed state hides the repository's own backend",
            remedy=f"Look there first. {_OFF}.",
        )
    told = replace(evidence, stored={**evidence.stored, own.stored.key: own.stored})
    move = moving(told, own.place, place)
    return Cause(
        code="block_erased",
        fact=f"{names}, where {serial(own.stored)} lies, and nothing is stored at {where(place, than=own.place)}: an override "
        "replaces the block whole, without a word, and no init carries a state over",
        wrong="the configuration, if the repository is to keep its state; else the state was never carried over",
        remedy=f"{_OFF}. Where the core is to keep it: {move.words}",
        steps=move.steps,
    )


def erased_elsewhere(evidence: Evidence, place: Place | None) -> OwnBlock | None:
    """The erased block where it names another place than ``place``."""
    own = evidence.own
    return own if own is not None and own.erased and place is not None and parted(own.place, place) else None
