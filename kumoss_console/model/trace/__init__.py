"""Which state is active: what the core writes, what the engine bound, what the store holds, and whether they agree.

``judge(evidence)`` is the whole of it; the evidence comes from :mod:`kumoss_console.services.trace.service`.
"""

from __future__ import annotations

from kumoss_console.model.trace.evidence import (
    Applied,
    Candidate,
    Declared,
    Engine,
    Evidence,
    Holder,
    InitJob,
    Logged,
    OwnBlock,
    Stored,
    Written,
)
from kumoss_console.model.trace.judge import Trace, judge
from kumoss_console.model.trace.place import Place, outside, parted, place_of, written_place
from kumoss_console.model.trace.steps import NextStep
from kumoss_console.model.trace.suspects import Identity, Suspects, identify, path_variants

__all__ = [
    "Applied",
    "Candidate",
    "Declared",
    "Engine",
    "Evidence",
    "Holder",
    "Identity",
    "InitJob",
    "Logged",
    "NextStep",
    "OwnBlock",
    "Place",
    "Stored",
    "Suspects",
    "Trace",
    "Written",
    "identify",
    "judge",
    "outside",
    "parted",
    "path_variants",
    "place_of",
    "written_place",
]
