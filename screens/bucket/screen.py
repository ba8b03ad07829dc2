"""Bucket: whose is it, and who holds it?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.errors import ConsoleError
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.state import StateDocument
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.services.bucket.service import BucketSnapshot, HeldLock, StateRow
from screens.base import LOAD
from screens.bucket import listing, view
from screens.bucket.arranging import LEARNED, Arranger, Wish
from screens.bucket.arrivals import Arrivals
from screens.bucket.commands import COMMANDS, OPEN_OBJECT, SHOW_DETAILS, STOP, WHY
from screens.bucket.copies import copies, saved
from screens.bucket.detailed import DETAIL, DetailedScreen
from screens.bucket.heads import NOTHING, Known
from screens.bucket.searching import has_owner, why
from screens.bucket.view import Arriving
from screens.commands import ONLY_WRONG, Command
from screens.copies import Copy
from screens.endpoint.screen import EndpointScreen
from screens.gestures import show_locks
from screens.scan.screen import ScanScreen
from screens.statedetail.opening import ask_for_file, open_state
from screens.versions.screen import VersionsScreen
from screens.widgets.columns import Sorting
from screens.widgets.content import toned
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

LOCKS = "locks"
HEADS = "heads"
ORDER = "order"
LOCKS_READ = 200
"""Locks whose holders are read after a listing; the others show since when they are held."""
STILL = 0.1
"""Seconds that the rows in view have to stay before their states are looked into: nobody reads what scrolls by."""


class BucketScreen(DetailedScreen):
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

    table = getters.query_one("#states", VirtualTable)

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
        yield from super().body()

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
        self.read_again(only_failed=True)

    def action_refresh_now(self) -> None:
        self.known = self.known.without_failures()
        super().reload()
        self.read_again()

    def action_stop_listing(self) -> None:
        self.stopped = True
        self.workers.cancel_group(self, LOAD)

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def watch_snapshot(self) -> None:
        self._arrange()

    watch_sorting = watch_narrowed = watch_only_wrong = watch_snapshot

    def watch_known(self) -> None:
        if self.sorting.key in LEARNED or self.only_wrong:
            self._arrange()
        self._draw()

    def watch_held(self) -> None:
        self._draw()

    def watch_stopped(self) -> None:
        self._tell()

    def watch_arriving(self, before: Arriving | None, arriving: Arriving | None) -> None:
        self._tell()
        if (before is None) != (arriving is None):
            self.refresh_bindings()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        self._tell()

    def ticked(self) -> None:
        self._draw()
        self.pane.tell(self.now())

    def _arrange(self) -> None:
        """Order and choose the rows, beside the answers to keys: there may be a million."""
        if self.snapshot is None or not self.is_drawn:
            return
        if not self._rows and not self.narrowed and not self.only_wrong:
            # Nothing is shown yet: better in the order in which it came than later.
            self._show_rows(self.snapshot.rows, 0)
        self._arranger.wish(Wish(self.snapshot.rows, self.sorting, self.narrowed, self.only_wrong, self.known))
        if self._arranger.idle:
            self.start(self._arranger.run, group=ORDER, lasting=True)

    @property
    def is_drawn(self) -> bool:
        """Whether every widget is there: neither before the first drawing, nor once the screen is taken down."""
        return self.is_mounted and self.has_frame

    @property
    def arranged(self) -> bool:
        """Whether the rows that are shown are in the order and choice asked for."""
        return self._arranger.settled

    def _show_rows(self, rows: Sequence[StateRow], place: int) -> None:
        self._rows = rows
        self._draw(place)
        self._tell()
        if self._wanted and self.table.select(self._wanted):
            self._wanted = ""

    def _draw(self, near: int | None = None) -> None:
        """The rows again, as they look now. ``near`` is where the row under the cursor went."""
        if self.is_drawn:
            now, held, known = self.now(), self.held, self.known
            self.table.sorting = self.sorting
            near = self.table.cursor if near is None else near
            self.table.source = listing.StateRows(self._rows, lambda row: view.cells(row, held, now, known), near=near)

    def _in_view(self) -> list[StateRow]:
        return [self._rows[index] for index in self.table.visible_rows if index < len(self._rows)]

    @on(VirtualTable.ViewMoved, "#states")
    def _look_into_view(self) -> None:
        """Look into the states in view that nobody has looked into."""
        if wanted := self.known.missing(self._in_view()):
            self.start(partial(self._look_into, wanted), group=HEADS)

    def on_screen_resume(self) -> None:
        """What was opened meanwhile was read whole: show what that told."""
        if not self.is_drawn:
            return
        at_hand = (self.services.xray.at_hand(row.info) for row in self._in_view())
        if news := self.known.news(head for head in at_hand if head is not None):
            self.known = self.known.with_heads(news)

    async def _look_into(self, objects: Sequence[ObjectInfo]) -> None:
        await asyncio.sleep(STILL)
        found = [head async for head in self.services.xray.heads(objects, ends=True)]
        self.known = self.known.with_heads(found)

    def _tell(self) -> None:
        if not self.is_drawn:
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
        judged = self.known.judged if self.only_wrong and not self.narrowed else None
        self.table.empty = view.empty_words(self.snapshot, waiting, narrowed=narrowed, stopped=self.stopped, judged=judged)

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

    @on(VirtualTable.HeaderPressed, "#states")
    def _header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        self.sorting = self.sorting.pressed(event.column)

    @on(FilterLine.Filtered, "#filter")
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    # -- one object --------------------------------------------------------------------------------------------------------

    def learned(self, info: ObjectInfo, state: StateDocument) -> None:
        self.known = self.known.with_read(info, state)

    def focus_list(self) -> None:
        self.table.focus()

    @on(VirtualTable.RowOpened, "#states")
    def _row_opened(self) -> None:
        if row := self.selected:
            open_state(self.console, row.key)

    def show_subject(self, subject: str) -> None:
        self._wanted = "" if self.table.select(subject) else subject
        self.open(subject)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.is_drawn:
            return True
        if command is WHY:
            return has_owner(self.opened, self.selected)
        if command is STOP:
            return self.arriving is not None
        if command in {OPEN_OBJECT, SHOW_DETAILS, ONLY_WRONG}:
            return not self.pane.in_focus
        return super().enabled(command)

    def action_open(self, key: str = "") -> None:
        if key:
            open_state(self.console, key)
        else:
            self.table.action_open_row()

    def action_details(self) -> None:
        if row := self.selected:
            self.open(row.key)

    def action_open_state_file(self, path: str = "") -> None:
        ask_for_file(self, path)

    def action_filter(self) -> None:
        self.query_one("#search" if self.pane.in_focus else "#filter", FilterLine).open()

    def action_sort(self) -> None:
        if self.pane.in_focus:
            self.pane.sort(self.pane.sorting.next(self.pane.resources.columns))
        else:
            self.sorting = self.sorting.next([place.column for place in self.table.placed])

    def action_reverse(self) -> None:
        if self.pane.in_focus:
            self.pane.sort(self.pane.sorting.reversed())
        else:
            self.sorting = self.sorting.reversed()

    def action_only_wrong(self) -> None:
        self.only_wrong = not self.only_wrong
        self.console.flash(view.what_is_kept(self.known.judged) if self.only_wrong else "all objects")

    async def action_why(self) -> None:
        await why(self, self.opened, self.selected)

    def action_show_locks(self) -> None:
        row = self.selected
        show_locks(self, row.lock_key.removesuffix(LOCK_SUFFIX) if row is not None and row.locked else "")

    def action_scan(self) -> None:
        self.app.push_screen(ScanScreen())

    def action_history(self) -> None:
        if key := self.chosen_key:
            self.app.push_screen(VersionsScreen(key))

    def action_endpoint(self) -> None:
        self.app.push_screen(EndpointScreen())

    def copies(self) -> tuple[Copy, ...]:
        return copies(self.opened, self.selected, self.services.context, self.now())

    def saved(self) -> tuple[str, str] | None:
        return saved(self.opened, self.now())
