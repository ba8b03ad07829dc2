"""What a state document says exists in the cloud: one identifier per managed instance.

The rule is the sidecar contract's: provider-agnostic, the ARN where there is one, else the ``id``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def unique(items: Iterable[str]) -> tuple[str, ...]:
    """The items without repetition, in order of first appearance."""
    return tuple(dict.fromkeys(items))


def identifier(attributes: object) -> str | None:
    """``arn`` if it is a text that is not empty, else ``id`` likewise, else nothing."""
    if not isinstance(attributes, dict):
        return None
    for name in ("arn", "id"):
        value = attributes.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def resource_ids(document: object) -> tuple[str, ...]:
    """The identifiers of a decoded state document, unique, in order of first appearance.

    Only resources whose ``mode`` is exactly ``managed`` count. Whatever does not have the expected shape is passed over: a
    document that is no state gives no identifiers, never an error. Child modules need no walk, the engine writes them flat.
    """
    return unique(found for attributes in _managed_attributes(document) if (found := identifier(attributes)) is not None)


def _managed_attributes(document: object) -> Iterator[object]:
    for resource in _members(document, "resources"):
        if resource.get("mode") == "managed":
            for instance in _members(resource, "instances"):
                yield instance.get("attributes")


def _members(owner: object, name: str) -> Iterator[dict[str, Any]]:
    """The objects in the list ``name`` of ``owner``; nothing where either is of another type."""
    members = owner.get(name) if isinstance(owner, dict) else None
    if isinstance(members, list):
        yield from (member for member in members if isinstance(member, dict))
