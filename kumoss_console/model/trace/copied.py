"""A binding or an override that came into this folder with a copy: the project whose key it holds still lives elsewhere.

A managed key is one module's. Where the clone shows that this folder is not that module, and the module's own folder is there,
nothing moved: carrying the state would take it from its owner.
"""

from __future__ import annotations

import shlex

from kumoss_console.model.trace.conflict import Cause, Conflict
from kumoss_console.model.trace.evidence import Evidence, Holder
from kumoss_console.model.trace.inuse import live_elsewhere
from kumoss_console.model.trace.ownproject import MANAGED, at_the_top
from kumoss_console.model.trace.place import Place, parted
from kumoss_console.model.trace.steps import NextStep, rebind
from kumoss_console.model.trace.suspects import Identity
from kumoss_console.model.trace.wording import held_at, serial, short


def copied_binding(conflict: Conflict) -> Cause | None:
    """The engine is bound to the key of another module of this clone, which is still there."""
    if not conflict.bound or "key" not in conflict.names:
        return None
    home = _home(conflict.evidence, conflict.other)
    return _copied(conflict.evidence, conflict.other, home, by_core=False) if home else None


def held_by_copy(evidence: Evidence, place: Place) -> Cause | None:
    """``place`` is what override and engine agree on, or the override alone names: a key that is not this folder's."""
    home = _home(evidence, place)
    if home:
        return _copied(evidence, place, home, by_core=True)
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
        elsewhere = owner.repo in around.repos and not around.lies_at(owner.path)
        there = owner.path in around.modules or (owner.path == "" and "." in around.modules)
        return (owner.path or ".") if elsewhere and there else ""
    inside = [one for one in evidence.holders if one.key == place.key and one.module and not around.lies_at(one.module)]
    older = [one.module for one in inside if one.module in around.modules and _before(evidence, one)]
    return older[0] if older else ""


def _before(evidence: Evidence, one: Holder) -> bool:
    """Whether the other folder had the key first, as far as that is known: a copy is younger than what it was made from."""
    at = evidence.engine.at if evidence.engine.at is not None else evidence.written.at if evidence.written is not None else None
    return at is None or one.at is None or one.at <= at


def _owner(evidence: Evidence, place: Place) -> Identity | None:
    return evidence.identities.get((place.key or "").partition("/")[0])


def _copied(evidence: Evidence, place: Place, home: str, *, by_core: bool) -> Cause:
    live = [one for one in live_elsewhere(evidence, place.key) if one.module == home]
    shown = "the top" if home == "." else home
    there = "folder and workspace are" if live else "folder is"
    owner = _owner(evidence, place)
    whose = f"{shown} ({short(place.key or '')}" + (f", {owner.words})" if owner is not None else ")")
    here = evidence.around.path if evidence.around is not None and evidence.around.path not in {"", "."} else "the top"
    bound = evidence.engine.place is not None and not parted(evidence.engine.place, place)
    engine = f"-chdir={shlex.quote(evidence.workspace)}" if evidence.workspace else ""
    names = evidence.declared is not None and evidence.declared.place is not None and not by_core
    again = rebind(evidence)[:1] if names and evidence.declared is not None and evidence.declared.complete else ()
    folder = shlex.quote(f"{evidence.workspace}/.terraform")
    removed = (NextStep(purpose="remove what came with the copy; it holds no state", command=f"rm -r {folder}"),)
    written = "" if not by_core else f" Let the core write {evidence.override_name} for this folder's own project first."
    danger = f"an apply here before that would change the resources of {shown}"
    return Cause(
        code="copied_binding",
        fact=f"{_holding(evidence, place)} the key of {whose}, whose {there} still there, and this folder lies at {here} of the "
        f"same clone: it was copied from {shown}, or got its files{_held(evidence, place)}",
        wrong=("the copied .terraform" if not by_core else f"{evidence.override_name}" + (" and the binding" if bound else "")),
        remedy=f"Apply nothing: {danger}.{written} Then remove .terraform here and run init -reconfigure"
        f"{'' if engine else ' in this folder'}; never carry that state over, it is in use.",
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
