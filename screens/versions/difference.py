"""Two versions of a state against each other, object by object. Pushed over the history."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.errors import ConsoleError
from kumoss_console.model.statediff import ObjectChange, OutputDifference, StateDiff
from kumoss_console.services.versions.shape import diff_shape
from kumoss_console.text import printable
from screens.base import LOAD
from screens.copies import Copy
from screens.gestures import Saved
from screens.pushed import PushedScreen
from screens.versions import changes
from screens.versions.changes import Beside, Item
from screens.versions.commands import DIFF_COMMANDS
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.typed_line import FilterLine
from screens.widgets.virtual_table import VirtualTable


class DifferenceScreen(PushedScreen):
    """``before`` and ``after`` are versions of ``key``; with ``other``, ``after`` is one of that key, the newest unless named."""

    view_name = "difference"
    commands = DIFF_COMMANDS
    polls = False
    CSS_PATH = "versions.tcss"
    AUTO_FOCUS = "#changes"

    found: reactive[StateDiff | None] = reactive(None)
    narrowed: reactive[str] = reactive("")
    only_grave: reactive[bool] = reactive(False)

    table = getters.query_one("#changes", VirtualTable)

    def __init__(self, key: str, before: str, after: str | None = None, *, other: str | None = None) -> None:
        super().__init__()
        self.key = key
        self._before = before
        self._after = after
        self._other = other
        self._rows: Sequence[Item] = ()

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(changes.COLUMNS, empty="comparing…", id="changes")
        with Reading(id="change"):
            yield FactSheet()
        yield FilterLine(placeholder="filter: words of the address or the identifier", id="filter")

    async def load(self) -> None:
        self.found = await self.services.versions.diff(self.key, self._before, self._after, other=self._other)
        self.fresh(self.now())

    # -- what is shown -----------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> Item | None:
        """The object or output under the cursor."""
        return self._rows[self.table.cursor] if self.table.cursor < len(self._rows) else None

    def on_mount(self) -> None:
        self._draw()

    def watch_found(self) -> None:
        self._draw()

    def watch_narrowed(self) -> None:
        self._draw()

    def watch_only_grave(self) -> None:
        self._draw()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        if LOAD in problems:
            self._draw()

    def _draw(self) -> None:
        if not self.has_frame:
            return
        found = self.found
        everything = changes.items(found) if found is not None else ()
        self._rows = changes.matching(everything, self.narrowed, only_grave=self.only_grave)
        self.table.empty = self._empty(found, everything)
        self.table.source = Rows(self._rows, identify=changes.identity, draw=changes.cells)
        self.query_one("#summary", Static).update(toned(*changes.summary(found, len(self._rows))))
        self._show_item()

    def _empty(self, found: StateDiff | None, everything: Sequence[Item]) -> str:
        if found is None:
            return "? What differs is not known: see above." if LOAD in self.problems else "comparing…"
        return "Nothing matches." if everything else "No object and no output differs."

    def _show_item(self) -> None:
        item, found = self.selected, self.found
        sheet = self.query_one(FactSheet)
        if item is None or isinstance(item, Beside):
            sheet.facts = changes.about(found) if found is not None else ()
            return
        sheet.facts = changes.facts(item, None)
        self.start(partial(self._compare, item), group="values")

    async def _compare(self, item: ObjectChange | OutputDifference) -> None:
        leaves = await self.services.off_loop(item.leaves)
        if self.has_frame and self.selected is item:
            self.query_one(FactSheet).facts = changes.facts(item, leaves)

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_item()

    @on(FilterLine.Filtered, "#filter")
    def _filtered(self, event: FilterLine.Filtered) -> None:
        self.narrowed = event.text

    # -- commands ----------------------------------------------------------------------------------------------------------

    def action_only_wrong(self) -> None:
        self.only_grave = not self.only_grave
        self.console.flash(
            "only what is removed or replaced; ! again shows all" if self.only_grave else "everything that differs"
        )

    def copies(self) -> tuple[Copy, ...]:
        options = ["--context", self.services.context.name, *(["--with", self._other] if self._other else [])]
        words = [self.key, self._before, *([self._after] if self._after else [])]
        command = shlex.join(printable(word) for word in ("kumoss-console", "state", "diff", *options, "--", *words))
        return changes.copies(self.selected, command)

    def saved(self) -> tuple[str, Saved] | None:
        found = self.found
        if found is None:
            return None
        # Every changed value is opened for it: that is left to whoever writes, off the loop.
        return "state-diff.json", lambda: (json.dumps(diff_shape(found), indent=2, ensure_ascii=False, default=str),)
