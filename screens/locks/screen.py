"""Locks: who holds what, since when, and whether anybody still does. Pushed over the view that asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.errors import ConsoleError, Refused
from kumoss_console.model.finding import Severity
from kumoss_console.services.locks.report import KeyLocks, LockReport, LockSurvey
from kumoss_console.services.locks.shape import report_shape
from kumoss_console.services.locks.unlock import RemovalUnclear
from kumoss_console.services.locks.words import unlock_command
from kumoss_console.text import printable
from screens.base import LOAD
from screens.commands import Command
from screens.copies import Copy
from screens.dialogs.confirm import ConfirmDialog
from screens.dialogs.text import TextDialog
from screens.locks import view
from screens.locks.commands import COMMANDS, JOB, UNLOCK
from screens.pushed import PushedScreen
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

LOOK, REMOVE = "look", "remove"
"""Worker groups: looking at one lock again, removing one."""
PATIENCE = 20
"""A listing that took long is repeated by itself at most after this many times as long."""


class LocksScreen(PushedScreen):
    """Every lock of the bucket, with the detail of the one under the cursor."""

    view_name = "locks"
    commands = COMMANDS
    parts = frozenset({LOAD, LOOK})
    CSS_PATH = "locks.tcss"
    AUTO_FOCUS = "#held"

    survey: reactive[LockSurvey | None] = reactive(None)
    narrowed: reactive[str] = reactive("")
    only_bad: reactive[bool] = reactive(False)
    more: reactive[KeyLocks | None] = reactive(None)
    """What a look at one state found beyond the listing."""

    table = getters.query_one("#held", VirtualTable)

    def __init__(self, key: str = "") -> None:
        """``key`` is the state whose lock is to be shown first."""
        super().__init__()
        self._wanted = key
        self._took = timedelta()
        self._shown: Sequence[LockReport] = ()

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(view.COLUMNS, empty="looking for locks…", id="held")
        yield FilterLine(placeholder="filter: words of the key, the owner, the holder or the id", id="filter")
        with Reading(id="lock"):
            yield FactSheet()

    async def load(self) -> None:
        began = self.now()
        survey = await self.services.locks.survey()
        self._took = self.now() - began
        self.survey = survey
        self.fresh(survey.at)

    def reload(self) -> None:
        if self.loaded is None or LOAD in self.problems or self.now() - self.loaded >= PATIENCE * self._took:
            super().reload()

    def action_refresh_now(self) -> None:
        super().reload()

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def watch_survey(self) -> None:
        self._renew()

    def watch_narrowed(self) -> None:
        self._renew()

    def watch_only_bad(self) -> None:
        self._renew()

    def watch_more(self) -> None:
        self._show_lock()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        self._renew()

    def ticked(self) -> None:
        self._renew()

    def _renew(self) -> None:
        if not self.has_frame:
            return
        now, survey = self.now(), self.survey
        locks = survey.locks if survey is not None else ()
        wanted = [report for report in locks if view.matches(report, self.narrowed)]
        self._shown = [report for report in wanted if view.is_bad(report, now)] if self.only_bad else wanted
        narrowed = bool(self.narrowed) or self.only_bad
        self.table.empty = view.empty_words(survey, narrowed=narrowed, error=self.problems.get(LOAD))
        self.table.source = Rows(self._shown, identify=view.row_id, draw=lambda report: view.cells(report, now))
        self.query_one("#summary", Static).update(toned(*view.summary(survey, len(self._shown), only_bad=self.only_bad)))
        if self._wanted and survey is not None:
            self._select(self._wanted)
        self._show_lock()

    def _select(self, key: str) -> None:
        self._wanted = ""
        found = next((view.row_id(report) for report in self._shown if report.key == key), None)
        if found is not None:
            self.table.select(found)
        else:
            self.console.flash(f"no lock is held on {key}")

    def _show_lock(self) -> None:
        if not self.has_frame:
            return
        report = self.selected
        self.query_one("#lock").display = report is not None
        self.history_key = report.key if report is not None else ""
        if report is not None:
            more = self.more if self.more is not None and self.more.key == report.key else None
            facts = view.facts(report, self.now(), more=more, read_only=self.services.read_only)
            self.query_one(FactSheet).facts = facts
        self.refresh_bindings()

    @property
    def selected(self) -> LockReport | None:
        """The lock under the cursor."""
        return self._shown[self.table.cursor] if self.table.cursor < len(self._shown) else None

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_lock()

    @on(FilterLine.Filtered, "#filter")
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    @on(VirtualTable.RowOpened)
    def _row_opened(self) -> None:
        if report := self.selected:
            self.start(partial(self._look, report.key), group=LOOK)

    async def _look(self, key: str) -> None:
        """One state's locks as they are now, in place of what the listing knew."""
        found = await self.services.locks.on(key)
        survey = self.survey
        if survey is not None:
            kept = {view.row_id(report): report for report in found.locks}
            known = [kept.pop(view.row_id(one), None if one.key == key else one) for one in survey.locks]
            self.survey = LockSurvey(
                locks=tuple([one for one in known if one is not None] + list(kept.values())),
                at=survey.at,
                unlooked=survey.unlooked,
                journal_error=survey.journal_error,
            )
        self.more = found
        words = "looked at again" if found.locks else "no lock is held any more"
        self.console.flash(f"{key}: {words}", Severity.INFO)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.has_frame:
            return True
        report = self.selected
        if command is UNLOCK:
            return report is not None and bool(report.word)
        if command is JOB:
            # Jobs shows those of this context only.
            return report is not None and report.tie is not None and report.tie.job.context == self.services.context.name
        return True

    def action_only_wrong(self) -> None:
        self.only_bad = not self.only_bad
        self.console.flash("only what looks abandoned, odd or unreadable; ! again shows all" if self.only_bad else "all locks")

    async def action_open_state(self) -> None:
        if report := self.selected:
            self.dismiss()
            await self.console.open_view("bucket", report.key)

    async def action_open_job(self) -> None:
        if (report := self.selected) and report.tie is not None:
            self.dismiss()
            await self.console.open_view("jobs", report.tie.name)

    def action_removed(self) -> None:
        self.start(self._read_removals, group="removed")

    async def _read_removals(self) -> None:
        text = view.removals_text(await self.services.locks.removals(), self.services.context.name)
        title = "Locks that were removed with this console, newest first"

        def copied(said: str | None) -> None:
            if said:
                self.console.copy(said, "the removed locks")

        self.app.push_screen(TextDialog(title, text, empty="none was"), copied)

    def action_unlock(self) -> None:
        if report := self.selected:
            self.start(partial(self._ask, report), group=REMOVE)

    async def _ask(self, report: LockReport) -> None:
        """The question, with the jobs that may be at work, and what else stands in the way: part of what has to be typed."""
        if report.sighting is None:
            return
        unlock = self.services.unlock
        obstacles = await unlock.obstacles(report.sighting)
        despite = obstacles.names
        must_type = " despite ".join([report.word, *([" ".join(despite)] if despite else [])])

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.start(partial(self._remove, report, despite), group=REMOVE)
            else:
                self.console.flash("the lock stays: nothing was removed")

        self.app.push_screen(
            ConfirmDialog(
                f"Remove the lock on {printable(view.name(report))}?",
                consequences=view.consequences(report, obstacles, unlock.guard(report.sighting), self.now()),
                verb="Remove the lock",
                must_type=must_type,
            ),
            answered,
        )

    async def _remove(self, report: LockReport, despite: tuple[str, ...]) -> None:
        try:
            done = await self.services.unlock.unlock(report.key, report.word, despite=despite, shown=report.sighting)
        except (Refused, RemovalUnclear):
            # What was shown is not what is there, or may not be: show what is.
            super().reload()
            raise
        for one in done:
            same = f"; the same as {report.release[0].command}" if report.release else ""
            self.console.flash(f"removed the lock on {report.key}, kept as #{one.entry}{same}")
            for caveat in one.caveats:
                self.console.flash(caveat, Severity.WARNING)
        super().reload()

    # -- taking away -------------------------------------------------------------------------------------------------------

    def copies(self) -> tuple[Copy, ...]:
        report, survey = self.selected, self.survey
        if report is None or survey is None:
            return ()
        lock, context, may = report.held.lock, self.services.context.name, not self.services.read_only
        texts = (
            ("the key of the state", report.key),
            ("the holder", lock.holder if lock is not None else ""),
            ("the command that removes it", unlock_command(report, context) if may else ""),
            *((f"the same by {one.by}", one.command) for one in report.release if may),
        )
        document = json.dumps(report_shape(report, survey.at), indent=2, ensure_ascii=False)
        return (
            Copy(label="the lock id", text=report.word or printable(report.key), role="thing"),
            Copy(label="the lock as JSON", text=document, role="json"),
            Copy(label="the command that shows this", text=f"kumoss-console state locks --context {context}", role="command"),
            *(Copy(label=label, text=printable(text)) for label, text in texts if text),
        )
