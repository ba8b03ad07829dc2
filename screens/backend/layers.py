"""The layers of one workspace: what is said on top, the table of values, and below it the selected value and what is wrong."""

from __future__ import annotations

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive

from kumoss_console.model.backend.rows import ValueRow
from kumoss_console.services.backend.effective import WorkspaceBackend
from screens.backend import layers_view
from screens.widgets.facts import Fact
from screens.widgets.reading import Reading
from screens.widgets.rows import EMPTY, Rows
from screens.widgets.section import Section
from screens.widgets.virtual_table import VirtualTable


class LayersPane(Vertical):
    """Shows :attr:`found`, and :attr:`said` in its place while there is nothing."""

    found: reactive[WorkspaceBackend | None] = reactive(None)
    said: reactive[tuple[Fact, ...]] = reactive(layers_view.LOOKING)
    heading: reactive[tuple[Fact, ...]] = reactive(())
    """The line above all: which workspace."""
    table = getters.query_one("#values", VirtualTable)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._source: Rows[ValueRow] | None = None

    def compose(self) -> ComposeResult:
        yield Section(id="layers-heading")
        yield Section(id="layers-answer")
        yield VirtualTable(layers_view.COLUMNS, id="values")
        with Reading(id="layers-facts"):
            yield Section(id="layers-value")
            yield Section("Worth knowing", id="layers-findings")
            yield Section("Files, in the order of the engine", id="layers-files")

    @property
    def selected(self) -> ValueRow | None:
        """The row under the cursor."""
        source = self._source
        return source.items[self.table.cursor] if source is not None and len(source) else None

    def on_mount(self) -> None:
        self._show_found()

    def watch_heading(self) -> None:
        if self.is_mounted:
            self.query_one("#layers-heading", Section).facts = self.heading

    def watch_said(self) -> None:
        self._show_found()

    def watch_found(self) -> None:
        self._show_found()

    def _show_found(self) -> None:
        if not self.is_mounted:
            return
        found = self.found
        self._source = layers_view.rows(found) if found is not None else None
        self.query_one("#layers-answer", Section).facts = layers_view.answer_facts(found) if found is not None else self.said
        self.table.source = self._source if self._source is not None else EMPTY
        # As high as its rows, within what the style sheet leaves it: the rest is for the selected value and what is wrong.
        self.table.styles.height = (len(self._source) if self._source is not None else 0) + 1
        self.query_one("#layers-findings", Section).facts = layers_view.finding_lines(found) if found is not None else ()
        self.query_one("#layers-files", Section).facts = layers_view.order_facts(found) if found is not None else ()
        self._show_value()

    def on_virtual_table_row_highlighted(self) -> None:
        self._show_value()

    def _show_value(self) -> None:
        self.query_one("#layers-value", Section).facts = layers_view.detail_facts(self.selected)
