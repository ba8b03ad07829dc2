"""Bucket: whose is it, and who holds it?"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive, var
from textual.widgets import Static

from kumoss_console.errors import ConsoleError
from kumoss_console.model.context import KnownProject
from kumoss_console.ports import ObjectInfo
from kumoss_console.services.bucket import BucketSnapshot, HeldLock, StateRow
from screens.base import LOAD, ViewScreen
from screens.bucket import listing, view
from screens.bucket.arranging import LEARNED, Arranger, Wish
from screens.bucket.arrivals import Arrivals
from screens.bucket.commands import COMMANDS, NEXT_PART, OPEN_OBJECT, SHOW_DETAILS, STOP, WHY
from screens.bucket.copies import copies, saved
from screens.bucket.detail import Opened
from screens.bucket.heads import NOTHING, Known
from screens.bucket.pane import ObjectPane
from screens.bucket.searching import search_owner
from screens.bucket.view import Arriving
from screens.commands import NEXT_MATCH, ONLY_WRONG, PREVIOUS_MATCH, Command
from screens.copies import Copy
from screens.problems import without
from screens.statedetail.opening import open_state
from screens.subject import Subject
from screens.widgets.columns import Sorting
from screens.widgets.content import toned
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

DETAIL = "detail"
LOCKS = "locks"
HEADS = "heads"
ORDER = "order"
LOCKS_READ = 200
"""Locks whose holders are read after a listing; the others show since when they are held."""
STILL = 0.1
"""Seconds that the rows in view have to stay before their states are looked into: nobody reads what scrolls by."""


class BucketScreen(ViewScreen):
    """The listing as it arrives, and one object of it read. ``selected`` is what commands of this view work on."""

    view_name = "bucket"
    commands = COMMANDS
    parts = frozenset({LOAD, DETAIL, LOCKS, HEADS})
    CSS_PATH = "bucket.tcss"
    AUTO_FOCUS = "#states"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (36, "-high")]  # noqa: RUF012 - Textual's declaration

    snapshot: reactive[BucketSnapshot | None] = reactive(None)
    arriving: reactive[Arriving | None] = reactive(None)
    """The listing under way; ``None`` where none is."""
    stopped: reactive[bool] = reactive(False)
    held: reactive[Mapping[str, HeldLock]] = reactive(dict)
    known: reactive[Known] = reactive(NOTHING)
    narrowed: reactive[str] = reactive("")
    only_wrong: reactive[bool] = reactive(False)
    sorting: reactive[Sorting] = reactive(listing.BY_OWNER)
    opened: var[Opened | None] = var(None)

    table = getters.query_one("#states", VirtualTable)
    pane = getters.query_one("#object", ObjectPane)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[StateRow] = ()
        self._arranger = Arranger(self._show_rows, lambda: self._wanted or self.table.row_id)
        self._arrivals = Arrivals(self._show_snapshot, lambda: self._arranger.rested)
        self._wanted = ""

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(view.COLUMNS, empty="listing…", id="states")
        yield FilterLine(placeholder="filter: words of the key or the owner", id="filter")
        yield ObjectPane(id="object")
        yield FilterLine(placeholder="filter resources and outputs, search identifiers", id="search")

    # -- listing -----------------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        self.arriving, self.stopped = Arriving(), False
        try:
            async for snapshot in self.services.bucket.stream():
                self.arriving = Arriving(snapshot.objects, snapshot.share)
                self._arrivals.take(snapshot)
        finally:
            # A listing that broke off leaves what it had.
            self._arrivals.finish()
            self.arriving = None
        if self.snapshot is not None:
            self.start(partial(self._read_locks, self.snapshot), group=LOCKS)

    def _show_snapshot(self, snapshot: BucketSnapshot) -> None:
        self.snapshot = snapshot
        self.fresh(snapshot.at)

    async def _read_locks(self, snapshot: BucketSnapshot) -> None:
        locked = [row for row in snapshot.rows if row.locked][:LOCKS_READ]
        locks = await self.services.bucket.locks(replace(snapshot, rows=tuple(locked)))
        self.held = {lock.key: lock for lock in locks}

    def reload(self) -> None:
        if not self.stopped and listing.due(self.snapshot, self.now(), self.services.context.refresh_interval):
            super().reload()
        if self.opened is not None and DETAIL in self.problems and not self._is_reading:
            self._read(self.opened.key)

    def action_refresh_now(self) -> None:
        self.known = self.known.without_failures()
        super().reload()
        if self.opened is not None:
            self._read(self.opened.key)

    def action_stop_listing(self) -> None:
        self.stopped = True
        self.workers.cancel_group(self, LOAD)

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def watch_snapshot(self) -> None:
        self._arrange()

    def watch_sorting(self) -> None:
        self._arrange()

    def watch_narrowed(self) -> None:
        self._arrange()

    def watch_only_wrong(self) -> None:
        self._arrange()

    def watch_held(self) -> None:
        self._draw()

    def watch_known(self) -> None:
        if self.sorting.key in LEARNED:
            self._arrange()
        self._draw()

    def watch_arriving(self) -> None:
        self._tell()

    def watch_stopped(self) -> None:
        self._tell()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        self._tell()

    def ticked(self) -> None:
        self._draw()
        self.pane.tell(self.now())

    def _arrange(self) -> None:
        """Order and choose the rows, beside the answers to keys: there may be a million."""
        if self.snapshot is None or not self.is_mounted:
            return
        self._arranger.wish(Wish(self.snapshot.rows, self.sorting, self.narrowed, self.only_wrong, self.known))
        if self._arranger.idle:
            self.start(self._arranger.run, group=ORDER, lasting=True)

    def _show_rows(self, rows: Sequence[StateRow], place: int) -> None:
        self._rows = rows
        self._draw(place)
        self._tell()
        if self._wanted and self.table.select(self._wanted):
            self._wanted = ""

    def _draw(self, near: int | None = None) -> None:
        """The rows again, as they look now. ``near`` is where the row under the cursor went."""
        if self.is_mounted:
            now, held, known = self.now(), self.held, self.known
            self.table.sorting = self.sorting
            near = self.table.cursor if near is None else near
            self.table.source = listing.StateRows(self._rows, lambda row: view.cells(row, held, now, known), near=near)

    @on(VirtualTable.ViewMoved, "#states")
    def _look_into_view(self) -> None:
        """Look into the states in view that nobody has looked into."""
        rows = [self._rows[index] for index in self.table.visible_rows if index < len(self._rows)]
        if wanted := self.known.missing(rows):
            self.start(partial(self._look_into, wanted), group=HEADS)

    async def _look_into(self, objects: Sequence[ObjectInfo]) -> None:
        await asyncio.sleep(STILL)
        found = [head async for head in self.services.xray.heads(objects)]
        self.known = self.known.with_heads(found)

    def _tell(self) -> None:
        if not self.is_mounted:
            return
        error = self.problems.get(LOAD)
        pieces = view.summary(
            len(self._rows),
            self.snapshot,
            arriving=self.arriving,
            broken=error is not None,
            stopped=self.stopped,
            only_wrong=self.only_wrong,
        )
        self.query_one("#summary", Static).update(toned(*pieces))
        waiting = None if self.arriving is not None else error
        narrowed = bool(self.narrowed) or self.only_wrong
        self.table.empty = view.empty_words(self.snapshot, waiting, narrowed=narrowed, stopped=self.stopped)

    @property
    def selected(self) -> StateRow | None:
        """The row under the cursor, ``None`` without rows."""
        return self._rows[self.table.cursor] if self.table.cursor < len(self._rows) else None

    @property
    def chosen_key(self) -> str:
        """The key that a command is about: the one whose details are open, else the one under the cursor; empty for none."""
        if self.opened is not None:
            return self.opened.key
        return self.selected.key if self.selected is not None else ""

    @on(VirtualTable.RowHighlighted, "#states")
    def _highlighted(self) -> None:
        self.refresh_bindings()

    @on(VirtualTable.HeaderPressed)
    def _header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        inside = event.table is not self.table
        now = self.pane.sorting if inside else self.sorting
        self._sort(now.reversed() if now.key == event.column.key else Sorting(event.column.key), inside=inside)

    @on(FilterLine.Filtered, "#filter")
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self.pane.narrow(event.text)
        self.refresh_bindings()

    # -- one object --------------------------------------------------------------------------------------------------------

    @on(VirtualTable.RowOpened, "#states")
    def _row_opened(self) -> None:
        if row := self.selected:
            open_state(self.console, row.key)

    def show_subject(self, subject: str) -> None:
        self._wanted = "" if self.table.select(subject) else subject
        self.open(subject)

    def open(self, key: str) -> None:
        """Read an object and show what is in it, listed or not."""
        if self.opened is None or self.opened.key != key:
            self.opened = Opened(key=key, owner=self.services.bucket.owner_of(key))
        self.pane.reader.focus()
        self._read(key)

    @property
    def _is_reading(self) -> bool:
        """A slow answer is waited for, not asked for again."""
        return any(worker.group == DETAIL and not worker.is_finished for worker in self.workers if worker.node is self)

    def _read(self, key: str) -> None:
        self.start(partial(self._fetch, key), group=DETAIL)

    async def _fetch(self, key: str) -> None:
        try:
            found = await self.services.bucket.detail(key)
        except ConsoleError as error:
            if self.opened is not None and self.opened.detail is None:
                self.opened = replace(self.opened, error=error)
            raise
        self.opened = Opened(key=key, owner=found.owner, detail=found, at=self.now())
        self.known = self.known.with_read(found.info, found.state)

    def watch_opened(self, opened: Opened | None) -> None:
        if not self.is_mounted:
            return
        self.set_class(opened is not None, "-opened")
        self.pane.show(opened, self.now())
        self.refresh_bindings()

    def step_back(self) -> bool:
        """Close the detail."""
        if self.opened is None:
            return False
        self.workers.cancel_group(self, DETAIL)
        self.opened = None
        self.problems = without(self.problems, {DETAIL})
        self.query_one("#search", FilterLine).action_clear()
        self.table.focus()
        return True

    def on_mount(self) -> None:
        self.pane.show(None, self.now())

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.is_mounted:
            return True
        if command is WHY:
            return self._owner() is not None or self._project_id is not None
        if command is NEXT_PART:
            return self.opened is not None
        if command is STOP:
            return self.arriving is not None
        if command in {OPEN_OBJECT, SHOW_DETAILS, ONLY_WRONG}:
            return not self.pane.in_focus
        if command in {NEXT_MATCH, PREVIOUS_MATCH}:
            return self.opened is not None and bool(self.pane.lines.needle)
        return True

    def _owner(self) -> KnownProject | None:
        if self.opened is not None:
            return self.opened.owner
        return self.selected.owner if self.selected is not None else None

    @property
    def _project_id(self) -> str | None:
        """The id that begins the key under the cursor, or the one that is open; ``None`` where none does."""
        if self.opened is not None:
            digest = self.opened.key.partition("/")[0]
            return digest if re.fullmatch(r"[0-9a-f]{64}", digest) else None
        return self.selected.project_id if self.selected is not None else None

    def action_open(self, key: str = "") -> None:
        if key:
            open_state(self.console, key)
        else:
            self.table.action_open_row()

    def action_details(self) -> None:
        if row := self.selected:
            self.open(row.key)

    def action_filter(self) -> None:
        self.query_one("#search" if self.pane.in_focus else "#filter", FilterLine).open()

    def action_next_part(self) -> None:
        self.pane.turn(self.pane.bar.current + 1)

    def action_next_match(self) -> None:
        self.pane.next_match(1)

    def action_previous_match(self) -> None:
        self.pane.next_match(-1)

    def _sort(self, sorting: Sorting, *, inside: bool) -> None:
        if inside:
            self.pane.sort(sorting)
        else:
            self.sorting = sorting

    def action_sort(self) -> None:
        if inside := self.pane.in_focus:
            self._sort(self.pane.sorting.next(self.pane.resources.columns), inside=inside)
        else:
            self._sort(self.sorting.next([place.column for place in self.table.placed]), inside=inside)

    def action_reverse(self) -> None:
        inside = self.pane.in_focus
        self._sort((self.pane.sorting if inside else self.sorting).reversed(), inside=inside)

    def action_only_wrong(self) -> None:
        self.only_wrong = not self.only_wrong
        words = "locked, of unknown owner, or put there by others; ! again shows all" if self.only_wrong else "all objects"
        self.console.flash(words)

    async def action_why(self) -> None:
        owner = self._owner()
        if owner is not None:
            self.console.subject = Subject(owner.repo, owner.scope, owner.path)
            await self.console.open_view("key")
        elif self._project_id is not None:
            state = self.opened.detail.state if self.opened is not None and self.opened.detail is not None else None
            identifiers = (state.ids or state.recovered_ids) if state is not None else ()
            self.start(partial(search_owner, self, self._project_id, identifiers), group=WHY.id)

    def action_scan(self) -> None:
        self.app.push_screen(ScanScreen())

    def copies(self) -> tuple[Copy, ...]:
        return copies(self.opened, self.selected, self.services.context, self.now())

    def saved(self) -> tuple[str, str] | None:
        return saved(self.opened, self.now())
