"""The import worksheet: address and import id side by side, judged while they are written. Pushed over Discovery."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.widgets import Static

from kumoss_console.model.finding import Severity
from kumoss_console.model.importdiff import Item
from kumoss_console.model.importids.blocks import export_text
from kumoss_console.model.importids.worksheet import Row, Written, worksheet
from kumoss_console.services.discovery.imports import ImportStep
from kumoss_console.services.discovery.service import Discovery
from kumoss_console.services.discovery.shape import row_shape
from kumoss_console.text import printable
from screens.commands import Command
from screens.copies import Copy
from screens.dialogs.ask import AskDialog
from screens.dialogs.confirm import ConfirmDialog
from screens.discovery import worksheet_view as view
from screens.discovery.commands import EDIT_ADDRESS, EDIT_ID, END, REMOVE, SUBMIT, WORKSHEET_COMMANDS
from screens.discovery.importing import Importing
from screens.pushed import PushedScreen
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.virtual_table import VirtualTable

LARGE = 1_000
"""Lines whose judging takes 20 ms: more are judged beside the event loop."""


class WorksheetScreen(PushedScreen):
    """The lines of ``items``; ``begin`` is given the imports once they were agreed to. ``importing`` are those that were begun
    before, of which a line on this sheet tells what became."""

    view_name = "worksheet"
    commands = WORKSHEET_COMMANDS
    polls = False
    CSS_PATH = "worksheet.tcss"

    table = getters.query_one("#rows", VirtualTable)

    def __init__(
        self, found: Discovery, items: Sequence[Item], begin: Callable[[Importing], None], importing: Importing | None
    ) -> None:
        super().__init__()
        self.found = found
        self._picked = list(items)
        self._begin = begin
        self.importing = importing
        self._written: dict[str, Written] = {}
        self.rows: tuple[Row, ...] = ()

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(view.COLUMNS, empty="nothing is left on the worksheet", id="rows")
        with Reading(id="detail"):
            yield FactSheet(id="row")

    def on_mount(self) -> None:
        if self.importing is not None:
            self.importing.listeners.append(self._changed)
        self.table.focus()
        self._judge()

    def on_unmount(self) -> None:
        if self.importing is not None and self._changed in self.importing.listeners:
            self.importing.listeners.remove(self._changed)

    async def load(self) -> None:
        # What it is made of was compared already; there is nothing to ask for.
        self.fresh(self.found.at)

    def _judge(self) -> None:
        comparison = self.found.comparison
        if comparison is None:
            return
        made = partial(worksheet, tuple(self._picked), comparison, dict(self._written))
        if len(self._picked) > LARGE:
            self.start(partial(self._judge_large, made), group="judge")
        else:
            self.rows = made()
            self._changed()

    async def _judge_large(self, made: Callable[[], tuple[Row, ...]]) -> None:
        self.rows = await self.services.off_loop(made)
        self._changed()

    def _changed(self) -> None:
        if not self.has_frame:
            return
        self.table.source = Rows(
            self.rows, identify=lambda row: row.identifier, draw=lambda row: view.cells(row, self._step(row))
        )
        self.query_one("#summary", Static).update(toned(*view.summary(self.rows, self.found.request, self.importing)))
        self._show_row()
        self.refresh_bindings()

    def _step(self, row: Row) -> ImportStep | None:
        return self.importing.step(row.identifier) if self.importing is not None else None

    def _show_row(self) -> None:
        row = self.selected
        self.query_one("#row", FactSheet).facts = view.details(row, self._step(row)) if row is not None else ()

    @property
    def selected(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.table.cursor] if self.table.cursor < len(self.rows) else None

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_row()

    # -- commands ----------------------------------------------------------------------------------------------------------

    @property
    def _imports_run(self) -> bool:
        return self.importing is not None and self.importing.under_way

    def enabled(self, command: Command) -> bool | None:
        if command is END:
            return self._imports_run
        if command in {EDIT_ADDRESS, EDIT_ID, REMOVE}:
            return bool(self.rows) and not self._imports_run
        return bool(self.rows) and not self._imports_run if command is SUBMIT else True

    @on(VirtualTable.RowOpened)
    def _row_opened(self) -> None:
        row = self.selected
        if row is None or self._imports_run:
            return

        def written(address: str | None) -> None:
            if address is not None:
                self._write(row.identifier, Written(address, self._written.get(row.identifier, Written()).import_id))

        hint = 'where it goes in the configuration: aws_sns_topic.orders, module.net.aws_subnet.a["eu"]'
        self.app.push_screen(AskDialog("Address", hint=hint, value=row.address), written)

    def action_edit_id(self) -> None:
        row = self.selected
        if row is None:
            return

        def written(import_id: str | None) -> None:
            if import_id is not None:
                self._write(row.identifier, Written(self._written.get(row.identifier, Written()).address, import_id))

        hint = "what the provider's documentation says that an import of this type takes"
        self.app.push_screen(AskDialog("Import id", hint=hint, value=row.import_id), written)

    def _write(self, identifier: str, written: Written) -> None:
        self._written[identifier] = written
        self._judge()

    def action_remove_row(self) -> None:
        row = self.selected
        if row is not None:
            self._picked = [item for item in self._picked if item.id != row.identifier]
            self._written.pop(row.identifier, None)
            self._judge()

    def action_submit_imports(self) -> None:
        rows = [row for row in self.rows if not view.is_imported(self._step(row))]
        if faulty := [row for row in rows if row.faults]:
            self.table.select(faulty[0].identifier)
            words = f"{len(faulty):,} of {len(rows):,} lines are not ready: {faulty[0].faults[0]}"
            self.console.flash(f"{words}; backspace takes a line off", Severity.WARNING)
            return
        if not rows:
            self.console.flash("all of them are imported; r in Discovery compares again")
            return
        asked = view.question(rows, self.found.request, self.services.context)

        def answered(agreed: bool | None) -> None:
            if agreed:
                self._submit(rows)
            else:
                self.console.flash("nothing was sent")

        self.app.push_screen(
            ConfirmDialog(asked.title, consequences=asked.consequences, verb=asked.verb, must_type=asked.must_type), answered
        )

    def _submit(self, rows: Sequence[Row]) -> None:
        self.on_unmount()
        self.importing = Importing(rows, self.found.request, self.importing)
        self.importing.listeners.append(self._changed)
        self._begin(self.importing)
        self._changed()

    def action_end_imports(self) -> None:
        if self.importing is not None:
            self.importing.leave()
            self.console.flash("no further import is sent; the one under way goes on, and is among the jobs")

    def copies(self) -> tuple[Copy, ...]:
        row = self.selected
        everything = Copy(label="the import blocks", text=export_text(self.rows))
        if row is None:
            return (everything,)
        return (
            Copy(label="the address", text=row.address or printable(row.identifier), role="thing"),
            Copy(label="the line as JSON", text=json.dumps(row_shape(row), indent=2), role="json"),
            Copy(label="its import block", text=export_text((replace(row),))),
            everything,
        )

    def saved(self) -> tuple[str, str] | None:
        return ("import.tf", export_text(self.rows)) if self.rows else None
