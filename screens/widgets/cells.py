"""Text as the widgets of this console take it: external strings become cells, lines and ``Content``, never markup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len, set_cell_size
from textual.content import Content

from kumoss_console.text import printable

Tone = Literal["", "good", "bad", "warn", "busy", "dim", "accent"]
"""What a piece of text says beyond its words. Never the only sign: words, an icon or a letter stand beside it."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A piece of one line. ``text`` may be external: it is neutralised where it is drawn."""

    text: str
    tone: Tone = ""


def safe(text: str, *, newlines: bool = False) -> Content:
    """External text as content: what it spells is what is shown."""
    return Content(printable(text, newlines=newlines))


def toned(*parts: Cell | str) -> Content:
    """Several pieces as one line of content; tones map to the theme's colours."""
    cells = [part if isinstance(part, Cell) else Cell(part) for part in parts]
    return Content.assemble(*((printable(cell.text, newlines=True), TONE_STYLES[cell.tone]) for cell in cells))


TONE_STYLES: dict[Tone, str] = {
    "": "",
    "good": "$text-success",
    "bad": "$text-error bold",
    "warn": "$text-warning",
    "busy": "$text-accent",
    "dim": "$foreground 60%",
    "accent": "$text-primary",
}


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
