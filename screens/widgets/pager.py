"""A text, the part of it that is in view, and what is searched for in it. Knows sizes, and nothing of terminals or widgets.

The place in the text is a row of a line: how many rows a wrapped line takes is known for the lines in view alone.
"""

from __future__ import annotations

from time import perf_counter

from textual.cache import LRUCache

from screens.widgets.ansi import raw_offset, uncoloured
from screens.widgets.drawn_line import DrawnLine, column, drawn
from screens.widgets.text_index import TextIndex
from screens.widgets.text_search import TextSearch
from screens.widgets.wrapping import Place, moved, rows

AT_ONCE = 0.008
"""Seconds that one :meth:`Pager.advance` goes over the text."""
Parts = tuple[tuple[int, int], ...]


class Pager:
    """Call :meth:`fit` with the room there is, and :meth:`advance` until there is nothing more to go over."""

    def __init__(self, text: str = "") -> None:
        self.index = TextIndex(text)
        self.search: TextSearch | None = None
        self.top = Place()
        self.width = self.height = 1
        self.wrap = True
        self._match = self._match_at = -1
        self._jump_from: int | None = None
        self._page: list[Place] | None = None
        self._lines: LRUCache[int, tuple[DrawnLine, Parts]] = LRUCache(512)
        self.index.advance()

    @property
    def text(self) -> str:
        return self.index.text

    def show(self, text: str) -> None:
        """Another text, from its start; one that only grew, where the reader is."""
        if self.text and text.startswith(self.text):
            self.index.grow(text)
        else:
            self.index = TextIndex(text)
            self.top = Place()
        self.index.advance()
        self.look_for(self.search.needle if self.search else "", jump=False)

    def fit(self, width: int, height: int, *, wrap: bool) -> None:
        """The room there is. The line at the top stays."""
        if (width, wrap) != (self.width, self.wrap):
            self.top = Place(self.top.line)
        self.width, self.height, self.wrap = max(1, width), max(1, height), wrap
        self.forget()
        self.go_to(self.top)

    def advance(self) -> bool:
        """Go over the text for a moment; true while there is more to go over."""
        began = perf_counter()
        more = True
        while more and perf_counter() - began < AT_ONCE:
            more = self.index.advance() or (self.search is not None and self.search.advance())
        self._page = None
        self._try_jump()
        return more

    # -- lines and rows ----------------------------------------------------------------------------------------------------

    def line(self, number: int) -> tuple[DrawnLine, Parts]:
        """A line as it is drawn, and its rows."""
        found = self._lines.get(number)
        if found is None:
            begin, end = self.index.span(number)
            one = drawn(self.text, begin, end, at=self._match_at if number == self.match_line else -1)
            plain = one.text.plain
            found = self._lines[number] = (one, rows(plain, self.width) if self.wrap else ((0, len(plain)),))
        return found

    def rows_of(self, line: int) -> int:
        return len(self.line(line)[1]) if self.wrap else 1

    @property
    def page(self) -> list[Place]:
        """The rows in view, from the top."""
        if self._page is None:
            self._page = []
            place, count = self.top, self.index.line_count
            while place.line < count and len(self._page) < self.height:
                self._page.append(place)
                last = place.row + 1 >= self.rows_of(place.line)
                place = Place(place.line + 1) if last else Place(place.line, place.row + 1)
        return self._page

    @property
    def last_top(self) -> Place:
        """The place at the top when the end of the text is in view."""
        count = self.index.line_count
        if not count:
            return Place()
        end = Place(count - 1, self.rows_of(count - 1) - 1)
        return moved(end, 1 - self.height, self.rows_of, count)

    @property
    def widest(self) -> int:
        """Cells of the widest line in view."""
        return max((self.line(number)[0].text.cell_len for number in {place.line for place in self.page}), default=0)

    def forget(self) -> None:
        """Lines are drawn otherwise from now on."""
        self._lines.clear()
        self._page = None

    def go_to(self, place: Place) -> None:
        self.top = max(Place(), min(place, self.last_top))
        self._page = None

    def move(self, count: int) -> None:
        """That many rows further on, or back."""
        self.go_to(moved(self.top, count, self.rows_of, self.index.line_count))

    def place_of(self, offset: int) -> tuple[Place, int]:
        """The row that holds a character of the text, and its column in the drawn line."""
        number = self.index.line_at(offset)
        one, parts = self.line(number)
        at = column(one, self.text, offset)
        return Place(number, next((row for row, (_, end) in enumerate(parts) if at < end), len(parts) - 1)), at

    def offset_of(self, number: int, at: int) -> int:
        """The place in the text that a column of a drawn line stands for."""
        one, _ = self.line(number)
        begin, end = self.index.span(number)
        if at < one.begin:
            return begin
        return end if at > one.end else one.offset + raw_offset(self.text[one.offset : end], at - one.begin)

    @property
    def current_line(self) -> str:
        """The line at hand, whole and without colours: that of the match where it is in view, else the first in view."""
        numbers = [place.line for place in self.page]
        if not numbers:
            return ""
        match = self.match_line
        return uncoloured(self.index.line(match if match is not None and match in numbers else numbers[0]))

    # -- searching ---------------------------------------------------------------------------------------------------------

    @property
    def found(self) -> tuple[int, int]:
        """Which match is the current one, from 1, and how many are known; ``(0, 0)`` for none."""
        return (self._match + 1, self.search.total if self.search else 0)

    @property
    def match_line(self) -> int | None:
        return self.index.line_at(self._match_at) if self._match >= 0 else None

    @property
    def match_column(self) -> int:
        """The column of the match in its drawn line, -1 for no match."""
        return self.place_of(self._match_at)[1] if self._match >= 0 else -1

    def look_for(self, needle: str, *, jump: bool) -> None:
        """Search from now on, with ``jump`` for the first match at or below the top, else for none in particular."""
        self.search = TextSearch(self.text, needle) if needle else None
        self._match = self._match_at = -1
        self._jump_from = self.index.span(self.top.line)[0] if needle and jump and self.index.line_count else None
        self.forget()

    def step(self, step: int) -> bool:
        """Go on to the next match, or back; starts over at the ends. False where there is none."""
        if self.search is None or not self.search.total:
            return False
        self._go_to_match((self._match + step) % self.search.total if self._match >= 0 or step > 0 else self.search.total - 1)
        return True

    def _try_jump(self) -> None:
        if self.search is None or self._jump_from is None:
            return
        number = self.search.first_from(self._jump_from)
        if number is None and self.search.complete and self.search.total:
            number = 0
        if number is not None or self.search.complete:
            self._jump_from = None
        if number is not None:
            self._go_to_match(number)

    def _go_to_match(self, number: int) -> None:
        assert self.search is not None  # noqa: S101 - only a search has matches
        self._match, self._match_at = number, self.search.offset(number)
        self.forget()
        place, _ = self.place_of(self._match_at)
        if place not in self.page:
            self.go_to(moved(place, -(self.height // 3), self.rows_of, self.index.line_count))

    # -- in words ------------------------------------------------------------------------------------------------------------

    @property
    def told(self) -> str:
        """What part is in view, and which match of how many: ``match 3 of 17 · lines 1-20 of 100,000``."""
        return " · ".join(part for part in (self._search_told(), self._position_told()) if part)

    def _position_told(self) -> str:
        page, count = self.page, self.index.line_count
        if not page:
            return ""
        known = f"{count:,}" if self.index.complete else f"{count:,} so far"
        first, last = page[0], page[-1]
        if first.line < last.line:
            return f"lines {first.line + 1:,}-{last.line + 1:,} of {known}"
        height = self.rows_of(first.line)
        part = f", rows {first.row + 1:,}-{last.row + 1:,} of {height:,}" if height > len(page) else ""
        return f"line {first.line + 1:,} of {known}{part}"

    def _search_told(self) -> str:
        if self.search is None:
            return ""
        at, total = self.found
        if not self.search.complete:
            return f"{total:,} found, searching {self.search.done / len(self.text):.0%}"
        return f"match {at:,} of {total:,}" if total else "no match"
