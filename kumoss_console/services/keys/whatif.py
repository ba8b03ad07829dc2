"""One input changed: the key before and after, and what the change means for the state that exists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from kumoss_console.model.fields import Field
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.services.asking.objectfact import ObjectFact

if TYPE_CHECKING:
    from kumoss_console.services.keys.service import KeyExplanation

_FIELDS: tuple[Field, ...] = ("repo", "scope", "path")
_CARRY = (
    "Before the change: state pull from the old key, init against the new one, state push; then plan and expect no changes. "
    "Keep a copy of the old state."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """A project as it is and as it would be. ``changed`` are the fields whose hashed lines differ."""

    before: KeyExplanation
    after: KeyExplanation

    @property
    def changed(self) -> tuple[Field, ...]:
        old, new = self.before.key, self.after.key
        return tuple(name for name in _FIELDS if getattr(old, name) != getattr(new, name))

    @property
    def same_key(self) -> bool:
        return self.before.object_key == self.after.object_key

    @property
    def keys(self) -> tuple[str, str]:
        """The object keys before and after."""
        return self.before.object_key, self.after.object_key

    def verdict(self, facts: Mapping[str, ObjectFact] | None = None) -> Finding:
        """What the change does, from what exists at both keys (``facts`` by object key); without a look, what to look at."""
        if self.same_key:
            return _verdict(
                "same_key", Severity.INFO, "nothing changes: both spellings give the same key, so the state stays where it is"
            )
        known = facts or {}
        old, new = (known.get(key) for key in self.keys)
        if old is None or new is None:
            return _verdict(
                "new_key",
                Severity.WARNING,
                f"the key changes with the {_listed(self.changed)}: a state under the old key is not found under the new one",
                "Look both keys up in the store before the change.",
            )
        return _compared(old, new)

    def as_data(self, facts: Mapping[str, ObjectFact] | None = None, *, now: datetime | None = None) -> dict[str, Any]:
        """The ``what_if`` of the ``key`` shape; ``object`` is what exists at the new key, ``None`` where nobody looked."""
        new = (facts or {}).get(self.after.object_key)
        shape = self.after.as_data()
        return {
            "changed": list(self.changed),
            "same_key": self.same_key,
            **{name: shape[name] for name in ("project_id", "key", "url", "normalised", "steps")},
            "object": new.as_data(now) if new is not None else None,
            "verdict": asdict(self.verdict(facts)),
            "findings": shape["findings"],
        }


def _compared(old: ObjectFact, new: ObjectFact) -> Finding:
    match old.status, new.status:
        case ("unknown", _) | (_, "unknown"):
            which = "old" if old.status == "unknown" else "new"
            return _verdict(
                "not_known",
                Severity.WARNING,
                f"the key changes, and the {which} key could not be looked at",
                "Make the store reachable and look again; absent and not known are two things.",
            )
        case "absent", "absent":
            return _verdict(
                "nothing", Severity.INFO, "the key changes; nothing exists under either key, so nothing is to be carried over"
            )
        case "absent", "present":
            return _verdict(
                "found",
                Severity.INFO,
                f"the state is under the new key ({_serial(new)}) and nothing is under the old one",
                "With the change the engine finds this state.",
            )
        case "present", "absent":
            return _verdict(
                "left_behind",
                Severity.ERROR,
                f"the state ({_serial(old)}) stays behind under the old key: the next plan creates everything once more",
                f"{_locked(old)}{_CARRY}",
            )
    return _both(old, new)


def _both(old: ObjectFact, new: ObjectFact) -> Finding:
    lineages = [fact.state.lineage if fact.state is not None else None for fact in (old, new)]
    if lineages[0] and lineages[0] == lineages[1]:
        return _verdict(
            "copied",
            Severity.WARNING,
            f"the same state is under both keys: {_serial(old)} under the old one, {_serial(new)} under the new one",
            "The one with the higher serial was written last; compare both before the old one is removed.",
        )
    return _verdict(
        "two_states",
        Severity.ERROR,
        f"two different states exist: {_serial(old)} under the old key, {_serial(new)} under the new one",
        "With the change the engine takes the second. Compare their resources first; never push one over the other.",
    )


def _serial(fact: ObjectFact) -> str:
    serial = fact.state.serial if fact.state is not None else None
    return f"serial {serial}" if serial is not None else "its serial is not known"


def _locked(fact: ObjectFact) -> str:
    return "It is locked: let its holder finish first. " if fact.lock_status == "locked" else ""


def _listed(fields: tuple[Field, ...]) -> str:
    return " and the ".join(fields)


def _verdict(what: str, severity: Severity, message: str, remedy: str = "") -> Finding:
    return Finding(code=f"key.what_if_{what}", severity=severity, subject="what-if", message=message, remedy=remedy)
