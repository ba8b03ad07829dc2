"""Pieces of text with a tone, as view functions give them to widgets. Pure: nothing here knows Textual."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size

from kumoss_console.text import printable

_WORDS = re.compile(r"\s*\S+|\s+")
Tone = Literal["", "good", "bad", "warn", "busy", "dim", "accent"]
"""What a piece of text says beyond its words. Never the only sign: words, an icon or a letter stand beside it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of one line. ``text`` may be external: it is neutralised where it is drawn."""

    text: str
    tone: Tone = ""


def fit(text: str, cells: int, *, right: bool = False, middle: bool = False) -> str:
    """``text`` in exactly ``cells`` terminal cells: padded, or cut with an ellipsis (in the middle where both ends matter).

    Measured with the width tables of the renderer, so that columns stay aligned for any script.
    """
    if cells <= 0:
        return ""
    used = cell_len(text)
    if used > cells:
        if middle and cells > 4:
            tail = set_cell_size(text[::-1], (cells - 1) // 2)[::-1]
            text = set_cell_size(text, cells - 1 - cell_len(tail)) + "…" + tail
        else:
            text = set_cell_size(text, cells - 1) + "…"
        return set_cell_size(text, cells)
    padding = " " * (cells - used)
    return padding + text if right else text + padding


def wrapped(cells: Sequence[Cell], width: int) -> tuple[tuple[Cell, ...], ...]:
    """The pieces as lines of at most ``width`` cells, broken between words where that is possible."""
    lines: list[list[Cell]] = [[]]
    left = width
    for cell in cells:
        for word in _WORDS.findall(printable(cell.text)):
            while cell_len(word) > left:
                if left < width and cell_len(word.strip()) <= width:
                    word = word.lstrip()
                else:
                    head = set_cell_size(word, left).rstrip() if left else ""
                    if not head and left == width:
                        # Blanks wider than the line: nothing of them would ever fit.
                        word = word.lstrip()
                        continue
                    lines[-1].append(Cell(head, cell.tone))
                    word = word[len(head) :]
                lines.append([])
                left = width
            lines[-1].append(Cell(word, cell.tone))
            left -= cell_len(word)
    return tuple(tuple(line) for line in lines)
