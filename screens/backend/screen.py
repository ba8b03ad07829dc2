"""Backend: which value wins in a workspace, what the core would write, and who decides."""

from __future__ import annotations

import json
import math
import shlex
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import var

from kumoss_console.errors import ConsoleError, InputError
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import ownership
from kumoss_console.services.backend.override import OverridePreview
from kumoss_console.services.backend.proof import WorkspaceProof
from screens.backend import layers_view, view
from screens.backend.commands import COMMANDS, FLIP, NO_WORKSPACE, PROVE, WRAP_LINES
from screens.backend.copies import layer_copies
from screens.backend.layers import LayersPane
from screens.backend.override import OverrideView
from screens.base import LOAD
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, REVEAL, SAVE, SEARCH, Command
from screens.copies import Copy
from screens.dialogs.ask import AskDialog
from screens.findings import error_facts, finding_facts
from screens.project_screen import ProjectScreen, offer_facts, offered_instead, project_options
from screens.subject import NOTHING, Subject
from screens.widgets.content import safe
from screens.widgets.facts import Fact
from screens.widgets.project_form import ProjectForm
from screens.widgets.reading import Reading
from screens.widgets.section import Section
from screens.widgets.typed_line import FilterLine
from screens.workspace_picker import gives_way, owner_of, pick_workspace

_OF_THE_OVERRIDE = frozenset({REVEAL, WRAP_LINES, SEARCH, NEXT_MATCH, PREVIOUS_MATCH, SAVE})
REVEALED = timedelta(seconds=30)
"""How long a secret stays readable."""


class BackendScreen(ProjectScreen):
    """The layers of one workspace; the override of one project, its secrets masked until asked for, for thirty seconds, on this
    screen only."""

    view_name = "backend"
    commands = COMMANDS
    CSS_PATH = "backend.tcss"
    AUTO_FOCUS = "#override"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - Textual's declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - Textual's declaration

    preview: var[OverridePreview | None] = var(None)
    refusal: var[InputError | None] = var(None)
    until: var[datetime | None] = var(None)
    """When what is revealed is masked again; ``None`` while it is masked."""

    workspace: var[Path | None] = var(None)
    """The folder whose layers are shown, and that the override is held against; it stays while the project changes."""
    proof: var[WorkspaceProof | None] = var(None)
    layers_shown: var[bool] = var(False)

    lines = getters.query_one("#override", OverrideView)
    pane = getters.query_one(LayersPane)

    def body(self) -> ComposeResult:
        yield ProjectForm(id="project")
        yield LayersPane(id="layers")
        with Vertical(id="parts"):
            with Reading(id="facts"):
                yield Section(id="verdict")
                yield Section(id="doubts")
                yield Section("In the workspace", id="proof")
                yield Section(id="decides")
                yield Section(id="remarks")
            with Vertical(id="frame"):
                yield OverrideView(id="override")
        yield FilterLine(placeholder="search the file", id="search")

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def renew(self) -> None:
        self.preview, self.refusal, self.until = None, None, None
        if not self.subject.empty:
            try:
                self.preview = self.services.backend.preview(self.subject.repo, self.subject.scope, self.subject.path)
            except InputError as error:
                self.refusal = error
        self._show()
        self._prove()

    def _show(self) -> None:
        context, preview = self.services.context, self.preview
        owner = preview.ownership if preview else ownership(context.storage, context.backend_config)
        self.query_one("#verdict", Section).facts = self._verdict()
        findings = preview.findings if preview else ()
        self.query_one("#doubts", Section).facts = finding_facts([one for one in findings if one.severity is not Severity.INFO])
        self.query_one("#remarks", Section).facts = finding_facts([one for one in findings if one.severity is Severity.INFO])
        file = view.file_facts(preview, context) if preview else ()
        self.query_one("#decides", Section).facts = (*view.ownership_facts(owner, context), *file)
        self._show_file()
        self._name_workspace()

    def _name_workspace(self) -> None:
        root, key = self.services.context.workspaces_root, self.preview.object_key if self.preview is not None else None
        folder = self.workspace
        self.pane.heading = layers_view.heading(folder, root, self.pane.found, key) if folder is not None else ()

    def _verdict(self) -> tuple[Fact, ...]:
        if self.subject.empty:
            return view.INVITATION
        key = self.preview.object_key if self.preview is not None else None
        foreign = layers_view.foreign_facts(self.pane.found, key)
        return (*(error_facts(self.refusal) if self.refusal else ()), *foreign, *offer_facts(self.offered, self.refusal))

    def _show_file(self) -> None:
        frame = self.query_one("#frame", Vertical)
        left = None if self.until is None else max(1, math.ceil((self.until - self.now()).total_seconds()))
        frame.border_title = safe(view.title(self.preview, revealed_for=left))
        frame.set_class(self.until is not None, "-revealed")
        self.lines.empty = view.empty_words(self.preview, asked=not self.subject.empty)
        self.lines.show(self._text())

    def _text(self) -> str:
        """The file as it may be seen now."""
        preview = self.preview
        if preview is None or preview.content is None:
            return ""
        return preview.content.reveal() if self.until is not None else preview.masked or ""

    @property
    def offered(self) -> Subject | None:
        return offered_instead(self.subject, self.refusal, self.preview.key if self.preview else None)

    # -- the workspace -----------------------------------------------------------------------------------------------------

    def action_workspace(self, folder: str = "") -> None:
        if folder:
            self._take(Path(folder).expanduser().absolute())
        else:
            pick_workspace(self, lambda row: self._take(row.folder, owner_of(row)))

    def _take(self, folder: Path, owner: Subject = NOTHING) -> None:
        """``owner`` is the project that the workspace brings."""
        self._look_into(folder)
        self.layers_shown = True
        if gives_way(self.subject, owner):
            self.console.subject = owner
        else:
            self._prove()
        self.pane.table.focus()
        self.refresh_bindings()

    def _look_into(self, folder: Path) -> None:
        self.workspace = folder
        self.pane.found, self.pane.said = None, layers_view.LOOKING
        self._name_workspace()
        self.start(self.load, group=LOAD)

    async def load(self) -> None:
        if self.workspace is None:
            return
        try:
            found = await self.services.workspaces.inspect(self.workspace)
        except ConsoleError:
            self.pane.said = layers_view.UNREAD
            raise
        self.pane.found = found
        self._show()
        self.fresh(self.now())
        self.refresh_bindings()

    def action_no_workspace(self) -> None:
        self.workspace, self.proof, self.pane.found, self.layers_shown = None, None, None, False
        self.workers.cancel_group(self, LOAD)
        self._show()
        self.lines.focus()
        self.refresh_bindings()

    def action_flip(self) -> None:
        self.layers_shown = not self.layers_shown
        (self.pane.table if self.layers_shown else self.lines).focus()

    def watch_layers_shown(self, shown: bool) -> None:
        self.set_class(shown, "-layers")
        if shown:
            self.until = None
        self.refresh_bindings()
        self._show_age()

    def action_edit(self) -> None:
        if self.has_class("-low"):
            # The inputs have no room beside the table there.
            self.layers_shown = False
        super().action_edit()

    def show_subject(self, subject: str) -> None:
        """A workspace's folder, as the jobs know it."""
        self._take(Path(subject))

    # -- proof -------------------------------------------------------------------------------------------------------------

    def action_prove(self, folder: str = "") -> None:
        if folder:
            self._hold_against(folder)
            return
        known = str(self.workspace) if self.workspace is not None else self.services.context.workspaces_root or ""
        hint = "The folder of the root module, as this console sees it; it is only read."
        self.app.push_screen(AskDialog("Hold it against the workspace", hint=hint, value=known), self._hold_against)

    def _hold_against(self, folder: str | None) -> None:
        if folder is not None:
            self._look_into(Path(folder).expanduser())
            self.layers_shown = False
            self._prove()

    def _prove(self) -> None:
        """Read the workspace for the override as it is now; what was proved was about another one."""
        self.proof = None
        self.workers.cancel_group(self, PROVE.id)
        if self.workspace is not None and self.preview is not None and self.preview.override is not None:
            self.start(partial(self._proved, self.preview, self.workspace), group=PROVE.id)

    async def _proved(self, preview: OverridePreview, workspace: Path) -> None:
        self.proof = await self.services.override_proof.prove(preview, workspace)

    def watch_proof(self, proof: WorkspaceProof | None) -> None:
        if self.is_mounted:
            self.query_one("#proof", Section).facts = view.proof_facts(proof) if proof is not None else ()

    # -- secrets -----------------------------------------------------------------------------------------------------------

    def action_reveal(self) -> None:
        self.until = self.now() + REVEALED if self.until is None else None

    def watch_until(self) -> None:
        if self.is_mounted:
            self._show_file()

    def ticked(self) -> None:
        if self.until is None:
            return
        if self.now() >= self.until:
            self.until = None
        else:
            self._show_file()

    def on_screen_suspend(self) -> None:
        # Another view or a dialog stands in front: nobody watches the clock of this one.
        self.until = None

    # -- commands ----------------------------------------------------------------------------------------------------------

    def age(self) -> str:
        return super().age() if self.layers_shown else ""

    def enabled(self, command: Command) -> bool | None:
        if command in {FLIP, NO_WORKSPACE}:
            return self.workspace is not None
        if command in _OF_THE_OVERRIDE and self.layers_shown:
            return False
        if command is REVEAL:
            return self.preview is not None and self.preview.hides
        if command is PROVE:
            return self.preview is not None and self.preview.override is not None
        if command in {NEXT_MATCH, PREVIOUS_MATCH}:
            return self.is_mounted and bool(self.lines.needle)
        return super().enabled(command)

    def action_search(self) -> None:
        self.query_one("#search", FilterLine).open()

    def on_filter_line_filtered(self, event: FilterLine.Filtered) -> None:
        self.lines.search(event.text)
        self.refresh_bindings()

    def action_wrap(self) -> None:
        self.lines.action_wrap()

    def action_next_match(self) -> None:
        self.lines.next_match()

    def action_previous_match(self) -> None:
        self.lines.next_match(-1)

    def copies(self) -> tuple[Copy, ...]:
        if self.layers_shown:
            return layer_copies(self.pane.found, self.pane.selected, self.services.context.name)
        preview = self.preview
        if preview is None:
            return ()
        text = self._text()
        document = preview.as_data(reveal=self.until is not None)
        command = f"kumoss-console override {project_options(self.subject, preview.key)}"
        if self.proof is not None:
            document["proof"] = self.proof.as_data()
            command += f" --workspace {shlex.quote(str(self.proof.folder))}"
        masked = " (secrets masked)" if preview.hides and self.until is None else ""
        return (
            *((Copy(label=f"the override{masked}", text=text, role="thing"),) if text else ()),
            Copy(label="the object key", text=preview.object_key),
            Copy(label=f"as JSON{masked}", text=json.dumps(document, indent=2, ensure_ascii=False), role="json"),
            Copy(
                label="the command that shows this",
                text=f"{command} --context {shlex.quote(self.services.context.name)}",
                role="command",
            ),
        )

    def saved(self) -> tuple[str, str] | None:
        if self.layers_shown:
            return None
        text = self._text()
        return (self.preview.filename, text) if self.preview is not None and text else None
