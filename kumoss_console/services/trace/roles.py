"""Why a key of the store was looked at, and whose it is."""

from __future__ import annotations

from dataclasses import replace

from kumoss_console.model.trace import Evidence, Place, Stored
from kumoss_console.model.trace.place import default_place
from kumoss_console.services.trace.project import Surveyed


def with_roles(stored: Stored, evidence: Evidence, surveyed: Surveyed) -> Stored:
    """``stored`` with its roles in words, and the project that its key is the digest of."""
    selected = evidence.selected
    identity = surveyed.identities.get(stored.key.partition("/")[0])
    written = evidence.written.place if evidence.written is not None else None
    roles = []
    for role, place in (
        ("the core writes", _unselected(evidence.derived, selected)),
        ("the override names", _unselected(written, selected)),
        ("the engine bound", evidence.engine.place),
        ("the files name", evidence.declared.place if evidence.declared is not None else None),
    ):
        if place is not None and place.key == stored.key:
            roles.append(role)
    return replace(stored, role=", ".join(roles[:2]), owner=identity.words if identity is not None else "")


def _unselected(place: Place | None, selected: str) -> Place | None:
    return default_place(place, selected) if place is not None else None
