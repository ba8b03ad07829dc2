"""Types of values and the conversions between them, as the engines do them.

Values are plain: ``None`` for null, ``bool``, ``int``, ``Decimal``, ``str``, ``tuple`` and ``dict``. :class:`Unresolved` stands
for one that only the engine can compute.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kumoss_console.model.hcl.nodes import Call, Name, Node, Sequence
from kumoss_console.model.hcl.nodes import Literal as Constant
from kumoss_console.model.hcl.nodes import Mapping as MappingNode
from kumoss_console.model.hcl.numbers import is_number, number, number_text

Kind = Literal["string", "number", "bool", "any", "list", "set", "map", "tuple", "object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """A value that only the engine can compute, and why."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """``element`` for list, set and map; ``members`` for an object; ``elements`` for a tuple."""

    kind: Kind
    element: Type | None = None
    members: Mapping[str, Type] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    elements: tuple[Type, ...] = ()


STRING = Type(kind="string")
NUMBER = Type(kind="number")
BOOL = Type(kind="bool")
ANY = Type(kind="any")


class ConversionError(Exception):
    """A value that does not fit its type, in the engines' words."""


def kind_of(value: object) -> str:
    """What the engines call the type of ``value``."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if is_number(value):
        return "number"
    if isinstance(value, tuple):
        return "tuple"
    return "object" if isinstance(value, dict) else "dynamic"


def convert(value: object, wanted: Type) -> object:
    """``value`` as ``wanted``; raises :class:`ConversionError`. Null and unresolved values fit everywhere."""
    if value is None or isinstance(value, Unresolved) or wanted.kind == "any":
        return value
    if wanted.kind in {"string", "number", "bool"}:
        return _primitive(value, wanted.kind)
    if wanted.kind in {"list", "set"}:
        return _list(value, wanted)
    if wanted.kind == "map":
        return _map(value, wanted)
    if wanted.kind == "tuple":
        return _tuple(value, wanted)
    return _object(value, wanted)


def _primitive(value: object, kind: str) -> object:
    if kind_of(value) == kind:
        return value
    if kind == "string" and (text := string_of(value)) is not None:
        return text
    if kind == "number" and isinstance(value, str):
        if (parsed := number(value)) is not None:
            return parsed
        raise ConversionError("a number is required")
    if kind == "bool" and isinstance(value, str):
        if value in {"true", "1"}:
            return True
        if value in {"false", "0"}:
            return False
        lower = value.lower()
        raise ConversionError(
            f'a bool is required; to convert from string, use lowercase "{lower}"'
            if lower in {"true", "false"}
            else "a bool is required"
        )
    raise ConversionError(f"{kind} required, but have {kind_of(value)}")


def string_of(value: object) -> str | None:
    """A primitive as text, ``None`` for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return number_text(value) if is_number(value) else None  # type: ignore[arg-type]  # is_number has looked


def _list(value: object, wanted: Type) -> object:
    if not isinstance(value, tuple):
        raise ConversionError(f"{wanted.kind} of {_noun(wanted)} required")
    converted = []
    for index, item in enumerate(value):
        try:
            converted.append(convert(item, wanted.element or ANY))
        except ConversionError as error:
            raise ConversionError(f"element {index}: {error}") from None
    if wanted.kind == "set" and all(isinstance(item, str) for item in converted):
        return tuple(sorted({str(item) for item in converted}))
    return tuple(converted)


def _noun(wanted: Type) -> str:
    return (wanted.element or ANY).kind


def _map(value: object, wanted: Type) -> object:
    if not isinstance(value, dict):
        raise ConversionError(f"map of {_noun(wanted)} required")
    converted = {}
    for key, item in value.items():
        try:
            converted[key] = convert(item, wanted.element or ANY)
        except ConversionError as error:
            raise ConversionError(f'element "{key}": {error}') from None
    return converted


def _tuple(value: object, wanted: Type) -> object:
    if not isinstance(value, tuple) or len(value) != len(wanted.elements):
        raise ConversionError("tuple required")
    return tuple(convert(item, kind) for item, kind in zip(value, wanted.elements, strict=True))


def _object(value: object, wanted: Type) -> object:
    if not isinstance(value, dict):
        raise ConversionError("object required")
    missing = [f'"{name}"' for name in sorted(wanted.required) if name not in value]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        verb = "are" if len(missing) > 1 else "is"
        raise ConversionError(f"attribute{plural} {_listed(missing)} {verb} required")
    converted = {}
    for name, kind in wanted.members.items():
        if name in value:
            try:
                converted[name] = convert(value[name], kind)
            except ConversionError as error:
                raise ConversionError(f'attribute "{name}": {error}') from None
    return converted


def _listed(names: list[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def type_of(node: Node) -> Type | None:
    """The type that a type expression names: ``string``, ``map(string)``, ``object({...})``; ``None`` for anything else."""
    if isinstance(node, Name) and node.name in {"string", "number", "bool", "any"}:
        return {"string": STRING, "number": NUMBER, "bool": BOOL, "any": ANY}[node.name]
    if isinstance(node, Name) and node.name in {"list", "map", "set"}:
        return _collection(node.name, ANY)
    if not isinstance(node, Call) or not node.arguments:
        return None
    first = node.arguments[0]
    if node.name in {"list", "map", "set"}:
        element = type_of(first)
        return None if element is None else _collection(node.name, element)
    if node.name == "tuple" and isinstance(first, Sequence):
        elements = [type_of(item) for item in first.items]
        known = tuple(element for element in elements if element is not None)
        return Type(kind="tuple", elements=known) if len(known) == len(elements) else None
    if node.name == "object" and isinstance(first, MappingNode):
        return _object_type(first)
    return None


def _collection(kind: str, element: Type) -> Type:
    kinds: dict[str, Kind] = {"list": "list", "map": "map", "set": "set"}
    return Type(kind=kinds[kind], element=element)


def _object_type(node: MappingNode) -> Type | None:
    members: dict[str, Type] = {}
    required = set()
    for key, item in node.items:
        name = key.name if isinstance(key, Name) else key.value if isinstance(key, Constant) else None
        optional = isinstance(item, Call) and item.name == "optional" and bool(item.arguments)
        if optional and isinstance(item, Call) and len(item.arguments) > 1:
            return None
        kind = type_of(item.arguments[0] if optional and isinstance(item, Call) else item)
        if not isinstance(name, str) or kind is None:
            return None
        members[name] = kind
        if not optional:
            required.add(name)
    return Type(kind="object", members=members, required=frozenset(required))
