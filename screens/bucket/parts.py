"""The tables inside the detail: resources, one line per object, and outputs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kumoss_console.model.state import OutputRow, StateDocument
from screens.widgets.cells import Cell
from screens.widgets.columns import Column, Sorting

RESOURCE_COLUMNS = (
    Column(key="address", title="ADDRESS", width=28, stretch=3, middle=True),
    Column(key="type", title="TYPE", width=18, priority=3, stretch=1),
    Column(key="mode", title="MODE", width=7, priority=2),
    Column(key="identifier", title="IDENTIFIER", width=24, priority=4, stretch=2, middle=True),
    Column(key="note", title="NOTE", width=8, priority=2),
)
OUTPUT_COLUMNS = (
    Column(key="name", title="OUTPUT", width=20, stretch=1),
    Column(key="sensitive", title="SENSITIVE", width=9, priority=2),
    Column(key="value", title="VALUE", width=24, stretch=3),
)
BY_TYPE = Sorting("type")


@dataclass(frozen=True, slots=True)
class ObjectLine:
    """One object of a resource; a resource without objects has one line of its own. ``place`` names it across refreshes."""

    place: int
    address: str
    type: str
    mode: str
    identifier: str
    note: str


def object_lines(state: StateDocument) -> tuple[ObjectLine, ...]:
    """Every object of the state, in the order of the document."""
    return tuple(
        ObjectLine(place, address, type_, mode, identifier, note)
        for place, (address, type_, mode, identifier, note) in enumerate(_objects(state))
    )


def _objects(state: StateDocument) -> Iterator[tuple[str, str, str, str, str]]:
    for resource in state.resources:
        if not resource.instances:
            yield resource.address, resource.type, resource.mode, "", "no objects"
        for instance in resource.instances:
            note = "tainted" if instance.tainted else "deposed" if instance.deposed else ""
            yield instance.address, resource.type, resource.mode, instance.identifier or "", note


def arranged(lines: Sequence[ObjectLine], query: str, sorting: Sorting) -> list[ObjectLine]:
    """The lines in which every word of the query occurs, by type and address unless another column was asked for."""
    words = query.casefold().split()
    kept = [line for line in lines if all(word in _searched(line) for word in words)] if words else list(lines)
    kept.sort(key=lambda line: (line.type, line.address))
    if sorting != BY_TYPE:
        kept.sort(key=lambda line: str(getattr(line, sorting.key)), reverse=sorting.descending)
    return kept


def _searched(line: ObjectLine) -> str:
    return f"{line.address} {line.mode} {line.identifier} {line.note}".casefold()


def object_cells(line: ObjectLine) -> Sequence[Cell]:
    """In the order of :data:`RESOURCE_COLUMNS`."""
    return (
        Cell(line.address),
        Cell(line.type, "dim"),
        Cell(line.mode, "" if line.mode == "managed" else "dim"),
        Cell(line.identifier or "-", "dim"),
        Cell(line.note, "warn"),
    )


def matching_outputs(outputs: Sequence[OutputRow], query: str) -> list[OutputRow]:
    words = query.casefold().split()
    return [row for row in outputs if all(word in f"{row.name} {row.value}".casefold() for word in words)]


def output_cells(row: OutputRow) -> Sequence[Cell]:
    """In the order of :data:`OUTPUT_COLUMNS`."""
    return (Cell(row.name), Cell("yes" if row.sensitive else "no", "dim"), Cell(row.value))
