"""What ``discover`` was asked, what came of it, and how that is printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kumoss_console.cli import discover_view as view
from kumoss_console.cli.jobs_view import exit_code_of
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import counted, exit_code_for
from kumoss_console.errors import ExitCode
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff import Item, Status
from kumoss_console.model.importids.blocks import is_exported
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.services.discovery.imports import Imports, Outcome
from kumoss_console.services.discovery.service import Discovery
from kumoss_console.services.discovery.shape import discovery_shape, imports_shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The command line, understood. ``addresses`` and ``import_ids`` are what the operator wrote, by identifier."""

    workspace: str
    scope: str
    provider: CloudProvider
    key: str
    number: str
    state_ids: Path | None
    cloud_ids: Path | None
    bucket: bool
    text: str
    types: tuple[str, ...]
    statuses: frozenset[Status]
    everything: bool
    suppressions: Path | None
    suppressed: bool
    addresses: Mapping[str, str]
    import_ids: Mapping[str, str]
    export: Path | None
    submit: bool
    confirm: str | None
    keep_going: bool
    timeout: float | None = None
    """Seconds that the listings may take; ``None`` for as long as the context says."""

    @property
    def imports(self) -> bool:
        """Whether a worksheet is wanted."""
        return bool(self.addresses or self.import_ids or self.export is not None or self.submit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of it. ``exported`` is the text of the import blocks, ``None`` where none were asked for."""

    found: Discovery
    items: list[Item]
    rows: tuple[Row, ...] = ()
    exported: str | None = None
    imports: Imports | None = None


def answer(session: Session, done: Done, asked: Asked) -> ExitCode:
    """Print it. With ``--export -`` the blocks are the whole of stdout."""
    found = done.found
    data: dict[str, Any] = discovery_shape(found, done.items, {row.identifier: row for row in done.rows})
    if done.exported is not None:
        data["exported"] = done.exported
    if done.imports is not None:
        data["imports"] = imports_shape(done.imports)
    code = _exit_code(done)
    if done.exported is not None and str(asked.export) == "-" and not session.output.json:
        session.output.text(done.exported or "# nothing to import\n")
        session.diagnostics.note(_exported(done.rows))
        return code
    blocks = view.discovery_blocks(found, done.items)
    if asked.imports:
        blocks += view.worksheet_blocks(done.rows)
    notes = [view.summary(found, len(done.items))] if found.comparison is not None else []
    if done.exported is not None:
        notes.append(f"{_exported(done.rows)} to {asked.export}")
    if done.imports is not None:
        blocks += view.imports_blocks(done.imports)
        notes.append(view.imports_summary(done.imports))
        if done.imports.stopped:
            notes.append(f"stopped: {done.imports.stopped}")
    return session.answer(Answer(data=data, blocks=blocks, notes=tuple(notes), exit_code=code))


def _exported(rows: Sequence[Row]) -> str:
    left = sum(not is_exported(row) for row in rows)
    return f"{counted(len(rows) - left, 'import block')} written" + (f", {left:,} left out with their reason" if left else "")


def _exit_code(done: Done) -> ExitCode:
    if done.found.comparison is None:
        told = exit_code_of(done.found.jobs)
        return told if told is not ExitCode.OK else ExitCode.BAD_NEWS
    if done.imports is not None:
        if done.imports.count(Outcome.FAILED):
            return ExitCode.BAD_NEWS
        if done.imports.count(Outcome.UNKNOWN) or done.imports.count(Outcome.NOT_SENT):
            return ExitCode.UNREACHABLE
    return exit_code_for(done.found.findings)
