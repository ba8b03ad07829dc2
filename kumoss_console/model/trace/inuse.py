"""Other workspaces that are bound to a key: its state is in use, and nobody carries it away."""

from __future__ import annotations

from kumoss_console.model.trace.evidence import Evidence, Holder
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.wording import listed, where

_MOST_NAMES = 3


def live_elsewhere(evidence: Evidence, key: str | None) -> tuple[Holder, ...]:
    """Other workspaces that are bound to ``key``; what is left in a folder of this clone without a module is none."""
    modules = evidence.around.modules if evidence.around is not None else ()
    return tuple(one for one in evidence.holders if one.bound and one.key == key and (not one.module or one.module in modules))


def in_use(evidence: Evidence, place: Place) -> str:
    """A sentence where other workspaces are bound to ``place``; empty where none is known to be."""
    others = live_elsewhere(evidence, place.key)
    if not others:
        return ""
    more = f" and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
    names = listed(tuple(one.name for one in others[:_MOST_NAMES])) + more
    return (
        f"The old place ({where(place)}) is in use: {names} {'is' if len(others) == 1 else 'are'} bound there as well, so no "
        "commands are given: find out whether that is the same project before anything is initialised or carried."
    )
