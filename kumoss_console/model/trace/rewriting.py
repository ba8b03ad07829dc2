"""What is left behind where an override is written for another key than the workspace has."""

from __future__ import annotations

from kumoss_console.model.project import ProjectKey
from kumoss_console.model.trace.judge import Trace
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.placed import disproof
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import listed, serial, stored_at


def not_this_folders(trace: Trace, key: ProjectKey) -> str:
    """A sentence where the clone around the workspace shows that it is another project than that of ``key``; else empty."""
    why = disproof(trace.evidence, Identity.of(key))
    return f" The folder is not that of this project: {listed(why)}." if why else ""


def held_otherwise(trace: Trace, key: str) -> str:
    """A sentence to go after another one, with a blank in front; empty where nothing in the workspace names another key."""
    evidence = trace.evidence
    written = evidence.written.place if evidence.written is not None else None
    others: dict[str, tuple[Place, list[str]]] = {}
    for place, verb in ((written, "its override names"), (evidence.engine.place, "the engine is bound to")):
        if place is not None and place.key is not None and place.key != key and place.type != "local":
            others.setdefault(place.key, (place, []))[1].append(verb)
    said = []
    for other, (at, who) in others.items():
        held = stored_at(evidence, at)
        identity = evidence.identities.get(other.partition("/")[0])
        whose = f" ({identity.words})" if identity is not None else ""
        there = {"present": f"which holds {serial(held)}", "absent": "where nothing is stored"}.get(
            held.status, f"and what is there is not known ({held.detail})"
        )
        said.append(f"{' and '.join(who)} {other}{whose}, {there}")
    if not said:
        return ""
    return f" It is another project's so far: {'; '.join(said)}. The next init leaves that behind, and moves no state."
