"""State formats 1 to 3, which engines before 0.12 wrote: modules that hold resources, one entry for each instance."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kumoss_console.model.identifiers import identifier
from kumoss_console.model.state.address import instance_address, resource_address
from kumoss_console.model.state.collect import Collector
from kumoss_console.model.state.copies import copies_of_outputs
from kumoss_console.model.state.document import Contents, Mode, OutputRow
from kumoss_console.model.state.sensitive import shown_output
from kumoss_console.model.state.wire import InstanceV3, ResourceV3, StateV3
from kumoss_console.text import MASK

_KEY = re.compile(r"(data\.)?([^.]+)\.(.+?)(?:\.(\d+))?\Z", re.DOTALL)


class OldKey(NamedTuple):
    """What a key among the resources of a module says: ``data.aws_ami.ubuntu.0``."""

    address: str
    mode: Mode
    type: str
    name: str
    number: int | None


def read_key(module: str, key: str, type_: str) -> OldKey:
    """``module`` is an address; ``type_`` the resource's own, for keys that are none."""
    found = _KEY.match(key)
    data, type_, name, index = found.groups() if found else (None, type_, key, None)
    mode: Mode = "data" if data else "managed"
    return OldKey(resource_address(module, mode, type_, name), mode, type_, name, None if index is None else int(index))


def module_address(path: Sequence[str] | None) -> str:
    """The address of a module from its path, which begins with ``root``."""
    return ".".join(f"module.{name}" for name in (path or [])[1:])


def read_v3(state: StateV3) -> Contents:
    """The contents of a format 1, 2 or 3 state. Outputs are the root module's."""
    modules = state.modules or []
    root = next((module for module in modules if (module.path or []) == ["root"]), None)
    outputs = [_output(name, output) for name, output in ((root.outputs if root else None) or {}).items()]
    shared = copies_of_outputs(value for _, sensitive, value in outputs if sensitive)
    rows = (
        OutputRow(name=name, sensitive=sensitive, value=MASK if sensitive else shown_output(name, shared.over(value)))
        for name, sensitive, value in outputs
    )
    collector = Collector(tuple(rows), hidden=shared)
    for module in modules:
        address = module_address(module.path)
        for key, resource in (module.resources or {}).items():
            _add(collector, address, key, resource)
    return collector.contents()


def _add(collector: Collector, module: str, key: str, resource: ResourceV3) -> None:
    name = read_key(module, key, resource.type or "")
    address = name.address
    where = instance_address(address, name.number)
    collector.resource(address, mode=name.mode, module=module, type_=name.type, name=name.name, provider=resource.provider or "")
    if resource.primary is not None:
        collector.instance(address, where, *_identifier(resource.primary), tainted=bool(resource.primary.tainted))
    for number, instance in enumerate(resource.deposed or ()):
        # These formats name no deposed key: the place in the list stands for it.
        collector.instance(address, where, *_identifier(instance), tainted=bool(instance.tainted), deposed=f"#{number}")


def _identifier(instance: InstanceV3) -> tuple[str | None, str]:
    found = identifier(instance.attributes) or instance.id or None
    return found, "" if found else "neither arn nor id"


def _output(name: str, output: Any) -> tuple[str, bool, Any]:
    """Name, whether it is sensitive, and the value. Format 1 has plain texts, 2 and 3 objects with a value."""
    if not isinstance(output, dict) or "value" not in output:
        return name, False, output
    return name, output.get("sensitive") is True, output["value"]
