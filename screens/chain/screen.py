"""A chain, step by step: where it is, why it stopped, what it would lose. Pushed over Jobs; Esc goes back there."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult

from kumoss_console.errors import ConfigError
from kumoss_console.model.chain import ORDER, ChainRequest, Step
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.names import workspace_name
from kumoss_console.services.jobs.shape import as_data
from screens.chain import view
from screens.chain.commands import ANSWER, COMMANDS, READ_PLAN, SHOW_JOB, STOP
from screens.chain.draft import question
from screens.chain.run import Run
from screens.commands import Command
from screens.copies import Copy
from screens.dialogs.confirm import ConfirmDialog
from screens.plan.screen import PlanScreen
from screens.pushed import PushedScreen
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.virtual_table import VirtualTable

RUN_ERROR = "chain"
"""The banner's group for what stopped the chain."""


class ChainScreen(PushedScreen):
    """Shows a :class:`~screens.chain.run.Run`; ``again`` begins another one."""

    view_name = "chain"
    commands = COMMANDS
    parts = frozenset({RUN_ERROR})
    polls = False
    CSS_PATH = "chain.tcss"

    table = getters.query_one("#steps", VirtualTable)

    def __init__(self, run: Run, again: Callable[[ChainRequest], None]) -> None:
        super().__init__()
        # Not ``run``: Textual's own name for running an app's coroutine is near enough to confuse.
        self.chain = run
        self._again = again
        self._followed: Step | None = None
        self._findings: dict[str, Sequence[Finding]] = {}
        self._plan_was_read = False

    def body(self) -> ComposeResult:
        yield FactSheet(id="about")
        yield VirtualTable(view.COLUMNS, id="steps")
        with Reading(id="detail"):
            yield FactSheet(id="step")

    def on_mount(self) -> None:
        self.chain.listeners.append(self._changed)
        self.table.focus()
        self._changed()

    def on_unmount(self) -> None:
        self.chain.listeners.remove(self._changed)

    async def load(self) -> None:
        # The chain tells by itself; there is nothing to ask for.
        self.fresh(self.now())

    def age(self) -> str:
        return "live" if self.chain.under_way else "ended"

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def _changed(self) -> None:
        if not self.has_frame:
            return
        self._renew()
        current = self.chain.current
        if current is not self._followed:
            # The cursor goes along with the chain, and stays where it was put until the next step.
            self._followed = current
            self.table.select(current)
        error = self.chain.error
        self.problems = {RUN_ERROR: error} if error is not None else {}
        self.refresh_bindings()
        self._diagnose()

    def ticked(self) -> None:
        self._renew()

    def _renew(self) -> None:
        run, now = self.chain, self.now()
        self.query_one("#about", FactSheet).facts = view.about(run)
        self.table.source = Rows(ORDER, identify=lambda step: step, draw=lambda step: view.cells(run, step, now))
        self._show_step()

    def _show_step(self) -> None:
        job = self.chain.of(self.selected).job
        findings = self._findings.get((job and job.job_id) or "", ())
        self.query_one("#step", FactSheet).facts = view.step_facts(self.chain, self.selected, findings)

    @property
    def selected(self) -> Step:
        """The step under the cursor."""
        return ORDER[self.table.cursor]

    def _diagnose(self) -> None:
        broken = self.chain.state.broken
        job = broken.job if broken is not None else None
        if job is not None and job.job_id and job.verdict is Verdict.BAD and job.job_id not in self._findings:
            self._findings[job.job_id] = ()
            self.start(partial(self._explain, job.job_id, job), group="explain")

    async def _explain(self, job_id: str, job: Job) -> None:
        try:
            found = await self.services.off_loop(partial(self.services.explain.job, job))
        except ConfigError as error:
            self.console.flash_once(error.title, Severity.WARNING)
            return
        self._findings[job_id] = found.diagnosis.findings
        self._show_step()

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_step()

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command is ANSWER:
            return self.chain.waits
        if command is READ_PLAN:
            return self.chain.state.review is not None
        if command is SHOW_JOB:
            return self.has_frame and self._job_id is not None
        if command is STOP:
            return self.chain.under_way
        return True

    @property
    def _job_id(self) -> str | None:
        job = self.chain.of(self.selected).job
        return job.job_id if job is not None else None

    @on(VirtualTable.RowOpened)
    def _opened(self) -> None:
        if self.chain.waits and self.selected is Step.REVIEW:
            self._review()
        elif self.chain.under_way:
            self.console.flash("the chain is under way; it can be run again from any step once it has ended")
        else:
            self._ask_again(self.selected)

    def _review(self) -> None:
        """The plan first; the question once it has been read."""
        if self._plan_was_read:
            self.action_answer()
        else:
            self.action_read_plan()

    def _ask_again(self, step: Step) -> None:
        asked, plan_file = self.chain.request, self.chain.state.plan_file
        first = Step.SHOW if step is Step.REVIEW else step
        until = asked.until if ORDER.index(asked.until) >= ORDER.index(first) else first
        wanted = replace(asked, first=first, until=until, plan_file=plan_file)
        steps = ", ".join(one.value for one in wanted.steps)
        lines = [f"runs {steps} in {asked.workspace}", f"with the plan file {plan_file}" if plan_file else "with a new plan file"]
        broken = self.chain.state.broken
        if broken is not None and broken.job is not None and broken.job.verdict is Verdict.UNKNOWN:
            lines.insert(0, f"how {broken.step.value} {(broken.job.job_id or '')[:8]} ended is not known: look at it first")

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.dismiss()
                self._again(wanted)

        name = workspace_name(asked.workspace, self.services.context.workspaces_root)
        self.app.push_screen(ConfirmDialog(f"Run again from {first.value} in {name}?", consequences=lines, verb="Run"), answered)

    def action_read_plan(self) -> None:
        review = self.chain.state.review
        if review is not None:
            name = workspace_name(self.chain.request.workspace, self.services.context.workspaces_root)
            self.app.push_screen(PlanScreen(review.plan, f"{review.plan_file} · {name}"), self._plan_left)

    def _plan_left(self, _: None) -> None:
        first, self._plan_was_read = not self._plan_was_read, True
        if first:
            self.call_after_refresh(self._ask_if_here)

    def _ask_if_here(self) -> None:
        if self.is_current:
            self.action_answer()

    def action_answer(self) -> None:
        if not self.chain.waits:
            return
        asked = question(self.chain.state, self.services.context)

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.chain.answer(True)
            else:
                self.console.flash("nothing is applied; the review waits on, and X ends the chain")

        self.app.push_screen(
            ConfirmDialog(asked.title, consequences=asked.consequences, verb=asked.verb, must_type=asked.must_type), answered
        )

    def action_stop_chain(self) -> None:
        if self.chain.waits:
            self.chain.answer(False)
        else:
            self.chain.leave()
            self.console.flash("the chain ends here; a job under way goes on, and is followed among the jobs")

    def action_details(self) -> None:
        if job_id := self._job_id:
            self.show_subject(job_id)

    def copies(self) -> tuple[Copy, ...]:
        job = self.chain.of(self.selected).job
        command = view.command_line(self.chain, self.services.context.name, self.selected)
        offered = [Copy(label="the command that goes on from this step", text=command, role="command")]
        if job is not None and job.job_id:
            offered.insert(0, Copy(label="the job id", text=job.job_id, role="thing"))
            offered.append(Copy(label="the job as JSON", text=json.dumps(as_data(job, output=True), indent=2), role="json"))
        if self.chain.state.review is not None:
            offered.append(Copy(label="the plan's digest", text=self.chain.state.review.digest))
        return tuple(offered)

    def step_back(self) -> bool:
        if self.chain.under_way:
            self.console.flash("the chain goes on, and its jobs are in the journal: R comes back to it")
        return super().step_back()
