"""Asking for one line: a job id, a file name."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Static

from screens.dialogs.dialog import Dialog
from screens.widgets.content import safe
from screens.widgets.shown_input import ShownInput


class AskDialog(Dialog[str | None]):
    """Answers what was typed, without blanks at the ends; an empty line is no answer."""

    def __init__(self, title: str, *, hint: str, value: str = "") -> None:
        super().__init__()
        self._title = title
        self._hint = hint
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as frame:
            frame.border_title = safe(self._title)
            yield ShownInput(self._value, id="asked", compact=True)
            yield Static(safe(self._hint), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip() or None)
