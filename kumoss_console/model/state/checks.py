"""What the last apply's checks said: ``check_results`` of state format 4."""

from __future__ import annotations

from typing import Any

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.document import CheckedObject, CheckRow
from kumoss_console.model.state.sensitive import masked


def read_checks(raw: bytes) -> tuple[CheckRow, ...]:
    """Failed ones first, otherwise as written. Whatever has another shape than the format's is passed over: no engine refuses a
    state for its checks."""
    try:
        results = repair.decode(raw)[0] if raw else None
    except msgspec.DecodeError:
        return ()
    rows = [_row(result) for result in _objects(results)]
    return tuple(sorted(rows, key=lambda row: not row.failed))


def _row(result: dict[str, Any]) -> CheckRow:
    checked = tuple(
        CheckedObject(
            address=_text(one.get("object_addr")),
            status=_text(one.get("status")),
            messages=tuple(str(masked(text)) for text in _texts(one.get("failure_messages"))),
        )
        for one in _objects(result.get("objects"))
    )
    return CheckRow(
        kind=_text(result.get("object_kind")),
        address=_text(result.get("config_addr")),
        status=_text(result.get("status")),
        objects=checked,
    )


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
