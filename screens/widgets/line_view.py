"""Lines of text, as many as there are: job output, documents. What is not in view costs nothing but its characters.

Scrolling counts in lines, and rows within one are a place of their own, as in a pager. Going over a large text (where its lines
are, where words occur) is done in slices between which everything else goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.worker import Worker

from kumoss_console.model.error_line import first_error
from screens.commands import MOVE, WRAP, Command, Group, bindings
from screens.widgets.ansi import uncoloured, uncoloured_pieces
from screens.widgets.cells import fit
from screens.widgets.line_strips import LineStyles, strips
from screens.widgets.pager import Pager
from screens.widgets.wrapping import Place

SCROLL_SIDEWAYS = tuple(
    Command(id=f"move.{action}", action=action, title=title, keys=keys, group=Group.MOVE, listed=False)
    for action, title, keys in (("scroll_left", "Left", ("h", "left")), ("scroll_right", "Right", ("l", "right")))
)
WORK = "lines"
"""The worker group of going over a large text."""
TOLD_EVERY = 0.1
WHEEL = 3


class LineView(ScrollView, can_focus=True):
    """A text by lines. :meth:`show` replaces it; :meth:`search` marks matches and goes to the first one at or below the top."""

    BINDINGS = bindings((*MOVE, *SCROLL_SIDEWAYS, replace(WRAP, label="wrap")))
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-view--match", "line-view--here", "line-view--empty", "line-view--mark"}
    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        overflow-x: auto;
        overflow-y: auto;
        scrollbar-size: 1 1;
        scrollbar-gutter: stable;
        .line-view--match { background: $warning 40%; }
        .line-view--here { background: $warning; color: $background; text-style: bold; }
        .line-view--empty { color: $foreground 60%; }
        .line-view--mark { color: $foreground 40%; }
    }
    """

    empty: reactive[str] = reactive("")
    wrap: reactive[bool] = reactive(True, repaint=False)
    """Whether lines that are wider than the view go on in the next row."""
    follow: reactive[bool] = reactive(False, repaint=False)
    """Whether a text that grows is shown at its end."""

    @dataclass
    class Changed(Message):
        """Another part is in view, or more is known of the text: :attr:`LineView.told` says so."""

        lines: LineView

        @property
        def control(self) -> LineView:
            return self.lines

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, LineView.Changed) and message.lines is self.lines

    def __init__(self, text: str = "", *, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(LineView.empty, empty)
        self._pager = Pager(text)
        self._widest = 0
        self._strips: LRUCache[int, list[Strip]] = LRUCache(256)

    # -- the text ----------------------------------------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        """Lines known so far."""
        return self._pager.index.line_count

    @property
    def text(self) -> str:
        """The whole text without colours, safe to copy and to save. For large texts there are :meth:`pieces`."""
        return uncoloured(self._pager.text)

    def pieces(self) -> Iterator[str]:
        """:attr:`text` a piece at a time, as it is now."""
        return uncoloured_pieces(self._pager.text)

    @property
    def current_line(self) -> str:
        """The line at hand, whole and without colours: that of the match where it is in view, else the first in view."""
        return self._pager.current_line

    @property
    def told(self) -> str:
        """What part is in view, and which match of how many: ``match 3 of 17 · lines 1-20 of 100,000``."""
        return self._pager.told

    def show(self, text: str) -> None:
        """Show another text from its start. A text that only grew is shown where the reader is, the same one changes nothing."""
        if text == self._pager.text:
            return
        self._pager.show(text)
        if self._pager.top == Place():
            self._widest = 0
        self._go_on()
        if self.follow:
            self.action_bottom()

    # -- going over it, searching it -----------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Go over the text for a moment, and leave the rest to a worker."""
        more = self._pager.advance()
        self._settle()
        if more and self.is_attached:
            self._start_work()

    def _start_work(self) -> Worker[None]:
        return self.run_worker(self._work, group=WORK, exclusive=True, name=WORK)

    async def _work(self) -> None:
        told = perf_counter()
        while True:
            await asyncio.sleep(0)
            place = self._pager.top
            if not self._pager.advance():
                break
            if perf_counter() - told > TOLD_EVERY or place != self._pager.top:
                told = perf_counter()
                self._settle()
        self._settle()

    @property
    def needle(self) -> str:
        """What is searched for, case folded; empty for no search."""
        return self._pager.search.needle if self._pager.search else ""

    @property
    def found(self) -> tuple[int, int]:
        """Which match is the current one, and how many are known: ``(2, 17)``; ``(0, 0)`` for none."""
        return self._pager.found

    def search(self, needle: str, *, jump: bool = True) -> int:
        """Mark ``needle`` wherever it occurs, in any case; go to the first at or below the top. Returns how many are known: a
        large text is searched on, and :class:`Changed` tells."""
        self._pager.look_for(needle, jump=jump)
        self._go_on()
        self._show_match()
        return self.found[1]

    def next_match(self, step: int = 1) -> None:
        """Go on to the next match, or back with ``step=-1``; starts over at the ends."""
        if self._pager.step(step):
            self._settle()
            self._show_match()

    def go_to_first_error(self) -> bool:
        """Bring the line that begins the first error to the top; false where there is none."""
        offset = first_error(self._pager.text)
        if offset >= 0:
            self._go_to(Place(self._pager.index.line_at(offset)))
        return offset >= 0

    def go_to_line(self, number: int) -> None:
        """Bring a line to the top, the first one being 0."""
        self._go_to(Place(max(0, min(number, self.line_count - 1))))

    # -- what is in view -----------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """After the text or the room for it changed: what can be scrolled to, and whether the top is still there."""
        pager = self._pager
        size = self.scrollable_content_region.size
        if not size:
            return
        if (size.width, size.height, self.wrap) != (pager.width, pager.height, pager.wrap):
            pager.fit(size.width, size.height, wrap=self.wrap)
        self._strips.clear()
        self._go_to(pager.top)

    def _go_to(self, place: Place) -> None:
        self._pager.go_to(place)
        self._moved()

    def _moved(self) -> None:
        pager = self._pager
        if not self.wrap:
            # As far to the right as the widest line that was in view so far.
            self._widest = max(self._widest, pager.widest + 1)
        self.virtual_size = Size(1 if self.wrap else self._widest, pager.last_top.line + pager.height)
        if round(self.scroll_y) != pager.top.line:
            self.scroll_y = self.scroll_target_y = pager.top.line
        self.refresh()
        if self.is_attached:
            self.post_message(self.Changed(self))

    def _show_match(self) -> None:
        """Without wrapping, scroll sideways to where the match is."""
        line, at = self._pager.match_line, self._pager.match_column
        if self.wrap or line is None:
            return
        left = cell_len(self._pager.line(line)[0].text.plain[:at])
        if not 0 <= left - self.scroll_offset.x < self._pager.width:
            self.scroll_x = self.scroll_target_x = max(0, left - self._pager.width // 3)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(new_value) != self._pager.top.line:
            # The scroll bar was dragged.
            self._go_to(Place(round(new_value)))

    def watch_wrap(self) -> None:
        self.scroll_x = self.scroll_target_x = 0
        self._settle()
        self._show_match()

    def on_mount(self) -> None:
        self._go_on()

    def on_resize(self) -> None:
        self._settle()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    # -- drawing -----------------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, page = self.scrollable_content_region.width, self._pager.page
        if y >= len(page):
            text = self.empty if not page and y == 0 else ""
            style = self.get_component_rich_style("line-view--empty") if text else self.rich_style
            return Strip([Segment(fit(text, width), style)], width)
        place = page[y]
        rows = self._strips.get(place.line)
        if rows is None:
            rows = self._strips[place.line] = self._drawn(place.line)
        left = 0 if self.wrap else self.scroll_offset.x
        strip = rows[place.row].crop_extend(left, left + width, self.rich_style)
        return strip.apply_offsets(left, place.line) if left else strip

    def _drawn(self, number: int) -> list[Strip]:
        part = self.get_component_rich_style
        styles = LineStyles(
            base=self.rich_style,
            match=part("line-view--match"),
            here=part("line-view--here"),
            mark=part("line-view--mark"),
            selection=self.screen.get_component_rich_style("screen--selection"),
        )
        selected = self.text_selection.get_span(number) if self.text_selection is not None else None
        return strips(self._pager, number, styles=styles, selected=selected, console=self.app.console)

    # -- selecting with the mouse --------------------------------------------------------------------------------------------

    def selection_updated(self, selection: Selection | None) -> None:
        self._strips.clear()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is selected, as whole lines are: without the rows that they are drawn in."""
        pager, last = self._pager, self.line_count - 1
        if last < 0:
            return None
        start, end = selection
        begin = pager.offset_of(min(start.y, last), start.x) if start is not None else 0
        until = pager.offset_of(min(end.y, last), end.x) if end is not None else len(pager.text)
        return uncoloured(pager.text[begin:until]), "\n"

    # -- gestures ------------------------------------------------------------------------------------------------------------

    def _move(self, rows: int) -> None:
        self._pager.move(rows)
        self._moved()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -WHEEL)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        if not event.ctrl and not event.shift:
            # Textual's own handler knows lines only.
            event.prevent_default()
            event.stop()
            self._move(rows)

    def action_cursor_down(self) -> None:
        self._move(1)

    def action_cursor_up(self) -> None:
        self._move(-1)

    def action_page_down(self) -> None:
        self._move(self._pager.height)

    def action_page_up(self) -> None:
        self._move(-self._pager.height)

    def action_half_page_down(self) -> None:
        self._move(max(1, self._pager.height // 2))

    def action_half_page_up(self) -> None:
        self._move(-max(1, self._pager.height // 2))

    def action_top(self) -> None:
        self._go_to(Place())

    def action_bottom(self) -> None:
        self._go_to(self._pager.last_top)

    def action_wrap(self) -> None:
        self.wrap = not self.wrap
