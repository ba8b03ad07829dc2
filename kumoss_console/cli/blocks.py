"""Plain output as values: tables, named fields and text, laid out by pure functions.

What goes in may be hostile; every string is made printable here, so no command can forget it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kumoss_console.text import clip, printable, width

Tone = Literal["plain", "good", "bad", "warn", "dim"]
_SGR: dict[Tone, str] = {"good": "32", "bad": "31", "warn": "33", "dim": "2"}
_GAP = "  "
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Cell:
    """A text with a tone. The tone is lost where there is no colour, so it must never be the only carrier of a meaning."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Column:
    """``fit`` says what a narrow terminal does to it: ``fixed`` never gives way, ``end`` and ``middle`` are clipped there."""

    name: str
    fit: Literal["fixed", "end", "middle"] = "fixed"
    right: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[Column, ...]
    rows: Sequence[tuple[Cell | str, ...]]


@dataclass(frozen=True, slots=True)
class Fields:
    """Names and values, one a line; values are never clipped, they are what people copy."""

    pairs: Sequence[tuple[str, Cell | str]]


@dataclass(frozen=True, slots=True)
class Text:
    """Lines as they are; ``raw`` keeps line feeds and tabs."""

    text: str
    tone: Tone = "plain"


Block = Table | Fields | Text


def render(block: Block, *, columns: int | None = None, colour: bool = False) -> str:
    """The block's lines, ending in a line feed; the empty string for a table without rows."""
    if isinstance(block, Table):
        return _table(block, columns, colour)
    if isinstance(block, Fields):
        return _fields(block, colour)
    lines = printable(block.text, newlines=True).splitlines()
    return "".join(_toned(line, block.tone, colour) + "\n" for line in lines)


def _toned(text: str, tone: Tone, colour: bool) -> str:
    return f"\x1b[{_SGR[tone]}m{text}\x1b[0m" if colour and tone in _SGR and text else text


def _cell(value: Cell | str) -> Cell:
    return Cell(printable(value.text), value.tone) if isinstance(value, Cell) else Cell(printable(value))


def _fields(block: Fields, colour: bool) -> str:
    longest = max((width(name) for name, _ in block.pairs), default=0)
    lines = []
    for name, value in block.pairs:
        cell = _cell(value)
        label = name + " " * (longest - width(name))
        lines.append(f"{_toned(label, 'dim', colour)}{_GAP}{_toned(cell.text, cell.tone, colour)}".rstrip())
    return "".join(line + "\n" for line in lines)


def _table(block: Table, columns: int | None, colour: bool) -> str:
    if not block.rows:
        return ""
    rows = [tuple(map(_cell, row)) for row in block.rows]
    widths = [max(width(column.name), *(width(row[index].text) for row in rows)) for index, column in enumerate(block.columns)]
    if columns is not None:
        widths = _fitted(block.columns, widths, columns)
    head = _row(block.columns, widths, tuple(Cell(column.name, "dim") for column in block.columns), colour)
    return head + "".join(_row(block.columns, widths, row, colour) for row in rows)


def _fitted(columns: tuple[Column, ...], widths: list[int], room: int) -> list[int]:
    """Widths that fit ``room`` where that is possible: the widest column that may give way gives way first."""
    fitted = list(widths)
    excess = sum(fitted) + len(_GAP) * (len(fitted) - 1) - room
    while excess > 0:
        floors = [max(_NARROWEST, width(column.name)) for column in columns]
        willing = [i for i, column in enumerate(columns) if column.fit != "fixed" and fitted[i] > floors[i]]
        if not willing:
            break
        widest = max(willing, key=lambda index: fitted[index])
        fitted[widest] -= 1
        excess -= 1
    return fitted


def _row(columns: tuple[Column, ...], widths: list[int], cells: tuple[Cell, ...], colour: bool) -> str:
    parts = []
    for column, cells_wide, cell in zip(columns, widths, cells, strict=True):
        text = cell.text if column.fit == "fixed" else clip(cell.text, cells_wide, middle=column.fit == "middle")
        padding = " " * max(0, cells_wide - width(text))
        shown = _toned(text, cell.tone, colour)
        parts.append(padding + shown if column.right else shown + padding)
    return _GAP.join(parts).rstrip() + "\n"
