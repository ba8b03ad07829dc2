"""Plans for tests: those an engine made, and small ones written for one question."""

from __future__ import annotations

import json
from typing import Any

from kumoss_console.model.plan import Change, Diff, Plan, diff, parse_plan
from tests.model.plan_worlds import FIXTURES


def made(name: str) -> Plan:
    """A plan from the fixtures: the name of a world, or ``handwritten/NAME``."""
    return parse_plan((FIXTURES / f"{name}.json").read_bytes())


def human(name: str) -> str:
    """The same plan as the engine shows it to people."""
    return (FIXTURES / f"{name}.txt").read_text(encoding="utf-8")


def resource(address: str = "t.x", actions: tuple[str, ...] = ("update",), **rest: Any) -> dict[str, Any]:
    """One entry of ``resource_changes``; ``rest`` is split into fields of the change and of the resource."""
    change = {"actions": list(actions)}
    for name in ("before", "after", "after_unknown", "before_sensitive", "after_sensitive", "replace_paths", "importing"):
        if name in rest:
            change[name] = rest.pop(name)
    return {"address": address, "mode": "managed", "type": "t", "name": "x", **rest, "change": change}


def document(*resources: dict[str, Any], **rest: Any) -> bytes:
    return json.dumps({"format_version": "1.2", "planned_values": {}, "resource_changes": resources, **rest}).encode()


def plan(*resources: dict[str, Any], **rest: Any) -> Plan:
    return parse_plan(document(*resources, **rest))


def change_of(plan: Plan, address: str) -> Change:
    return next(change for change in plan.changes if change.address == address)


def diff_of(before: Any, after: Any, *, unchanged: bool = False, **rest: Any) -> Diff:
    """The leaves of an update from ``before`` to ``after``."""
    return diff(plan(resource(before=before, after=after, **rest)).changes[0], unchanged=unchanged)
