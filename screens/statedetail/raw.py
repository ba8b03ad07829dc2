"""A document, an object or an output as JSON, masked. Pushed over the state it is of; Esc goes back there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.model.state.raw import document_pieces
from kumoss_console.services.states.detail import OpenedState
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, Command
from screens.copies import Copy
from screens.durations import short
from screens.gestures import Saved
from screens.pushed import PushedScreen
from screens.statedetail.commands import RAW_COMMANDS
from screens.widgets.cells import Cell
from screens.widgets.content import toned
from screens.widgets.line_view import LineView
from screens.widgets.typed_line import FilterLine

LARGEST_COPY = 1_000_000
"""Characters of a document that can be copied; a larger one can be saved."""


class RawScreen(PushedScreen):
    """``title`` may hold external text. ``pieces`` makes the text, beside the event loop; it must be masked already. ``read`` is
    when the document was."""

    view_name = "raw"
    commands = RAW_COMMANDS
    polls = False
    AUTO_FOCUS = "#raw"
    CSS_PATH = "raw.tcss"

    searching: reactive[bool] = reactive(False, bindings=True)
    lines = getters.query_one("#raw", LineView)

    def __init__(self, title: str, file_name: str, pieces: Callable[[], Iterable[str]], *, read: datetime | None = None) -> None:
        super().__init__()
        self._what = title
        self._file_name = file_name
        self._pieces = pieces
        self._read = read

    def body(self) -> ComposeResult:
        yield Static(id="headline")
        yield LineView(empty="masking…", id="raw")
        yield FilterLine(placeholder="search the document", id="search")

    def on_mount(self) -> None:
        self._tell()

    async def load(self) -> None:
        text = await self.services.off_loop(lambda: "".join(self._pieces()))
        self.lines.show(text)
        self.fresh(self.now())

    def age(self) -> str:
        return "masked" if self._read is None else f"masked · read {short(self.now() - self._read)} ago"

    @on(LineView.Changed)
    def _tell(self) -> None:
        told = self.lines.told
        self.query_one("#headline", Static).update(toned(Cell(self._what, "accent"), Cell(f"  {told}" if told else "", "dim")))

    # -- commands ------------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        return self.searching if command in {NEXT_MATCH, PREVIOUS_MATCH} else True

    def action_search(self) -> None:
        self.query_one("#search", FilterLine).open()

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self.searching = bool(event.text)
        self.lines.search(event.text)

    def action_next_match(self) -> None:
        self.lines.next_match()

    def action_previous_match(self) -> None:
        self.lines.next_match(-1)

    def action_wrap(self) -> None:
        self.lines.action_wrap()

    def copies(self) -> tuple[Copy, ...]:
        line, text = self.lines.current_line, self.lines.text
        whole = (Copy(label="the whole text, masked", text=text, role="json"),) if 0 < len(text) <= LARGEST_COPY else ()
        return (*((Copy(label="the line", text=line, role="thing"),) if line else ()), *whole)

    def saved(self) -> tuple[str, Saved] | None:
        return self._file_name, self.lines.pieces


def whole(opened: OpenedState) -> tuple[str, Callable[[], Iterable[str]]]:
    """A name for the file that the whole document is saved to, and what makes its text, masked."""
    digits = "".join(char for char in opened.name if char.isascii() and char.isalnum())
    return f"state-{digits[:12]}.json", lambda: document_pieces(opened.inside.text, opened.document)
