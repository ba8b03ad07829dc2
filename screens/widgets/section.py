"""A heading with facts below it, gone where there are none."""

from __future__ import annotations

from textual import getters
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from screens.widgets.fact_sheet import FactSheet
from screens.widgets.facts import Fact


class Section(Vertical):
    """``title`` is our own text, empty for none."""

    DEFAULT_CSS = """
    Section { height: auto; display: none; }
    Section.-shown { display: block; }
    """

    facts: reactive[tuple[Fact, ...]] = reactive(())
    sheet = getters.query_one(FactSheet)

    def __init__(self, title: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._title = title

    def compose(self) -> ComposeResult:
        if self._title:
            yield Static(Content(self._title), classes="heading")
        yield FactSheet()

    def watch_facts(self, facts: tuple[Fact, ...]) -> None:
        self.set_class(bool(facts), "-shown")
        if self.is_mounted:
            self.sheet.facts = facts

    def on_mount(self) -> None:
        self.sheet.facts = self.facts
