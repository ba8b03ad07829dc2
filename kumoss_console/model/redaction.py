"""A plan in JSON without the values that must not leave: for an export, where the plan has to stay readable as one."""

from __future__ import annotations

from typing import Any

import msgspec

from kumoss_console.model.state.sensitive import masked
from kumoss_console.text import MASK

_DROPPED = ("planned_values", "prior_state", "configuration")
"""They repeat every value, and nothing of a plan's review needs them."""

_DEEPEST = 64


def redacted_show(shown: str) -> str:
    """``shown`` with sensitive values and variables masked; what is no JSON object is left out whole, and said so."""
    try:
        document = msgspec.json.decode(shown)
    except (msgspec.DecodeError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return "[left out of the export: this output of show is no JSON, and may hold secrets]"
    kept: dict[str, Any] = {name: value for name, value in document.items() if name not in _DROPPED}
    kept["variables"] = {name: {"value": MASK} for name in _mapping(kept.get("variables"))}
    for group in ("resource_changes", "resource_drift", "deferred_changes"):
        if isinstance(kept.get(group), list):
            kept[group] = [_resource(item) for item in kept[group]]
    kept["output_changes"] = {name: _change(change) for name, change in _mapping(kept.get("output_changes")).items()}
    return msgspec.json.encode(kept).decode()


def _resource(resource: Any) -> Any:
    found = _mapping(resource)
    if "resource_change" in found:  # a deferred one
        return found | {"resource_change": _resource(found["resource_change"])}
    return found | {"change": _change(found.get("change"))}


def _change(change: Any) -> Any:
    found = dict(_mapping(change))
    for half in ("before", "after"):
        if half in found:
            found[half] = masked(_sealed(found[half], found.get(f"{half}_sensitive"), 0))
    return found


def _sealed(value: Any, marks: Any, depth: int) -> Any:
    """``value`` where ``marks``, shaped like it, has ``true``."""
    if marks is True and value is not None:
        return MASK
    if depth > _DEEPEST:
        return MASK
    if isinstance(value, dict) and isinstance(marks, dict):
        return {name: _sealed(inner, marks.get(name), depth + 1) for name, inner in value.items()}
    if isinstance(value, list) and isinstance(marks, list):
        marked = [*marks, *[None] * (len(value) - len(marks))]
        return [_sealed(inner, mark, depth + 1) for inner, mark in zip(value, marked, strict=False)]
    return value


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
