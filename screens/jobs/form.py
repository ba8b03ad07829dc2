"""The form of a submission: the kind, then the fields of that kind, judged by the contract while they are typed."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from kumoss_console.model.contract import CloudProvider, JobKind, SubmitRequest
from screens.dialogs.dialog import Dialog
from screens.jobs.draft import FIELDS, DraftError, Field, fields_of, request
from screens.widgets.content import safe
from screens.widgets.shown_input import ShownInput, ShownTextArea


class SubmitDialog(Dialog[SubmitRequest | None]):
    """Answers a request that the contract accepts; sends nothing itself."""

    def __init__(self, *, values: Mapping[str, str], kind: JobKind = JobKind.PLAN, root: str = "") -> None:
        """``values`` by the contract's names; ``root`` is the folder of all workspaces."""
        super().__init__()
        self._root = root
        self._values = dict(values)
        self._kind = kind

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = "Submit a job"
            with VerticalScroll(classes="fields", can_focus=False):
                with Horizontal(classes="field"):
                    yield Label("Kind")
                    yield Select(
                        [(Content(kind.value), kind) for kind in JobKind],
                        value=self._kind,
                        allow_blank=False,
                        compact=True,
                        id="kind",
                    )
                for field in FIELDS.values():
                    with Horizontal(classes="field", id=f"row-{field.name}"):
                        yield Label(field.label)
                        yield from self._editor(field)
            yield Static(id="verdict", classes="hint")
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Submit", id="submit", variant="primary")

    def _editor(self, field: Field) -> ComposeResult:
        value = self._values.get(field.name, "")
        if field.input == "provider":
            known = value if value in set(CloudProvider) else Select.NULL
            yield Select(
                [(provider.value, provider.value) for provider in CloudProvider],
                value=known,
                prompt="choose",
                compact=True,
                id=field.name,
            )
        elif field.input == "lines":
            yield ShownTextArea(value, compact=True, id=field.name, placeholder=Content(field.hint))
        else:
            # The workspace begins with the folder of all of them: what is typed goes on from there.
            whole = field.name != "workspace_path"
            yield ShownInput(value, compact=True, id=field.name, placeholder=field.hint, select_on_focus=whole)

    def on_mount(self) -> None:
        self._show_fields()

    @property
    def values(self) -> dict[str, str]:
        """What the form spells now, by the contract's names."""
        spelled: dict[str, str] = {}
        for name, field in FIELDS.items():
            if field.input == "provider":
                chosen = self.query_one(f"#{name}", Select).value
                spelled[name] = chosen if isinstance(chosen, str) else ""
            elif field.input == "lines":
                spelled[name] = self.query_one(f"#{name}", TextArea).text
            else:
                spelled[name] = self.query_one(f"#{name}", Input).value
        return spelled

    @on(Select.Changed, "#kind")
    def _kind_chosen(self, event: Select.Changed) -> None:
        if isinstance(event.value, JobKind):
            self._kind = event.value
            self._show_fields()

    def _show_fields(self) -> None:
        shown = {field.name for field in fields_of(self._kind)}
        for name in FIELDS:
            self.query_one(f"#row-{name}").display = name in shown
        self._judge()

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    def _judge(self) -> None:
        verdict = self.query_one("#verdict", Static)
        try:
            request(self._kind, self.values, root=self._root)
        except DraftError as error:
            label = FIELDS[error.field].label if error.field in FIELDS else error.field
            verdict.update(safe(f"✗ {label}: {error.reason}"))
            self.query_one("#submit", Button).disabled = True
        else:
            verdict.update(Content("✓ the contract accepts this"))
            self.query_one("#submit", Button).disabled = False

    @on(Input.Submitted)
    def _on_to_the_next(self) -> None:
        self.focus_next()

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.dismiss(None)

    @on(Button.Pressed, "#submit")
    def _submit(self) -> None:
        self.dismiss(request(self._kind, self.values, root=self._root))
