"""Asking before what cannot be taken back: names the subject and the consequence, starts on Cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from kumoss_console.text import printable
from screens.commands import MOVE
from screens.dialogs.dialog import Dialog
from screens.widgets.content import safe
from screens.widgets.reading import Reading
from screens.widgets.shown_input import ShownInput


class ConfirmDialog(Dialog[bool]):
    """``True`` only by the named button. With ``must_type`` that button works once exactly that text has been typed.

    Consequences that do not fit scroll, with the keys that move everywhere; the buttons stay in sight.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(move.keys), f"read({move.action!r})", move.title, show=False, id=f"confirm.{move.action}")
        for move in MOVE
    ]

    def __init__(self, question: str, *, consequences: Sequence[str], verb: str, must_type: str = "") -> None:
        super().__init__()
        self._question = question
        self._consequences = tuple(consequences)
        self._verb = verb
        self._must_type = must_type

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -dangerous") as frame:
            frame.border_title = safe(self._question)
            with Reading(classes="body") as consequences:
                # The keys that scroll it are the dialog's: Tab goes between what is typed and the buttons.
                consequences.can_focus = False
                for line in self._consequences:
                    yield Static(safe(f"· {line}"))
            with Vertical(classes="foot"):
                if self._must_type:
                    yield Static(safe(f"\nType {self._must_type} to go on (Tab)", newlines=True), classes="hint")
                    yield ShownInput(id="typed", compact=True)
                    yield Static(id="mismatch", classes="wrong")
                with Horizontal(classes="buttons"):
                    yield Button("Cancel", id="cancel")
                    yield Button(safe(self._verb), id="confirm", variant="error", disabled=bool(self._must_type))

    def on_mount(self) -> None:
        for said in self.query("#mismatch"):
            said.display = False
        self.query_one("#cancel", Button).focus()

    @on(Input.Changed, "#typed")
    def _typed(self, event: Input.Changed) -> None:
        # What is asked for is shown through printable, so that is what can be typed.
        self.query_one("#confirm", Button).disabled = event.value != printable(self._must_type)
        self.query_one("#mismatch").display = False

    @on(Input.Submitted, "#typed")
    def _to_button(self, event: Input.Submitted) -> None:
        button = self.query_one("#confirm", Button)
        if not button.disabled:
            button.focus()
        else:
            typed = f"{event.value} is not it" if event.value.strip() else "nothing was typed"
            said = self.query_one("#mismatch", Static)
            said.display = True
            said.update(safe(f"✗ {typed}: the name is {self._must_type}"))

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.dismiss(False)

    @on(Button.Pressed, "#confirm")
    def _confirm(self) -> None:
        self.dismiss(True)

    async def action_read(self, move: str) -> None:
        await self.query_one(Reading).run_action(move)

    def action_leave(self) -> None:
        self.dismiss(False)
