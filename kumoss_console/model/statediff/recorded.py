"""What a state records of each object, ready to be compared. Values stay undecoded: most of them are equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kumoss_console.model.state import Form, StateDocument, parse_state, repair
from kumoss_console.model.state.address import instance_address, resource_address
from kumoss_console.model.state.document import Mode, ResourceRow
from kumoss_console.model.state.parse import legible
from kumoss_console.model.state.wire import IdentifiersV4
from kumoss_console.model.statediff.beside import members
from kumoss_console.model.statediff.errors import not_comparable

_IDENTIFIERS = msgspec.json.Decoder(IdentifiersV4)
_Raw = Mapping[str, msgspec.Raw]
_ABSENT = msgspec.Raw(b"")
_OF_A_STATE = frozenset({"version", "terraform_version", "serial", "lineage", "outputs", "resources"})
_OF_AN_OBJECT = frozenset({"index_key", "deposed", "status", "provider", "attributes", "attributes_flat"})
_OF_AN_OUTPUT = frozenset({"value", "sensitive"})
"""Members that are compared for themselves; all others are compared as :mod:`beside` tells."""
FORMAT = 4
"""The state format whose attributes are compared; engines since 0.12 write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One object. ``deposed`` is its deposed key, empty for the current one. Not for printing: attributes are in clear, and so is
    an identifier that is sensitive."""

    address: str
    resource: str
    mode: Mode
    type: str
    provider: str
    identifier: str | None = field(repr=False)
    tainted: bool
    deposed: str
    attributes: bytes = field(repr=False)
    sensitive: bytes = field(repr=False)
    beside: Mapping[str, bytes] = field(repr=False)

    @property
    def place(self) -> tuple[str, str]:
        return self.address, self.deposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output of the root module, its value as JSON in clear."""

    name: str
    sensitive: bool
    value: bytes = field(repr=False)
    beside: Mapping[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedState:
    """A state that can be compared. ``label`` says which one it is, in the operator's words."""

    label: str
    document: StateDocument
    objects: dict[tuple[str, str], Recorded]
    outputs: dict[str, Output]
    beside: Mapping[str, bytes] = field(repr=False)


class _Resource(msgspec.Struct):
    module: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    provider: str | None = None
    each: msgspec.Raw = _ABSENT
    instances: list[dict[str, msgspec.Raw]] | None = None


class _State(msgspec.Struct):
    resources: list[_Resource] | None = None
    outputs: dict[str, dict[str, msgspec.Raw]] | None = None


def recorded(raw: bytes, *, label: str) -> RecordedState:
    """The state in ``raw``. CPU work in its size.

    Raises :class:`~kumoss_console.errors.ConsoleError` (``state.not_comparable``) for what no engine takes as a state of
    format 4, with the reason.
    """
    document = parse_state(raw)
    if document.form is not Form.STATE or not document.readable or document.format_version != FORMAT:
        raise not_comparable(label, document)
    text = legible(raw)
    state: _State
    state, cut = repair.decode(text, _State)
    if cut:
        raise not_comparable(label, document, "it nests deeper than 200 levels")
    rows = {row.address: row for row in document.resources}
    found: dict[tuple[str, str], Recorded] = {}
    for resource in state.resources or ():
        for item in _objects(resource, rows):
            found[item.place] = item
    return RecordedState(
        label=label,
        document=document,
        objects=found,
        outputs={name: _output(name, output) for name, output in (state.outputs or {}).items()},
        beside=members(msgspec.json.decode(text, type=dict[str, msgspec.Raw]), but=_OF_A_STATE),
    )


def _objects(resource: _Resource, rows: dict[str, ResourceRow]) -> Iterator[Recorded]:
    mode: Mode = "data" if resource.mode == "data" else "managed"
    type_ = resource.type or ""
    address = resource_address(resource.module or "", mode, type_, resource.name or "")
    row = rows.get(address)
    known = {(item.address, item.deposed): item.identifier for item in row.instances} if row is not None else {}
    for instance in resource.instances or ():
        where = instance_address(address, _plain(instance, "index_key"))
        deposed = _text(instance, "deposed")
        attributes, sensitive = _attributes(instance), bytes(instance.get("sensitive_attributes", b""))
        yield Recorded(
            address=where,
            resource=address,
            mode=mode,
            type=type_,
            provider=resource.provider or _text(instance, "provider"),
            identifier=known.get((where, deposed)) or _hidden_identifier(attributes, sensitive),
            tainted=_text(instance, "status") == "tainted",
            deposed=deposed,
            attributes=attributes,
            sensitive=sensitive,
            beside=members({**instance, "each": resource.each}, but=_OF_AN_OBJECT),
        )


def _hidden_identifier(attributes: bytes, sensitive: bytes) -> str | None:
    """One that is not told because it is sensitive, or repeats what is: it still names the object in a comparison."""
    if sensitive in (b"", b"null", b"[]"):
        return None
    try:
        found = _IDENTIFIERS.decode(attributes)
    except msgspec.DecodeError:
        return None
    return next((value for value in (found.arn, found.id) if isinstance(value, str) and value), None)


def _attributes(instance: _Raw) -> bytes:
    raw = bytes(instance.get("attributes", b""))
    return bytes(instance.get("attributes_flat", b"")) or raw if raw in (b"", b"null") else raw


def _output(name: str, output: _Raw) -> Output:
    return Output(
        name=name,
        sensitive=bool(_plain(output, "sensitive")),
        value=bytes(output.get("value", b"")),
        beside=members(output, but=_OF_AN_OUTPUT),
    )


def _plain(parts: _Raw, name: str) -> Any:
    return msgspec.json.decode(parts[name]) if name in parts else None


def _text(parts: _Raw, name: str) -> str:
    found = _plain(parts, name)
    return found if isinstance(found, str) else ""
