"""The bucket looked through: what is wrong with it, as it is found. Pushed over the view that asked for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.model.scan import ScanFinding
from kumoss_console.services.scan.service import ScanOptions, ScanProgress
from kumoss_console.services.scan.shape import scan_shape
from screens.base import LOAD
from screens.commands import Command
from screens.copies import Copy
from screens.pushed import PushedScreen
from screens.scan import arranging, view
from screens.scan.commands import COMMANDS, HISTORIES, OPEN_KEY, STOP
from screens.statedetail.opening import open_state
from screens.widgets.columns import Sorting
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.slices import Pace
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

ORDER = "order"


class ScanScreen(PushedScreen):
    """Scans when it opens and on ``r``; Esc stops a scan that is under way, then goes back."""

    view_name = "scan"
    commands = COMMANDS
    polls = False
    CSS_PATH = "scan.tcss"
    AUTO_FOCUS = "#findings"

    progress: reactive[ScanProgress | None] = reactive(None)
    scanning: reactive[bool] = reactive(False)
    narrowed: reactive[str] = reactive("")
    only_errors: reactive[bool] = reactive(False)
    sorting: reactive[Sorting] = reactive(view.BY_GRAVITY)

    table = getters.query_one("#findings", VirtualTable)

    def __init__(self, options: ScanOptions | None = None) -> None:
        super().__init__()
        self.options = options or ScanOptions()
        self._rows: Sequence[ScanFinding] = ()

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(view.COLUMNS, empty="listing…", id="findings")
        with VerticalScroll(id="finding", can_focus=False):
            yield FactSheet()
        yield FilterLine(placeholder="filter: words of the finding, the key or the owner", id="filter")

    # -- scanning ----------------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        self.scanning = True
        try:
            async with aclosing(self.services.scan.scan(self.options)) as progresses:
                async for progress in progresses:
                    self.progress = progress
                    self.fresh(progress.at)
        finally:
            self.scanning = False

    def action_stop(self) -> None:
        self.workers.cancel_group(self, LOAD)
        self.console.flash("the scan was stopped; what was found stays, r begins again")

    def action_histories(self) -> None:
        self.options = replace(self.options, versions=not self.options.versions)
        self.console.flash("again, with histories" if self.options.versions else "again, without histories")
        self.reload()

    def step_back(self) -> bool:
        """Stop what is under way; then the screen itself."""
        if self.scanning:
            self.action_stop()
            return True
        return super().step_back()

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def watch_progress(self) -> None:
        self._arrange()

    watch_narrowed = watch_only_errors = watch_sorting = watch_progress

    def watch_scanning(self) -> None:
        self._tell()
        self.refresh_bindings()

    def _arrange(self) -> None:
        """Choose and order the findings beside the answers to keys; what is asked for now ends what was asked for before."""
        if self.is_mounted:
            self._tell()
            self.start(self._arranged, group=ORDER, lasting=True)

    async def _arranged(self) -> None:
        pace = Pace()
        found = self.progress.findings if self.progress is not None else ()
        chosen = await arranging.matching(found, self.narrowed, only_errors=self.only_errors, pace=pace)
        rows = await arranging.ordered(chosen, self.sorting, pace)
        if self.has_frame:
            self._show_rows(rows)

    def _show_rows(self, rows: Sequence[ScanFinding]) -> None:
        """The cursor stays on its finding, and at the top where it was never moved."""
        self._rows = rows
        at_top = self.table.cursor == 0
        self.table.sorting = self.sorting
        self.table.source = arranging.FoundRows(rows)
        if at_top:
            self.table.cursor = 0
        self._tell()
        self._show_finding()

    def _tell(self) -> None:
        if not self.has_frame:
            return
        progress, narrowed = self.progress, bool(self.narrowed) or self.only_errors
        self.table.empty = view.empty_words(progress, scanning=self.scanning, narrowed=narrowed)
        line = view.summary(progress, len(self._rows), scanning=self.scanning, options=self.options)
        self.query_one("#summary", Static).update(toned(*line))

    def on_mount(self) -> None:
        self._tell()
        self._show_finding()

    @property
    def selected(self) -> ScanFinding | None:
        """The finding under the cursor."""
        return self._rows[self.table.cursor] if self.table.cursor < len(self._rows) else None

    def _show_finding(self) -> None:
        finding = self.selected
        self.query_one("#finding").display = finding is not None
        self.history_key = finding.key if finding is not None else ""
        self.query_one(FactSheet).facts = view.facts(finding) if finding is not None else ()
        self.refresh_bindings()

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_finding()

    @on(VirtualTable.RowOpened)
    def _row_opened(self) -> None:
        finding = self.selected
        if finding is not None and finding.key:
            open_state(self.console, finding.key)

    @on(VirtualTable.HeaderPressed)
    def _header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        key = event.column.key
        self.sorting = self.sorting.reversed() if self.sorting.key == key else Sorting(key)

    @on(FilterLine.Filtered, "#filter")
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.is_mounted:
            return True
        if command is STOP:
            return self.scanning
        if command is HISTORIES:
            return not self.scanning
        if command is OPEN_KEY:
            finding = self.selected
            return finding is not None and bool(finding.key)
        return True

    def action_sort(self) -> None:
        self.sorting = self.sorting.next([place.column for place in self.table.placed])

    def action_reverse(self) -> None:
        self.sorting = self.sorting.reversed()

    def action_only_wrong(self) -> None:
        self.only_errors = not self.only_errors
        self.console.flash("only errors; ! again shows all" if self.only_errors else "all findings")

    def copies(self) -> tuple[Copy, ...]:
        return view.copies(self.selected, self.options, self.services.context)

    def saved(self) -> tuple[str, str] | None:
        if self.progress is None:
            return None
        return "scan.json", json.dumps(scan_shape(self.progress), indent=2, ensure_ascii=False)
