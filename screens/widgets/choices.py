"""The options of a dialog: whole labels, what each stands for beside or below, narrowed by words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kumoss_console.text import printable
from screens.commands import MOVE, bindings
from screens.widgets.cells import fit

DETAIL = 24
"""Cells of a detail that are worth a place beside the label; with less it stands below."""


class Choices(OptionList):
    """Options are a label and what it stands for; both may be external text. :attr:`chosen` is an index into all of them."""

    BINDINGS = bindings(MOVE)

    def __init__(self, options: Sequence[tuple[str, str]], *, start: int = 0) -> None:
        super().__init__(compact=True)
        self._given = _printable(options)
        self._shown = list(range(len(self._given)))
        self._start = start
        self._query = ""

    @property
    def chosen(self) -> int | None:
        """The option under the cursor."""
        return None if self.highlighted is None else self._shown[self.highlighted]

    def offer(self, options: Sequence[tuple[str, str]]) -> int:
        """Options that were added behind the ones before; the cursor stays. How many are shown."""
        self._given = _printable(options)
        return self.narrow(self._query)

    def narrow(self, query: str) -> int:
        """Keep the options in which every word of ``query`` occurs, in any case, and say how many these are."""
        self._query = query
        words = query.casefold().split()
        kept, self._shown = (
            self.chosen,
            [index for index, pair in enumerate(self._given) if all(word in "\n".join(pair).casefold() for word in words)],
        )
        self._draw(kept)
        return len(self._shown)

    def on_mount(self) -> None:
        self._draw(self._start)

    def on_resize(self, event: events.Resize) -> None:
        self._draw(self.chosen)

    def _draw(self, at: int | None) -> None:
        width = max(1, self.scrollable_content_region.width - 2)
        labels = (cell_len(self._given[index][0]) for index in self._shown)
        column = max((cells for cells in labels if cells + 2 + DETAIL <= width), default=0)
        self.set_options([Option(drawn(*self._given[index], width=width, column=column)) for index in self._shown])
        if self._shown:
            self.highlighted = self._shown.index(at) if at in self._shown else 0

    # -- movement ----------------------------------------------------------------------------------------------------------

    def action_top(self) -> None:
        self.action_first()

    def action_bottom(self) -> None:
        self.action_last()

    def action_half_page_down(self) -> None:
        self._move(max(1, self.scrollable_content_region.height // 2))

    def action_half_page_up(self) -> None:
        self._move(-max(1, self.scrollable_content_region.height // 2))

    def _move(self, by: int) -> None:
        if self._shown:
            self.highlighted = max(0, min(len(self._shown) - 1, (self.highlighted or 0) + by))


def _printable(options: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((printable(label), printable(detail.partition("\n")[0])) for label, detail in options)


def drawn(label: str, detail: str, *, width: int, column: int) -> Content:
    """One option in ``width`` cells: the label whole, the detail beside it from ``column`` on, or below where it has no room.

    What is wider than a whole line is cut in the middle: both ends of a URL tell.
    """
    used = cell_len(label)
    if used <= column:
        rest = fit(detail, width - column - 2, middle=True).rstrip()
        return Content.assemble((fit(label, column), "bold"), "  ", (rest, "$foreground 70%"))
    whole = fit(label, min(used, width), middle=True)
    if not detail:
        return Content.assemble((whole, "bold"))
    return Content.assemble((whole, "bold"), "\n  ", (fit(detail, width - 2, middle=True).rstrip(), "$foreground 70%"))
