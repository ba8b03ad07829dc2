"""The keys that work here, made from the same definitions as the keys themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from screens.commands import Command, Group
from screens.dialogs.dialog import Dialog
from screens.widgets.cells import Cell, fit
from screens.widgets.fact_sheet import FactSheet
from screens.widgets.facts import Fact, fact
from screens.widgets.reading import Reading


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its commands, each a key and what it does."""

    heading: str
    facts: tuple[Fact, ...]


def sections(commands: Sequence[tuple[Command, str]], *, read_only: bool) -> tuple[Section, ...]:
    """The commands by heading; each comes with its keys as shown. Words of the ``:`` line stand beside."""
    found = []
    if read_only:
        # First: what is missed further down is explained by it.
        note = fact("", Cell("Commands that change something are absent.", "warn"))
        found.append(Section("Read-only mode", (note,)))
    for group in Group:
        facts = tuple(_line(command, keys) for command, keys in commands if command.group is group)
        if facts:
            found.append(Section(group.value, facts))
    return tuple(found)


def _line(command: Command, keys: str) -> Fact:
    words = f":{command.words[0]} {command.argument}".rstrip() if command.words else ""
    note = " · ".join(part for part in (words, command.help) if part)
    value = (Cell(command.title), *((Cell(f"  {note}", "dim"),) if note else ()))
    return fact(fit(keys or "-", 15), *value)


class HelpDialog(Dialog[None]):
    """Scrolls where it does not fit, with the keys that it lists."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,f1", "leave", "Close", show=False, id="help.close")]

    def __init__(self, title: str, sections: Sequence[Section]) -> None:
        super().__init__()
        self._title = title
        self._sections = tuple(sections)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = "Esc closes"
            with Reading(classes="help-body"):
                for section in self._sections:
                    yield Static(Content(section.heading), classes="help-heading")
                    yield FactSheet(section.facts, tone="accent")
