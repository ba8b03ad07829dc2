"""Choosing one of several: what to copy, which context to enter."""

from __future__ import annotations

from collections.abc import Sequence

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import OptionList

from screens.commands import FILTER, bindings
from screens.dialogs.dialog import Dialog
from screens.widgets.choices import Choices
from screens.widgets.content import safe
from screens.widgets.typed_line import FilterLine

HINT = "/ filters · Enter chooses · Esc leaves"
TYPING = "Enter goes to the list · Esc clears the filter"


class ChooseDialog(Dialog[int | None]):
    """Answers the index of the chosen option. An option is a label and what it stands for; both may be external text.

    ``note`` stands in front of the hint: how far a list is that still grows.
    """

    BINDINGS = bindings((FILTER,))

    choices = getters.query_one(Choices)
    line = getters.query_one(FilterLine)

    def __init__(self, title: str, options: Sequence[tuple[str, str]], *, start: int = 0, note: str = "") -> None:
        super().__init__()
        self._note = note
        self._left: int | None = None
        self._title = title
        self._options = tuple(options)
        self._start = start

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = safe(self._title)
            frame.border_subtitle = self._hint()
            yield Choices(self._options, start=self._start)
            yield FilterLine(placeholder="words that occur in what is looked for", id="filter")

    def on_mount(self) -> None:
        self.choices.focus()

    def action_filter(self) -> None:
        self.line.open()

    @on(FilterLine.Filtered)
    def _narrowed(self, event: FilterLine.Filtered) -> None:
        left = self.choices.narrow(event.text)
        self._show_hint(left if event.text.strip() else None)

    def offer(self, options: Sequence[tuple[str, str]], *, note: str = "") -> None:
        """More options, the ones before at their places; the cursor and the filter stay."""
        self._options, self._note = tuple(options), note
        if self.is_mounted:
            left = self.choices.offer(self._options)
            self._show_hint(left if left < len(self._options) else None)

    def _show_hint(self, left: int | None = None) -> None:
        self.query_one(".dialog", Vertical).border_subtitle = self._hint(left)

    def _hint(self, left: int | None = None) -> str:
        self._left = left
        shown = f"{left} of {len(self._options)}" if left is not None else ""
        keys = TYPING if self.is_mounted and self.line.has_focus else HINT
        return " · ".join(part for part in (safe(self._note).plain, shown, keys) if part)

    def on_descendant_focus(self) -> None:
        """The keys mean something else while the filter is typed."""
        self._show_hint(self._left)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self.choices.chosen)

    def action_leave(self) -> None:
        """Esc closes the filter first, as in every view."""
        if self.line.is_open:
            self.line.action_clear()
        else:
            self.dismiss(None)
