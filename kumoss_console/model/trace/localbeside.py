"""A local state in the folder while another place is to be bound: somebody applied here, and the next init stops at it.

Checked by running: with resources in ``terraform.tfstate``, ``init -input=false -reconfigure`` of any other backend exits 1 with
"Can't ask approval for state migration", each time, until that file is gone.
"""

from __future__ import annotations

from dataclasses import replace

from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.steps import DEFAULT_FILE, moving
from kumoss_console.model.trace.wording import held_at, serial, stored_at, where

STOPS = "the next init stops at it (it may not ask whether to migrate), and -reconfigure carries nothing"


def local_state_beside(evidence: Evidence, place: Place | None) -> Cause | None:
    """The cause where the local state is the only one, or nothing is bound: ``place`` is the one that is to be in force."""
    found = evidence.beside
    if found is None or not found.readable or not found.resources or place is None or place.type == "local":
        return None
    if evidence.engine.status == "bound" and stored_at(evidence, place).status != "absent":
        return None
    told = replace(evidence, local=found)
    move = moving(told, Place(type="local", key=found.key, store=""), place)
    there = held_at(evidence, place)
    other = {"present": f"holds {serial(there)}", "absent": "holds nothing"}.get(there.status, f"is not known ({there.detail})")
    return Cause(
        code="local_state_beside",
        fact=f"a local state ({found.key}: {serial(found)}) lies in the workspace, so an engine applied here without a backend; "
        f"{STOPS}; {where(place)} {other}",
        wrong="the workspace: its resources are in no store",
        remedy=f"Keep a copy of the file before anything else. {move.words}",
        steps=move.steps,
    )


def local_state_bound(conflict: Conflict) -> Cause | None:
    """The engine is bound to the plain local file, and another backend is to be in force."""
    evidence, other = conflict.evidence, conflict.other
    held = held_at(evidence, other)
    if other.type != "local" or other.key != DEFAULT_FILE or conflict.core.type == "local" or not held.resources:
        return None
    return Cause(
        code="local_state_beside",
        fact=f"{conflict.verb} {where(other)} ({serial(held)}), so an engine applied here without a backend, and not to "
        f"{where(conflict.core)}; {STOPS}",
        wrong="the workspace: its resources are in no store",
        remedy=f"Keep a copy of the file before anything else. {conflict.carrying.words}",
        steps=conflict.carrying.steps,
    )
