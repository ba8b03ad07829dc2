"""The form of a chain."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Select

from kumoss_console.model.chain import ChainRequest, Step
from screens.chain.draft import UNTIL, Draft, chain_request, remarks
from screens.dialogs.known_project import KnownProjectDialog
from screens.jobs.draft import FIELDS
from screens.widgets.cells import Cell
from screens.widgets.content import toned

_OWN_PLAN = "empty: a plan file of its own, that no other chain overwrites"


class ChainDialog(KnownProjectDialog[ChainRequest]):
    """Answers a chain that can be begun."""

    HEADING = "Run a chain: init, validate, plan, show, review, apply"
    BUTTON = "Run"
    LABELS: ClassVar = {**{name: field.label for name, field in FIELDS.items()}, "project": "Project", "until": "Until"}

    def rows(self) -> ComposeResult:
        yield from self.row("workspace_path", self.line("workspace_path", FIELDS["workspace_path"].hint))
        yield from self.row("project", self.projects("none: the workspace keeps the backend it has"))
        yield from self.row("scope_id", self.line("scope_id", FIELDS["scope_id"].hint))
        yield from self.row("terraform_provider", self.providers(self.PROVIDERS))
        yield from self.row("until", self._until())
        yield from self.row("plan_file", self.line("plan_file", _OWN_PLAN))

    def _until(self) -> Select[object]:
        return Select([(step.value, step) for step in UNTIL], value=Step.APPLY, allow_blank=False, compact=True, id="until")

    @property
    def draft(self) -> Draft:
        """What the form spells now."""
        until = self.query_one("#until", Select).value
        return Draft(
            values=self.lines_typed(("workspace_path", "scope_id", "plan_file")),
            project=self.project,
            until=until if isinstance(until, Step) else Step.APPLY,
        )

    def answer(self) -> ChainRequest:
        return chain_request(self.draft, self._world)

    def approval(self) -> Content:
        return toned(Cell("✓ this can be run", "good"), *(Cell(f" · {said}") for said in remarks(self.draft, self._world)))
