"""The form of a chain: judged while it is typed; sends nothing itself."""

from __future__ import annotations

from collections.abc import Mapping

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Label, Select, Static

from kumoss_console.model.chain import ChainRequest, Step
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider
from screens.chain.draft import UNTIL, Draft, chain_request, remarks
from screens.dialogs.dialog import Dialog
from screens.jobs.draft import FIELDS, DraftError
from screens.widgets.cells import Cell
from screens.widgets.content import safe, toned
from screens.widgets.shown_input import ShownInput

NO_PROJECT = -1
_LABELS = {**{name: field.label for name, field in FIELDS.items()}, "project": "Project"}
_OWN_PLAN = "empty: a plan file of its own, that no other chain overwrites"


class ChainDialog(Dialog[ChainRequest | None]):
    """Answers a chain that can be begun."""

    CSS_PATH = "form.tcss"

    def __init__(self, context: Context, values: Mapping[str, str]) -> None:
        """``values`` by the contract's names."""
        super().__init__()
        self._world = context
        self._values = dict(values)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = "Run a chain: init, validate, plan, show, review, apply"
            with VerticalScroll(classes="fields", can_focus=False):
                yield from self._row("workspace_path", self._line("workspace_path", FIELDS["workspace_path"].hint))
                yield from self._row("project", self._projects())
                yield from self._row("scope_id", self._line("scope_id", FIELDS["scope_id"].hint))
                yield from self._row("terraform_provider", self._providers())
                yield from self._row("until", self._until(), label="Until")
                yield from self._row("plan_file", self._line("plan_file", _OWN_PLAN))
            yield Static(id="verdict", classes="hint")
            with Horizontal(classes="buttons"):
                yield Button("Cancel", id="cancel")
                yield Button("Run", id="run", variant="primary")

    def _row(self, name: str, editor: Input | Select[object], *, label: str = "") -> ComposeResult:
        with Horizontal(classes="field"):
            yield Label(label or _LABELS[name])
            yield editor

    def _line(self, name: str, hint: str) -> ShownInput:
        # The workspace begins with the folder of all of them: what is typed goes on from there.
        whole = name != "workspace_path"
        return ShownInput(self._values.get(name, ""), compact=True, id=name, placeholder=hint, select_on_focus=whole)

    def _projects(self) -> Select[object]:
        known = [(safe(one.name or f"{one.repo} {one.path}".strip()), at) for at, one in enumerate(self._world.projects)]
        options = [(Content("none: the workspace keeps the backend it has"), NO_PROJECT), *known]
        return Select(options, value=NO_PROJECT, allow_blank=False, compact=True, id="project")

    def _providers(self) -> Select[object]:
        given = self._values.get("terraform_provider", "")
        value = given if given in set(CloudProvider) else Select.NULL
        options = [(provider.value, provider.value) for provider in CloudProvider]
        return Select(options, value=value, prompt="choose", compact=True, id="terraform_provider")

    def _until(self) -> Select[object]:
        return Select([(step.value, step) for step in UNTIL], value=Step.APPLY, allow_blank=False, compact=True, id="until")

    def on_mount(self) -> None:
        self._judge()

    @property
    def draft(self) -> Draft:
        """What the form spells now."""
        names = ("workspace_path", "scope_id", "plan_file")
        values = {name: self.query_one(f"#{name}", ShownInput).value for name in names}
        provider = self.query_one("#terraform_provider", Select).value
        project = self.query_one("#project", Select).value
        until = self.query_one("#until", Select).value
        return Draft(
            values={**values, "terraform_provider": provider if isinstance(provider, str) else ""},
            project=project if isinstance(project, int) and project != NO_PROJECT else None,
            until=until if isinstance(until, Step) else Step.APPLY,
        )

    @on(Select.Changed, "#project")
    def _project_chosen(self, event: Select.Changed) -> None:
        if isinstance(event.value, int) and event.value != NO_PROJECT:
            project = self._world.projects[event.value]
            self.query_one("#scope_id", ShownInput).value = project.scope
            if project.provider is not None:
                self.query_one("#terraform_provider", Select).value = project.provider.value

    @on(Input.Changed)
    @on(Select.Changed)
    def _judge(self) -> None:
        draft = self.draft
        try:
            chain_request(draft, self._world)
        except DraftError as error:
            said = toned(Cell(f"✗ {_LABELS.get(error.field, error.field)}: {error.reason}"))
            fits = False
        else:
            said = toned(Cell("✓ this can be run", "good"), *(Cell(f" · {remark}") for remark in remarks(draft, self._world)))
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
        self.dismiss(chain_request(self.draft, self._world))
