"""What a workspace's files say about its state: the backend that ``init`` binds, each value with where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kumoss_console.model.backend.engine import Engine
from kumoss_console.model.backend.files import Role
from kumoss_console.model.hcl.problem import Problem
from kumoss_console.model.hcl.types import Unresolved
from kumoss_console.text import Secret

Layer = Literal["repository", "override", "backend-config"]
Value = object
"""``None``, ``bool``, ``int``, ``Decimal``, ``str``, ``tuple``, ``dict``, a :class:`Secret` or an :class:`Unresolved`."""

LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Via:
    """One input of a value: a variable, a local, the selected workspace. ``line`` is ``None`` where it is no line of a file."""

    what: str
    file: str
    line: int | None

    @property
    def at(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """``file`` is relative to the workspace, or the option itself; ``via`` what the expression there is made of."""

    layer: Layer
    file: str
    line: int | None
    via: tuple[Via, ...] = ()

    @property
    def at(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """A value that lost. ``erased`` where the block it stands in was replaced as a whole, else the value alone was."""

    name: str
    value: Value
    origin: Origin
    erased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendAttribute:
    """``expression`` is the text of an unresolved value, masked where it is secret, else empty."""

    name: str
    value: Value
    origin: Origin
    expression: str = ""
    shadows: tuple[Shadow, ...] = ()
    members: Mapping[str, Origin] = field(default_factory=dict)
    """Where the members of a nested block stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A type with its values; ``at`` is the block's place, ``None`` for the local backend that nobody wrote down."""

    type: str
    attributes: tuple[BackendAttribute, ...] = ()
    at: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredBlock:
    """One ``backend`` or ``cloud`` block that was found; ``wins`` for the one in force."""

    type: str
    origin: Origin
    wins: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUse:
    """One name of the folder and the part it plays. ``mentions``: it is not read, and may hold a backend block."""

    name: str
    role: Role
    reason: str
    mentions: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveBackend:
    """What ``init`` makes of the workspace.

    ``bound`` is ``None`` where the engine refuses; ``written`` is then what the files say all the same, and ``kept`` what the
    engine caches in spite of its own error. ``erased`` are values of replaced blocks that have no successor. ``problems`` are
    the engine's words, in its order. ``incomplete`` is true where this reader could not read a file that may matter.
    """

    engine: Engine
    bound: Binding | None
    written: Binding | None
    kept: Binding | None
    blocks: tuple[DeclaredBlock, ...]
    erased: tuple[Shadow, ...]
    problems: tuple[Problem, ...]
    files: tuple[FileUse, ...]
    lenient: bool = False
    """Whether an option made the engine silent about unknown arguments in the block."""
    dropped: tuple[Origin, ...] = ()
    """Arguments and blocks that the engine drops silently then."""
    incomplete: bool = False
    unknown: tuple[str, ...] = ()
    """Files that this reader gave up on and that may decide: ``bound`` is then ``None``, which says nothing."""


def is_secret(value: Value) -> bool:
    return isinstance(value, Secret)


def is_unresolved(value: Value) -> bool:
    return isinstance(value, Unresolved)
