"""Where the lines of a text begin: of any text, 100 MB as well, built in slices and without a list of lines.

The text is cut into chunks of a few kilobytes, and only how many line breaks each holds is kept. A line is found by bisection
and by looking at one chunk, so that a hundred million empty lines cost no more memory than one line of that size.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from textual.cache import LRUCache

from screens.widgets.ansi import LINE_BREAK

CHUNK = 16_384
SLICE = 4_000_000
"""Characters that one :meth:`TextIndex.advance` goes over: some milliseconds."""


class TextIndex:
    """The lines of ``text``, as far as it was gone over. The break at the end of a text begins no further line."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self._ends: list[int] = []
        self._breaks: list[int] = []
        self._decoded: LRUCache[int, list[int]] = LRUCache(16)

    @property
    def done(self) -> int:
        """Characters gone over."""
        return self._ends[-1] if self._ends else 0

    @property
    def complete(self) -> bool:
        return self.done == len(self.text)

    @property
    def breaks(self) -> int:
        return self._breaks[-1] if self._breaks else 0

    @property
    def line_count(self) -> int:
        """Lines known so far."""
        unended = self.complete and bool(self.text) and self.text[-1] not in "\r\n"
        return self.breaks + (1 if unended else 0)

    def advance(self, characters: int = SLICE) -> bool:
        """Go over some more; true while there is more to go over."""
        text, size = self.text, len(self.text)
        begin, limit = self.done, min(size, self.done + characters)
        count = self.breaks
        while begin < limit:
            end = min(begin + CHUNK, size)
            if text[end - 1] == "\r" and end < size and text[end] == "\n":
                end += 1
            count += text.count("\n", begin, end)
            if returns := text.count("\r", begin, end):
                count += returns - text.count("\r\n", begin, end)
            self._ends.append(end)
            self._breaks.append(count)
            begin = end
        return begin < size

    def grow(self, text: str) -> None:
        """``text`` begins with the present text and goes on."""
        self.text = text
        if self._ends:
            # The last chunk may have ended between CR and LF, or before a chunk was full.
            self._ends.pop()
            self._breaks.pop()
        self._decoded.clear()

    def span(self, line: int) -> tuple[int, int]:
        """Where a line begins and ends in the text, without its break. Raises ``IndexError`` for one that is not known."""
        if not 0 <= line < self.line_count:
            raise IndexError(line)
        begin = self._break_end(line - 1) if line else 0
        if line == self.breaks:
            return begin, len(self.text)
        end = self._break_end(line) - 1
        if end > begin and self.text[end - 1 : end + 1] == "\r\n":
            end -= 1
        return begin, end

    def line(self, number: int) -> str:
        begin, end = self.span(number)
        return self.text[begin:end]

    def line_at(self, offset: int) -> int:
        """The line that holds a character of the text; a break belongs to the line it ends."""
        chunk = bisect_right(self._ends, offset)
        if chunk == len(self._ends):
            return max(0, self.line_count - 1)
        before = self._breaks[chunk - 1] if chunk else 0
        return before + bisect_right(self._break_ends(chunk), offset)

    def _break_end(self, number: int) -> int:
        chunk = bisect_left(self._breaks, number + 1)
        before = self._breaks[chunk - 1] if chunk else 0
        return self._break_ends(chunk)[number - before]

    def _break_ends(self, chunk: int) -> list[int]:
        found = self._decoded.get(chunk)
        if found is None:
            begin = self._ends[chunk - 1] if chunk else 0
            found = [match.end() for match in LINE_BREAK.finditer(self.text, begin, self._ends[chunk])]
            self._decoded[chunk] = found
        return found
