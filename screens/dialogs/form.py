"""A form: labelled fields, judged while they are typed, and one button that answers what they spell. Sends nothing itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from kumoss_console.model.contract import CloudProvider
from screens.dialogs.dialog import Dialog
from screens.dialogs.draft_error import DraftError
from screens.widgets.content import safe
from screens.widgets.shown_input import ShownInput

T = TypeVar("T")

PROVIDER = "terraform_provider"


class FormDialog(Dialog[T | None]):
    """Extended by each form, which says what its rows are, what they spell, and what is said of that where it will do."""

    HEADING: ClassVar[str]
    BUTTON: ClassVar[str]
    LABELS: ClassVar[Mapping[str, str]]
    """The label of each field, by the contract's name."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """``values`` is what the form starts with, by the contract's names."""
        super().__init__()
        self._values = dict(values)

    @abstractmethod
    def rows(self) -> ComposeResult:
        """The fields, one :meth:`row` each."""

    @abstractmethod
    def answer(self) -> T:
        """What the form spells now. Raises :class:`~screens.dialogs.draft_error.DraftError` where that will not do."""

    @abstractmethod
    def approval(self) -> Content:
        """What is said of a form that will do."""

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = self.HEADING
            with VerticalScroll(classes="fields", can_focus=False):
                yield from self.rows()
            with Vertical(classes="foot"):
                yield Static(id="verdict", classes="hint")
                with Horizontal(classes="buttons"):
                    yield Button("Cancel", id="cancel")
                    yield Button(self.BUTTON, id="run", variant="primary")

    def row(self, name: str, editor: Input | Select[object] | TextArea) -> ComposeResult:
        with Horizontal(classes="field", id=f"row-{name}"):
            yield Label(self.LABELS[name])
            yield editor

    def line(self, name: str, hint: str) -> ShownInput:
        # The workspace begins with the folder of all of them: what is typed goes on from there.
        whole = name != "workspace_path"
        return ShownInput(self._values.get(name, ""), compact=True, id=name, placeholder=hint, select_on_focus=whole)

    def providers(self, known: Iterable[CloudProvider]) -> Select[object]:
        options = [(provider.value, provider.value) for provider in known]
        given = self._values.get(PROVIDER, "")
        value = given if given in [option for option, _ in options] else Select.NULL
        return Select(options, value=value, prompt="choose", compact=True, id=PROVIDER)

    def lines_typed(self, names: Iterable[str]) -> dict[str, str]:
        """What those inputs spell, and the provider that is chosen, ``""`` for none."""
        chosen = self.query_one(f"#{PROVIDER}", Select).value
        values = {name: self.query_one(f"#{name}", Input).value for name in names}
        return {**values, PROVIDER: chosen if isinstance(chosen, str) else ""}

    def on_mount(self) -> None:
        self._judge()

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    def _judge(self) -> None:
        try:
            self.answer()
        except DraftError as error:
            said, fits = safe(f"✗ {self.LABELS.get(error.field, error.field)}: {error.reason}"), False
        else:
            said, fits = self.approval(), True
        self.query_one("#verdict", Static).update(said)
        self.query_one("#run", Button).disabled = not fits

    @on(Input.Submitted)
    def _on_to_the_next(self) -> None:
        self.focus_next()

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.dismiss(None)

    @on(Button.Pressed, "#run")
    def _run(self) -> None:
        self.dismiss(self.answer())
