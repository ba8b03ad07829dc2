"""The syntax tree of an expression. ``line``, ``start`` and ``end`` place every node in its file's text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from kumoss_console.model.hcl.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Node):
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalid(Node):
    """What a syntax error left behind. ``told`` is the error that the engine repeats where it evaluates."""

    told: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template(Node):
    """A string: its parts are joined as text. A single interpolation is not wrapped: it keeps its type."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Name(Node):
    """The root of a reference: ``var``, ``local``, a variable of a ``for``."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attr(Node):
    source: Node
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Node):
    source: Node
    key: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Splat(Node):
    """``source[*]`` or ``source.*``; ``each`` is applied to every element, which :class:`Element` stands for in it."""

    source: Node
    each: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Element(Node):
    """The element at hand of the splat around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    name: str
    arguments: tuple[Node, ...]
    expand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional(Node):
    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Node):
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Node):
    operator: OneOf["-", "!"]
    operand: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Parentheses(Node):
    """Kept, since ``(name)`` as an object key is a reference and ``name`` is a text."""

    inner: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping(Node):
    items: tuple[tuple[Node, Node], ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Node):
    """``[for k, v in source : value if condition]``; with ``key`` an object, grouped where ``group``."""

    key_name: str | None
    value_name: str
    source: Node
    key: Node | None
    value: Node
    condition: Node | None
    group: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(Node):
    """A ``%{for}`` of a template: the texts of ``each`` one after the other."""

    each: For
