"""What to type next. Nothing of it is ever run from here."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep:
    """One command with what it is for."""

    purpose: str
    command: str


KEPT = "old-state.tfstate"
"""What the carried state is called on its way. The seeded .gitignore leaves ``*.tfstate`` out."""


def carry(evidence: Evidence, old: Place) -> tuple[NextStep, ...]:
    """From ``old`` to where the next init binds.

    The old place is bound once more with options, whatever is bound: the engines refuse to pull where the files name another
    place than the one they have bound, and options are no part of what they compare.
    """
    engine = _engine(evidence)
    options = " ".join(f"-backend-config={shlex.quote(f'{name}={value}')}" for name, value in _arguments(old))
    return (
        NextStep(purpose="bind the old place once more", command=f"{engine} init -input=false -reconfigure {options}"),
        NextStep(purpose="pull from the old place, and keep the file", command=f"{engine} state pull > {KEPT}"),
        NextStep(purpose="bind the new place", command=f"{engine} init -input=false -reconfigure"),
        NextStep(purpose="push to the new place, which must be empty", command=f"{engine} state push - < {KEPT}"),
        NextStep(purpose="plan, and expect no changes", command=f"{engine} plan"),
    )


def rebind(evidence: Evidence) -> tuple[NextStep, ...]:
    engine = _engine(evidence)
    return (
        NextStep(purpose="bind what the files say now", command=f"{engine} init -input=false -reconfigure"),
        NextStep(purpose="plan, and expect no changes", command=f"{engine} plan"),
    )


def _engine(evidence: Evidence) -> str:
    return f"{evidence.engine_name} -chdir={shlex.quote(evidence.workspace)}" if evidence.workspace else evidence.engine_name


def _arguments(place: Place) -> list[tuple[str, str]]:
    bucket = {"azurerm": "container_name"}.get(place.type, "bucket")
    return [(name, value) for name, value in ((bucket, place.bucket), ("key", place.key)) if value]
