"""The rows in the order and choice asked for, made beside the answers to keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from kumoss_console.services.bucket.service import StateRow
from screens.bucket import listing
from screens.bucket.heads import NOTHING, Known
from screens.widgets.columns import Sorting
from screens.widgets.slices import Pace, Superseded, chunks

REST = 4
"""Rest between two orders of rows that still arrive, in multiples of what the last one took."""
LEARNED = frozenset({"serial", "resources"})
"""Columns whose values come after the rows."""


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """What is to be shown: of which rows, in which order, narrowed by what."""

    rows: Sequence[StateRow] = ()
    sorting: Sorting = listing.BY_OWNER
    query: str = ""
    only_wrong: bool = False
    known: Known = NOTHING


class Arranger:
    """Makes the rows of the newest wish; ``show`` gets them with the place of the row that ``kept`` names.

    A wish of the operator (order, filter) puts an end to what is being made for an older one; new rows of a listing wait until it
    is done, else a listing that arrives quickly would never be shown.
    """

    def __init__(self, show: Callable[[Sequence[StateRow], int], None], kept: Callable[[], object]) -> None:
        self._show = show
        self._kept = kept
        self._wish = Wish()
        self._made: Wish | None = None
        self._listed: Sequence[StateRow] | None = None
        self._by_key: Sequence[StateRow] = ()
        self._order: tuple[object, ...] = ()
        self._ordered: Sequence[StateRow] = ()
        self._rested_at = 0.0
        self.idle = True
        """Nobody is making anything: whoever wishes has to start :meth:`run`."""

    def wish(self, wish: Wish) -> None:
        self._wish = wish

    @property
    def settled(self) -> bool:
        """Whether the newest wish is shown."""
        return self._made is self._wish

    @property
    def rested(self) -> bool:
        """Whether a listing that arrives may be shown again: at most one part in five of the time is spent on its order."""
        return self.idle and perf_counter() >= self._rested_at

    async def run(self) -> None:
        """Until the newest wish is shown."""
        self.idle = False
        began = perf_counter()
        try:
            while self._made is not self._wish:
                await self._make(self._wish)
        finally:
            self.idle = True
            ended = perf_counter()
            self._rested_at = ended + REST * (ended - began)

    async def _make(self, wish: Wish) -> None:
        if self._listed is not wish.rows:
            self._by_key, self._listed = await listing.by_key(wish.rows, Pace()), wish.rows
            self._order = ()
        try:
            order = (wish.sorting, wish.known if wish.sorting.key in LEARNED else None)
            if self._order != order:
                pace = Pace(lambda: self._wish.sorting == wish.sorting)
                self._ordered, self._order = await listing.ordered(self._by_key, wish.sorting, wish.known, pace), order
            pace = Pace(lambda: _same_question(self._wish, wish))
            shown = await listing.matching(self._ordered, wish.query, pace=pace, only_wrong=wish.only_wrong, known=wish.known)
            place = await _place_of(self._kept(), shown, pace)
        except Superseded:
            return
        self._made = wish
        self._show(shown, place)


def _same_question(one: Wish, other: Wish) -> bool:
    return (one.sorting, one.query, one.only_wrong) == (other.sorting, other.query, other.only_wrong)


async def _place_of(key: object, rows: Sequence[StateRow], pace: Pace) -> int:
    """Where the row with that key is, 0 where it is not."""
    start = 0
    async for some in chunks(rows, pace):
        for place, row in enumerate(some):
            if row.key == key:
                return start + place
        start += len(some)
    return 0
