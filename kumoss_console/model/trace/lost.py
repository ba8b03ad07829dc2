"""A state that is not there although one was written: lost, and no workspace before its first apply."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from kumoss_console.model.duration import in_words
from kumoss_console.model.names import operation_name
from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Applied, Evidence, Stored
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.wording import listed, where

_LINGERS = timedelta(hours=1)
"""A lock of an apply that is older, and no state: the apply that took it is no first one under way."""


def state_lost(evidence: Evidence, place: Place, held: Stored) -> Cause | None:
    """``held`` is absent at ``place``. A cause where something proves that a state was written to it."""
    proofs = tuple(_proofs(evidence, place, held))
    if not proofs:
        return None
    return Cause(
        code="state_lost",
        fact=f"{meant(evidence)} {where(place)}, and nothing is stored there, though {listed(proofs)}",
        wrong="the store: the state is gone, so a plan creates everything once more",
        remedy="Apply nothing. Look for the state (a backup of the store, errored.tfstate or a backup in the workspace, "
        "kumoss-console key --owner for another key); where there is none, import what exists.",
    )


def meant(evidence: Evidence) -> str:
    """Who means the place: what the engine bound may not be known, or nothing be bound yet."""
    return "core and engine mean" if evidence.engine.status == "bound" else "the core writes"


def earlier_words(evidence: Evidence) -> str:
    """What there is to say of an apply that proves nothing of this place; empty, or to go on after *is not known*."""
    old = [_aged(evidence, one) for one in evidence.applied if one.at is not None]
    return f": {listed(old)}, before the last init, which may have bound another place then" if old else ""


def _proofs(evidence: Evidence, place: Place, held: Stored) -> Iterator[str]:
    for one in evidence.applied:
        if one.at is None or _at_this_place(evidence, place, one):
            yield _aged(evidence, one)
    apply = operation_name(held.operation) == "apply"
    if held.lock_status == "locked" and apply and held.since is not None and evidence.now - held.since > _LINGERS:
        yield f"the lock of an apply lies there for {in_words(evidence.now - held.since)}"


def _at_this_place(evidence: Evidence, place: Place, one: Applied) -> bool:
    """Whether the place was bound, or named by the override, before that apply: nothing has bound another one since."""
    if one.at is None:
        return False
    engine, written = evidence.engine, evidence.written
    bound = engine.place is not None and not parted(engine.place, place) and engine.at is not None and engine.at <= one.at
    named = (
        written is not None
        and written.place is not None
        and not parted(written.place, place)
        and written.at is not None
        and written.at <= one.at
    )
    return bound or named


def _aged(evidence: Evidence, one: Applied) -> str:
    return one.words if one.at is None else f"{one.words} {in_words(evidence.now - one.at)} ago"
