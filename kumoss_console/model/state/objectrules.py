"""What engines refuse in what providers keep (``private``) and in ``dependencies``. Source: Terraform 1.11.4."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.kinds import json_type

_FIELD = 'The state file field "resources.instances.private" has invalid value'
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\Z")
_NAME = r"[^\W\d][\w-]*"
_RESERVED = r"(?:var|count|each|path|self|local|terraform|module|data)\."
_ADDRESS = re.compile(
    rf"(?:module\.{_NAME}(?:\[[^\]*]+\])?\.)*(?:(?:data|ephemeral|resource)\.{_NAME}|(?!{_RESERVED}){_NAME})\.{_NAME}\Z"
)
_BESIDE = re.compile(r"/\*.*?\*/|(?:#|//)[^\n]*|\s+", re.DOTALL)
_AROUND_A_DOT = re.compile(r" ?\. ?")


def refusal_of_private(raw: bytes) -> str | None:
    """What an engine says of this ``private``: base64, or a list of bytes."""
    try:
        value = repair.decode(raw)[0] if raw else None
    except msgspec.DecodeError:
        return None
    if value is None:
        return None
    if isinstance(value, str):
        if _BASE64.match(value.replace("\r", "").replace("\n", "")):
            return None
        return "The state file does not conform to the expected JSON data structure: illegal base64 data."
    if not isinstance(value, list):
        return f"{_FIELD} {json_type(value)}"
    wrong = next((one for one in value if one is not None and not (type(one) is int and 0 <= one < 256)), None)
    return None if wrong is None else f"{_FIELD} {json_type(wrong)}"


@lru_cache(maxsize=16384)
def is_resource_address(text: str) -> bool:
    """Whether engines take it for the address of a resource, which has no key at its end. They pass over space and remarks."""
    return bool(_ADDRESS.match(text) or _ADDRESS.match(_AROUND_A_DOT.sub(".", _BESIDE.sub(" ", text).strip())))
