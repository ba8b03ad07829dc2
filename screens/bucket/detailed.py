"""A view with the details of one object beside its list: opened, read, read again, closed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import var

from kumoss_console.errors import ConsoleError
from kumoss_console.model.state import StateDocument
from kumoss_console.ports.objects import ObjectInfo
from screens.base import ViewScreen
from screens.bucket.commands import NEXT_PART
from screens.bucket.detail import Opened
from screens.bucket.pane import ObjectPane
from screens.commands import NEXT_MATCH, PREVIOUS_MATCH, Command
from screens.problems import without
from screens.widgets.typed_line import FilterLine

DETAIL = "detail"


class DetailedScreen(ViewScreen):
    """The view writes :meth:`learned` and :meth:`focus_list`, and yields this body behind its own."""

    opened: var[Opened | None] = var(None)

    pane = getters.query_one("#object", ObjectPane)

    def body(self) -> ComposeResult:
        yield ObjectPane(id="object")
        yield FilterLine(placeholder="filter resources and outputs, search identifiers", id="search")

    def learned(self, info: ObjectInfo, state: StateDocument) -> None:
        """An object was read."""

    def focus_list(self) -> None:
        """The details were closed: the list has the focus again."""

    def on_mount(self) -> None:
        self.pane.show(None, self.now())

    def open(self, key: str) -> None:
        """Read an object and show what is in it, listed or not."""
        if self.opened is None or self.opened.key != key:
            self.opened = Opened(key=key, owner=self.services.bucket.owner_of(key))
        self.pane.reader.focus()
        self._read(key)

    def read_again(self, *, only_failed: bool = False) -> None:
        """Read what is open once more. A slow answer is waited for, not asked for again by itself."""
        if self.opened is None or (only_failed and (DETAIL not in self.problems or self._is_reading)):
            return
        self._read(self.opened.key)

    @property
    def _is_reading(self) -> bool:
        return any(worker.group == DETAIL and not worker.is_finished for worker in self.workers if worker.node is self)

    def _read(self, key: str) -> None:
        self.start(partial(self._fetch, key), group=DETAIL)

    async def _fetch(self, key: str) -> None:
        try:
            found = await self.services.bucket.detail(key)
        except ConsoleError as error:
            if self.opened is not None and self.opened.detail is None:
                self.opened = replace(self.opened, error=error)
            raise
        self.opened = Opened(key=key, owner=found.owner, detail=found, at=self.now())
        self.learned(found.info, found.state)

    def watch_opened(self, opened: Opened | None) -> None:
        if not self.is_mounted:
            return
        self.set_class(opened is not None, "-opened")
        self.pane.show(opened, self.now())
        self.refresh_bindings()

    def step_back(self) -> bool:
        """Close the details."""
        if self.opened is None:
            return False
        self.workers.cancel_group(self, DETAIL)
        self.opened = None
        self.problems = without(self.problems, {DETAIL})
        self.query_one("#search", FilterLine).action_clear()
        self.focus_list()
        return True

    @on(FilterLine.Filtered, "#search")
    def _searched(self, event: FilterLine.Filtered) -> None:
        self.pane.narrow(event.text)
        self.refresh_bindings()

    def enabled(self, command: Command) -> bool | None:
        if command is NEXT_PART:
            return self.opened is not None
        if command in {NEXT_MATCH, PREVIOUS_MATCH}:
            return self.opened is not None and bool(self.pane.lines.needle)
        return True

    def action_next_part(self) -> None:
        self.pane.turn(self.pane.bar.current + 1)

    def action_next_match(self) -> None:
        self.pane.next_match(1)

    def action_previous_match(self) -> None:
        self.pane.next_match(-1)
