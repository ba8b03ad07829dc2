"""The history of one state. Pushed over the view that has the state; Esc goes back there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.objectkey import state_key
from kumoss_console.services.locks.obstacles import job_name
from kumoss_console.services.versions.remarks import VersionRow
from kumoss_console.services.versions.shape import timeline_shape
from kumoss_console.services.versions.timelines import HEADS, Timeline
from screens.base import LOAD
from screens.commands import Command
from screens.copies import Copy
from screens.dialogs.ask import AskDialog
from screens.dialogs.text import TextDialog
from screens.pushed import PushedScreen
from screens.versions import view
from screens.versions.commands import COMMANDS, COMPARE, COMPARE_DETAILS, COMPARE_WITH, MARK, READ_ALL, WAY_BACK, WRITER
from screens.versions.difference import DifferenceScreen
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.rows import Rows
from screens.widgets.virtual_table import VirtualTable


class VersionsScreen(PushedScreen):
    """Every version of ``key``, newest first, with what is known of the one under the cursor."""

    view_name = "versions"
    commands = COMMANDS
    polls = False
    CSS_PATH = "versions.tcss"
    AUTO_FOCUS = "#versions"

    timeline: reactive[Timeline | None] = reactive(None)
    everything: reactive[bool] = reactive(False)
    """Whether every version is read, not the newest ones only."""
    marked: reactive[str] = reactive("")
    """The id of the version to compare with, empty for none."""

    table = getters.query_one("#versions", VirtualTable)

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(view.COLUMNS, empty="reading the versions…", id="versions")
        with VerticalScroll(id="version", can_focus=False):
            yield FactSheet()

    async def load(self) -> None:
        heads = None if self.everything else HEADS
        async with aclosing(self.services.versions.stream(self.key, heads=heads)) as timelines:
            async for timeline in timelines:
                self.timeline = timeline
                self.fresh(timeline.at)

    # -- what is shown -----------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> Sequence[VersionRow]:
        return self.timeline.rows if self.timeline is not None else ()

    @property
    def selected(self) -> VersionRow | None:
        """The version under the cursor."""
        return self.rows[self.table.cursor] if self.table.cursor < len(self.rows) else None

    def on_mount(self) -> None:
        self._draw()

    def watch_timeline(self) -> None:
        self._draw()

    def watch_marked(self) -> None:
        self._draw()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        if LOAD in problems:
            self._draw()

    def ticked(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if not self.has_frame:
            return
        now = self.now()
        self.table.empty = "reading the versions…" if LOAD not in self.problems else "? The versions are not known: see above."
        self.table.source = Rows(
            self.rows,
            identify=lambda row: row.version.version_id,
            draw=lambda row: view.cells(row, now, marked=row.version.version_id == self.marked),
        )
        self.query_one("#summary", Static).update(toned(*view.summary(self.key, self.timeline)))
        self._show_version()

    def _show_version(self) -> None:
        row, timeline = self.selected, self.timeline
        self.query_one("#version").display = row is not None
        if row is not None and timeline is not None:
            self.query_one(FactSheet).facts = view.facts(row, timeline, self.now())
        self.refresh_bindings()

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_version()

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.has_frame:
            return True
        row = self.selected
        has_content = row is not None and row.version.kind != "delete_marker"
        if command in (COMPARE, COMPARE_DETAILS):
            return has_content and self._other(row) is not None
        if command in (MARK, WAY_BACK, COMPARE_WITH):
            return has_content
        if command is READ_ALL:
            return self.timeline is not None and self.timeline.unread > 0
        if command is WRITER:
            return row is not None and row.job is not None
        return True

    def _other(self, row: VersionRow | None) -> VersionRow | None:
        """What ``row`` is compared with: the marked version, else the one with content that was written before it."""
        if row is None:
            return None
        if self.marked and self.marked != row.version.version_id:
            return next((one for one in self.rows if one.version.version_id == self.marked), None)
        return next((one for one in self.rows[row.number :] if one.version.kind != "delete_marker"), None)

    @on(VirtualTable.RowOpened)
    def _row_opened(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        row, other = self.selected, self._other(self.selected)
        if row is None or row.version.kind == "delete_marker":
            self.console.flash("a delete marker holds nothing to compare")
        elif other is None:
            self.console.flash("there is no version before this one: nothing to compare with")
        else:
            older, newer = sorted((row, other), key=lambda one: one.number, reverse=True)
            self.app.push_screen(DifferenceScreen(self.key, older.version.version_id, newer.version.version_id))

    def action_mark(self) -> None:
        row = self.selected
        if row is not None:
            version = row.version.version_id
            self.marked = "" if self.marked == version else version
            self.console.flash(f"#{row.number} is marked: enter on another compares the two" if self.marked else "none is marked")

    def action_compare_with(self, key: str = "") -> None:
        row = self.selected

        def named(text: str | None) -> None:
            if not text or row is None:
                return
            try:
                other = state_key(text, self.services.context.storage.terraform_state_filename)
            except ConsoleError as error:
                self.console.flash(error.title, Severity.WARNING)
            else:
                self.app.push_screen(DifferenceScreen(self.key, row.version.version_id, other=other))

        if key:
            named(key)
        else:
            hint = "the key of another state, or a project id; its newest version is the other side"
            self.app.push_screen(AskDialog("Compare this version with", hint=hint), named)

    def action_read_all(self) -> None:
        self.everything = True
        self.start(self.load, group=LOAD)

    async def action_open_job(self) -> None:
        if (row := self.selected) and row.job is not None:
            self.dismiss()
            await self.console.open_view("jobs", job_name(row.job))

    def action_restore(self) -> None:
        if row := self.selected:
            self.start(partial(self._plan, row), group="restore")

    async def _plan(self, row: VersionRow) -> None:
        restore = await self.services.versions.restore_plan(self.key, row.version.version_id)

        def copied(said: str | None) -> None:
            if said:
                self.console.copy(said, "the way back")

        title = f"The way back to #{row.number}: a plan, nothing is changed"
        self.app.push_screen(TextDialog(title, view.restore_text(restore)), copied)

    def copies(self) -> tuple[Copy, ...]:
        return view.copies(self.selected, self.key, self.services.context)

    def saved(self) -> tuple[str, str] | None:
        if self.timeline is None:
            return None
        return "state-versions.json", json.dumps(timeline_shape(self.timeline), indent=2, ensure_ascii=False)
