"""A binding or an override that came into this folder with a copy: the project whose key it holds still lives elsewhere.

A managed key is one module's. Where the clone shows that this folder is not that module, and the module's own folder is there,
nothing moved: carrying the state would take it from its owner.
"""

from __future__ import annotations

import shlex

from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.inuse import live_elsewhere
from kumoss_console.model.trace.ownproject import MANAGED, at_the_top
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.steps import NextStep, rebind
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import held_at, listed, serial, short


def copied_binding(conflict: Conflict) -> Cause | None:
    """The engine is bound to the key of another module of this clone, which is still there."""
    if not conflict.bound or "key" not in conflict.names:
        return None
    home = _home(conflict.evidence, conflict.other)
    if home:
        return _copied(conflict.evidence, conflict.other, home)
    return _shared_in_clone(conflict.evidence, conflict.other)


def held_by_copy(evidence: Evidence, place: Place) -> Cause | None:
    """``place`` is what override and engine agree on, or the override alone names: a key that is not this folder's."""
    home = _home(evidence, place)
    if home:
        return _copied(evidence, place, home)
    if (shared := _shared_in_clone(evidence, place)) is not None:
        return shared
    owner, around = _owner(evidence, place), evidence.around
    if owner is None or around is None or owner.repo not in around.repos or around.lies_at(owner.path):
        return None
    here = around.path or "the top"
    return Cause(
        code="project_changed",
        fact=f"{_holding(evidence, place)} the key of {owner.words} ({short(place.key or '')}), and the folder lies at {here} of "
        f"its clone, in which there is no module {at_the_top(owner.path)} any more: likely the module moved, and the core has "
        f"not written its new key yet{_held(evidence, place)}",
        wrong="the override on disk, if the module moved",
        remedy=f"Trace it as the project that it is now (--path {shlex.quote(around.path or '.')}) before anything is applied: "
        "the core's next init binds the new key, and moves no state.",
    )


def _home(evidence: Evidence, place: Place) -> str:
    """The folder of this clone that ``place``'s key belongs to, where that is another one than the workspace's; else empty."""
    around = evidence.around
    if around is None or MANAGED.fullmatch(place.key or "") is None:
        return ""
    owner = _owner(evidence, place)
    if owner is not None:
        seen = any(one.key == place.key and one.module == (owner.path or ".") for one in evidence.holders)
        elsewhere = (seen or owner.repo in around.repos) and not around.lies_at(owner.path)
        there = owner.path in around.modules or (owner.path == "" and "." in around.modules)
        return (owner.path or ".") if elsewhere and there else ""
    return ""


def _shared_in_clone(evidence: Evidence, place: Place) -> Cause | None:
    """A key of nobody known that another module of the clone has as well: one of the two is a copy, and which is not known."""
    around = evidence.around
    if around is None or MANAGED.fullmatch(place.key or "") is None or _owner(evidence, place) is not None:
        return None
    others = [one.module for one in evidence.holders if one.key == place.key and one.module in around.modules]
    others = [one for one in others if not around.lies_at(one)]
    if not others:
        return None
    other = "the top" if others[0] == "." else others[0]
    here = around.path if around.path not in {"", "."} else "the top"
    return Cause(
        code="copied_binding",
        fact=f"{_holding(evidence, place)} a key ({short(place.key or '')}) that {other} of the same clone has as well, and one "
        f"key is of one module: one of {here} and {other} was copied from the other, and which is not known without their "
        f"project{_held(evidence, place)}",
        wrong="the one that was copied",
        remedy=f"Apply nothing in either before that is known: it may change the resources of the other. Trace {here} with its "
        "--repo, --scope and --path. The state is never carried; in the copy, .terraform and the override go, then init "
        "-reconfigure.",
    )


def _owner(evidence: Evidence, place: Place) -> Identity | None:
    return evidence.identities.get((place.key or "").partition("/")[0])


def _copied(evidence: Evidence, place: Place, home: str) -> Cause:
    live = [one for one in live_elsewhere(evidence, place.key) if one.module == home]
    shown = "the top" if home == "." else home
    there = "folder and workspace are" if live else "folder is"
    owner = _owner(evidence, place)
    whose = f"{shown} ({short(place.key or '')}" + (f", {owner.words})" if owner is not None else ")")
    here = evidence.around.path if evidence.around is not None and evidence.around.path not in {"", "."} else "the top"
    bound = evidence.engine.place is not None and not parted(evidence.engine.place, place)
    by_core = evidence.written is not None and evidence.written.place is not None and not parted(evidence.written.place, place)
    declared = evidence.declared
    ready = evidence.written is not None and not by_core and declared is not None and declared.complete
    again = rebind(evidence)[:1] if ready else ()
    folder = shlex.quote(f"{evidence.workspace}/.terraform")
    removed = (NextStep(purpose="remove what came with the copy; it holds no state", command=f"rm -r {folder}"),)
    written = "" if ready else f" Let the core write {evidence.override_name} for this folder's own project first."
    danger = f"an apply here before that would change the resources of {shown}"
    return Cause(
        code="copied_binding",
        fact=f"{_holding(evidence, place)} the key of {whose}, whose {there} still there, and this folder lies at {here} of the "
        f"same clone: it was copied from {shown}, or got its files{_held(evidence, place)}",
        wrong=listed((*((evidence.override_name,) if by_core else ()), *(("the copied .terraform",) if bound else ()))),
        remedy=f"Apply nothing: {danger}.{written} Then remove .terraform here and run init -reconfigure; "
        f"never carry that state over, it is in use.",
        steps=(*removed, *again) if bound and evidence.workspace else (),
    )


def _holding(evidence: Evidence, place: Place) -> str:
    written = evidence.written
    named = written is not None and written.place is not None and not parted(written.place, place)
    bound = evidence.engine.place is not None and not parted(evidence.engine.place, place)
    if named and bound:
        return "override and engine hold"
    return "the engine is bound to" if bound else "the override on disk names"


def _held(evidence: Evidence, place: Place) -> str:
    held = held_at(evidence, place)
    return f"; it holds {serial(held)}" if held.status == "present" else ""
