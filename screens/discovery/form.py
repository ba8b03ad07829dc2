"""The form of a discovery: judged while it is typed; sends nothing itself."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Label, Select, Static

from kumoss_console.model.context import Context
from kumoss_console.services.discovery.service import DiscoveryRequest
from screens.dialogs.dialog import Dialog
from screens.discovery.draft import PROVIDERS, discovery_request
from screens.jobs.draft import FIELDS, DraftError
from screens.widgets.cells import Cell
from screens.widgets.content import safe, toned
from screens.widgets.shown_input import ShownInput

NO_PROJECT = -1
_LINES = {
    "workspace_path": ("Workspace", FIELDS["workspace_path"].hint),
    "scope_id": ("Scope", FIELDS["scope_id"].hint),
    "key": ("State key", "empty: the one with the workspace's identifiers"),
    "number": ("Number", "a Google project's, where identifiers have it"),
}
_LABELS = {**{name: label for name, (label, _) in _LINES.items()}, "terraform_provider": "Provider"}


class DiscoveryDialog(Dialog[DiscoveryRequest | None]):
    """Answers a discovery that can be begun."""

    CSS_PATH = "form.tcss"

    def __init__(self, context: Context, values: Mapping[str, str]) -> None:
        """``values`` by the contract's names, and ``key`` and ``number``."""
        super().__init__()
        self._world = context
        self._values = dict(values)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = "Discover what exists beside what states manage"
            with VerticalScroll(classes="fields", can_focus=False):
                yield from self._row("Workspace", self._line("workspace_path"))
                yield from self._row("Project", self._projects())
                yield from self._row("Scope", self._line("scope_id"))
                yield from self._row("Provider", self._providers())
                yield from self._row("State key", self._line("key"))
                yield from self._row("Number", self._line("number"))
            yield Static(id="verdict", classes="hint")
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Discover", id="run", variant="primary")

    def _row(self, label: str, editor: Input | Select[object]) -> ComposeResult:
        with Horizontal(classes="field"):
            yield Label(label)
            yield editor

    def _line(self, name: str) -> ShownInput:
        # The workspace begins with the folder of all of them: what is typed goes on from there.
        whole = name != "workspace_path"
        hint = _LINES[name][1]
        return ShownInput(self._values.get(name, ""), compact=True, id=name, placeholder=hint, select_on_focus=whole)

    def _projects(self) -> Select[object]:
        known = [(safe(one.name or f"{one.repo} {one.path}".strip()), at) for at, one in enumerate(self._world.projects)]
        options = [(Content("none of those that are known"), NO_PROJECT), *known]
        return Select(options, value=NO_PROJECT, allow_blank=False, compact=True, id="project")

    def _providers(self) -> Select[object]:
        given = self._values.get("terraform_provider", "")
        value = given if given in PROVIDERS else Select.NULL
        options = [(provider.value, provider.value) for provider in PROVIDERS]
        return Select(options, value=value, prompt="choose", compact=True, id="terraform_provider")

    def on_mount(self) -> None:
        self._judge()

    @property
    def draft(self) -> dict[str, str]:
        """What the form spells now."""
        values = {name: self.query_one(f"#{name}", ShownInput).value for name in _LINES}
        provider = self.query_one("#terraform_provider", Select).value
        return values | {"terraform_provider": provider if isinstance(provider, str) else ""}

    @on(Select.Changed, "#project")
    def _project_chosen(self, event: Select.Changed) -> None:
        if isinstance(event.value, int) and event.value != NO_PROJECT:
            project = self._world.projects[event.value]
            self.query_one("#scope_id", ShownInput).value = project.scope
            if project.provider in PROVIDERS:
                self.query_one("#terraform_provider", Select).value = project.provider.value

    @on(Input.Changed)
    @on(Select.Changed)
    def _judge(self) -> None:
        try:
            discovery_request(self.draft, self._world)
        except DraftError as error:
            said = toned(Cell(f"✗ {_LABELS.get(error.field, error.field)}: {error.reason}"))
            fits = False
        else:
            said = toned(Cell("✓ two jobs will be sent, which only read", "good"))
            fits = True
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
        self.dismiss(discovery_request(self.draft, self._world))
