"""What a state records of each object, ready to be compared. Values stay undecoded: most of them are equal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kumoss_console.model.state import Form, StateDocument, parse_state, repair
from kumoss_console.model.state.address import instance_address, resource_address
from kumoss_console.model.state.document import Mode, ResourceRow
from kumoss_console.model.state.wire import IdentifiersV4, InstanceV4, OutputV4, ResourceV4, StateV4
from kumoss_console.model.statediff.errors import not_comparable

_IDENTIFIERS = msgspec.json.Decoder(IdentifiersV4)
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

    @property
    def place(self) -> tuple[str, str]:
        return self.address, self.deposed


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output of the root module, its value as JSON in clear."""

    name: str
    sensitive: bool
    value: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedState:
    """A state that can be compared. ``label`` says which one it is, in the operator's words."""

    label: str
    document: StateDocument
    objects: dict[tuple[str, str], Recorded]
    outputs: dict[str, Output]


def recorded(raw: bytes, *, label: str) -> RecordedState:
    """The state in ``raw``. CPU work in its size.

    Raises :class:`~kumoss_console.errors.ConsoleError` (``state.not_comparable``) for what no engine takes as a state of
    format 4, with the reason.
    """
    document = parse_state(raw)
    if document.form is not Form.STATE or not document.readable or document.format_version != FORMAT:
        raise not_comparable(label, document)
    text, _ = repair.as_utf8(raw)
    state: StateV4
    try:
        state, cut = repair.decode(text, StateV4)
    except msgspec.DecodeError:
        state, cut = repair.decode(repair.without_lone_surrogates(text), StateV4)
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
    )


def _objects(resource: ResourceV4, rows: dict[str, ResourceRow]) -> Iterator[Recorded]:
    mode: Mode = "data" if resource.mode == "data" else "managed"
    type_ = resource.type or ""
    address = resource_address(resource.module or "", mode, type_, resource.name or "")
    row = rows.get(address)
    known = {(item.address, item.deposed): item.identifier for item in row.instances} if row is not None else {}
    for instance in resource.instances or ():
        where = instance_address(address, instance.index_key)
        deposed = instance.deposed or ""
        yield Recorded(
            address=where,
            resource=address,
            mode=mode,
            type=type_,
            provider=resource.provider or instance.provider or "",
            identifier=known.get((where, deposed)) or _hidden_identifier(instance),
            tainted=instance.status == "tainted",
            deposed=deposed,
            attributes=_attributes(instance),
            sensitive=bytes(instance.sensitive_attributes),
        )


def _hidden_identifier(instance: InstanceV4) -> str | None:
    """One that is not told because it is sensitive, or repeats what is: it still names the object in a comparison."""
    if bytes(instance.sensitive_attributes) in (b"", b"null", b"[]"):
        return None
    try:
        found = _IDENTIFIERS.decode(_attributes(instance))
    except msgspec.DecodeError:
        return None
    return next((value for value in (found.arn, found.id) if isinstance(value, str) and value), None)


def _attributes(instance: InstanceV4) -> bytes:
    raw = bytes(instance.attributes)
    if raw in (b"", b"null") and instance.attributes_flat is not None:
        flat: dict[str, Any] = instance.attributes_flat
        return msgspec.json.encode(flat)
    return raw


def _output(name: str, output: OutputV4) -> Output:
    return Output(name=name, sensitive=bool(output.sensitive), value=bytes(output.value))
