"""What a planned restore is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from kumoss_console.model.finding import Finding
from kumoss_console.model.statediff import RestorePlan
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.services.versions.restore.files import Files
from kumoss_console.services.workspaces.places import Binding


@dataclass(frozen=True, slots=True)
class Command:
    """``text`` is for a shell, quoted; ``purpose`` says why it is there and what it must show."""

    text: str
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """A planned restore of ``key``. ``locked`` is ``None`` where it is not known whether a lock is held; ``base`` is the version
    that serial and lineage go on from: ``newest`` may be damaged.

    ``folders`` are the workspaces that can be seen from here and whose engine is bound to the key in its workspace ``selected``;
    ``apart`` those that have to do with it, and where the engine must be initialised first.
    """

    context: str
    key: str
    version: ObjectVersion
    newest: ObjectVersion
    base: ObjectVersion
    files: Files
    plan: RestorePlan = field(repr=False)
    locked: bool | None
    findings: tuple[Finding, ...]
    at: datetime
    folders: tuple[str, ...] = ()
    apart: tuple[Binding, ...] = ()
    selected: str = "default"
    bound_as: str = ""
    """The key as a folder is bound to it: of a key of another workspace than the default one, without that workspace."""
    config: str = ""
    """The console's file that ``--config`` named; empty for none."""
    deleted: bool = False
    """Whether the key holds nothing now."""
    damaged: bool = False
    """Whether it holds what no engine reads: the plan then goes on from the newest version that one does."""
    top: str = ""
    """The id of what was on top of the history when this was planned, a delete marker included."""
    clearing: tuple[Command, ...] = ()
    """What takes out of the way that an engine would stumble over before it pushes: a damaged object, a row of the lock table."""
