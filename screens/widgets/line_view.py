"""Lines of text, as many as there are: job output, documents. Colours are read for the lines in view only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from screens.commands import MOVE, Command, Group, bindings
from screens.widgets.ansi import LONGEST_DRAWN, coloured, plain
from screens.widgets.cells import fit

SCROLL_SIDEWAYS = tuple(
    Command(id=f"move.{action}", action=action, title=title, keys=keys, group=Group.MOVE, listed=False)
    for action, title, keys in (("scroll_left", "Left", ("h", "left")), ("scroll_right", "Right", ("l", "right")))
)


def _spans(text: str, needle: str) -> Iterator[tuple[int, int]]:
    """Where ``needle`` occurs in ``text``. Case folding may change lengths (``ß``): then the whole line is marked."""
    folded = text.casefold()
    if len(folded) != len(text):
        yield (0, len(text))
        return
    at = folded.find(needle)
    while at >= 0:
        yield (at, at + len(needle))
        at = folded.find(needle, at + len(needle))


class LineView(ScrollView, can_focus=True):
    """A text by lines. :meth:`show` replaces it; :meth:`search` marks matches and goes to the first one at or below the top."""

    BINDINGS = bindings((*MOVE, *SCROLL_SIDEWAYS))
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-view--match", "line-view--here", "line-view--empty"}
    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        overflow-x: auto;
        overflow-y: auto;
        scrollbar-size: 1 1;
        .line-view--match { background: $warning 40%; }
        .line-view--here { background: $warning; color: $background; text-style: bold; }
        .line-view--empty { color: $foreground 60%; }
    }
    """

    empty: reactive[str] = reactive("")

    def __init__(self, text: str = "", *, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.set_reactive(LineView.empty, empty)
        self._lines: list[str] = []
        self._strips: LRUCache[int, Strip] = LRUCache(512)
        self._needle = ""
        self._matches: list[int] = []
        self._match = -1
        self._take(text)

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def text(self) -> str:
        """The whole text without colours, safe to copy and to save."""
        return "\n".join(map(plain, self._lines))

    def show(self, text: str) -> None:
        """Show another text from its start. The same text again changes nothing."""
        if text == "\n".join(self._lines):
            return
        self._take(text)
        self.scroll_to(x=0, y=0, animate=False)
        self.refresh()

    def _take(self, text: str) -> None:
        self._lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []
        self._strips.clear()
        longest = max((len(line) for line in self._lines), default=0)
        self.virtual_size = Size(min(longest, LONGEST_DRAWN) + 2, len(self._lines))
        self.search(self._needle, jump=False)

    # -- searching ---------------------------------------------------------------------------------------------------------

    @property
    def needle(self) -> str:
        """What is searched for, case folded; empty for no search."""
        return self._needle

    @property
    def found(self) -> tuple[int, int]:
        """Which match is the current one, and how many lines match: ``(2, 17)``; ``(0, 0)`` for none."""
        return (self._match + 1, len(self._matches))

    def search(self, needle: str, *, jump: bool = True) -> int:
        """Mark the lines that hold ``needle``, in any case; go to the first at or below the top. Returns how many there are."""
        self._needle = needle.casefold()
        self._strips.clear()
        self._matches = [n for n, line in enumerate(self._lines) if self._needle in plain(line).casefold()] if needle else []
        self._match = -1
        if self._matches and jump:
            top = self.scroll_offset.y
            self._go(next((index for index, line in enumerate(self._matches) if line >= top), 0))
        self.refresh()
        return len(self._matches)

    def next_match(self, step: int = 1) -> None:
        """Go on to the next match, or back with ``step=-1``; starts over at the ends."""
        if self._matches:
            self._go((self._match + step) % len(self._matches))

    def _go(self, match: int) -> None:
        self._match = match
        line = self._matches[match]
        height = self.scrollable_content_region.height
        if not self.scroll_offset.y <= line < self.scroll_offset.y + height:
            self.scroll_to(y=max(0, line - height // 3), animate=False)
        self._strips.clear()
        self.refresh()

    # -- lines -------------------------------------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        width = self.scrollable_content_region.width
        number = top + y
        if number >= len(self._lines):
            text = self.empty if not self._lines and y == 0 else ""
            style = self.get_component_rich_style("line-view--empty") if text else self.rich_style
            return Strip([Segment(fit(text, width), style)], width)
        if (strip := self._strips.get(number)) is None:
            strip = self._strips[number] = self._strip(number)
        return strip.crop_extend(left, left + width, self.rich_style)

    def _strip(self, number: int) -> Strip:
        text = coloured(self._lines[number])
        if self._needle and self._needle in text.plain.casefold():
            here = self._matches and self._match >= 0 and self._matches[self._match] == number
            component = "line-view--here" if here else "line-view--match"
            for start, end in _spans(text.plain, self._needle):
                text.stylize(self.get_component_rich_style(component), start, end)
        base = self.rich_style
        segments = [Segment(piece, base + (style or Style.null())) for piece, style, _ in text.render(self.app.console, end="")]
        return Strip(segments)

    # -- gestures ------------------------------------------------------------------------------------------------------------

    @property
    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height)

    def _move(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def action_cursor_down(self) -> None:
        self._move(1)

    def action_cursor_up(self) -> None:
        self._move(-1)

    def action_page_down(self) -> None:
        self._move(self._page)

    def action_page_up(self) -> None:
        self._move(-self._page)

    def action_half_page_down(self) -> None:
        self._move(max(1, self._page // 2))

    def action_half_page_up(self) -> None:
        self._move(-max(1, self._page // 2))

    def action_top(self) -> None:
        self.scroll_to(y=0, animate=False)

    def action_bottom(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False)
