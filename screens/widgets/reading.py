"""A part of a view that is read: scrolls with the keys that move everywhere."""

from __future__ import annotations

from textual.containers import VerticalScroll

from screens.commands import MOVE, bindings


class Reading(VerticalScroll, can_focus=True, inherit_bindings=False):
    """Whatever is composed into it, with the movement keys of lists and texts."""

    ALLOW_MAXIMIZE = True
    BINDINGS = bindings(MOVE)
    DEFAULT_CSS = """
    Reading { scrollbar-size-vertical: 1; }
    """

    def _half(self) -> int:
        return max(1, self.scrollable_content_region.height // 2)

    def action_cursor_down(self) -> None:
        self.scroll_down(animate=False)

    def action_cursor_up(self) -> None:
        self.scroll_up(animate=False)

    def action_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def action_half_page_down(self) -> None:
        self.scroll_relative(y=self._half(), animate=False)

    def action_half_page_up(self) -> None:
        self.scroll_relative(y=-self._half(), animate=False)

    def action_top(self) -> None:
        self.scroll_home(animate=False)

    def action_bottom(self) -> None:
        self.scroll_end(animate=False)
