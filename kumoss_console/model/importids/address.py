"""Addresses that an import can go to: what the engines take behind ``to`` and as the first operand of ``import``."""

from __future__ import annotations

import re

_WORD = r"[^\W\d](?:\w|-)*"
_KEY = r'\[(?:\d{1,18}|"(?:[^"\\\x00-\x1f\x7f]|\\.)*")\]'
_ADDRESS = re.compile(rf"(?:module\.{_WORD}(?:{_KEY})?\.)*(?P<type>{_WORD})\.{_WORD}(?P<key>{_KEY})?")
_TEMPLATE = re.compile(r"(?<![$%])(?:\$\$|%%)*[$%]\{")
_ESCAPES = re.compile(r"\\(?!n|r|t|\"|\\|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")
_LONGEST = 4096
"""Characters, by the contract of the service."""


def fault(address: str) -> str:
    """Why nothing can be imported to ``address``; empty where something can."""
    if not address.strip():
        return "it has no address yet"
    if address.startswith("-"):
        return "an engine may read an address that begins with a hyphen as an option"
    if address.startswith("data."):
        return "a data source is read, not imported"
    found = _ADDRESS.fullmatch(address)
    if found is None or len(address) > _LONGEST:
        return 'an address reads type.name, type.name["key"] or module.name.type.name'
    if found["type"] in {"module", "data"}:
        return (
            "a module is not imported, its resources are" if found["type"] == "module" else "a data source is read, not imported"
        )
    if _TEMPLATE.search(address):
        return "a key with a template in it stands for nothing certain: write $${ for the text ${"
    return "a key holds an escape that engines do not know" if _ESCAPES.search(address) else ""


def type_of(address: str) -> str:
    """The resource type of an address without fault, else empty."""
    found = _ADDRESS.fullmatch(address)
    return found["type"] if found is not None else ""
