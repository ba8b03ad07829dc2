"""Labels with what is known beside them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from screens.widgets.cells import Cell, Tone, fit, wrapped
from screens.widgets.content import toned
from screens.widgets.facts import Fact


def sheet(facts: Sequence[Fact], width: int, *, tone: Tone = "dim") -> Content:
    """The facts below each other; long values wrap beside their label."""
    widest = max((cell_len(fact.label) for fact in facts), default=0)
    indent = widest + 2 if widest else 0
    lines = []
    for one in facts:
        for number, line in enumerate(wrapped(one.value, max(10, width - indent))):
            label = one.label if number == 0 else ""
            lines.append(toned(Cell(fit(label, indent), tone), *line))
    return Content("\n").join(lines)


class FactSheet(Widget):
    """As high as its facts need; scrolls with what it stands in."""

    DEFAULT_CSS = """
    FactSheet { height: auto; }
    """

    facts: reactive[tuple[Fact, ...]] = reactive((), layout=True)

    def __init__(self, facts: Sequence[Fact] = (), *, tone: Tone = "dim", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        """``tone`` is that of the labels."""
        super().__init__(id=id)
        self._tone = tone
        self.set_reactive(FactSheet.facts, tuple(facts))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return str(sheet(self.facts, width)).count("\n") + 1 if self.facts else 0

    def render(self) -> Content:
        return sheet(self.facts, self.size.width, tone=self._tone)
