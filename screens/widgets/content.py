"""External text as Textual may have it: ``Content``, never a string that it would parse as markup."""

from __future__ import annotations

from textual.content import Content

from kumoss_console.text import printable
from screens.widgets.cells import Cell, Tone


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
