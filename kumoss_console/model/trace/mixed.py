"""Two owners at once: the core writes an override, and the sidecar lays a file over it. That is to be mended first."""

from __future__ import annotations

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.wording import where

_REMEDY = (
    "Unset IAC_BACKEND_CONFIG on the sidecar, or turn managed state off, before anything else: "
    "one of the two has to own the state."
)


def mixed_ownership(evidence: Evidence, core: Place | None) -> Cause | None:
    """The cause where both decide, whatever is bound so far."""
    if evidence.ownership.model != "mixed":
        return None
    file = (evidence.sidecar_file or "").strip() or "the sidecar's file"
    return Cause(
        code="mixed_ownership",
        fact=f"managed state is on and the sidecar gives {file} to every init: the next init lays that file over the core's "
        f"override key by key, and {_binds(evidence, core)}",
        wrong="the configuration: two own the state",
        remedy=_REMEDY,
    )


def _binds(evidence: Evidence, core: Place | None) -> str:
    declared = evidence.declared
    unseen = any(finding.code == "reader.file_not_seen_from_here" for finding in evidence.inspection)
    if declared is None or unseen or not declared.complete:
        own = f" ({where(core)})" if core is not None else ""
        return f"what it makes of the core's place{own} is not known here: each value in the file wins"
    if declared.place is None:
        return "the engine refuses what comes of it, or the override is not written yet"
    keyed = f", whose key the file sets ({declared.key_at})" if declared.key_from == "backend-config" else ""
    before = "" if evidence.written is not None else ", before the core writes its override,"
    return f"by the files here{before} binds {where(declared.place)}{keyed}"
