"""The flash line: one message, until a key is pressed."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from kumoss_console.model.finding import Severity
from kumoss_console.text import printable
from screens.flash import SIGNS, Flash
from screens.widgets.cells import fit

STYLES = {Severity.ERROR: "$text-error bold", Severity.WARNING: "$text-warning", Severity.INFO: "$foreground 80%"}


class FlashLine(Widget):
    """Keeps its line even when empty, so that nothing jumps when something is said."""

    DEFAULT_CSS = """
    FlashLine { height: 1; }
    """

    flash: reactive[Flash | None] = reactive(None)

    def render(self) -> Content:
        if self.flash is None:
            return Content("")
        text = f" {SIGNS[self.flash.severity]} {printable(self.flash.text)}"
        return Content.styled(fit(text, self.size.width), STYLES[self.flash.severity])
