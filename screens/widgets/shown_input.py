"""Inputs whose value may be anything: what the terminal would obey is not drawn."""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import Input, TextArea

from kumoss_console.model.spelling import shown
from kumoss_console.text import printable
from screens.widgets.cells import fit

_EVERYBODY = re.compile(r"(?i)\s*(?:ssh://)?git@[^@?#]+")


def drawn(text: str) -> str:
    """``text`` without what a terminal would obey, as wide as before, so that the cursor stays where it belongs.

    Hidden characters stay in the value: a key is a digest of every one of them. Saying that they are there is the view's task.
    """
    if printable(text) == text:
        return text
    return "".join(char if printable(char) == char else "?" * cell_len(char) for char in text)


class ShownInput(Input):
    """Textual hands an input's value to the terminal as it is; this one does not."""

    DEFAULT_CSS = """
    ShownInput { background: $surface; }
    ShownInput:focus { background: $panel; }
    """

    def render_line(self, y: int) -> Strip:
        return _harmless(super().render_line(y))


class RepositoryInput(ShownInput):
    """Without the focus it shows no password: a URL is pasted with one, and stays on the screen for as long as the view does.

    The value stays as it was typed, and is shown so while it is edited.
    """

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        public = redacted(self.value)
        if self.has_focus or public == self.value:
            return strip
        return Strip([Segment(fit(public, strip.cell_length), self.rich_style)], strip.cell_length)


def redacted(repository: str) -> str:
    """A repository without what may be a password or a token; ``git@``, which everybody writes, is none."""
    return repository if _EVERYBODY.fullmatch(repository) else shown(repository)


class ShownTextArea(TextArea):
    """The same, for several lines."""

    def render_line(self, y: int) -> Strip:
        return _harmless(super().render_line(y))


def _harmless(strip: Strip) -> Strip:
    return Strip([Segment(drawn(text), style, control) for text, style, control in strip], strip.cell_length)
