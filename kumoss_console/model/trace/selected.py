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
    at = f" -chdir={shlex.quote(evidence.workspace)}" if evidence.workspace else ""
    return Cause(
        code="workspace_selected",
        fact=f"the engine's workspace {selected} is selected (.terraform/environment, or TF_WORKSPACE), so the engine reads key "
        f"{short(place.key or '')}, where nothing is stored; the default workspace's key ({short(plain.key or '')}) holds "
        f"{serial(held)}, and a plan of {selected} creates all of it once more",
        wrong=f"the selected workspace, unless {selected} is to have a state of its own",
        remedy="Select the default one, or take TF_WORKSPACE out of the engine's environment; nothing is to be carried over.",
        steps=(
            NextStep(
                purpose="select the default workspace of the engine",
                command=f"{evidence.engine_name}{at} workspace select default",
            ),
            NextStep(purpose="plan, and look at what it would change", command=f"{evidence.engine_name}{at} plan"),
        ),
    )


def selected_words(evidence: Evidence) -> str:
    """What the engine makes of the core's key; empty for the default workspace."""
    if evidence.selected == "default":
        return ""
    return f"the core knows no workspaces of the engine: {evidence.selected}, which is selected, has another key made of this one"


def unselected_core(evidence: Evidence, core: Place | None) -> Place | None:
    """The core knows no workspaces of the engine: it writes the key of the default one."""
    return default_place(core, evidence.selected) if core is not None and evidence.storage.managed else core
