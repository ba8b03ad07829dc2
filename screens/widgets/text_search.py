"""Finding words in a text of any size, in slices: how often they occur, and where the one of that number stands.

Only how often is kept, by block of the text: to know where, one block is searched again. Case is ignored, and so are colours,
which may stand in the middle of a word.
"""

from __future__ import annotations

from bisect import bisect_right

from textual.cache import LRUCache

from screens.widgets.ansi import raw_offset, safe_cut, shown

BLOCK = 131_072
_OVERLAP = 4_096
"""Characters beyond the end of a block that a match may reach into, colours included, where one line is longer than a block."""


def folded(text: str) -> str:
    """``text`` with its case ignored, character for character: ``ß`` stays one."""
    low = text.lower() if text.isascii() else text.casefold()
    if len(low) == len(text):
        return low
    return text.translate({ord(char): one for char in set(text) if len(one := char.casefold()) == 1})


class TextSearch:
    """The places of ``needle`` in ``text``, as far as it was gone over. A needle holds no line break."""

    def __init__(self, text: str, needle: str) -> None:
        self.text = text
        self.needle = folded(needle)
        self._ends: list[int] = []
        self._totals: list[int] = []
        self._places: LRUCache[int, list[int]] = LRUCache(2)

    @property
    def done(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def complete(self) -> bool:
        return not self.needle or self.done == len(self.text)

    @property
    def total(self) -> int:
        """How often it was found so far."""
        return self._totals[-1] if self._totals else 0

    def advance(self) -> bool:
        """Search one block more; true while there is more to search."""
        if not self.complete:
            begin, end = self.done, self._cut(self.done)
            block, own = self._block(begin, end)
            count = block.count(self.needle, 0, own + len(self.needle) - 1)
            self._ends.append(end)
            self._totals.append(self.total + count)
        return not self.complete

    def _cut(self, begin: int) -> int:
        """Where a block ends: after a line if one ends in it, else anywhere but in a colour code."""
        text, end = self.text, begin + BLOCK
        if end >= len(text):
            return len(text)
        if (after := max(text.rfind("\n", begin, end), text.rfind("\r", begin, end)) + 1) > begin:
            return after
        return safe_cut(text, end, after=begin)

    def _block(self, begin: int, end: int) -> tuple[str, int]:
        """The block as it is searched, and how much of it is its own: matches that begin in the rest belong to the next."""
        own = shown(self.text[begin:end])
        if end == len(self.text) or self.text[end - 1] in "\r\n":
            return folded(own), len(own)
        return folded(shown(self.text[begin : end + _OVERLAP])), len(own)

    def _bounds(self, block: int) -> tuple[int, int]:
        return (self._ends[block - 1] if block else 0), self._ends[block]

    def _columns(self, block: int) -> list[int]:
        found = self._places.get(block)
        if found is None:
            searched, own = self._block(*self._bounds(block))
            size, found = len(self.needle), []
            at = searched.find(self.needle, 0, own + size - 1)
            while at >= 0:
                found.append(at)
                at = searched.find(self.needle, at + size, own + size - 1)
            self._places[block] = found
        return found

    def offset(self, number: int) -> int:
        """Where in the text the match of that number begins, counted from 0."""
        block = bisect_right(self._totals, number)
        before = self._totals[block - 1] if block else 0
        begin, end = self._bounds(block)
        return begin + raw_offset(self.text[begin:end], self._columns(block)[number - before])

    def first_from(self, offset: int) -> int | None:
        """The number of the first match at or after a place in the text; ``None`` where none is known yet."""
        block = bisect_right(self._ends, offset)
        if block == len(self._ends):
            return None
        begin, _ = self._bounds(block)
        column = len(shown(self.text[begin:offset]))
        columns = self._columns(block)
        before = self._totals[block - 1] if block else 0
        number = before + sum(at < column for at in columns)
        return number if number < self.total else None
