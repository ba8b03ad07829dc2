"""Overview: is anything wrong?"""

from __future__ import annotations

import json

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.reactive import reactive

from kumoss_console.services.overview.attention import Attention
from kumoss_console.services.overview.endpoint_attention import store_words
from kumoss_console.services.overview.service import OverviewSnapshot
from screens.base import ViewScreen
from screens.commands import COPIES, OPEN
from screens.copies import Copy
from screens.endpoint.screen import EndpointScreen
from screens.gestures import show_locks
from screens.overview import view
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.rows import Rows
from screens.widgets.virtual_table import VirtualTable

ENDPOINT = "endpoint"
"""The worker group of the look at what the store does."""


class OverviewScreen(ViewScreen):
    """What needs attention first, each line opening its place; below it every answer that this rests on."""

    view_name = "overview"
    commands = (OPEN, *COPIES)
    CSS_PATH = "overview.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's declaration

    snapshot: reactive[OverviewSnapshot | None] = reactive(None)
    table = getters.query_one("#attention", VirtualTable)
    sheet = getters.query_one("#facts", FactSheet)

    def body(self) -> ComposeResult:
        yield VirtualTable(view.COLUMNS, empty=view.empty_words(None), id="attention")
        with VerticalScroll(id="answers", can_focus=False):
            yield FactSheet(id="facts")

    async def load(self) -> None:
        first = self.snapshot is None
        async for snapshot in self.services.overview.stream(self.snapshot):
            self.snapshot = snapshot
            # While a later look is under way, what it has not heard yet keeps the age of the look before.
            if first or snapshot.complete:
                self.fresh(snapshot.at)
        self._look_closer()

    def _look_closer(self) -> None:
        """Ask once in a session what the store does for its states: behind everything else, and only one that answers."""
        asking = any(worker.group == ENDPOINT and not worker.is_finished for worker in self.workers if worker.node is self)
        answers = self.snapshot is not None and self.snapshot.store.status == "ok"
        if answers and not asking and self.services.endpoint.last is None:
            self.start(self._glance, group=ENDPOINT, lasting=True)

    async def _glance(self) -> None:
        card = await self.services.endpoint.glance()
        if card is not None and self.snapshot is not None:
            self.snapshot = self.services.overview.again(self.snapshot)
            self.watch_snapshot(self.snapshot)

    def watch_snapshot(self, snapshot: OverviewSnapshot | None) -> None:
        if snapshot is None:
            return
        self.table.empty = view.empty_words(snapshot)
        self.table.source = Rows(view.lines(snapshot), identify=lambda line: line, draw=view.cells)
        told = store_words(self.services.endpoint.last, self.now())
        self.sheet.facts = view.facts(snapshot, self.services.context, store_words=told)

    @property
    def selected(self) -> Attention | None:
        row = self.table.row_id
        return row if isinstance(row, Attention) else None

    @on(VirtualTable.RowOpened)
    async def _opened(self) -> None:
        line = self.selected
        if line is not None and line.view == "endpoint":
            self.app.push_screen(EndpointScreen())
        elif line is not None:
            await self.console.open_view(line.view, line.subject)

    def action_show_locks(self) -> None:
        """With the cursor on the line of a lock, that lock first."""
        line = self.selected
        show_locks(self, line.subject if line is not None and line.view == "bucket" else "")

    def copies(self) -> tuple[Copy, ...]:
        line = self.selected
        if line is None:
            return ()
        facts = {"severity": line.severity.value, "text": line.text, "view": line.view, "subject": line.subject}
        context = self.services.context.name
        return (
            Copy(label="the line", text=line.text, role="thing"),
            *((Copy(label="what it is about", text=line.subject),) if line.subject else ()),
            Copy(label="as JSON", text=json.dumps(facts, ensure_ascii=False), role="json"),
            Copy(label="the command that shows this", text=f"kumoss-console overview --context {context}", role="command"),
        )
