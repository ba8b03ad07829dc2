"""The objects of a state document with every identifier they are known by, in one pass that decodes nothing else.

Besides ``arn`` and ``id`` these are what Google's provider keeps of an object's other names. Of tags and labels only one thing
is kept: whether a scope listing leaves out what bears them. Values that are marked sensitive are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct

from kumoss_console.model.importdiff.held import Managed, StateIds
from kumoss_console.model.state import DocumentKind, StateDocument, parse_state
from kumoss_console.model.state.address import instance_address, resource_address
from kumoss_console.model.state.body import is_usual
from kumoss_console.model.state.parse import legible
from kumoss_console.model.state.sensitive import marked_at_the_top

_NOTHING = frozenset({b"", b"[]", b"null"})
_TAGS = ("tags", "tags_all", "labels", "effective_labels", "terraform_labels")
_LEFT_OUT = re.compile(
    r"aws:|eks:|kubernetes\.io/|k8s\.io/|alpha\.eksctl\.io/|(?:elbv2|ingress|service)\.k8s\.aws/|goog-|hidden-link"
)
"""Beginnings of the keys of tags and labels whose bearers a scope listing leaves out: AWS and what runs on it, Google, Azure."""
_MAYBE = re.compile(_LEFT_OUT.pattern.encode())


class _Attributes(Struct, gc=False):
    arn: Any = None
    id: Any = None
    self_link: Any = None
    unique_id: Any = None
    project: Any = None
    managed_by: Any = None
    tags: Raw = Raw()
    tags_all: Raw = Raw()
    labels: Raw = Raw()
    effective_labels: Raw = Raw()
    terraform_labels: Raw = Raw()


class _Instance(Struct, gc=False):
    index_key: Any = None
    deposed: str | None = None
    attributes: _Attributes | None = None
    attributes_flat: _Attributes | None = None
    sensitive_attributes: Raw = Raw()


class _Resource(Struct, gc=False):
    module: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    instances: list[_Instance] | None = None


class _State(Struct):
    version: Any = None
    serial: Any = None
    lineage: Any = None
    resources: list[_Resource] | None = None
    encrypted_data: Raw = Raw()
    backend: Raw = Raw()


_DECODER = msgspec.json.Decoder(_State)


def state_ids(raw: bytes, *, key: str, owner: str = "") -> StateIds:
    """What the state ``raw`` at ``key`` manages. CPU work for a large one: 30 ms for 20,000 objects.

    A document that no engine takes as a state has the status ``could_not_look`` where it may be one all the same (encrypted,
    damaged), else ``not_a_state``.
    """
    try:
        state = _DECODER.decode(raw if is_usual(raw) else _with_known_names(raw))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _by_document(parse_state(raw, name=key), key, owner)
    if state.version != 4 or bytes(state.encrypted_data) or bytes(state.backend) not in _NOTHING:
        return _by_document(parse_state(raw, name=key), key, owner)
    return StateIds(
        key=key,
        owner=owner,
        objects=tuple(_objects(state.resources or ())),
        lineage=state.lineage if isinstance(state.lineage, str) else "",
        serial=state.serial if isinstance(state.serial, int) and not isinstance(state.serial, bool) else None,
    )


def _with_known_names(raw: bytes) -> bytes:
    """Engines know a member in any case of its letters."""
    return legible(raw) if raw.lstrip().startswith(b"{") else raw


def _objects(resources: list[_Resource] | tuple[()]) -> Iterator[Managed]:
    for resource in resources:
        if resource.mode != "managed":
            continue
        address = resource_address(resource.module or "", "managed", resource.type or "", resource.name or "")
        for instance in resource.instances or ():
            ids = _identifiers(instance, resource.type or "")
            if ids:
                yield Managed(
                    ids,
                    instance_address(address, instance.index_key),
                    resource.type or "",
                    _is_hidden(instance.attributes, resource.type or "") if instance.attributes is not None else None,
                    bool(instance.deposed),
                )


def _identifiers(instance: _Instance, type_: str) -> tuple[str, ...]:
    found = instance.attributes or instance.attributes_flat
    if found is None:
        return ()
    marks = bytes(instance.sensitive_attributes)
    hidden = frozenset() if marks in _NOTHING else marked_at_the_top(marks)
    ids = [
        value for name, value in (("arn", found.arn), ("id", found.id)) if isinstance(value, str) and value and name not in hidden
    ]
    if not ids or not type_.startswith("google_"):
        return tuple(dict.fromkeys(ids))
    if isinstance(found.self_link, str) and found.self_link:
        ids.append(found.self_link)
    if type_ == "google_service_account" and isinstance(found.unique_id, str) and isinstance(found.project, str):
        # The inventory names a service account by its number, the provider by its e-mail address.
        ids.append(f"projects/{found.project}/serviceAccounts/{found.unique_id}")
    return tuple(dict.fromkeys(ids))


def _is_hidden(attributes: _Attributes, type_: str) -> bool:
    if type_ == "azurerm_resource_group" and attributes.managed_by:
        return True
    for name in _TAGS:
        raw = bytes(getattr(attributes, name))
        if _MAYBE.search(raw) is None:
            continue
        try:
            tags = msgspec.json.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return True  # what cannot be read may be one of them
        if isinstance(tags, dict) and any(_LEFT_OUT.match(tag) for tag in tags):
            return True
    return False


def _by_document(document: StateDocument, key: str, owner: str) -> StateIds:
    if document.kind is DocumentKind.STATE and document.readable:
        objects = tuple(
            Managed((row.identifier,), row.address, resource.type, None, bool(row.deposed))
            for resource in document.resources
            if resource.mode == "managed"
            for row in resource.instances
            if row.identifier
        )
        return StateIds(key=key, owner=owner, objects=objects, lineage=document.lineage or "", serial=document.serial)
    may_be_one = document.kind in {DocumentKind.STATE, DocumentKind.ENCRYPTED}
    reason = document.reason or document.kind.value
    return StateIds(key=key, owner=owner, status="could_not_look" if may_be_one else "not_a_state", reason=reason)
