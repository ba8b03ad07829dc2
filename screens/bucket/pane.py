"""The detail of one object: what it is and who holds it, then resources, outputs, identifiers and all that is known."""

from __future__ import annotations

from datetime import datetime

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from screens.bucket import detail, parts
from screens.bucket.detail import Opened
from screens.durations import short
from screens.findings import finding_facts
from screens.widgets.columns import Sorting
from screens.widgets.content import safe
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.line_view import LineView
from screens.widgets.part_bar import PartBar
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.section import Section
from screens.widgets.virtual_table import VirtualTable


class ObjectPane(Vertical):
    """Shows what :meth:`show` is given; another object begins with the part that matters."""

    ALLOW_MAXIMIZE = True

    headline = getters.query_one("#headline", FactSheet)
    bar = getters.query_one(PartBar)
    switcher = getters.query_one(ContentSwitcher)
    resources = getters.query_one("#resources", VirtualTable)
    outputs = getters.query_one("#outputs", VirtualTable)
    lines = getters.query_one("#identifiers", LineView)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.opened: Opened | None = None
        self.query_text = ""
        self.sorting: Sorting = parts.BY_TYPE
        self._objects: tuple[parts.ObjectLine, ...] = ()
        self._ids = ""

    def compose(self) -> ComposeResult:
        yield FactSheet(id="headline")
        yield PartBar(detail.PARTS)
        with ContentSwitcher(initial="resources"):
            yield VirtualTable(parts.RESOURCE_COLUMNS, id="resources")
            yield VirtualTable(parts.OUTPUT_COLUMNS, id="outputs")
            yield LineView(id="identifiers")
            with Reading(id="facts"):
                yield Section(id="object-facts")
                yield Section("Lock", id="lock-facts")
                yield Section(id="document-facts")
                yield Section("Findings", id="object-findings")

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def show(self, opened: Opened | None, now: datetime) -> None:
        """``None`` closes the pane."""
        before, self.opened = self.opened, opened
        self.display = opened is not None
        if opened is None:
            return
        found = opened.detail
        if before is None or before.key != opened.key:
            self.query_text = ""
        if before is None or before.detail is not found or before.error is not opened.error or before.key != opened.key:
            self._objects = parts.object_lines(found.state) if found is not None else ()
            self._ids = detail.identifiers(found.state) if found is not None else ""
            self._arrange()
        if found is not None and (before is None or before.detail is None or before.key != opened.key):
            self._turn_to(detail.first_part(found))
        self.tell(now)

    def tell(self, now: datetime) -> None:
        """What depends on the time: ages."""
        opened = self.opened
        if opened is None:
            return
        self.border_title = safe(detail.heading(opened))
        self.border_subtitle = f"read {short(now - opened.at)} ago · Esc closes" if opened.at is not None else "Esc closes"
        self.headline.facts = detail.headline(opened, now)
        found = opened.detail
        self.query_one("#object-facts", Section).facts = detail.object_facts(found, now) if found else ()
        self.query_one("#lock-facts", Section).facts = detail.lock_facts(found, now)[1:] if found else ()
        self.query_one("#document-facts", Section).facts = detail.document_facts(found.state) if found else ()
        self.query_one("#object-findings", Section).facts = finding_facts(detail.findings(found)) if found else ()

    def _arrange(self) -> None:
        opened = self.opened
        state = opened.detail.state if opened is not None and opened.detail is not None else None
        objects = parts.arranged(self._objects, self.query_text, self.sorting)
        outputs = parts.matching_outputs(state.outputs, self.query_text) if state is not None else []
        self.resources.sorting = self.sorting
        self.resources.source = Rows(objects, identify=lambda line: line.place, draw=parts.object_cells)
        self.outputs.source = Rows(outputs, identify=lambda row: row.name, draw=parts.output_cells)
        self.lines.show(self._ids)
        if opened is not None:
            for widget, part in ((self.resources, "resources"), (self.outputs, "outputs"), (self.lines, "identifiers")):
                nothing = "nothing matches" if self.query_text else detail.empty_words(opened, part)
                widget.empty = nothing
        self._count()

    def _count(self) -> None:
        numbers = {
            "resources": len(self.resources.source),
            "outputs": len(self.outputs.source),
            "identifiers": self.lines.line_count,
        }
        match = self.lines.found
        if self.part == "identifiers" and self.lines.needle:
            self.bar.note = f"match {match[0]} of {match[1]}" if match[1] else "no match"
        else:
            self.bar.note = f"{numbers[self.part]:,}" if self.part in numbers else ""

    # -- parts -------------------------------------------------------------------------------------------------------------

    @property
    def part(self) -> str:
        return detail.PARTS[self.bar.current]

    @property
    def reader(self) -> Widget:
        """The widget of the part that is shown."""
        return self.query_one(f"#{self.part}")

    @property
    def in_focus(self) -> bool:
        """Whether the operator is in here."""
        focused = self.screen.focused
        return focused is not None and self in focused.ancestors_with_self

    def turn(self, index: int) -> None:
        """Show another part; counts on from the last to the first."""
        self._turn_to(detail.PARTS[index % len(detail.PARTS)])

    def _turn_to(self, part: str) -> None:
        inside = self.in_focus
        self.bar.current = detail.PARTS.index(part)
        self.switcher.current = part
        if inside:
            self.reader.focus()
        self._count()

    @on(PartBar.Chosen)
    def _chosen(self, event: PartBar.Chosen) -> None:
        event.stop()
        self.turn(event.index)

    # -- narrowing, sorting, searching -------------------------------------------------------------------------------------

    def narrow(self, text: str) -> None:
        """Resources and outputs by words; the identifiers are searched."""
        self.query_text = text
        self.lines.search(text)
        self._arrange()

    def sort(self, sorting: Sorting) -> None:
        self.sorting = sorting
        self._arrange()

    @on(VirtualTable.HeaderPressed)
    def _header_pressed(self, event: VirtualTable.HeaderPressed) -> None:
        event.stop()
        self.sort(self.sorting.pressed(event.column))

    def next_match(self, step: int) -> None:
        self.lines.next_match(step)
        self._count()
