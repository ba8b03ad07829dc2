"""Choosing one of several: what to copy, which context to enter."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from kumoss_console.text import printable
from screens.dialogs.dialog import Dialog
from screens.widgets.cells import fit
from screens.widgets.content import safe


class ChooseDialog(Dialog[int | None]):
    """Answers the index of the chosen option. An option is a label and what it stands for; both may be external text."""

    def __init__(self, title: str, options: Sequence[tuple[str, str]], *, start: int = 0) -> None:
        super().__init__()
        self._title = title
        self._options = tuple(options)
        self._start = start

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as frame:
            frame.border_title = safe(self._title)
            frame.border_subtitle = "Enter chooses · Esc leaves"
            yield OptionList(*(Option(_line(label, detail)) for label, detail in self._options), compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._start if self._options else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)


def _line(label: str, detail: str) -> Content:
    one_line = detail.partition("\n")[0]
    return Content.assemble(
        (fit(printable(label), 26), "bold"), " ", (fit(printable(one_line), 64, middle=True).rstrip(), "$foreground 70%")
    )
