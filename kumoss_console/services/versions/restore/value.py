"""What a planned restore is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from kumoss_console.model.finding import Finding
from kumoss_console.model.statediff import RestorePlan
from kumoss_console.ports.objects import ObjectVersion

PREPARED = "restored.tfstate"
"""The file that is to be pushed, as the commands name it."""


@dataclass(frozen=True, slots=True)
class Command:
    """``text`` is for a shell, quoted; ``purpose`` says why it is there and what it must show."""

    text: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """A planned restore of ``key``. ``locked`` is ``None`` where it is not known whether a lock is held; ``folders`` are the
    workspaces that can be seen from here and are bound to the key."""

    context: str
    key: str
    version: ObjectVersion
    newest: ObjectVersion
    plan: RestorePlan = field(repr=False)
    locked: bool | None
    findings: tuple[Finding, ...]
    at: datetime
    folders: tuple[str, ...] = ()
    deleted: bool = False
    """Whether the key holds nothing now."""
    damaged: bool = False
    """Whether it holds what no engine reads: the plan then goes on from the newest version that one does."""
    top: str = ""
    """The id of what was on top of the history when this was planned, a delete marker included."""
    clearing: tuple[Command, ...] = ()
    """What takes out of the way that an engine would stumble over before it pushes: a damaged object, a row of the lock table."""
