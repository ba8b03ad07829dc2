"""What the plan after a restore will show, as far as the two states tell."""

from __future__ import annotations

from collections.abc import Sequence

from kumoss_console.model.statediff.restore import Doomed
from kumoss_console.services.versions.restore.value import Restore
from kumoss_console.text import printable

_MOST = 3
"""Objects that are named; the plan as JSON has them all."""


def expectation(restore: Restore) -> str:
    """What to look for in it. Where nothing is destroyed, created or replaced, attributes are all that can differ."""
    plan = restore.plan
    gone, back = len(plan.unmanaged), len(plan.returning)
    parts = []
    if gone:
        parts.append(f"{gone} that exist and are no longer managed: import them, or they will be created a second time")
    if back:
        parts.append(
            f"{back} that the old state brings back: the plan shows which of them do not exist any more, and destroys those that "
            "exist and that the configuration has no more"
        )
    if plan.doomed:
        parts.append(
            f"{len(plan.doomed)} that it DESTROYS although the active state has them elsewhere, unless moved blocks lead there "
            f"(a deposed one is destroyed all the same): {_listed([_doomed(one) for one in plan.doomed])}"
        )
    if plan.anew:
        parts.append(f"{len(plan.anew)} that it creates anew: the old state has nothing at {_listed(plan.anew)}")
    if plan.tainted:
        parts.append(f"{len(plan.tainted)} that it replaces, tainted in the old state: {_listed(plan.tainted)}")
    if restore.damaged:
        parts.append("everything it creates: what was applied since the last whole version is not known, and may exist already")
    elif restore.deleted:
        parts.append("everything it creates: what became of the objects since the deletion is not known")
    return "look for " + "; and ".join(parts) if parts else "expect changes of attributes only"


def _doomed(one: Doomed) -> str:
    name = f"{one.address} (deposed {one.deposed})" if one.deposed else one.address
    return f"{name}, which is {one.now} now" if one.now and one.now != one.address else name


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST
    return ", ".join(map(printable, names[:_MOST])) + (f" and {more} more" if more > 0 else "")
