"""A line as strips, one for each of its rows: colours, matches, what is selected, and the mark of rows that go on."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from screens.widgets.pager import Pager
from screens.widgets.text_search import folded
from screens.widgets.wrapping import MARK


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStyles:
    """``base`` lies under everything; ``here`` is the match that the search is at."""

    base: Style
    match: Style
    here: Style
    mark: Style
    selection: Style


def strips(pager: Pager, number: int, *, styles: LineStyles, selected: tuple[int, int] | None, console: Console) -> list[Strip]:
    """``selected`` are columns of the drawn line, an end of -1 being its end. Every strip knows the columns it shows."""
    line, parts = pager.line(number)
    text = line.text.copy()
    if pager.search is not None:
        needle, plain = pager.search.needle, folded(text.plain)
        at = plain.find(needle, line.begin, line.end)
        while at >= 0:
            text.stylize(styles.match, at, at + len(needle))
            at = plain.find(needle, at + len(needle), line.end)
        if number == pager.match_line:
            text.stylize(styles.here, pager.match_column, pager.match_column + len(needle))
    if selected is not None:
        begin, end = selected
        text.stylize(styles.selection, begin, len(text) if end < 0 else end)
    found = []
    for row, piece in enumerate(text.divide([end for _, end in parts[:-1]])):
        drawn = piece.render(console, end="")
        strip = Strip([Segment(part, styles.base + (style or Style.null())) for part, style, _ in drawn])
        strip = strip.apply_offsets(parts[row][0], number)
        found.append(Strip([Segment(MARK, styles.mark), *strip]) if row else strip)
    return found
