"""A plan in JSON as it may leave: what is marked sensitive is masked, and so is what nobody marked and reads like a secret."""

from __future__ import annotations

from typing import Any

import msgspec

from kumoss_console.model.masking import mask_shown
from kumoss_console.model.state.sensitive import masked
from kumoss_console.text import MASK

_DROPPED = ("planned_values", "prior_state", "configuration")
"""They repeat every value, and nothing of a plan's review needs them."""


def redacted_show(shown: str) -> str:
    """``shown`` without what is marked (see :mod:`.masking`), variables, and values whose names read like a secret.

    It can still be read as the plan it is. What is no JSON object is left out whole, and said so.
    """
    try:
        document = msgspec.json.decode(mask_shown(shown).text)
    except (msgspec.DecodeError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return "[left out of the export: this output of show is no JSON, and may hold secrets]"
    kept: dict[str, Any] = {name: value for name, value in document.items() if name not in _DROPPED}
    kept["variables"] = {name: {"value": MASK} for name in _mapping(kept.get("variables"))}
    for group in ("resource_changes", "resource_drift", "deferred_changes"):
        if isinstance(kept.get(group), list):
            kept[group] = [_resource(item) for item in kept[group]]
    kept["output_changes"] = {name: _change(change, name) for name, change in _mapping(kept.get("output_changes")).items()}
    return msgspec.json.encode(kept).decode()


def _resource(resource: Any) -> Any:
    found = _mapping(resource)
    if "resource_change" in found:  # a deferred one
        return found | {"resource_change": _resource(found["resource_change"])}
    return found | {"change": _change(found.get("change"))}


def _change(change: Any, name: str = "") -> Any:
    found = _mapping(change)
    return {half: masked(value, name=name) if half in {"before", "after"} else value for half, value in found.items()}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
