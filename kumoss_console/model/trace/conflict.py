"""What disagrees with what, and the words that all causes share."""

from __future__ import annotations

from dataclasses import dataclass

from kumoss_console.model.trace.evidence import Evidence
from kumoss_console.model.trace.place import Place
from kumoss_console.model.trace.steps import Moving, NextStep, moving
from kumoss_console.model.trace.wording import held_at, serial


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """``fact`` goes on after *They disagree:*; ``wrong`` names the layer that is wrong, ``remedy`` what to do."""

    code: str
    fact: str
    wrong: str
    remedy: str
    steps: tuple[NextStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """``core`` is what the core writes, ``other`` what the engine has bound, or would bind next (``bound`` false)."""

    evidence: Evidence
    core: Place
    other: Place
    names: tuple[str, ...]
    bound: bool = True

    @property
    def verb(self) -> str:
        return "the engine is bound to" if self.bound else "the next init binds"

    @property
    def old_state(self) -> str:
        """What lies at the other place."""
        old = held_at(self.evidence, self.other)
        match old.status:
            case "present":
                return f"the old state ({serial(old)}) is still there"
            case "absent":
                return "nothing is stored there"
            case _:
                return f"what is there is not known ({old.detail})"

    @property
    def held(self) -> str:
        """The same where only a state that is there matters."""
        old = held_at(self.evidence, self.other)
        return f"; it holds {serial(old)}" if old.status == "present" else ""

    @property
    def carrying(self) -> Moving:
        """From the other place to the core's."""
        return moving(self.evidence, self.other, self.core)
