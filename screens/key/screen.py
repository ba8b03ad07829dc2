"""Key: why this digest?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive, var

from kumoss_console.errors import ConsoleError, InputError
from kumoss_console.model.finding import Severity
from kumoss_console.services.keys.service import KeyExplanation
from kumoss_console.services.keys.whatif import WhatIf
from screens.commands import Command
from screens.copies import Copy
from screens.durations import short
from screens.findings import error_facts, finding_facts
from screens.key import view
from screens.key.commands import COMMANDS, LOOK, OPEN_OBJECT, WHAT_IF
from screens.key.copies import copies
from screens.problems import without
from screens.project_screen import ProjectScreen, offer_facts, offered_instead
from screens.subject import NOTHING, Subject
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
    imagined: var[Subject | None] = var(None, init=False)
    """The inputs of the second form; ``None`` while it is closed."""
    what_if: var[WhatIf | None] = var(None)
    no_what_if: var[InputError | None] = var(None)

    other = getters.query_one("#imagined", ProjectForm)
    table = getters.query_one("#keys", VirtualTable)

    def body(self) -> ComposeResult:
        yield ProjectForm(id="project")
        yield ProjectForm(id="imagined")
        with Reading(id="explanation"):
            # The key is what an operator came for: on a low screen nothing said about it may push it away.
            yield Section("What if", id="what-if")
            yield Section(id="key")
            yield Section(id="verdict")
            yield Section(id="doubts")
            yield Section("Hashed with SHA-256: these three lines, no line feed at the end", id="hashed")
            yield Section("How they came about", id="steps")
            yield Section("Where it lies", id="place")
            yield Section("Worth knowing", id="remarks")
            yield Section("Spelled differently, and still this key", id="collisions")
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
        self._imagine()
        self._show()

    def _imagine(self) -> None:
        """Judge the second form beside the first."""
        self.what_if, self.no_what_if = None, None
        if self.explanation is not None and self.imagined is not None:
            inputs = self.imagined
            try:
                self.what_if = self.services.keys.what_if(self.explanation, inputs.repo, inputs.scope, inputs.path)
            except InputError as error:
                self.no_what_if = error

    def _forget_look(self) -> None:
        """What the store said was about another key."""
        self.workers.cancel_group(self, LOOK.id)
        self.problems = without(self.problems, {LOOK.id})
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
        self.query_one("#collisions", Section).facts = view.collision_facts(explanation) if explanation else ()
        self._show_found()

    def _verdict(self) -> tuple[Fact, ...]:
        if self.subject.empty:
            return view.INVITATION
        return (*(error_facts(self.refusal) if self.refusal else ()), *offer_facts(self.offered, self.refusal))

    def _show_found(self) -> None:
        """What depends on what the store said."""
        explanation, look, now = self.explanation, self.look, self.now()
        imagined = view.what_if_facts(self.what_if, look, now) if self.what_if else ()
        self.query_one("#what-if", Section).facts = error_facts(self.no_what_if) if self.no_what_if else imagined
        self.table.display = explanation is not None
        if explanation is not None:
            self.table.source = Rows(
                self._lines(explanation),
                identify=lambda line: line.object_key,
                draw=lambda line: view.cells(line, look, now),
            )

    def _lines(self, explanation: KeyExplanation) -> tuple[view.Line, ...]:
        return view.lines(explanation, self.subject, self.what_if, self.imagined or NOTHING)

    @property
    def offered(self) -> Subject | None:
        return offered_instead(self.subject, self.refusal, self.explanation.key if self.explanation else None)

    @property
    def selected(self) -> view.Line | None:
        """The key under the cursor."""
        if self.explanation is None:
            return None
        return next((line for line in self._lines(self.explanation) if line.object_key == self.table.row_id), None)

    # -- the store ---------------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        # Looking is asked for: a refresh repeats it, opening the view does not begin it.
        if self.look.status != "not yet":
            self.action_look()

    def watch_look(self) -> None:
        if self.is_mounted:
            self._show_found()

    def action_look(self) -> None:
        if self.explanation is not None:
            more = (self.what_if.after.object_key,) if self.what_if else ()
            self.start(partial(self._look, self.explanation, more), group=LOOK.id)

    async def _look(self, explanation: KeyExplanation, more: tuple[str, ...]) -> None:
        self.look = replace(self.look, status="under way")
        try:
            facts = await self.services.keys.check(explanation, *more)
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
            self._show_found()

    # -- what if -----------------------------------------------------------------------------------------------------------

    def action_what_if(self) -> None:
        """Open the second form with the project as it is, or go to it."""
        if self.imagined is None:
            self.imagined = self.subject
            self.other.show(self.subject)
        self.other.edit()

    def watch_imagined(self, imagined: Subject | None) -> None:
        self.set_class(imagined is not None, "-what-if")
        if self.is_mounted:
            self._imagine()
            self._show_found()

    @on(ProjectForm.Changed, "#imagined")
    def _imagined(self, event: ProjectForm.Changed) -> None:
        if self.imagined is not None:
            self.imagined = event.subject

    @on(ProjectForm.Finished, "#imagined")
    def _imagined_enough(self) -> None:
        self.step_back()

    def step_back(self) -> bool:
        """Leave the inputs, then close the second form."""
        if self.other.editing:
            self.table.focus()
        elif self.form.editing or self.imagined is None:
            return super().step_back()
        else:
            self.imagined = None
        return True

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command in {LOOK, OPEN_OBJECT, WHAT_IF}:
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
        return copies(
            self.explanation,
            line,
            typed=self.subject,
            look=self.look,
            context=self.services.context,
            now=self.now(),
            what_if=self.what_if,
        )
