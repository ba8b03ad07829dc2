"""The worksheet's lines, and the question before its imports. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kumoss_console.model.context import Context
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.model.names import workspace_name
from kumoss_console.services.discovery.imports import ImportStep, Outcome
from kumoss_console.services.discovery.service import DiscoveryRequest
from screens.discovery.importing import Importing
from screens.jobs.draft import Question
from screens.widgets.cells import Cell, Tone
from screens.widgets.columns import Column
from screens.widgets.facts import Fact, fact

COLUMNS = (
    Column(key="address", title="ADDRESS", width=28, stretch=2, middle=True),
    Column(key="import_id", title="IMPORT ID", width=24, stretch=3, middle=True),
    Column(key="sure", title="SURE", width=5, priority=3),
    Column(key="stands", title="READY, OR WHY NOT", width=18, priority=2, stretch=2),
)
_OUTCOMES: dict[Outcome, Tone] = {
    Outcome.RUNNING: "busy",
    Outcome.IMPORTED: "good",
    Outcome.FAILED: "bad",
    Outcome.UNKNOWN: "warn",
    Outcome.NOT_SENT: "warn",
}
_NAMED = 6
"""Imports that are named in the question; the rest is counted."""


def cells(row: Row, step: ImportStep | None) -> tuple[Cell, ...]:
    """One import. Once it was submitted, what became of it stands at its end."""
    return (
        Cell(row.address or "not known", "" if row.address else "warn"),
        Cell(row.import_id or "not known", "" if row.import_id else "warn"),
        Cell("yes" if row.certain else "guess" if row.address else "-", "" if row.certain else "warn"),
        _stands(row, step),
    )


def is_imported(step: ImportStep | None) -> bool:
    """Whether it is in the state by now, so that it must not be sent again."""
    return step is not None and step.outcome is Outcome.IMPORTED


def _stands(row: Row, step: ImportStep | None) -> Cell:
    if step is not None and step.outcome is not Outcome.WAITING:
        said = step.outcome.value.replace("_", " ")
        return Cell(f"{said}: {step.detail}" if step.detail else said, _OUTCOMES.get(step.outcome, ""))
    if row.faults:
        return Cell(f"✗ {row.faults[0]}", "bad")
    return Cell("✓ ready", "good")


def summary(rows: Sequence[Row], asked: DiscoveryRequest, importing: Importing | None) -> tuple[Cell | str, ...]:
    """How many are ready, and for what."""
    ready = sum(row.ready for row in rows)
    parts: list[Cell | str] = [
        f"{len(rows):,} to import into {asked.workspace} on {asked.provider.value} {asked.scope} · ",
        Cell(f"{ready:,} ready", "good" if ready == len(rows) else ""),
    ]
    if ready < len(rows):
        parts.append(Cell(f" · {len(rows) - ready:,} not yet", "bad"))
    if importing is not None:
        parts.append(Cell(f" · {importing.words}", "busy" if importing.under_way else "good" if importing.good else "bad"))
    return tuple(parts)


def details(row: Row, step: ImportStep | None) -> tuple[Fact, ...]:
    """Everything about one line."""
    facts = [
        fact("discovered", row.identifier),
        fact("address", row.address or Cell("not known: enter writes it", "warn")),
        fact("import id", row.import_id or Cell("not known: e writes it", "warn")),
    ]
    if row.note:
        facts.append(fact("note", Cell(row.note, "warn")))
    facts += [fact("✗", Cell(fault, "bad")) for fault in row.faults]
    if step is not None and step.outcome is not Outcome.WAITING:
        facts.append(fact("import", _stands(row, step)))
        if step.job is not None and step.job.job_id:
            facts.append(fact("job", step.job.job_id))
    return tuple(facts)


def question(rows: Sequence[Row], asked: DiscoveryRequest, context: Context) -> Question:
    """What is asked before the imports are sent."""
    name = workspace_name(asked.workspace, context.workspaces_root)
    named = [f"{row.import_id} as {row.address}" for row in rows[:_NAMED]]
    if len(rows) > _NAMED:
        named.append(f"and {len(rows) - _NAMED:,} more")
    things = "1 thing" if len(rows) == 1 else f"{len(rows):,} things"
    return Question(
        title=f"Import {things} into the state of {name}?",
        consequences=(
            *named,
            f"context {context.name}, workspace {asked.workspace}, {asked.provider.value} {asked.scope}",
            "one after the other; the first that fails ends it, and what was imported stays in the state",
        ),
        verb="Import",
        must_type=name,
    )
