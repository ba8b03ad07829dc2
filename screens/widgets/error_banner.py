"""What went wrong, with its evidence and the next step, above data that stays where it is."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from kumoss_console.errors import ConsoleError
from kumoss_console.text import printable


def banner_text(error: ConsoleError) -> Content:
    """Title, detail and hint on lines of their own; the hint is marked, because it is what to do."""
    parts: list[tuple[str, str]] = [(f"✗ {printable(error.title)}", "bold $text-error")]
    if error.detail:
        parts.append((f"\n  {printable(error.detail, newlines=True)}", ""))
    if error.hint:
        parts.append((f"\n  → {printable(error.hint, newlines=True)}", "$text-warning"))
    return Content.assemble(*parts)


class ErrorBanner(Widget):
    """Hidden without an error. Bounded: a long evidence never pushes the data off the screen."""

    DEFAULT_CSS = """
    ErrorBanner {
        display: none;
        height: auto;
        max-height: 6;
        padding: 0 1;
        background: $error 12%;
        border-left: thick $error;
        &.-shown { display: block; }
    }
    """

    error: reactive[ConsoleError | None] = reactive(None, layout=True)

    def watch_error(self, error: ConsoleError | None) -> None:
        self.set_class(error is not None, "-shown")

    def render(self) -> Content:
        return banner_text(self.error) if self.error is not None else Content("")
