"""State format 4: the body into rows, counts and identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec

from kumoss_console.model.state import repair
from kumoss_console.model.state.address import instance_address, resource_address
from kumoss_console.model.state.checks import read_checks
from kumoss_console.model.state.collect import Collector
from kumoss_console.model.state.copies import Copies, copies_of_outputs
from kumoss_console.model.state.document import Contents, Mode, OutputRow
from kumoss_console.model.state.markrules import refusal_of_marks
from kumoss_console.model.state.marks import decode_marks
from kumoss_console.model.state.numbers import ENCODER, as_int64
from kumoss_console.model.state.objectrules import is_resource_address, refusal_of_private
from kumoss_console.model.state.sensitive import marked_at_the_top, shown_output
from kumoss_console.model.state.veil import repeats_a_secret
from kumoss_console.model.state.wire import (
    IdentifiersV4,
    InstanceV4,
    OutputV4,
    QuickInstanceV4,
    QuickResourceV4,
    QuickStateV4,
    ResourceV4,
    StateV4,
)
from kumoss_console.text import MASK

_UNMARKED = (b"", b"null", b"[]")
_DEPOSED_KEY_LENGTH = 8
_LARGEST_VERSION = 2**64 - 1
_STEP = r'module\.[^\s.\["]+(?:\[(?:-?\d+|"(?:[^"\\]|\\.)*")\])?'
_MODULE = re.compile(rf"{_STEP}(?:\.{_STEP})*\Z")


def read_v4(state: StateV4 | QuickStateV4, whole: StateV4 | None = None) -> Contents:
    """The contents of a format 4 state, with whatever an engine would refuse in it among the violations.

    ``whole`` is the same state with all attributes: whether an identifier repeats what is marked is only seen there.
    """
    outputs = [(name, bool(output.sensitive), _value(output)) for name, output in (state.outputs or {}).items()]
    shared = copies_of_outputs(value for _, sensitive, value in outputs if sensitive)
    collector = Collector(tuple(_outputs(outputs, shared)), hidden=shared)
    twins: list[ResourceV4] | None = whole.resources if whole is not None else None
    resources: Sequence[ResourceV4 | QuickResourceV4] = state.resources or ()
    for number, resource in enumerate(resources):
        instances: Sequence[InstanceV4 | QuickInstanceV4] = resource.instances or ()
        _add(collector, resource, instances if twins is None else _marked_ones_whole(instances, twins[number].instances or ()))
    return replace(collector.contents(), checks=read_checks(bytes(state.check_results)))


def _marked_ones_whole(
    quick: Sequence[InstanceV4 | QuickInstanceV4], whole: Sequence[InstanceV4]
) -> list[InstanceV4 | QuickInstanceV4]:
    return [full if one.sensitive_attributes else one for one, full in zip(quick, whole, strict=True)]


def _add(collector: Collector, resource: ResourceV4 | QuickResourceV4, instances: Sequence[InstanceV4 | QuickInstanceV4]) -> None:
    module, type_, name = resource.module or "", resource.type or "", resource.name or ""
    mode: Mode
    if resource.mode == "managed":
        mode = "managed"
    elif resource.mode == "data":
        mode = "data"
    else:
        collector.refuse(
            f'State contains a resource with mode "{resource.mode or ""}" ("{type_}" "{name}") which is not supported.'
        )
        return
    address = resource_address(module, mode, type_, name)
    if module and not _is_module(module):
        collector.refuse(f'Invalid module address "{module}".')
    provider = _provider(collector, address, resource)
    collector.resource(address, mode=mode, module=module, type_=type_, name=name, provider=provider)
    for instance in instances:
        _add_instance(collector, address, instance, looked_at=bool(provider))


@lru_cache(maxsize=4096)
def _is_module(address: str) -> bool:
    return _MODULE.match(address) is not None


def _add_instance(collector: Collector, address: str, instance: InstanceV4 | QuickInstanceV4, *, looked_at: bool) -> None:
    """``looked_at`` is whether engines look at it: they pass over a resource without a provider, whatever is in it."""
    where = instance_address(address, instance.index_key)
    key = instance.index_key
    if not (key is None or isinstance(key, str)) and as_int64(key) is None:
        shown = ENCODER.encode(key).decode()
        if isinstance(key, int | Decimal) and not isinstance(key, bool):
            collector.refuse(f'The state file field "resources.instances.index_key" has invalid value number {shown}')
        elif looked_at:
            collector.refuse(f"Resource {address} has an instance with the invalid instance key {shown}.")
    status, deposed = instance.status or "", instance.deposed or ""
    if status not in ("", "tainted") and looked_at:
        collector.refuse(f'Instance {where} has invalid status "{status}".')
    if deposed and len(deposed) != _DEPOSED_KEY_LENGTH and looked_at:
        collector.refuse(f'Instance {where} has an object with deposed key "{deposed}", which is not correctly formatted.')
    marks = b"" if isinstance(instance, QuickInstanceV4) else bytes(instance.sensitive_attributes)
    if marks in _UNMARKED:
        marks = b""
    elif looked_at and (said := refusal_of_marks(marks)) is not None:
        collector.refuse(f"{where}: {said}")
    _add_refusals(collector, where, instance, looked_at=looked_at)
    found, reason = _identifier(instance, marks)
    collector.instance(address, where, found, reason, tainted=status == "tainted", deposed=deposed)


def _add_refusals(collector: Collector, where: str, instance: InstanceV4 | QuickInstanceV4, *, looked_at: bool) -> None:
    if (instance.schema_version or 0) > _LARGEST_VERSION:
        said = f'The state file field "resources.instances.schema_version" has invalid value number {instance.schema_version}'
        collector.refuse(said)
    # The quick decoder takes no other private than base64.
    if isinstance(instance, InstanceV4) and (refused := refusal_of_private(bytes(instance.private))) is not None:
        collector.refuse(refused)
    for dependency in instance.dependencies or () if looked_at else ():
        if not is_resource_address(dependency or ""):
            collector.refuse(f'{where}: "{dependency or ""}" among the dependencies is not the address of a resource.')


def _provider(collector: Collector, address: str, resource: ResourceV4 | QuickResourceV4) -> str:
    if resource.provider:
        return resource.provider
    on_instances = [instance.provider for instance in resource.instances or () if instance.provider]
    if on_instances:
        collector.provider_on_instances(address)
        return on_instances[0]
    collector.no_provider(address)
    return ""


def _identifier(instance: InstanceV4 | QuickInstanceV4, marks: bytes) -> tuple[str | None, str]:
    """The identifier, or why there is none: ``arn`` if it is a text that is not empty, else ``id``. ``marks`` is empty where
    nothing is marked."""
    if isinstance(instance, QuickInstanceV4):
        found: Any = instance.attributes
        if found is None and instance.attributes_flat is not None:
            found = _of_flat(instance.attributes_flat)
        if found is None:
            return None, "attributes absent"
    else:
        raw = bytes(instance.attributes)
        if raw in (b"", b"null"):
            if instance.attributes_flat is None:
                return None, "attributes absent"
            found = _of_flat(instance.attributes_flat)
        else:
            try:
                found, _ = repair.decode(raw, IdentifiersV4)
            except msgspec.DecodeError:
                return None, "attributes are not an object"
    hidden = marked_at_the_top(marks)
    for name, value in (("arn", found.arn), ("id", found.id)):
        if isinstance(value, str) and value:
            if name in hidden:
                return None, f"{name} is marked sensitive"
            if marks and isinstance(instance, InstanceV4) and _repeats(instance, marks, value):
                return None, f"{name} repeats a value that is marked sensitive"
            return value, ""
    return None, _why_none(found.arn, found.id)


def _of_flat(flat: Mapping[str, str | None]) -> IdentifiersV4:
    return IdentifiersV4(arn=flat.get("arn", Ellipsis), id=flat.get("id", Ellipsis))


def _repeats(instance: InstanceV4, marks: bytes, identifier: str) -> bool:
    """Whether it is, holds or disguises a value that is marked in the same object: nobody marks the copy."""
    try:
        attributes = instance.attributes_flat or repair.decode(bytes(instance.attributes))[0]
    except msgspec.DecodeError:
        return False
    return repeats_a_secret(attributes, decode_marks(marks), identifier)


def _why_none(arn: Any, id_: Any) -> str:
    present = {name: value for name, value in (("arn", arn), ("id", id_)) if value is not Ellipsis}
    if not present:
        return "neither arn nor id"
    if all(value is None for value in present.values()):
        return " and ".join(present) + " null"
    return next(
        f"empty {name}" if value == "" else f"{name} is not a text"
        for name, value in reversed(present.items())
        if value is not None
    )


def _value(output: OutputV4) -> Any:
    raw = bytes(output.value)
    return repair.decode(raw)[0] if raw else None


def _outputs(outputs: Iterable[tuple[str, bool, Any]], shared: Copies) -> Iterator[OutputRow]:
    for name, sensitive, value in outputs:
        yield OutputRow(name=name, sensitive=sensitive, value=MASK if sensitive else shown_output(name, shared.over(value)))
