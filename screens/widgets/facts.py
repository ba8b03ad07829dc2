"""Labels with what is known about them. Pure; drawn by :class:`~screens.widgets.fact_sheet.FactSheet`."""

from __future__ import annotations

from dataclasses import dataclass

from screens.widgets.cells import Cell


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and its value. An empty label continues the fact before it; the value may hold external text."""

    label: str
    value: tuple[Cell, ...]


def fact(label: str, *value: Cell | str) -> Fact:
    return Fact(label, tuple(part if isinstance(part, Cell) else Cell(part) for part in value))
