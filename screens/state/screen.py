"""State: which state is active, and do the three that decide it agree?"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import var

from kumoss_console.errors import ConsoleError, InputError
from kumoss_console.model.project import ProjectKey, derive
from kumoss_console.model.trace import Trace
from kumoss_console.services.trace.project import Asked
from screens.base import LOAD
from screens.commands import Command
from screens.copies import Copy
from screens.findings import error_facts
from screens.problems import without
from screens.project_screen import ProjectScreen, offer_facts, offered_instead, project_options
from screens.state import view
from screens.state.commands import COMMANDS, FORGET_LOG, NO_WORKSPACE, OPEN_STATE
from screens.state.copies import copies
from screens.subject import NOTHING, Subject
from screens.widgets.facts import Fact
from screens.widgets.project_form import ProjectForm
from screens.widgets.reading import Reading
from screens.widgets.section import Section
from screens.workspace_picker import gives_way, owner_of, pick_workspace

TRACE = "trace"
PAUSE = 0.3
"""Seconds of quiet after a keystroke before the files and the store are asked."""

_LOGGED = "Terraform state:"


class StateScreen(ProjectScreen):
    """Traces the project, the workspace, or the one as the other; asks nobody before the typing pauses."""

    view_name = "state"
    commands = COMMANDS
    CSS_PATH = "state.tcss"
    AUTO_FOCUS = "#answer"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012 - Textual's declaration
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - Textual's declaration

    trace: var[Trace | None] = var(None)
    key: var[ProjectKey | None] = var(None)
    refusal: var[InputError | None] = var(None)
    workspace: var[Path | None] = var(None)
    looking: var[bool] = var(False)
    log_text: var[str] = var("")
    """Lines of the core's log that were pasted."""
    before: Subject | None = None
    """The project that was in the inputs when the workspace was taken: it may have nothing to do with it."""

    def body(self) -> ComposeResult:
        yield ProjectForm(id="project")
        with Reading(id="answer"):
            yield Section(id="verdict")
            yield Section(id="about")
            with Vertical(id="cards"):
                for name, title in view.TITLES.items():
                    yield Section(title, id=name)
            yield Section("Worth knowing", id="remarks")
            yield Section("Next, by hand: c copies", id="steps")

    # -- what is traced ----------------------------------------------------------------------------------------------------

    def renew(self) -> None:
        self.key, self.refusal = None, None
        if self.subject.repo.strip() or self.subject.scope.strip():
            try:
                self.key = derive(self.subject.repo, self.subject.scope, self.subject.path)
            except InputError as error:
                self.refusal = error
        self.trace, self.looking = None, False
        self.problems = without(self.problems, {TRACE, LOAD})
        self._show()
        self.workers.cancel_group(self, TRACE)
        if self.traceable:
            self.start(partial(self._trace, PAUSE if self.form.editing else 0.0), group=TRACE)

    @property
    def traceable(self) -> bool:
        """Whether there is something to trace: a workspace, a whole project, or a log."""
        if self.refusal is not None:
            return False
        return self.workspace is not None or bool(self.log_text) or self._asked is not None

    @property
    def _asked(self) -> Asked | None:
        if self.key is None or not self.subject.scope.strip():
            return None
        if self.subject.brought and self.workspace is not None:
            return None  # what lies in the workspace says the same, and more
        return Asked(repo=self.subject.repo, scope=self.subject.scope, path=self.subject.path)

    async def load(self) -> None:
        if self.traceable:
            await self._trace(0.0)

    async def _trace(self, pause: float) -> None:
        await asyncio.sleep(pause)
        self.looking = self.trace is None
        self._show()
        try:
            trace = await self.services.trace.trace(folder=self.workspace, project=self._asked, log=self.log_text or None)
        except ConsoleError:
            self.looking = False
            self._show()
            raise
        if trace.cause == "other_project" and self.subject == self.before:
            self._leave_out(self.subject)
            return
        self.trace, self.looking = trace, False
        # A refresh answers what typing asked as well, and the other way round.
        self.problems = without(self.problems, {TRACE, LOAD})
        self.fresh(trace.at)
        self._show()
        self.refresh_bindings()

    def _leave_out(self, foreign: Subject) -> None:
        """The project came from elsewhere, and the workspace is another one's: it is judged by its own."""
        self.before = None
        self.console.flash(f"the project before, {foreign.path or foreign.repo}, is not this workspace's: left out")
        self.console.subject = NOTHING

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        trace = self.trace
        # A workspace says by itself which project it is; on a low screen its inputs would take the place of an answer.
        self.set_class(trace is not None and self.subject.empty and not self.form.editing, "-bare")
        self.query_one("#verdict", Section).facts = self._verdict()
        self.query_one("#about", Section).facts = view.about_facts(trace) if trace is not None else ()
        self._show_cards()
        self.query_one("#remarks", Section).facts = view.findings_of(trace) if trace is not None else ()
        self.query_one("#steps", Section).facts = view.step_facts(trace) if trace is not None else ()

    def _show_cards(self) -> None:
        for number, name in enumerate(view.TITLES):
            trace = self.trace
            brief = self.has_class("-low")
            facts = view.card_facts(trace.layers[number], trace, self.now(), brief=brief) if trace is not None else ()
            self.query_one(f"#{name}", Section).facts = facts

    def _verdict(self) -> tuple[Fact, ...]:
        if self.trace is not None:
            return (*view.verdict_facts(self.trace), *offer_facts(self.offered, self.refusal))
        if self.refusal is not None:
            return (*error_facts(self.refusal), *offer_facts(self.offered, self.refusal))
        if self.looking:
            return view.LOOKING
        return () if self.traceable else view.INVITATION

    @property
    def offered(self) -> Subject | None:
        return offered_instead(self.subject, self.refusal, self.key)

    def on_resize(self) -> None:
        if self.has_frame:
            # After the breakpoints have had their say.
            self.call_after_refresh(self._show_cards)

    def ticked(self) -> None:
        if self.trace is not None:
            self._show_cards()

    def action_edit(self) -> None:
        self.remove_class("-bare")
        super().action_edit()

    # -- the workspace and the log -----------------------------------------------------------------------------------------

    def action_workspace(self, folder: str = "") -> None:
        if folder:
            self._take(Path(folder).absolute())
        else:
            pick_workspace(self, lambda row: self._take(row.folder, owner_of(row)))

    def _take(self, folder: Path, owner: Subject = NOTHING) -> None:
        """``owner`` is the project that the workspace brings."""
        self.workspace = folder
        self.before = None if self.subject.empty or not owner.empty else self.subject
        if gives_way(self.subject, owner):
            self.console.subject = owner
        else:
            self.renew()
        self.refresh_bindings()

    def action_no_workspace(self) -> None:
        self.workspace = None
        self.renew()
        self.refresh_bindings()

    def action_forget_log(self) -> None:
        self.log_text = ""
        self.renew()
        self.refresh_bindings()

    def on_paste(self, event: events.Paste) -> None:
        """Lines of the core's log are evidence; anything else is a repository, as in every project view."""
        if _LOGGED in event.text:
            event.prevent_default()
            self.log_text = event.text
            self.renew()
            self.refresh_bindings()

    def show_subject(self, subject: str) -> None:
        """A workspace's folder, as the jobs know it."""
        self._take(Path(subject))

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command is OPEN_STATE:
            return self.trace is not None and self.trace.place is not None and bool(self.trace.place.key)
        if command is NO_WORKSPACE:
            return self.workspace is not None
        if command is FORGET_LOG:
            return bool(self.log_text)
        return super().enabled(command)

    def action_open(self) -> None:
        if self.trace is not None and self.trace.place is not None and self.trace.place.key:
            self.call_later(self.console.open_view, "bucket", self.trace.place.key)

    def copies(self) -> tuple[Copy, ...]:
        if self.trace is None:
            return ()
        options = project_options(self.subject, self.key) if self.key is not None else ""
        return copies(self.trace, options, self.services.context.name)
