"""What engines refuse in ``sensitive_attributes``, in their words. A state with marks that they cannot read is not loaded.

Source: Terraform 1.11.4 and OpenTofu, tried with each shape. Index keys are values with their type beside them; of the types only
the simple ones are looked at.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.casing import folded
from kumoss_console.model.state.kinds import json_type

_UNREADABLE = "Error unmarshaling path steps: json: cannot unmarshal"
_STEP = "Error unmarshaling path step:"
_MAY_BE_A_NUMBER = re.compile(r"[0-9+.eE_-]+\Z")
_BOOLEANS = frozenset({"true", "false", "1", "0"})
_TYPES = frozenset({"number", "bool", "string", "dynamic"})
_WANTED = {"number": "a number", "bool": "bool", "string": "string"}


@lru_cache(maxsize=4096)
def refusal_of_marks(raw: bytes) -> str | None:
    """What an engine says of these marks; ``None`` where it reads them."""
    try:
        paths = repair.decode(raw)[0] if raw else None
    except msgspec.DecodeError:
        return None
    if paths is None:
        return None
    if not isinstance(paths, list):
        return f"{_UNREADABLE} {json_type(paths)} into Go value of type [][]statefile.pathStep"
    return next((said for path in paths if (said := _of_path(path)) is not None), None)


def _of_path(path: Any) -> str | None:
    if path is None:
        return None
    if not isinstance(path, list):
        return f"{_UNREADABLE} {json_type(path)} into Go value of type []statefile.pathStep"
    return next((said for step in path if (said := _of_step(step)) is not None), None)


def _of_step(step: Any) -> str | None:
    if step is not None and not isinstance(step, dict):
        return f"{_UNREADABLE} {json_type(step)} into Go value of type statefile.pathStep"
    members = {folded(name): value for name, value in (step or {}).items()}
    kind = members.get("type")
    if kind is not None and not isinstance(kind, str):
        return f"{_UNREADABLE} {json_type(kind)} into Go struct field pathStep.type of type string"
    if kind == "get_attr":
        return _of_name(members)
    if kind == "index":
        return _of_key(members)
    return f'Unsupported path step: Unsupported path step type "{kind or ""}"'


def _of_name(members: dict[str, Any]) -> str | None:
    failed = f"{_STEP} Failed to unmarshal get attr step name:"
    if "value" not in members:
        return f"{failed} unexpected end of JSON input"
    name = members["value"]
    if name is None or isinstance(name, str):
        return None
    return f"{failed} json: cannot unmarshal {json_type(name)} into Go value of type string"


def _of_key(members: dict[str, Any]) -> str | None:
    failed = f"{_STEP} Failed to unmarshal index step key:"
    if "value" not in members:
        return f"{failed} EOF"
    key = members["value"]
    if key is None:
        return None
    if not isinstance(key, dict):
        return f"{failed} missing expected {{"
    if "type" not in key:
        return f"{failed} missing type in dynamically-typed value"
    if "value" not in key:
        return f"{failed} missing value in dynamically-typed value"
    if isinstance(key["type"], str) and key["type"] not in _TYPES:
        return f'{failed} failed to decode type for dynamic value: invalid primitive type name "{key["type"]}"'
    if _fits(key["value"], key["type"]):
        return None
    return f"{failed} {_WANTED[key['type']]} is required"


def _fits(value: Any, type_: Any) -> bool:
    if value is None:
        return True
    kind = json_type(value)
    match type_:
        case "number":
            return kind == "number" or (kind == "string" and _MAY_BE_A_NUMBER.match(value) is not None)
        case "bool":
            return kind == "bool" or (kind == "string" and value in _BOOLEANS)
        case "string":
            return kind in ("string", "number", "bool")
        case _:
            return True
