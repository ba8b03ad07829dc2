"""A plan as an operator reads it: what is lost first, then what changes. Pure and frozen; values stay sealed until opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from kumoss_console.model.plan.reasons import reason_words
from kumoss_console.model.plan.sealed import Sealed

Key = str | int | float | None
"""An instance key: of ``for_each`` a text, of ``count`` a number, ``None`` for a resource without instances."""
Path = tuple[str | int | float, ...]


class Action(StrEnum):
    """What happens to one resource instance, in the order in which it is shown: what is lost first."""

    DELETE = "delete"
    REPLACE = "replace"
    FORGET = "forget"
    OTHER = "other"
    """A combination this console does not know; the engine's words are in ``Change.actions``."""
    UPDATE = "update"
    CREATE = "create"
    READ = "read"
    IMPORT = "import"
    MOVE = "move"
    NO_OP = "no-op"


ACTION_ORDER = {action: rank for rank, action in enumerate(Action)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is planned for one resource instance.

    ``action`` is ``IMPORT`` or ``MOVE`` only where nothing else happens; ``importing`` and ``previous_address`` are there beside
    any action. ``actions`` are the engine's own words: their order tells which half of a replacement comes first.
    """

    address: str
    module: str
    """Address of its module, empty for the root module."""
    mode: str
    type: str
    name: str
    key: Key
    provider: str
    action: Action
    actions: tuple[str, ...]
    reason_code: str = ""
    previous_address: str | None = None
    importing: str | None = None
    """The id it is imported by, ``""`` where that is not known yet; ``None`` where nothing is imported."""
    deposed: str | None = None
    """Key of a left-over object of an earlier replacement."""
    replace_paths: tuple[Path, ...] = ()
    generated: bool = False
    """Whether the engine wrote the configuration of the import itself."""
    values: Sealed = field(compare=False)

    @property
    def reason(self) -> str:
        """Why the engine does it, in words; empty where it does not say."""
        return reason_words(self.reason_code)

    @property
    def create_first(self) -> bool:
        """Whether a replacement creates the new object before it destroys the old one."""
        return self.action is Action.REPLACE and self.actions[:1] == ("create",)

    @property
    def destroys(self) -> bool:
        """Whether an object that exists now will be gone. Of a combination that is not known, ``delete`` is believed."""
        return self.action in {Action.DELETE, Action.REPLACE} or (self.action is Action.OTHER and "delete" in self.actions)

    @property
    def provider_name(self) -> str:
        """``aws`` for ``registry.terraform.io/hashicorp/aws``."""
        return self.provider.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputChange:
    """What becomes of one output of the root module; ``action`` is create, update, delete."""

    name: str
    action: Action
    values: Sealed = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One ``check`` block, or the conditions of one resource, output or variable."""

    address: str
    status: Literal["pass", "fail", "error", "unknown"]
    problems: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return self.status in {"fail", "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """A change that this plan puts off, and why."""

    change: Change
    reason_code: str

    @property
    def reason(self) -> str:
        return reason_words(self.reason_code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How many of what, counted as the engine counts: a replacement is one to add and one to destroy."""

    add: int = 0
    change: int = 0
    destroy: int = 0
    importing: int = 0
    forget: int = 0
    read: int = 0
    move: int = 0
    invoke: int = 0
    """Provider actions that the plan invokes (Terraform 1.14 on)."""

    @property
    def line(self) -> str:
        """The engine's own line."""
        imports = f"{self.importing} to import, " if self.importing else ""
        invoked = f" Actions: {self.invoke} to invoke." if self.invoke else ""
        return f"Plan: {imports}{self.add} to add, {self.change} to change, {self.destroy} to destroy.{invoked}"


def count(changes: Iterable[Change], *, invoke: int = 0) -> Summary:
    """The summary of what is listed."""
    listed = tuple(changes)
    of = Counter(change.action for change in listed)
    return Summary(
        add=of[Action.CREATE] + of[Action.REPLACE],
        change=of[Action.UPDATE],
        destroy=of[Action.DELETE] + of[Action.REPLACE],
        importing=sum(change.importing is not None for change in listed),
        forget=of[Action.FORGET],
        read=of[Action.READ],
        move=sum(change.previous_address is not None for change in listed),
        invoke=invoke,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One plan. ``changes`` are in the order of :class:`Action`, then by module; what stays as it is is only counted."""

    format_version: str
    engine_version: str
    """What ``terraform_version`` says; both engines use that name."""
    made: datetime | None
    changes: tuple[Change, ...] = field(repr=False)
    unchanged: int
    """Instances that nothing happens to, and data sources that leave the state: the engine shows neither."""
    summary: Summary
    drift: tuple[Change, ...] = field(default=(), repr=False)
    """What was changed outside since the last apply; the plan starts from there."""
    outputs: tuple[OutputChange, ...] = field(default=(), repr=False)
    outputs_unchanged: int = 0
    checks: tuple[Check, ...] = field(default=(), repr=False)
    deferred: tuple[Deferred, ...] = field(default=(), repr=False)
    errored: bool = False
    """Planning ended with an error: what is listed is not all, and cannot be applied."""
    complete: bool | None = None
    """Whether applying leaves nothing to plan; ``None`` where the engine does not say (before 1.8)."""
    applyable: bool | None = None

    @property
    def destroys(self) -> bool:
        """Whether any object that exists now will be gone."""
        return any(change.destroys for change in self.changes)

    @property
    def headline(self) -> str:
        """The plan in one line, in the engine's words where it has some."""
        if self.changes or self.summary.invoke:
            return self.summary.line
        if self.errored:
            return "Planning failed before anything could be planned."
        if self.outputs:
            return "Only outputs change."
        return "No changes."
