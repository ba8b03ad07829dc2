"""One line as it is drawn: with its colours, and no more of it than anybody reads at once. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text

from screens.widgets.ansi import coloured, safe_cut, shown

LONGEST_DRAWN = 20_000
"""Characters of one line that are drawn. The line itself is kept whole; how much is not shown is said in its place."""
LEAD = 1_000
"""Characters that are drawn before a match that stands further on."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """``text`` is what is drawn; its characters from ``begin`` to ``end`` are the line's own, the first of them being at
    ``offset`` of the whole text; the others say what is left out."""

    text: Text
    begin: int
    end: int
    offset: int


def drawn(whole: str, begin: int, end: int, *, at: int = -1) -> DrawnLine:
    """The line from ``begin`` to ``end`` of ``whole``; where it is too long, the part of it that holds ``at``."""
    first = begin
    if at >= begin + LONGEST_DRAWN:
        first = safe_cut(whole, max(begin, min(at, end) - LEAD), after=begin)
    last = min(end, first + LONGEST_DRAWN)
    if last < end:
        last = safe_cut(whole, last, after=first)
    text = coloured(whole[first:last])
    own = len(text.plain)
    before = f"… {first - begin:,} characters before … " if first > begin else ""
    if before:
        text = Text.assemble((before, "bold"), text, no_wrap=True)
    if last < end:
        text.append(f" … {end - last:,} more characters in this line", "bold")
    return DrawnLine(text, len(before), len(before) + own, first)


def column(line: DrawnLine, whole: str, offset: int) -> int:
    """Where in the drawn text the character at ``offset`` of ``whole`` stands."""
    return min(line.end, line.begin + len(shown(whole[line.offset : offset])))
