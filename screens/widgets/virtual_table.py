"""A table on Textual's line API: only the lines in view are ever made, so its cost does not grow with its rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kumoss_console.text import printable
from screens.commands import MOVE, bindings
from screens.widgets.cells import Cell, Tone, fit
from screens.widgets.columns import GAP, Column, Placed, Sorting, place
from screens.widgets.rows import EMPTY, RowSource

HEADER = 1
TONES: tuple[Tone, ...] = ("good", "bad", "warn", "busy", "dim", "accent")


class VirtualTable(ScrollView, can_focus=True):
    """Rows of a :class:`~screens.widgets.rows.RowSource` under a fixed header.

    Assign ``source`` to show other rows: the cursor stays on the row it was on, by the row's id. ``sorting`` only draws the
    mark in the header; the owner sorts. ``empty`` is what stands there without rows.
    """

    BINDINGS = bindings(MOVE)
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "virtual-table--header",
        "virtual-table--cursor",
        "virtual-table--empty",
        *(f"virtual-table--{tone}" for tone in TONES),
    }
    DEFAULT_CSS = """
    VirtualTable {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        .virtual-table--header { text-style: bold; color: $foreground 70%; }
        .virtual-table--cursor { background: $panel; }
        .virtual-table--empty { color: $foreground 60%; }
        .virtual-table--good { color: $text-success; }
        .virtual-table--bad { color: $text-error; text-style: bold; }
        .virtual-table--warn { color: $text-warning; }
        .virtual-table--busy { color: $text-accent; }
        .virtual-table--dim { color: $foreground 60%; }
        .virtual-table--accent { color: $text-primary; }
        &:focus .virtual-table--cursor { background: $primary 35%; }
    }
    """

    cursor: reactive[int] = reactive(0, repaint=False)
    source: reactive[RowSource] = reactive(EMPTY, repaint=False, always_update=True)
    sorting: reactive[Sorting | None] = reactive(None)
    empty: reactive[str] = reactive("")

    @dataclass
    class RowHighlighted(Message):
        """The cursor came to rest on a row, or the row under it became another one."""

        table: VirtualTable
        index: int
        row_id: Hashable

        @property
        def control(self) -> VirtualTable:
            return self.table

    @dataclass
    class RowOpened(Message):
        """Enter, or a second click, on a row."""

        table: VirtualTable
        index: int
        row_id: Hashable

        @property
        def control(self) -> VirtualTable:
            return self.table

    @dataclass
    class HeaderPressed(Message):
        """A click on a column's title."""

        table: VirtualTable
        column: Column

        @property
        def control(self) -> VirtualTable:
            return self.table

    @dataclass
    class ViewMoved(Message):
        """Other rows are in view, or the same ones have new data."""

        table: VirtualTable

        @property
        def control(self) -> VirtualTable:
            return self.table

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VirtualTable.ViewMoved)

    def __init__(self, columns: Sequence[Column], *, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.columns = tuple(columns)
        self.set_reactive(VirtualTable.empty, empty)
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(512)
        self._highlighted: Hashable = None

    # -- what is shown ---------------------------------------------------------------------------------------------------

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The columns shown at the present width."""
        return place(self.columns, max(1, self.scrollable_content_region.width - 2))

    @property
    def row_id(self) -> Hashable:
        """The id of the row under the cursor, ``None`` without rows."""
        return self.source.row_id(self.cursor) if len(self.source) else None

    @property
    def visible_rows(self) -> range:
        """Indices of the rows in view."""
        top = self.scroll_offset.y
        return range(top, min(len(self.source), top + self._page))

    @property
    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height - HEADER)

    def watch_source(self, before: RowSource, source: RowSource) -> None:
        kept = source.position(self._highlighted) if self._highlighted is not None else None
        self.virtual_size = Size(1, len(source) + HEADER)
        self._strips.clear()
        self.cursor = kept if kept is not None else min(self.cursor, max(0, len(source) - 1))
        self._announce()
        self.refresh()
        self.post_message(self.ViewMoved(self))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.ViewMoved(self))

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self.source) - 1))

    def watch_cursor(self, before: int, cursor: int) -> None:
        self._refresh_row(before)
        self._refresh_row(cursor)
        self._bring_into_view(cursor)
        self._announce()

    def select(self, row_id: Hashable) -> bool:
        """Put the cursor on a row by its id; false where it is not among the rows."""
        index = self.source.position(row_id)
        if index is None:
            return False
        self.cursor = index
        return True

    def _announce(self) -> None:
        row_id = self.row_id
        if row_id != self._highlighted:
            self._highlighted = row_id
            self.post_message(self.RowHighlighted(self, self.cursor, row_id))

    def _refresh_row(self, index: int) -> None:
        self.refresh(Region(0, index - self.scroll_offset.y + HEADER, self.size.width, 1))

    def _bring_into_view(self, index: int) -> None:
        top = self.scroll_offset.y
        if index < top:
            self.scroll_to(y=index, animate=False)
        elif index >= top + self._page:
            self.scroll_to(y=index - self._page + 1, animate=False)

    # -- lines -----------------------------------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self) -> None:
        self._strips.clear()
        self._bring_into_view(self.cursor)
        self.post_message(self.ViewMoved(self))

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if y < HEADER:
            return self._header(width)
        index = self.scroll_offset.y + y - HEADER
        if index >= len(self.source):
            text = self.empty if not len(self.source) and y == HEADER + 1 else ""
            return self._plain(f"  {text}" if text else "", width, "virtual-table--empty")
        if index == self.cursor:
            return self._row(index, width, selected=True)
        if (strip := self._strips.get((index, width))) is None:
            strip = self._strips[(index, width)] = self._row(index, width, selected=False)
        return strip

    def _plain(self, text: str, width: int, component: str) -> Strip:
        return Strip([Segment(fit(text, width), self.get_component_rich_style(component))], width)

    def _header(self, width: int) -> Strip:
        return self._line(
            [Cell(self._title(column)) for column in self.columns], width, self.get_component_rich_style("virtual-table--header")
        )

    def _title(self, column: Column) -> str:
        if self.sorting is None or self.sorting.key != column.key:
            return column.title
        sign = "▼" if self.sorting.descending else "▲"
        room = next((placed.width for placed in self.placed if placed.column.key == column.key), 0)
        # Where the title takes all of its column, the sign takes the place of its last letter.
        return f"{column.title} {sign}" if cell_len(column.title) + 2 <= room else f"{column.title[: max(0, room - 1)]}{sign}"

    def _row(self, index: int, width: int, *, selected: bool) -> Strip:
        base = self.get_component_rich_style("virtual-table--cursor") if selected else self.rich_style
        return self._line(self.source.cells(index), width, base)

    def _line(self, cells: Sequence[Cell], width: int, base: Style) -> Strip:
        segments = [Segment(" ", base)]
        for number, place_ in enumerate(self.placed):
            if number:
                segments.append(Segment(" " * GAP, base))
            cell = cells[place_.index]
            # Colours only: a tone's own background would cut holes into the cursor line.
            style = base
            if cell.tone:
                tone = self.get_component_rich_style(f"virtual-table--{cell.tone}", partial=True)
                style = base + Style(color=tone.color, bold=tone.bold)
            column = place_.column
            text = fit(printable(cell.text), place_.width, right=column.right, middle=column.middle)
            segments.append(Segment(text, style))
        return Strip(segments).adjust_cell_length(width, base)

    # -- gestures --------------------------------------------------------------------------------------------------------

    def on_focus(self) -> None:
        self._refresh_row(self.cursor)

    def on_blur(self) -> None:
        self._refresh_row(self.cursor)

    def on_click(self, event: events.Click) -> None:
        if event.y < HEADER:
            self._press_header(event.x)
            return
        index = self.scroll_offset.y + event.y - HEADER
        if index >= len(self.source):
            return
        if index == self.cursor and event.chain > 1:
            self.action_open_row()
        self.cursor = index

    def _press_header(self, x: int) -> None:
        left = 1
        for place_ in self.placed:
            if left <= x < left + place_.width + GAP and place_.column.sortable:
                self.post_message(self.HeaderPressed(self, place_.column))
                return
            left += place_.width + GAP

    def action_open_row(self) -> None:
        """Called by the screen's Enter: asks the owner to open the row under the cursor."""
        if len(self.source):
            self.post_message(self.RowOpened(self, self.cursor, self.row_id))

    def action_cursor_down(self) -> None:
        self.cursor += 1

    def action_cursor_up(self) -> None:
        self.cursor -= 1

    def action_page_down(self) -> None:
        self.cursor += self._page

    def action_page_up(self) -> None:
        self.cursor -= self._page

    def action_half_page_down(self) -> None:
        self.cursor += max(1, self._page // 2)

    def action_half_page_up(self) -> None:
        self.cursor -= max(1, self._page // 2)

    def action_top(self) -> None:
        self.cursor = 0

    def action_bottom(self) -> None:
        self.cursor = len(self.source) - 1
