"""Managed state is off, and the core's override is still in the folder: that file is wrong, and not what the engine has bound."""

from __future__ import annotations

import shlex

from kumoss_console.model.backend.leftover import MANAGED_KEY
from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Evidence, Stored
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.steps import NextStep, keep_copy, rebind
from kumoss_console.model.trace.wording import held_at, serial, where


def leftover_override(evidence: Evidence) -> Cause | None:
    """The cause where the override would be, or is, in force although the core writes none."""
    written, bound = evidence.written, evidence.engine.place
    if evidence.storage.managed or written is None or written.place is None or written.beaten_by:
        return None
    if MANAGED_KEY.search(written.place.key or "") is None or evidence.engine.status not in {"bound", "unbound"}:
        return None
    in_force = bound is not None and not parted(bound, written.place)
    held = _held(evidence, bound) if bound is not None else None
    if bound is None or held is None:
        now = f"the next init binds {where(written.place)}"
    elif in_force:
        now = f"it is in force: the engine is bound to {where(bound)}, which {_holds(held)}"
    else:
        whose = (
            "the repository's block" if evidence.own is not None and not parted(evidence.own.place, bound) else "another place"
        )
        now = f"the engine is bound to {whose} ({where(bound)}, which {_holds(held)}), and the next init would bind "
        now += where(written.place)
    words, steps = _remedy(evidence, held if in_force else None)
    return Cause(
        code="leftover_override",
        fact=f"managed state is off in this context, so the repository's block decides, and {written.file}, which the core wrote "
        f"when it was on, still lies in the folder; {now}{_own(evidence, bound)}",
        wrong=f"{written.file}, if managed state is off as this context says",
        remedy=words,
        steps=steps,
    )


def _own(evidence: Evidence, bound: Place | None) -> str:
    own = evidence.own
    if own is None:
        return "; the repository declares no backend of its own"
    if bound is not None and not parted(own.place, bound):
        return ""
    return f"; the repository's own block ({own.at}) says {where(own.place)}, which {_holds(own.stored)}"


def _remedy(evidence: Evidence, held: Stored | None) -> tuple[str, tuple[NextStep, ...]]:
    """``held`` is what lies where the override is in force, ``None`` where it is not."""
    written, own = evidence.written, evidence.own
    name = written.file if written is not None else evidence.override_name
    if own is None:
        return (
            f"Once {name} is removed nobody keeps the state: declare a backend in the module first, or turn managed state on, "
            "and only then remove the file.",
            (),
        )
    file = f"{evidence.workspace}/{name}" if evidence.workspace else name
    remove = NextStep(purpose="remove the core's override", command=f"rm {shlex.quote(file)}")
    if held is None:
        return f"Remove {name}, then init -reconfigure; nothing is to be carried over.", (remove, *rebind(evidence))
    match held.status:
        case "absent":
            return f"Remove {name}, then init -reconfigure; nothing lies at the managed key.", (remove, *rebind(evidence))
        case "unknown":
            return f"Look at what lies at the managed key before {name} is removed: no init carries it over.", ()
    if own.stored.status == "present":
        return "Two states: find out which one is live, by serial, resources and age, before the file is removed.", ()
    return (
        f"The live state is under the managed key: keep a copy, then remove {name} and init -reconfigure, and carry that copy "
        "over by hand once the place of the repository was seen to be empty; plan nothing before that.",
        (keep_copy(evidence), remove, rebind(evidence)[0]),
    )


def _held(evidence: Evidence, place: Place) -> Stored:
    own = evidence.own
    return own.stored if own is not None and own.erased and not parted(own.place, place) else held_at(evidence, place)


def _holds(held: Stored) -> str:
    match held.status:
        case "present":
            return f"holds {serial(held)}"
        case "absent":
            return "holds nothing"
    return f"was not looked at ({held.detail})"
