"""A change as a document, masked: what is copied and what the raw view shows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from kumoss_console.model.plan.document import Change, OutputChange
from kumoss_console.model.plan.values import document


def shape(change: Change | OutputChange) -> dict[str, Any]:
    """The fields of the engines' format, as far as they say something; JSON types only."""
    values = change.values.open()
    named = change.name if isinstance(change, OutputChange) else ""
    body = {
        "before": _plain(document(values.before, name=named)),
        "after": _plain(document(values.after, name=named)),
        "after_unknown": values.unknown,
    }
    if isinstance(change, OutputChange):
        return {"name": change.name, "action": change.action.value, **body}
    fields = {
        "address": change.address,
        "previous_address": change.previous_address,
        "actions": list(change.actions),
        "action_reason": change.reason_code,
        "importing": change.importing,
        "deposed": change.deposed,
        "provider_name": change.provider,
        "replace_paths": [list(path) for path in change.replace_paths],
    }
    return {**{name: value for name, value in fields.items() if value not in (None, "", [])}, **body}


def _plain(value: Any) -> Any:
    """Numbers as JSON has them: what no double can hold becomes a text rather than another number."""
    if isinstance(value, Decimal):
        number = float(value)
        return number if Decimal(repr(number)) == value else str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
