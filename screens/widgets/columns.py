"""Columns of a table: which of them fit, how wide they are, and by which one the rows are sorted. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

GAP = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    ``width`` is the least it needs; ``stretch`` shares out what is left over (0: stays at ``width``). ``priority`` 1 always
    shows; higher numbers leave first when the terminal is narrow. ``middle`` cuts in the middle (digests, paths).
    """

    key: str
    title: str
    width: int
    priority: int = 1
    stretch: int = 0
    right: bool = False
    middle: bool = False
    sortable: bool = True


@dataclass(frozen=True, slots=True)
class Placed:
    """A column that is shown: its index among all columns and its width in cells."""

    index: int
    column: Column
    width: int


def place(columns: Sequence[Column], available: int) -> tuple[Placed, ...]:
    """The columns that fit into ``available`` cells, in their given order. Hidden whole, never squeezed below their width.

    The first column of the best priority is always shown, cut to what there is.
    """
    chosen: list[int] = []
    used = 0
    for index in sorted(range(len(columns)), key=lambda index: (columns[index].priority, index)):
        needed = columns[index].width + (GAP if chosen else 0)
        if used + needed > available and chosen:
            break
        chosen.append(index)
        used += needed
    chosen.sort()
    widths = {index: min(columns[index].width, available) for index in chosen}
    spare = available - sum(widths.values()) - GAP * (len(chosen) - 1)
    shares = sum(columns[index].stretch for index in chosen)
    if spare > 0 and shares:
        left = spare
        stretching = [index for index in chosen if columns[index].stretch]
        for index in stretching[:-1]:
            extra = spare * columns[index].stretch // shares
            widths[index] += extra
            left -= extra
        widths[stretching[-1]] += left
    return tuple(Placed(index, columns[index], widths[index]) for index in chosen)


@dataclass(frozen=True, slots=True)
class Sorting:
    """The column rows are sorted by, and the direction."""

    key: str
    descending: bool = False

    def next(self, columns: Sequence[Column]) -> Sorting:
        """Sorted by the sortable column after this one; starts over after the last."""
        keys = [column.key for column in columns if column.sortable]
        if self.key not in keys:
            return Sorting(keys[0]) if keys else self
        return Sorting(keys[(keys.index(self.key) + 1) % len(keys)])

    def pressed(self, column: Column) -> Sorting:
        """Sorted by the column whose title was pressed; backwards where it is already."""
        return self.reversed() if self.key == column.key else Sorting(column.key)

    def reversed(self) -> Sorting:
        return replace(self, descending=not self.descending)
