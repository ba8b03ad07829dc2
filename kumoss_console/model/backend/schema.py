"""The arguments that a backend type has for one engine, read from the tables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from kumoss_console.model.backend.engine import Engine
from kumoss_console.model.backend.tables import REMOVED, TABLES, TYPES
from kumoss_console.model.hcl.bodies import BlockSchema, Schema
from kumoss_console.model.hcl.file import read_expression
from kumoss_console.model.hcl.types import ANY, Type, type_of

_BOUND = re.compile(r"(>=|<)(\d+(?:\.\d+)*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """``block`` arguments are written as nested blocks. ``instead`` is set where the engine calls the argument deprecated."""

    name: str
    type: Type
    block: bool
    deprecated: bool
    instead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendSchema:
    type: str
    arguments: Mapping[str, Argument]

    @property
    def body(self) -> Schema:
        """What a block of this type may hold."""
        return Schema(
            attributes=frozenset(name for name, argument in self.arguments.items() if not argument.block),
            blocks={name: BlockSchema() for name, argument in self.arguments.items() if argument.block},
        )


def schema_for(backend: str, engine: Engine) -> BackendSchema | None:
    """``None`` for a type that the engine does not have."""
    if backend not in TABLES or not _holds(TYPES.get(backend, ("", "")), engine):
        return None
    return _schema(backend, replace(engine, assumed=False))


def why_unknown(backend: str, engine: Engine) -> str:
    """What the engine says about a type that it does not have."""
    if backend == "cloud":
        service = "HCP Terraform" if engine.name == "terraform" else "a cloud backend"
        return f"There is no explicit backend type named \"cloud\". To configure {service}, declare a 'cloud' block instead."
    if backend in REMOVED:
        return REMOVED[backend].format(engine=engine.title)
    return f'There is no backend type named "{backend}".'


@lru_cache(maxsize=64)
def _schema(backend: str, engine: Engine) -> BackendSchema:
    arguments: dict[str, Argument] = {}
    for line in TABLES[backend].strip().splitlines():
        columns = [column.strip() for column in line.split("|")]
        path, kind, terraform, tofu, old_terraform, old_tofu, instead = (*columns, "", "", "", "", "")[:7]
        name, _, member = path.partition(".")
        if member:
            if name in arguments:
                arguments[name] = _with_member(arguments[name], member, kind)
        elif _holds((terraform, tofu), engine):
            deprecated = bool(instead) and _holds((old_terraform, old_tofu), engine)
            arguments[name] = Argument(
                name=name, type=_type(kind), block=kind == "block", deprecated=deprecated, instead=instead if deprecated else ""
            )
    return BackendSchema(type=backend, arguments=arguments)


def _type(text: str) -> Type:
    if text in {"object", "block"}:
        return Type(kind="object")
    node, _ = read_expression(text, "tables")
    return (type_of(node) if node is not None else None) or ANY


def _with_member(argument: Argument, member: str, kind: str) -> Argument:
    known = argument.type
    required = known.required | {member} if kind.endswith("!") else known.required
    members = {**known.members, member: _type(kind.removesuffix("!"))}
    return replace(argument, type=replace(known, members=members, required=frozenset(required)))


def _holds(ranges: tuple[str, str], engine: Engine) -> bool:
    """Whether the engine's version is in the range of its column."""
    text = ranges[0 if engine.name == "terraform" else 1]
    if not text:
        return True
    match = _BOUND.fullmatch(text)
    if match is None:
        return False
    bound = tuple(map(int, match[2].split(".")))
    return engine.version >= bound if match[1] == ">=" else engine.version < bound
