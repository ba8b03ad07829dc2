"""A text to read: the log, a raw document. Search, move, copy; nothing else."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from screens.commands import COPY, NEXT_MATCH, PREVIOUS_MATCH, SEARCH, bindings
from screens.dialogs.dialog import Dialog
from screens.widgets.content import safe
from screens.widgets.line_view import LineView
from screens.widgets.typed_line import FilterLine


class TextDialog(Dialog[str | None]):
    """Answers the text where the operator asked for a copy of it (``y``), else ``None``."""

    BINDINGS = bindings((SEARCH, NEXT_MATCH, PREVIOUS_MATCH, COPY))

    def __init__(self, title: str, text: str, *, empty: str = "there is nothing to show") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._empty = empty

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide -tall") as frame:
            frame.border_title = safe(self._title)
            frame.border_subtitle = "/ search · n N next, previous · y copy · Esc closes"
            yield LineView(self._text, empty=self._empty)
            yield FilterLine(placeholder="search", id="search")

    def on_mount(self) -> None:
        self.query_one(LineView).focus()

    def action_search(self) -> None:
        self.query_one(FilterLine).open()

    @on(FilterLine.Filtered)
    def _search(self, event: FilterLine.Filtered) -> None:
        self.query_one(LineView).search(event.text)

    def action_next_match(self) -> None:
        self.query_one(LineView).next_match()

    def action_previous_match(self) -> None:
        self.query_one(LineView).next_match(-1)

    def action_copy(self) -> None:
        self.dismiss(self.query_one(LineView).text)
