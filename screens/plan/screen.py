"""One plan: what is lost, what changes, and why. Pushed over the view that has it; Esc goes back there."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import timedelta
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from kumoss_console.model.finding import Severity
from kumoss_console.model.plan import Leaf, Plan
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, Command
from screens.copies import Copy
from screens.dialogs.text import TextDialog
from screens.durations import short
from screens.plan import detail, view
from screens.plan.commands import COMMANDS
from screens.plan.outline import Outline
from screens.plan.tree import Node
from screens.pushed import PushedScreen
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.rows import Rows
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable

LARGE = 200_000
"""Bytes of values beyond which comparing them leaves the event loop."""


class PlanScreen(PushedScreen):
    """``title`` says which plan it is (``show 3f2504e0 · acme-net``); it may hold external text."""

    view_name = "plan"
    commands = COMMANDS
    polls = False
    CSS_PATH = "plan.tcss"

    table = getters.query_one("#changes", VirtualTable)

    def __init__(self, plan: Plan, title: str) -> None:
        super().__init__()
        self.plan = plan
        self._what = title
        self.outline = Outline(plan)
        self._lines: list[Node] = []
        self._needle = ""
        self._matches: list[Node] = []
        self._match = -1

    def body(self) -> ComposeResult:
        yield Static(id="headline")
        yield VirtualTable(view.COLUMNS, id="changes")
        with VerticalScroll(id="line", can_focus=False):
            yield FactSheet()
        yield FilterLine(placeholder="search: address, id, attribute or value of what is open", id="search")

    def on_mount(self) -> None:
        self._renew()
        self.table.focus()

    async def load(self) -> None:
        # A plan does not change: there is nothing to ask for.
        self.fresh(self.now())

    def age(self) -> str:
        if self.plan.made is None:
            return "a plan of unknown age"
        return f"plan {short(max(self.now() - self.plan.made, timedelta()))} old"

    # -- what is shown -----------------------------------------------------------------------------------------------------

    def ticked(self) -> None:
        lines = view.headline(self.plan, self._what)
        found = f" · match {self._match + 1} of {len(self._matches)}" if self._matches else " · no match" if self._needle else ""
        self.query_one("#headline", Static).update(
            Content("\n").join([toned(*lines[0], found), *(toned(*line) for line in lines[1:])])
        )

    def _renew(self, *, select: Hashable = None) -> None:
        """Show the lines as they are open now; the cursor stays on its line, or goes to ``select``."""
        self._lines = self.outline.lines
        self.table.empty = view.empty_words(self.plan, only_losses=self.outline.only_losses)
        opened = frozenset(self.outline.opened)
        self.table.source = Rows(self._lines, identify=lambda node: node.id, draw=lambda node: view.cells(node, opened))
        if select is not None:
            self.table.select(select)
        self._show_line()
        self.ticked()

    def _show_line(self) -> None:
        node = self.selected
        self.query_one("#line").display = node is not None
        self.query_one(FactSheet).facts = detail.facts(node) if node is not None else ()

    @property
    def selected(self) -> Node | None:
        """The line under the cursor."""
        return self._lines[self.table.cursor] if self._lines else None

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_line()

    @on(VirtualTable.RowOpened)
    def _row_opened(self) -> None:
        node = self.selected
        if node is None:
            return
        if isinstance(node.subject, Leaf):
            self._read(f"{node.subject.name or 'value'}", detail.full_text(node.subject))
        elif self.outline.is_open(node):
            self.outline.close(node)
            self._renew()
        else:
            self._open(node)

    def _open(self, node: Node) -> None:
        if not node.can_open:
            return
        change = node.change
        if change is not None and self.outline.needs_values(node) and change.values.size > LARGE:
            self.start(partial(self._open_large, node), group="compare")
            return
        self.outline.open(node)
        self._show_opened(node)

    async def _open_large(self, node: Node) -> None:
        self.outline.open(node, await self.services.off_loop(partial(self.outline.compare, node)))
        self._show_opened(node)

    def _show_opened(self, node: Node) -> None:
        """Bring what was opened into view, as far as the line itself stays there."""
        before = len(self._lines)
        self._renew()
        at, page = self.table.cursor, len(self.table.visible_rows)
        last = min(at + len(self._lines) - before, at + page - 1)
        if self.selected is node and last not in self.table.visible_rows:
            self.table.scroll_to(y=last - page + 1, animate=False)

    def _read(self, title: str, text: str) -> None:
        self.app.push_screen(TextDialog(title, text), partial(self._copied, title))

    def _copied(self, title: str, text: str | None) -> None:
        if text:
            self.console.copy(text, title)

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command in {NEXT_MATCH, PREVIOUS_MATCH}:
            return bool(self._matches)
        return True

    def action_open_or_close(self) -> None:
        self.table.action_open_row()

    def action_step_in(self) -> None:
        node = self.selected
        if node is None or not node.can_open:
            return
        if self.outline.is_open(node):
            self.table.action_cursor_down()
        else:
            self._open(node)

    def action_step_out(self) -> None:
        node = self.selected
        if node is None:
            return
        if self.outline.is_open(node):
            self.outline.close(node)
            self._renew()
        elif node.parent is not None:
            self.table.select(node.parent.id)

    def action_open_all(self) -> None:
        node = self.selected
        if node is not None:
            closed = self.outline.open_below(node)
            self._renew()
            if closed:
                self.console.flash(f"{closed:,} changes listed; their values open one by one")

    def action_close_all(self) -> None:
        node = self.selected
        while node is not None and node.parent is not None:
            node = node.parent
        self.outline.close_all()
        self._renew(select=node.id if node is not None else None)

    def action_only_losses(self) -> None:
        self.outline.only_losses = not self.outline.only_losses
        self._rebuilt(
            "only what is destroyed, replaced or forgotten; ! again shows all" if self.outline.only_losses else "the whole plan"
        )

    def action_reorder(self) -> None:
        self.outline.order = "module" if self.outline.order == "action" else "action"
        self._rebuilt(f"grouped by {'module' if self.outline.order == 'module' else 'what happens'}")

    def _rebuilt(self, said: str) -> None:
        self.outline.rebuild()
        self._search(self._needle, jump=False)
        self._renew()
        self.console.flash(said)

    def action_unchanged(self) -> None:
        node = self.selected
        change = node if node is None or not isinstance(node.subject, Leaf) else node.parent
        self.outline.show_unchanged(not self.outline.unchanged)
        self._renew(select=change.id if change is not None else None)
        if change is not None and self.outline.needs_values(change):
            self._open(change)
        self.console.flash("values that stay are listed too" if self.outline.unchanged else "only values that change are listed")

    def action_raw(self) -> None:
        node = self.selected
        if node is None or node.change is None:
            self.console.flash("this line is no change; open it and choose one", Severity.WARNING)
            return
        self.start(partial(self._raw, node), group="raw")

    async def _raw(self, node: Node) -> None:
        change = node.change
        if change is not None:
            text = await self.services.off_loop(partial(detail.raw, change))
            self._read("the change as JSON, masked", text)

    # -- searching ---------------------------------------------------------------------------------------------------------

    def action_search(self, text: str = "") -> None:
        if text:
            self._search(text)
        else:
            self.query_one("#search", FilterLine).open()

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self._search(event.text)

    def _search(self, needle: str, *, jump: bool = True) -> None:
        self._needle = needle
        self._matches = self.outline.search(needle)
        self._match = -1
        self.refresh_bindings()
        if self._matches and jump:
            self._go(0)
        self.ticked()

    def _go(self, match: int) -> None:
        self._match = match
        node = self._matches[match]
        self.outline.reveal(node)
        self._renew(select=node.id)

    def action_next_match(self) -> None:
        self._go((self._match + 1) % len(self._matches))

    def action_previous_match(self) -> None:
        self._go((self._match - 1) % len(self._matches))

    # -- taking away, going away -------------------------------------------------------------------------------------------

    def copies(self) -> tuple[Copy, ...]:
        node = self.selected
        summary = Copy(label="the plan as a list", text=detail.as_text(self.plan, self._what))
        return (*(detail.copies(node) if node is not None else ()), summary)

    def saved(self) -> tuple[str, str] | None:
        return ("plan.txt", detail.as_text(self.plan, self._what))
