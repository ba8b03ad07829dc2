"""What both syntaxes have in common: bodies of arguments and blocks, asked with a schema as the engines ask them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kumoss_console.model.hcl.jsonsyntax import JsonNode
from kumoss_console.model.hcl.nodes import Node
from kumoss_console.model.hcl.problem import Problem

Expression = Node | JsonNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """``name = expression``. ``line`` is the name's; ``text`` the expression as it is written."""

    name: str
    expression: Expression
    file: str
    line: int
    text: str

    @property
    def at(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """``type "label" {``. ``line`` is where the engines place the definition, ``label_lines`` where each label stands."""

    type: str
    labels: tuple[str, ...]
    body: Body
    file: str
    line: int
    label_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSchema:
    """The names of the labels, as the engines call them."""

    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    attributes: frozenset[str] = frozenset()
    blocks: Mapping[str, BlockSchema] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    attributes: Mapping[str, Attribute]
    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...]


class Body(Protocol):
    """The inside of a file or block."""

    @property
    def file(self) -> str: ...

    @property
    def missing_line(self) -> int:
        """Where the engines say that something is missing."""

    def content(self, schema: Schema, *, lenient: bool = False) -> Content:
        """What ``schema`` asks for. Anything else is a problem, unless ``lenient``."""

    def just_attributes(self) -> Content:
        """Every argument, whatever its name; blocks are a problem."""
