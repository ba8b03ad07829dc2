"""The card of an endpoint: what this store really does. Pushed over the view that asked; Esc goes back there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import aclosing
from functools import partial

from textual import getters, on
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.widgets import Static

from kumoss_console.errors import ConsoleError
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.finding import Severity
from kumoss_console.services.endpoint.service import EndpointCard
from kumoss_console.services.endpoint.shape import card_shape
from kumoss_console.text import printable
from screens.base import LOAD
from screens.commands import Command
from screens.copies import Copy
from screens.dialogs.confirm import ConfirmDialog
from screens.endpoint import view
from screens.endpoint.commands import COMMANDS, TRY
from screens.pushed import PushedScreen
from screens.widgets.content import toned
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.reading import Reading
from screens.widgets.rows import Rows
from screens.widgets.virtual_table import VirtualTable

TRIAL = "trial"
"""The worker group of what writes."""


class EndpointScreen(PushedScreen):
    """Reads when it opens and on ``r``; writes only where the name of the bucket was typed."""

    view_name = "endpoint"
    commands = COMMANDS
    polls = False
    CSS_PATH = "endpoint.tcss"
    AUTO_FOCUS = "#aspects"

    card: reactive[EndpointCard | None] = reactive(None)
    asking: reactive[bool] = reactive(False)
    only_wrong: reactive[bool] = reactive(False)

    table = getters.query_one("#aspects", VirtualTable)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Aspect] = ()

    def body(self) -> ComposeResult:
        yield Static(id="summary")
        yield VirtualTable(view.COLUMNS, empty="asking the store…", id="aspects")
        with Reading(id="aspect"):
            yield FactSheet()

    async def load(self) -> None:
        self.asking = True
        try:
            async with aclosing(self.services.endpoint.examine()) as cards:
                async for card in cards:
                    self.card = card
                    self.fresh(card.at)
        finally:
            self.asking = False

    # -- what is shown -----------------------------------------------------------------------------------------------------

    @property
    def selected(self) -> Aspect | None:
        """The aspect under the cursor."""
        return self._rows[self.table.cursor] if self.table.cursor < len(self._rows) else None

    def on_mount(self) -> None:
        self._draw()

    def watch_card(self) -> None:
        self._draw()

    def ticked(self) -> None:
        self._draw()

    def watch_asking(self) -> None:
        self._draw()

    def watch_only_wrong(self) -> None:
        self._draw()

    def watch_problems(self, problems: dict[str, ConsoleError]) -> None:
        super().watch_problems(problems)
        if LOAD in problems:
            self._draw()

    def _draw(self) -> None:
        if not self.has_frame:
            return
        self._rows = view.shown(self.card, only_wrong=self.only_wrong)
        self.table.empty = view.empty_words(asking=self.asking, failed=LOAD in self.problems, narrowed=self.only_wrong)
        self.table.source = Rows(self._rows, identify=lambda aspect: aspect.name, draw=view.cells)
        words = view.summary(self.card, self.now(), asking=self.asking, read_only=self.services.read_only)
        self.query_one("#summary", Static).update(toned(*words))
        self._show_aspect()

    def _show_aspect(self) -> None:
        self.query_one(FactSheet).facts = view.facts(self.selected, self.card)
        self.refresh_bindings()

    @on(VirtualTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._show_aspect()

    # -- commands ----------------------------------------------------------------------------------------------------------

    def enabled(self, command: Command) -> bool | None:
        if command is TRY:
            return view.can_be_tried(self.card) and not self.asking
        return True

    def action_only_wrong(self) -> None:
        self.only_wrong = not self.only_wrong
        self.console.flash("only what is wrong or could not be asked; ! again shows all" if self.only_wrong else "every aspect")

    def action_try_writes(self) -> None:
        key = self.services.endpoint.scratch_key()
        bucket = self.services.context.storage.terraform_state_bucket

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.start(partial(self._try, key), group=TRIAL)
            else:
                self.console.flash("nothing was written")

        self.app.push_screen(
            ConfirmDialog(
                f"Write a scratch key into {printable(bucket)}?",
                consequences=(
                    f"The object {key} is written, a few bytes, and removed again with all its versions.",
                    "States and locks are not touched. Where deleting is not allowed, the object stays, and this says so.",
                ),
                verb="Try it",
                must_type=bucket,
            ),
            answered,
        )

    async def _try(self, key: str) -> None:
        self.asking = True
        try:
            async with aclosing(self.services.endpoint.try_writes(key, self.card)) as cards:
                async for card in cards:
                    self.card = card
                    self.fresh(card.at)
        finally:
            self.asking = False
        first = self.card.aspect("conditional_create") if self.card is not None else None
        if first is not None and first.standing == "unknown":
            self.console.flash(f"nothing could be tried: {first.said}", Severity.WARNING)
        else:
            self.console.flash("tried, and the scratch key is removed again")

    def copies(self) -> tuple[Copy, ...]:
        return view.copies(self.selected, self.services.context)

    def saved(self) -> tuple[str, str] | None:
        if self.card is None:
            return None
        return "endpoint.json", json.dumps(card_shape(self.card), indent=2, ensure_ascii=False)
