"""Another workspace of the engine than the default one is selected: it has a key of its own, which the core never wrote."""

from __future__ import annotations

import shlex

from kumoss_console.model.trace.conflict import Cause
from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place, default_place
from kumoss_console.model.trace.steps import NextStep
from kumoss_console.model.trace.wording import serial, short, stored_at


def workspace_selected(evidence: Evidence, place: Place | None) -> Cause | None:
    """Nothing at the key of the selected workspace, and a state at that of the default one."""
    selected = evidence.selected
    if place is None or place.type == "local" or selected == "default" or stored_at(evidence, place).status != "absent":
        return None
    plain = default_place(place, selected)
    held = stored_at(evidence, plain)
    if plain == place or held.status != "present":
        return None
    engine = f"{evidence.engine_name} -chdir={shlex.quote(evidence.workspace)}" if evidence.workspace else evidence.engine_name
    unbound = evidence.engine.status == "unbound"
    # A selection can only be changed where a backend is bound, and init stops at one that does not exist.
    init = NextStep(
        purpose="bind what the files say, whatever is selected", command=f"TF_WORKSPACE=default {engine} init -input=false"
    )
    return Cause(
        code="workspace_selected",
        fact=f"{'nothing is bound yet, and ' if unbound else ''}the engine's workspace {selected} is selected "
        f"(.terraform/environment, or TF_WORKSPACE), so the engine {'is to read' if unbound else 'reads'} key "
        f"{short(place.key or '')}, where nothing is stored; the default workspace's key ({short(plain.key or '')}) holds "
        f"{serial(held)}, and a plan of {selected} creates all of it once more{first_init(evidence)}",
        wrong=f"the selected workspace, unless {selected} is to have a state of its own",
        remedy="Select the default one, or take TF_WORKSPACE out of the engine's environment; nothing is to be carried over.",
        steps=(
            *((init,) if unbound else ()),
            NextStep(
                purpose="select the default workspace of the engine",
                command=f"{engine} workspace select default",
            ),
            NextStep(purpose="plan, and look at what it would change", command=f"{engine} plan"),
        ),
    )


def first_init(evidence: Evidence) -> str:
    """A clause on what an init does with a selected workspace of which nothing is stored, where nothing is bound yet.

    Seen on Terraform 1.11.4: it selects the default one where that is the only one, and refuses where there are others.
    """
    if evidence.selected == "default" or evidence.engine.status != "unbound":
        return ""
    return (
        f"; unless TF_WORKSPACE names {evidence.selected}, an init selects the default workspace where there is no other, and "
        "ends with an error where there is one"
    )


def of_the_selected(evidence: Evidence) -> str:
    """To go behind what the next init binds, in front of the key that the selected workspace makes of it."""
    if evidence.selected == "default":
        return ""
    return f", and of that the engine's workspace {evidence.selected}, which is selected, reads"


def selected_words(evidence: Evidence) -> str:
    """What the engine makes of the core's key; empty for the default workspace."""
    if evidence.selected == "default":
        return ""
    return f"the core knows no workspaces of the engine: {evidence.selected}, which is selected, has another key made of this one"


def unselected_core(evidence: Evidence, core: Place | None) -> Place | None:
    """The core knows no workspaces of the engine: it writes the key of the default one."""
    return default_place(core, evidence.selected) if core is not None and evidence.storage.managed else core
