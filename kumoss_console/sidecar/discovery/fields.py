"""Fields of a document that a cloud wrote: one of another type than expected is one that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_NOTHING: Mapping[str, Any] = {}


def text(owner: Mapping[str, Any], name: str) -> str:
    """The text ``name``, else an empty one."""
    value = owner.get(name)
    return value if isinstance(value, str) else ""


def mapping(owner: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object ``name``, else an empty one."""
    value = owner.get(name)
    return value if isinstance(value, dict) else _NOTHING


def objects(owner: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    """The objects in the list ``name``; its members of another type are passed over."""
    value = owner.get(name)
    if isinstance(value, list):
        yield from (member for member in value if isinstance(member, dict))


def texts(owner: Mapping[str, Any], name: str) -> Iterator[str]:
    """The texts in the list ``name``; its members of another type are passed over."""
    value = owner.get(name)
    if isinstance(value, list):
        yield from (member for member in value if isinstance(member, str))


def truthy(value: object) -> bool:
    """Whether a flag is set: ``true``, or one of the words that environments and inventories write for it."""
    return value is True or (isinstance(value, str) and value.strip().lower() in {"true", "1", "yes", "on"})
