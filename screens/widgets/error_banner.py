"""What went wrong, with its evidence and the next step, above data that stays where it is."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.widget import Widget

from kumoss_console.errors import ConsoleError
from kumoss_console.text import printable

MOST = 6
"""Lines of a banner."""
_TITLE, _HINT = 3, 2
"""Lines that the title and the hint may have of them, before the evidence has any."""


def banner_lines(error: ConsoleError, width: int) -> list[Content]:
    """Title, detail and hint on lines of their own, at most :data:`MOST`; the hint is marked, because it is what to do.

    Where they are too long, the evidence is cut first, for it is the longest, and the command tells it whole."""
    title = Content.assemble((f"✗ {printable(error.title)}", "bold $text-error")).wrap(width)[:_TITLE]
    hint = []
    if error.hint:
        hint = Content.assemble((f"  → {printable(error.hint, newlines=True)}", "$text-warning")).wrap(width)[:_HINT]
    detail = Content(f"  {printable(error.detail, newlines=True)}").wrap(width) if error.detail else []
    room = MOST - len(title) - len(hint)
    if len(detail) > room:
        detail = [*detail[: room - 1], detail[room - 1].truncate(width - 1).append("…")]
    return [*title, *detail, *hint]


class ErrorBanner(Widget):
    """Hidden without an error. Bounded: a long evidence never pushes the data off the screen."""

    DEFAULT_CSS = """
    ErrorBanner {
        display: none;
        height: auto;
        padding: 0 1;
        background: $error 12%;
        border-left: thick $error;
        &.-shown { display: block; }
    }
    """

    error: reactive[ConsoleError | None] = reactive(None, layout=True)

    def watch_error(self, error: ConsoleError | None) -> None:
        self.set_class(error is not None, "-shown")

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(banner_lines(self.error, width)) if self.error is not None else 0

    def render(self) -> Content:
        width = self.content_size.width
        return Content("\n").join(banner_lines(self.error, width)) if self.error is not None and width else Content("")
