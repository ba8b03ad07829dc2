"""What the engine really bound: ``.terraform/terraform.tfstate``, written by ``init``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from kumoss_console.model.backend.decode import masked
from kumoss_console.model.backend.result import Binding, Value
from kumoss_console.model.backend.snapshot import Entry
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.text import Secret

LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """``absent``: no init, or one without a backend block. ``values`` without those that are not set, secrets wrapped."""

    status: Literal["absent", "unreadable", "bound"]
    type: str | None = None
    values: Mapping[str, Value] = field(default_factory=dict)
    engine_version: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One argument that is bound to something else than is written; ``None`` for a side that does not have it."""

    name: str
    written: Value
    bound: Value


def read_bound(pointer: Entry | None) -> Bound:
    """Never raises for what the bytes are."""
    if pointer is None:
        return Bound(status="absent")
    if pointer.raw is None:
        return Bound(status="unreadable", detail=pointer.error)
    if len(pointer.raw) > LARGEST:
        return Bound(status="unreadable", detail=f"it has {len(pointer.raw):,} bytes")
    try:
        document = json.loads(pointer.raw)
    except (ValueError, RecursionError):
        return Bound(status="unreadable", detail="it is not JSON")
    if not isinstance(document, dict):
        return Bound(status="unreadable", detail="it is not a JSON object")
    version = document.get("terraform_version")
    engine = version if isinstance(version, str) else None
    backend = document.get("backend")
    if not isinstance(backend, dict) or not isinstance(backend.get("type"), str):
        return Bound(status="absent", engine_version=engine)
    config = backend.get("config")
    values = {name: masked(name, _plain(value)) for name, value in config.items()} if isinstance(config, dict) else {}
    known = {name: value for name, value in values.items() if value is not None and value != {}}
    return Bound(status="bound", type=backend["type"], values=known, engine_version=engine)


def _plain(value: object) -> object:
    """Objects without their unset members, lists as tuples."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return tuple(_plain(item) for item in value)
    return value


def differences(binding: Binding, bound: Bound) -> tuple[Difference, ...]:
    """Where binding and pointer file part. What only the engine can compute is not compared."""
    if bound.status != "bound":
        return ()
    written = {attribute.name: attribute.value for attribute in binding.attributes}
    found = [Difference(name="type", written=binding.type, bound=bound.type)] if bound.type != binding.type else []
    if binding.type == "cloud" or (found and bound.type == "cloud"):
        return tuple(found)
    for name in dict.fromkeys((*written, *bound.values)):
        mine, theirs = written.get(name), bound.values.get(name)
        if not isinstance(mine, Unresolved) and not same(mine, theirs):
            found.append(Difference(name=name, written=mine, bound=theirs))
    return tuple(found)


def same(left: Value, right: Value) -> bool:
    """Whether two values are one for the engine."""
    if isinstance(left, Secret) or isinstance(right, Secret):
        return left == right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return sorted(map(repr, left)) == sorted(map(repr, right))
    if isinstance(left, Decimal | int) and isinstance(right, float):
        return float(left) == right
    return type(left) is type(right) and left == right
