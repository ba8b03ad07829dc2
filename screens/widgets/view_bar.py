"""Line 2: the views, and how old what is shown is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from screens.durations import short
from screens.views import View


def freshness(loaded: datetime | None, now: datetime, *, busy: bool) -> str:
    """``data 4 s old ⟳``: the sign stands while a look is under way. Nothing came of a first look that has ended: it failed."""
    sign = " ⟳" if busy else ""
    if loaded is None:
        return f"looking{sign}" if busy else "not loaded"
    return f"data {short(now - loaded)} old{sign}"


class ViewBar(Widget):
    """The numbered views with the present one marked; ``age`` at the right edge."""

    DEFAULT_CSS = """
    ViewBar { height: 1; background: $panel; color: $foreground; }
    """

    age: reactive[str] = reactive("")

    @dataclass
    class Chosen(Message):
        """A view was clicked."""

        view: View

    def __init__(self, views: Sequence[View], current: str) -> None:
        super().__init__()
        self._views = tuple(views)
        self._current = current

    def _labels(self, width: int) -> list[str]:
        for template in (" {0.number} {0.title} ", "{0.number} {0.title} ", " {0.number} "):
            labels = [template.format(view) for view in self._views]
            if sum(map(cell_len, labels)) + cell_len(self.age) + 2 <= width:
                return labels
        # Numbers for all, and the title for the present one: that it is missing would be the last thing to guess.
        present = [f" {view.number} {view.title} " if view.name == self._current else f" {view.number} " for view in self._views]
        return present if sum(map(cell_len, present)) + cell_len(self.age) + 2 <= width else labels

    def render(self) -> Content:
        width = self.size.width
        labels = self._labels(width)
        parts: list[tuple[str, str]] = [
            (label, "bold reverse" if view.name == self._current else "") for view, label in zip(self._views, labels, strict=True)
        ]
        used = sum(map(cell_len, labels))
        padding = max(1, width - used - cell_len(self.age) - 1)
        return Content.assemble(*parts, (f"{' ' * padding}{self.age}", "$foreground 70%"))

    def on_click(self, event: events.Click) -> None:
        left = 0
        for view, label in zip(self._views, self._labels(self.size.width), strict=True):
            left += cell_len(label)
            if event.x < left:
                self.post_message(self.Chosen(view))
                return
