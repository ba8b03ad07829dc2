"""Input lines that appear at the foot of a view and give the focus back: the filter and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input

from screens.widgets.shown_input import ShownInput


class TypedLine(ShownInput):
    """An input that is hidden until :meth:`open` and returns the focus to where it was."""

    DEFAULT_CSS = """
    TypedLine {
        display: none; height: 1; border: none; padding: 0 1; background: $surface;
        &.-open { display: block; }
        &:focus { border: none; }
    }
    """

    def __init__(self, *, placeholder: str, id: str, suggester: Suggester | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(placeholder=placeholder, id=id, compact=True, suggester=suggester, select_on_focus=False)
        self._from: Widget | None = None
        # Hidden and unfocusable, else a screen's first focus would land here.
        self.can_focus = False

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def open(self) -> None:
        if self.screen.focused is not self:
            self._from = self.screen.focused
        self.can_focus = True
        self.add_class("-open")
        # Now, not when the application comes to it: the next key may be on its way.
        self.screen.set_focus(self)

    def leave(self, *, hide: bool) -> None:
        """Give the focus back; ``hide`` also takes the line away."""
        if self.has_focus or self.screen.focused is None:
            back = self._from if self._from is not None and self._from.is_attached else None
            self.screen.set_focus(back)
        if hide:
            self.can_focus = False
            self.remove_class("-open")


class FilterLine(TypedLine):
    """Narrows a list while it is typed in. Enter keeps the filter, Esc clears it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear", "Clear the filter", show=False),
        Binding("down", "keep", "To the list", show=False),
    ]

    @dataclass
    class Filtered(Message):
        """The filter is now ``text``; empty for none."""

        line: FilterLine
        text: str

        @property
        def control(self) -> FilterLine:
            return self.line

    def on_key(self, event: Key) -> None:
        """Enter ends the typing at once: keys that came with it in one burst belong to the list."""
        focused = self.screen.focused is self
        if focused and event.key != "enter":
            return
        event.stop()
        event.prevent_default()
        if focused:
            self.action_keep()
        else:
            self.app.post_message(Key(event.key, event.character))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Filtered(self, event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_keep()

    def action_keep(self) -> None:
        self.leave(hide=not self.value)

    def action_clear(self) -> None:
        self.value = ""
        self.leave(hide=True)


class _Words(Suggester):
    """Completes the first word from the commands that are available, and the rest from what was typed before."""

    def __init__(self, history: list[str]) -> None:
        super().__init__(use_cache=False, case_sensitive=False)
        self.words: tuple[str, ...] = ()
        self.history = history

    async def get_suggestion(self, value: str) -> str | None:
        if not value:
            return None
        return next((word for word in (*reversed(self.history), *self.words) if word.casefold().startswith(value)), None)


class CommandLine(TypedLine):
    """The ``:`` line: Tab or → completes, Up and Down recall, Enter runs, Esc leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Leave the command line", show=False),
        Binding("tab", "complete", "Complete", show=False),
        Binding("up", "recall(-1)", "Earlier command", show=False),
        Binding("down", "recall(1)", "Later command", show=False),
    ]

    @dataclass
    class Entered(Message):
        """A line was entered: its first word and the rest."""

        word: str
        argument: str

    def __init__(self, history: list[str]) -> None:
        """``history`` is shared by the command lines of all views, oldest first."""
        self._words = _Words(history)
        super().__init__(placeholder="a command; Tab completes, Esc leaves", id="command-line", suggester=self._words)
        self._recalled = 0

    def offer(self, words: Sequence[str]) -> None:
        """What may be typed as the first word."""
        self._words.words = tuple(sorted(words))

    def open(self) -> None:
        self.value = ""
        self._recalled = len(self._words.history)
        super().open()

    def on_key(self, event: Key) -> None:
        """Enter ends the line at once: keys that came with it in one burst belong to the view."""
        focused = self.screen.focused is self
        if focused and event.key != "enter":
            return
        event.stop()
        event.prevent_default()
        if focused:
            self._enter(self.value)
        else:
            self.app.post_message(Key(event.key, event.character))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._enter(event.value)

    def _enter(self, value: str) -> None:
        line = value.strip().removeprefix(":").strip()
        self.leave(hide=True)
        if line:
            if line in self._words.history:
                self._words.history.remove(line)
            self._words.history.append(line)
            word, _, argument = line.partition(" ")
            self.post_message(self.Entered(word.casefold(), argument.strip()))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()

    def action_close(self) -> None:
        self.leave(hide=True)

    def action_complete(self) -> None:
        self.action_cursor_right() if self.cursor_at_end else self.action_end()

    def action_recall(self, step: int) -> None:
        history = self._words.history
        self._recalled = max(0, min(len(history), self._recalled + step))
        self.value = history[self._recalled] if self._recalled < len(history) else ""
        self.action_end()
