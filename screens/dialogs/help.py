"""The keys that work here, made from the same definitions as the keys themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from screens.commands import Command, Group
from screens.dialogs.dialog import Dialog
from screens.widgets.cells import fit


def help_text(commands: Sequence[tuple[Command, str]], *, read_only: bool) -> Content:
    """The table of commands by heading; each comes with its keys as shown. Words of the ``:`` line stand beside."""
    parts: list[tuple[str, str]] = []
    for group in Group:
        listed = [(command, keys) for command, keys in commands if command.group is group]
        if not listed:
            continue
        parts.append((f"{group.value}\n", "bold $text-primary"))
        for command, keys in listed:
            words = "  ".join(f":{word}{f' {command.argument}' if command.argument else ''}" for word in command.words[:1])
            parts += [(f"  {fit(keys or '-', 15)}", "bold"), (command.title, "")]
            note = " · ".join(part for part in (words, command.help) if part)
            parts += [(f"  {note}", "$foreground 60%"), ("\n", "")]
        parts.append(("\n", ""))
    if read_only:
        parts.append(("Read-only mode: commands that change something are absent.\n", "$text-warning"))
    return Content.assemble(*parts)


class HelpDialog(Dialog[None]):
    """Scrolls where it does not fit."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,f1,q", "leave", "Close", show=False, id="help.close")]

    def __init__(self, title: str, content: Content) -> None:
        super().__init__()
        self._title = title
        self._content = content

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -wide") as frame:
            frame.border_title = Content(self._title)
            frame.border_subtitle = "Esc closes"
            with VerticalScroll(can_focus=True, classes="help-body"):
                yield Static(self._content)
