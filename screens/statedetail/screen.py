"""One state: its resources, outputs, providers, checks and identifiers. Pushed over the view that points at it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import ClassVar

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from kumoss_console.errors import ConsoleError
from kumoss_console.model.finding import Severity
from kumoss_console.model.state import OutputRow, StateDocument
from kumoss_console.model.state.raw import pretty
from kumoss_console.services.states.detail import OpenedState
from screens.base import LOAD
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, Command
from screens.copies import Copy
from screens.durations import short
from screens.gestures import Saved
from screens.pushed import PushedScreen
from screens.statedetail import detail, header, view
from screens.statedetail.commands import COMMANDS, RAW_LINE, REVEAL_VALUE
from screens.statedetail.outline import Outline
from screens.statedetail.raw import RawScreen, whole
from screens.statedetail.reveal import SECONDS, Revealed
from screens.statedetail.searching import Searching
from screens.statedetail.tree import Node, Value, is_hidden
from screens.widgets.cells import Cell
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.rows import Rows
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

HIGH = 36
"""Lines of a terminal from which there is room for everything above the tree."""
LARGE = 1_000_000
"""Bytes of a document beyond which looking inside leaves the event loop."""


class StateDetailScreen(PushedScreen):
    """``name`` is the key or file that ``read`` reads; it may hold external text."""

    view_name = "one state"
    commands = COMMANDS
    polls = False
    CSS_PATH = "statedetail.tcss"
    AUTO_FOCUS = "#objects"

    revealed_for: ClassVar[float] = SECONDS
    """Seconds that a value which is revealed is shown."""

    table = getters.query_one("#objects", VirtualTable)

    def __init__(self, subject: str, read: Callable[[], Awaitable[OpenedState]]) -> None:
        super().__init__()
        self._subject = subject
        self._read = read
        self.opened: OpenedState | None = None
        self.outline: Outline | None = None
        self._lines: list[Node] = []
        self._search: Searching | None = None
        self._revealed = Revealed(self, self._show_values, seconds=self.revealed_for)

    def body(self) -> ComposeResult:
        yield FactSheet(id="headline")
        yield Static(id="found")
        yield VirtualTable(view.COLUMNS, empty="reading…", id="objects")
        with VerticalScroll(id="line", can_focus=False):
            yield FactSheet(id="facts")
        yield FilterLine(placeholder="search: address, identifier, attribute or value; never what is masked", id="search")

    def on_mount(self) -> None:
        self._show_line()
        self.ticked()

    async def load(self) -> None:
        opened = await self._read()
        self.show(opened)
        self.fresh(opened.at)

    def show(self, opened: OpenedState) -> None:
        """Show a state; one that was read again keeps what is open and where the cursor is."""
        self._revealed.hide()
        outline = Outline(opened)
        if self.outline is not None:
            outline.keep(self.outline)
        self.opened, self.outline, self.history_key = opened, outline, opened.key
        if not self.has_frame:
            return
        if self._search is not None:
            self._look_for(self._search.needle, jump=False)
        self.ticked()
        self._renew()

    def age(self) -> str:
        return f"read {short(self.now() - self.loaded)} ago" if self.loaded is not None else super().age()

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def ticked(self) -> None:
        low = self.size.height < HIGH
        facts = header.headline(self.opened, self._subject, self.now(), failed=LOAD in self.problems, low=low)
        self.query_one("#headline", FactSheet).facts = facts

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        if self.has_frame:
            self.ticked()
            self.table.empty = view.empty_words(self._document_shown, problems.get(LOAD))

    @property
    def _document_shown(self) -> StateDocument | None:
        return self.opened.document if self.opened is not None else None

    def _renew(self, *, select: Hashable = None) -> None:
        """Show the lines as they are open now; the cursor stays on its line, or goes to ``select``."""
        outline = self.outline
        if outline is None:
            return
        self._lines = outline.lines
        self.table.empty = view.empty_words(self._document_shown)
        self._show_values()
        if select is not None:
            self.table.select(select)
        self._show_line()

    def _show_values(self) -> None:
        opened, text = self.outline.opened if self.outline is not None else set(), self._revealed.text
        self.table.source = Rows(
            self._lines, identify=lambda node: node.id, draw=lambda node: view.cells(node, opened, text(node))
        )
        self._show_line()

    def _show_line(self) -> None:
        node = self.selected
        self.query_one("#line").display = node is not None
        self.query_one("#facts", FactSheet).facts = detail.facts(node, self._revealed.text(node)) if node is not None else ()
        self.refresh_bindings()

    @property
    def selected(self) -> Node | None:
        """The line under the cursor."""
        return self._lines[self.table.cursor] if self.table.cursor < len(self._lines) else None

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_line()

    # -- opening -----------------------------------------------------------------------------------------------------------

    @on(VirtualTable.RowOpened)
    def _row_opened(self) -> None:
        node, outline = self.selected, self.outline
        if node is None or outline is None:
            return
        if outline.is_open(node):
            outline.close(node)
            self._renew()
        elif node.can_open:
            self._open(node)
        elif isinstance(node.subject, Value | OutputRow):
            self.action_raw()

    def _open(self, node: Node) -> None:
        self._inside(partial(self._open_now, node))

    def _open_now(self, node: Node) -> None:
        outline, before = self.outline, len(self._lines)
        if outline is None:
            return
        outline.open(node)
        self._renew()
        # Bring what was opened into view, as far as the line itself stays there.
        at, page = self.table.cursor, len(self.table.visible_rows)
        last = min(at + len(self._lines) - before, at + page - 1)
        if self.selected is node and last not in self.table.visible_rows:
            self.table.scroll_to(y=last - page + 1, animate=False)

    def _inside(self, then: Callable[[], None]) -> None:
        """Do what needs the values: at once, or when a large document is ready for it."""
        opened = self.opened
        if opened is None or opened.inside.ready or opened.document.size <= LARGE:
            then()
        else:
            self.start(partial(self._prepared, opened, then), group="inside")

    async def _prepared(self, opened: OpenedState, then: Callable[[], None]) -> None:
        await self.services.off_loop(opened.inside.prepare)
        if opened is self.opened:
            then()

    def action_open_or_close(self) -> None:
        self.table.action_open_row()

    def action_step_in(self) -> None:
        node, outline = self.selected, self.outline
        if node is None or outline is None or not node.can_open:
            return
        if outline.is_open(node):
            self.table.action_cursor_down()
        else:
            self._open(node)

    def action_step_out(self) -> None:
        node, outline = self.selected, self.outline
        if node is None or outline is None:
            return
        if outline.is_open(node):
            outline.close(node)
            self._renew()
        elif node.parent is not None:
            self.table.select(node.parent.id)

    def action_open_all(self) -> None:
        node, outline = self.selected, self.outline
        if node is not None and outline is not None:
            self._inside(partial(self._open_below, outline, node))

    def _open_below(self, outline: Outline, node: Node) -> None:
        outline.open_below(node)
        self._renew()

    def action_close_all(self) -> None:
        node, outline = self.selected, self.outline
        while node is not None and node.parent is not None:
            node = node.parent
        if outline is not None:
            outline.close_all()
            self._renew(select=node.id if node is not None else None)

    # -- values in full ----------------------------------------------------------------------------------------------------

    def action_reveal(self) -> None:
        node, outline = self.selected, self.outline
        if node is None or outline is None or not is_hidden(node):
            self.console.flash("nothing is hidden on this line", Severity.WARNING)
            return
        self._inside(partial(self._revealed.show, node, outline.tree))

    def on_screen_suspend(self) -> None:
        # Whatever covers the screen must not leave a secret beneath it.
        self._revealed.hide()

    def action_raw(self) -> None:
        if self.outline is not None:
            self._inside(self._raw)

    def _raw(self) -> None:
        node, outline, opened = self.selected, self.outline, self.opened
        if outline is None or opened is None:
            return
        held = outline.tree.held(node) if node is not None else None
        if node is None or held is None:
            self.app.push_screen(RawScreen(f"{opened.name} as JSON, masked", *whole(opened), read=self.loaded))
        else:
            title = f"{detail.owner_text(node)} as JSON, masked"
            self.app.push_screen(RawScreen(title, "object.json", lambda: (pretty(held.whole()), "\n"), read=self.loaded))

    # -- searching ---------------------------------------------------------------------------------------------------------

    def action_search(self, text: str = "") -> None:
        if text:
            self._look_for(text)
        else:
            self.query_one("#search", FilterLine).open()

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self._look_for(event.text)

    def _look_for(self, needle: str, *, jump: bool = True) -> None:
        self.workers.cancel_group(self, "search")
        before = self._search if jump else None
        self._search = Searching(self.opened, needle, before) if needle and self.opened is not None else None
        self._tell_found()
        if self._search is not None:
            self.start(partial(self._find, self._search, jump), group="search")

    async def _find(self, search: Searching, jump: bool) -> None:
        def found() -> None:
            if search is not self._search:
                return
            if jump and search.at < 0:
                self._go(search, 1)
            self._tell_found()

        await search.run(self.services.off_loop, found)

    def _tell_found(self) -> None:
        line = self.query_one("#found", Static)
        told = self._search.told if self._search is not None else ""
        line.set_class(bool(told), "-shown")
        line.update(toned(Cell(told, "busy")))
        self.refresh_bindings()

    def _go(self, search: Searching, by: int) -> None:
        hit, outline = search.step(by), self.outline
        if hit is None or outline is None:
            return
        node = outline.go_to(hit)
        self._renew(select=node.id if node is not None else None)
        self._tell_found()

    def action_next_match(self) -> None:
        if self._search is not None:
            self._go(self._search, 1)

    def action_previous_match(self) -> None:
        if self._search is not None:
            self._go(self._search, -1)

    # -- commands, taking away ---------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if not self.is_mounted:
            return True
        if command in {NEXT_MATCH, PREVIOUS_MATCH}:
            return self._search is not None and bool(self._search.hits)
        if command is REVEAL_VALUE:
            return self.selected is not None and is_hidden(self.selected)
        return self.opened is not None if command is RAW_LINE else True

    def copies(self) -> tuple[Copy, ...]:
        if self.opened is None or self.outline is None:
            return ()
        return detail.copies(self.selected, self.opened, self.outline.tree, self.services.context.name)

    def saved(self) -> tuple[str, Saved] | None:
        return whole(self.opened) if self.opened is not None else None

    def action_open_state_file(self, path: str = "") -> None:
        from screens.statedetail.opening import ask_for_file

        ask_for_file(self, path)
