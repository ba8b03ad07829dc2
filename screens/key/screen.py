"""Key: why this digest?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive, var

from kumoss_console.errors import ConsoleError, InputError
from kumoss_console.model.finding import Severity
from kumoss_console.services.keys import KeyExplanation
from screens.commands import Command
from screens.copies import Copy
from screens.durations import short
from screens.findings import error_facts, finding_facts
from screens.key import view
from screens.key.commands import COMMANDS, LOOK, OPEN_OBJECT
from screens.key.copies import copies
from screens.project_screen import ProjectScreen, offer_facts, offered_instead
from screens.subject import Subject
from screens.widgets.facts import Fact
from screens.widgets.project_form import ProjectForm
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.section import Section
from screens.widgets.virtual_table import VirtualTable


class KeyScreen(ProjectScreen):
    """Derives with each keystroke, without asking anybody; looks into the store when told to."""

    view_name = "key"
    commands = COMMANDS
    CSS_PATH = "key.tcss"
    AUTO_FOCUS = "#keys"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - Textual's declaration

    explanation: var[KeyExplanation | None] = var(None)
    refusal: var[InputError | None] = var(None)
    look: reactive[view.Look] = reactive(view.NOT_YET)

    table = getters.query_one("#keys", VirtualTable)

    def body(self) -> ComposeResult:
        yield ProjectForm(id="project")
        with Reading(id="explanation"):
            yield Section(id="verdict")
            yield Section(id="key")
            yield Section(id="doubts")
            yield Section("Hashed with SHA-256: these three lines, no line feed at the end", id="hashed")
            yield Section("How they came about", id="steps")
            yield Section("Where it lies", id="place")
            yield Section("Worth knowing", id="remarks")
        yield VirtualTable(view.COLUMNS, id="keys")

    # -- derivation --------------------------------------------------------------------------------------------------------

    def renew(self) -> None:
        before = self.explanation
        self.explanation, self.refusal = None, None
        if not self.subject.empty:
            try:
                self.explanation = self.services.keys.explain(self.subject.repo, self.subject.scope, self.subject.path)
            except InputError as error:
                self.refusal = error
        if before is None or self.explanation is None or before.object_key != self.explanation.object_key:
            self._forget_look()
        self._show()

    def _forget_look(self) -> None:
        """What the store said was about another key."""
        self.workers.cancel_group(self, LOOK.id)
        self.problems = {group: error for group, error in self.problems.items() if group != LOOK.id}
        self.look = view.NOT_YET
        self.loaded = None

    def _show(self) -> None:
        explanation = self.explanation
        self.query_one("#verdict", Section).facts = self._verdict()
        self.query_one("#key", Section).facts = view.key_facts(explanation) if explanation else ()
        findings = explanation.findings if explanation else ()
        self.query_one("#doubts", Section).facts = finding_facts([one for one in findings if one.severity is not Severity.INFO])
        self.query_one("#remarks", Section).facts = finding_facts([one for one in findings if one.severity is Severity.INFO])
        self.query_one("#place", Section).facts = view.place_facts(explanation) if explanation else ()
        self.query_one("#steps", Section).facts = view.step_facts(explanation) if explanation else ()
        self.query_one("#hashed", Section).facts = view.hashed_facts(explanation) if explanation else ()
        self._show_table()

    def _verdict(self) -> tuple[Fact, ...]:
        if self.subject.empty:
            return view.INVITATION
        return (*(error_facts(self.refusal) if self.refusal else ()), *offer_facts(self.offered, self.refusal))

    def _show_table(self) -> None:
        explanation, look, now = self.explanation, self.look, self.now()
        self.table.display = explanation is not None
        if explanation is not None:
            self.table.source = Rows(
                view.lines(explanation, self.subject),
                identify=lambda line: line.object_key,
                draw=lambda line: view.cells(line, look, now),
            )

    @property
    def offered(self) -> Subject | None:
        return offered_instead(self.subject, self.refusal, self.explanation.key if self.explanation else None)

    @property
    def selected(self) -> view.Line | None:
        """The key under the cursor."""
        if self.explanation is None:
            return None
        lines = view.lines(self.explanation, self.subject)
        return next((line for line in lines if line.object_key == self.table.row_id), None)

    # -- the store ---------------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        # Looking is asked for: a refresh repeats it, opening the view does not begin it.
        if self.look.status != "not yet":
            self.action_look()

    def watch_look(self) -> None:
        if self.is_mounted:
            self._show_table()

    def action_look(self) -> None:
        if self.explanation is not None:
            self.start(partial(self._look, self.explanation), group=LOOK.id)

    async def _look(self, explanation: KeyExplanation) -> None:
        self.look = replace(self.look, status="under way")
        try:
            facts = await self.services.keys.check(explanation)
        except ConsoleError as error:
            # What was found before stays; the banner says that it is no longer fresh.
            self.look = replace(self.look, status="failed", error=error)
            raise
        self.look = view.Look(status="answered", facts={fact.object_key: fact for fact in facts}, at=self.now())
        self.fresh(self.now())

    def age(self) -> str:
        if self.look.status == "under way":
            return "looking ⟳"
        at = self.look.at
        return f"store looked at {short(self.now() - at)} ago" if at is not None else ""

    def ticked(self) -> None:
        if self.look.facts:
            self._show_table()

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command in {LOOK, OPEN_OBJECT}:
            return self.explanation is not None
        return super().enabled(command)

    @on(VirtualTable.RowOpened)
    async def _opened(self) -> None:
        if line := self.selected:
            await self.console.open_view("bucket", line.object_key)

    def copies(self) -> tuple[Copy, ...]:
        line = self.selected
        if self.explanation is None or line is None:
            return ()
        return copies(self.explanation, line, typed=self.subject, look=self.look, context=self.services.context, now=self.now())
