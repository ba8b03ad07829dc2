"""What a table draws from: rows by index, cells made when a row comes into view."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, Protocol, TypeVar

from screens.widgets.cells import Cell

T = TypeVar("T")


class RowSource(Protocol):
    """Rows as a table needs them. A source never changes: new data is a new source."""

    def __len__(self) -> int: ...

    def row_id(self, index: int) -> Hashable:
        """What names the row across refreshes, so that the cursor stays on it."""
        ...

    def cells(self, index: int) -> Sequence[Cell]:
        """One cell per column, in the order of the columns."""
        ...

    def position(self, row_id: Hashable) -> int | None:
        """Where the row with that id is; ``None`` where it is not."""
        ...


class Rows(Generic[T]):
    """A source over a sequence that is already filtered and sorted."""

    def __init__(self, items: Sequence[T], *, identify: Callable[[T], Hashable], draw: Callable[[T], Sequence[Cell]]) -> None:
        self.items = items
        self._identify = identify
        self._draw = draw
        self._positions: dict[Hashable, int] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def row_id(self, index: int) -> Hashable:
        return self._identify(self.items[index])

    def cells(self, index: int) -> Sequence[Cell]:
        return self._draw(self.items[index])

    def position(self, row_id: Hashable) -> int | None:
        if self._positions is None:
            self._positions = {self._identify(item): index for index, item in enumerate(self.items)}
        return self._positions.get(row_id)


EMPTY: Rows[None] = Rows((), identify=lambda item: item, draw=lambda item: ())
