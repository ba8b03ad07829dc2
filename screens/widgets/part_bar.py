"""The parts of a detail: which there are, which one is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


class PartBar(Widget):
    """One line of names; the shown one is marked by brackets as well as by colour. A click chooses."""

    DEFAULT_CSS = """
    PartBar { height: 1; }
    """

    current: reactive[int] = reactive(0)
    note: reactive[str] = reactive("")
    """Our own words at the right: how many lines, which match."""

    @dataclass
    class Chosen(Message):
        bar: PartBar
        index: int

        @property
        def control(self) -> PartBar:
            return self.bar

    def __init__(self, parts: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.parts = tuple(parts)

    def _labels(self) -> list[str]:
        return [f"[{part}]" if index == self.current else f" {part} " for index, part in enumerate(self.parts)]

    def render(self) -> Content:
        labels = self._labels()
        pieces = [
            (label, "bold $text-primary" if index == self.current else "$foreground 70%") for index, label in enumerate(labels)
        ]
        gap = self.size.width - sum(map(cell_len, labels)) - cell_len(self.note)
        note = f"{' ' * gap}{self.note}" if gap > 0 else ""
        return Content.assemble(*pieces, (note, "$foreground 60%"))

    def on_click(self, event: events.Click) -> None:
        left = 0
        for index, label in enumerate(self._labels()):
            left += cell_len(label)
            if event.x < left:
                self.post_message(self.Chosen(self, index))
                return
