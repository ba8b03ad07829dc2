"""Lines wider than the view, as rows. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.cells import cell_len, get_character_cell_size

MARK = "↳ "
"""Begins every row that continues a line, so that no wrapped line is taken for two."""


def rows(text: str, width: int) -> tuple[tuple[int, int], ...]:
    """Where the rows of a line begin and end: every character is in one, words are cut only where they fill half a row.

    Rows after the first have the room that :data:`MARK` leaves.
    """
    found = []
    begin, room = 0, max(1, width)
    narrow = text.isascii()
    while (end := begin + room if narrow else _fitting(text, begin, room)) < len(text):
        # A blank may hang over the edge: nobody misses it there, and the next row begins with a word.
        blank = text.rfind(" ", begin + (end - begin) // 2, end + 1)
        if blank > begin:
            end = blank + 1
        found.append((begin, end))
        begin, room = end, max(1, width - len(MARK))
    return (*found, (begin, len(text)))


def _fitting(text: str, begin: int, room: int) -> int:
    """The end of the longest piece that fits; one character fits always."""
    used, end = 0, begin
    while end < len(text) and used + (size := get_character_cell_size(text[end])) <= room:
        used += size
        end += 1
    # Signs that join others may make them wider together than each by itself.
    while end > begin + 1 and cell_len(text[begin:end]) > room:
        end -= 1
    return max(end, begin + 1)


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A row of a line."""

    line: int = 0
    row: int = 0


def moved(place: Place, rows: int, rows_of: Callable[[int], int], count: int) -> Place:
    """``place`` as many rows further on, or back where ``rows`` is negative; ends at the first and the last row there is."""
    line, row = min(place.line, max(0, count - 1)), place.row
    while rows > 0:
        rest = rows_of(line) - 1 - row
        if rows <= rest or line + 1 >= count:
            return Place(line, row + min(rows, max(0, rest)))
        line, row, rows = line + 1, 0, rows - rest - 1
    while rows < 0:
        if -rows <= row or line == 0:
            return Place(line, max(0, row + rows))
        line, rows = line - 1, rows + row + 1
        row = rows_of(line) - 1
    return Place(line, row)
