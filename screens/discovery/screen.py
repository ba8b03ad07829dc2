"""Discovery: what exists in the cloud beside what states manage?"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.model.finding import Severity
from kumoss_console.model.importdiff import Item, Status
from kumoss_console.services.discovery.service import Discovery, DiscoveryRequest
from screens.base import ViewScreen
from screens.commands import REVERSE, SORT, Command
from screens.copies import Copy
from screens.dialogs.text import TextDialog
from screens.discovery import view
from screens.discovery.commands import COMMANDS, FINDINGS, JOB, MARK, MARK_ALL, STOP, WORKSHEET
from screens.discovery.copies import copies, document
from screens.discovery.draft import proposal
from screens.discovery.form import DiscoveryDialog
from screens.discovery.importing import Importing
from screens.discovery.listing import Shown, listed
from screens.discovery.worksheet import WorksheetScreen
from screens.gestures import Saved
from screens.widgets.columns import Sorting
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.part_bar import PartBar
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.typed_line import FilterLine
from screens.widgets.view_bar import freshness
from screens.widgets.virtual_table import VirtualTable

DISCOVER = "discover"


class DiscoveryScreen(ViewScreen):
    """One discovery and its lines. A new one leaves what was found before until it is done."""

    view_name = "discovery"
    commands = COMMANDS
    parts = frozenset({DISCOVER})
    polls = False
    CSS_PATH = "discovery.tcss"
    AUTO_FOCUS = "#items"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - Textual's declaration

    found: reactive[Discovery | None] = reactive(None)
    """The last one that is complete."""
    running: reactive[Discovery | None] = reactive(None)
    """The one under way, as far as it is."""
    narrowed: reactive[str] = reactive("")
    only_wrong: reactive[bool] = reactive(False)
    with_suppressed: reactive[bool] = reactive(False)
    sorting: reactive[Sorting] = reactive(Sorting("status"))
    marked: reactive[frozenset[str]] = reactive(frozenset())

    table = getters.query_one("#items", VirtualTable)
    bar = getters.query_one(PartBar)

    def __init__(self) -> None:
        super().__init__()
        self._items: Sequence[Item] = ()
        self._under_way = False
        self._began: datetime | None = None
        self.asked: DiscoveryRequest | None = None
        self.importing: Importing | None = None

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield FactSheet(id="progress")
        yield PartBar(view.HEAPS)
        yield VirtualTable(view.COLUMNS, id="items")
        yield FilterLine(placeholder="filter: words of identifier, type, manager or reason", id="filter")
        with Reading(id="detail"):
            yield FactSheet(id="item")

    def on_mount(self) -> None:
        self._narrow()

    async def load(self) -> None:
        """Nothing is asked for by itself: a discovery sends two jobs."""

    def age(self) -> str:
        if self.loaded is None and not self._under_way:
            return "nothing yet"
        return freshness(self.loaded, self.now(), busy=self._under_way)

    # -- discovering -------------------------------------------------------------------------------------------------------

    def action_discover(self, workspace: str = "") -> None:
        context = self.services.context

        def written(request: DiscoveryRequest | None) -> None:
            if request is not None:
                self.discover(request)

        self.app.push_screen(DiscoveryDialog(context, proposal(context, self.asked, workspace)), written)

    def discover(self, request: DiscoveryRequest) -> None:
        """Begin it; one under way is left, its jobs go on."""
        self.asked = request
        self.start(partial(self._discover, request), group=DISCOVER, lasting=True)

    async def _discover(self, request: DiscoveryRequest) -> None:
        self._under_way = True
        self._tell()
        try:
            async for seen in self.services.discovery.discover(request):
                if seen.complete and seen.comparison is not None:
                    self.marked = frozenset()
                    self.found = seen
                    self.fresh(seen.at)
                self.running = seen
        finally:
            self._under_way = False
            self._tell()

    def action_refresh_now(self) -> None:
        if self.asked is None:
            self.action_discover()
        elif not self._under_way:
            self.discover(self.asked)

    def action_stop_discovery(self) -> None:
        self.workers.cancel_group(self, DISCOVER)
        self.console.flash("no longer waited for; the jobs go on and are among the jobs")

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def watch_found(self) -> None:
        self._narrow()

    def watch_running(self) -> None:
        self._tell()

    def watch_narrowed(self) -> None:
        self._narrow()

    def watch_only_wrong(self) -> None:
        self._narrow()

    def watch_with_suppressed(self) -> None:
        self._narrow()

    def watch_sorting(self) -> None:
        self._narrow()

    def watch_marked(self) -> None:
        self._draw()
        self._tell()

    def ticked(self) -> None:
        if self._under_way:
            self._tell()

    @property
    def heap(self) -> str:
        return view.HEAPS[self.bar.current]

    def _narrow(self) -> None:
        if not self.is_mounted:
            return
        chosen = Shown(self.heap, self.narrowed, self.only_wrong, self.with_suppressed, self.sorting)
        self._items = listed(self.found, chosen)
        self._draw()
        self._tell()

    def _draw(self) -> None:
        if not self.is_mounted or (found := self.found) is None:
            return
        marked = self.marked
        self.table.columns = view.columns(self.heap)
        self.table.sorting = self.sorting
        self.table.source = Rows(self._items, identify=lambda item: item.id, draw=lambda item: view.cells(found, item, marked))
        self._show_item()

    def _tell(self) -> None:
        if not self.has_frame:
            return
        self.query_one("#summary", Static).update(toned(*view.summary(self.found, len(self._items), len(self.marked))))
        self.query_one("#progress", FactSheet).facts = view.progress(self._shown, under_way=self._under_way, now=self.now())
        self.table.empty = view.empty_words(self._shown, under_way=self._under_way, narrowed=bool(self.narrowed))
        self.set_class(bool(self._shown and self._shown.stopped), "-stopped")
        self.bar.note = view.heap_words(self.found)
        self._show_age()
        self.refresh_bindings()

    @property
    def _shown(self) -> Discovery | None:
        """The discovery whose progress and findings are told: the last that was begun."""
        return self.running if self.running is not None else self.found

    def _show_item(self) -> None:
        item, found = self.selected, self.found
        self.query_one("#item", FactSheet).facts = view.details(found, item) if item and found else ()
        self.query_one("#detail").display = item is not None

    @property
    def selected(self) -> Item | None:
        """The item under the cursor."""
        return self._items[self.table.cursor] if self.table.cursor < len(self._items) else None

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_item()
        self.refresh_bindings()

    @on(VirtualTable.HeaderPressed)
    def _header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        now = self.sorting
        self.sorting = now.reversed() if now.key == event.column.key else Sorting(event.column.key)

    @on(FilterLine.Filtered)
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    @on(PartBar.Chosen)
    def _heap_chosen(self, event: PartBar.Chosen) -> None:
        self.turn(event.index)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.has_frame:
            return True
        if command is STOP:
            return self._under_way
        if command is FINDINGS:
            return bool(self._shown is not None and self._shown.findings)
        if command is JOB:
            return bool(self._shown is not None and self._shown.jobs)
        if command in {MARK, WORKSHEET}:
            return bool(self._picked) or (self.selected is not None and self.selected.importable)
        return self.found is not None if command in {MARK_ALL, SORT, REVERSE} else True

    @property
    def _picked(self) -> list[Item]:
        comparison = self.found.comparison if self.found is not None else None
        return [item for item in comparison.items if item.id in self.marked] if comparison is not None and self.marked else []

    def turn(self, index: int) -> None:
        """Show another heap; counts on from the last to the first."""
        self.bar.current = index % len(view.HEAPS)
        self._narrow()

    def action_next_heap(self) -> None:
        self.turn(self.bar.current + 1)

    def action_only_wrong(self) -> None:
        self.only_wrong = not self.only_wrong
        self.console.flash("only what somebody should look at; ! again shows all" if self.only_wrong else "all of this heap")

    def action_suppressed(self) -> None:
        self.with_suppressed = not self.with_suppressed
        self.console.flash("what is suppressed is listed too" if self.with_suppressed else "what is suppressed is left out")

    def action_sort(self) -> None:
        self.sorting = self.sorting.next([place.column for place in self.table.placed])

    def action_reverse(self) -> None:
        self.sorting = self.sorting.reversed()

    def action_filter(self) -> None:
        self.query_one(FilterLine).open()

    def action_details(self) -> None:
        if self.selected is not None:
            self.query_one("#detail").focus()

    def action_findings(self) -> None:
        if self._shown is not None:
            self.app.push_screen(TextDialog("Findings", view.findings_text(self._shown)), self._copied)

    def _copied(self, text: str | None) -> None:
        if text:
            self.console.copy(text, "the findings")

    async def action_show_job(self) -> None:
        if job_id := view.job_to_show(self._shown):
            await self.console.open_view("jobs", job_id)

    def step_back(self) -> bool:
        """From the details back to the list."""
        inside = self.query_one("#detail").has_focus
        if inside:
            self.table.focus()
        return inside

    @on(VirtualTable.RowOpened)
    async def _row_opened(self) -> None:
        item = self.selected
        if item is None:
            return
        if item.importable:
            self.action_mark()
            return
        key = next((holder.key for holder in item.holders if holder.key), "")
        if item.status is Status.MANAGED_ELSEWHERE and key:
            await self.console.open_view("bucket", key)
        else:
            self.action_details()

    def action_mark(self) -> None:
        item = self.selected
        if item is None or not item.importable:
            self.console.flash("only what no state manages can be chosen for an import", Severity.WARNING)
            return
        self.marked = self.marked ^ {item.id}
        self.table.action_cursor_down()

    def action_mark_all(self) -> None:
        offered = frozenset(item.id for item in self._items if item.importable)
        self.marked = self.marked - offered if offered <= self.marked else self.marked | offered

    def action_worksheet(self) -> None:
        found, item = self.found, self.selected
        chosen = self._picked or ([item] if item is not None and item.importable else [])
        if found is not None and found.comparison is not None and chosen:
            self.app.push_screen(WorksheetScreen(found, chosen, self._begin_imports, self.importing))

    def _begin_imports(self, importing: Importing) -> None:
        """The work belongs to this view: leaving the worksheet does not end it."""
        self.importing = importing
        follow = partial(importing.follow, self.services.imports, self.console.flash)
        importing.worker = self.start(follow, group="import", exclusive=False, lasting=True)

    def copies(self) -> tuple[Copy, ...]:
        return copies(self.found, self.selected, self.services.context, self.services.clock())

    def saved(self) -> tuple[str, Saved] | None:
        found = self.found
        return ("discovery.json", lambda: (document(found),)) if found is not None else None
