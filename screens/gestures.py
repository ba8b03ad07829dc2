"""Gestures that mean the same in every view, each a function of the view it was made in."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.finding import Severity
from screens.commands import Command, by_word
from screens.contexts import options
from screens.copies import Copy
from screens.dialogs.ask import AskDialog
from screens.dialogs.choose import ChooseDialog
from screens.dialogs.help import HelpDialog, sections
from screens.dialogs.text import TextDialog
from screens.durations import moment
from screens.flash import SIGNS
from screens.registry import unusable
from screens.views import VIEWS, view_named
from screens.widgets.typed_line import CommandLine, FilterLine
from screens.widgets.virtual_table import VirtualTable

if TYPE_CHECKING:
    from screens.base import ViewScreen


PREVIEWED = 1000
"""Characters that a preview is made from; a line shows fewer."""

Saved = str | Callable[[], Iterable[str]]
"""A text to be written; a large one as what makes it, a piece at a time and beside the event loop."""


def close_one(screen: ViewScreen) -> bool:
    """The first step of Esc and ``q``: leave full screen, then clear the filter that still narrows the list."""
    if screen.maximized is not None:
        screen.minimize()
        return True
    for line in screen.query(FilterLine):
        if line.is_open:
            line.action_clear()
            return True
    return False


def open_command_line(screen: ViewScreen) -> None:
    line = screen.query_one(CommandLine)
    line.offer([word for command in screen.available for word in command.words])
    line.open()


async def run_typed(screen: ViewScreen, word: str, argument: str) -> None:
    """Run what was typed on the ``:`` line; a word that does nothing here is answered with where it does, or the nearest one."""
    if command := by_word(screen.available).get(word):
        await screen.run_command(command, argument)
        return
    why = unusable(word, view=screen.view_name, here=screen.available_in_principle, read_only=screen.services.read_only)
    screen.console.flash(why, Severity.WARNING)


def answer_dead_key(screen: ViewScreen, key: str) -> None:
    """Say why a key does nothing that means something elsewhere: a number without a view, a change in read-only mode."""
    if key in screen.active_bindings:
        return
    if key.isdecimal() and len(key) == 1:
        numbers = f"{VIEWS[0].number} to {VIEWS[-1].number}"
        screen.console.flash(f"there is no view {key}: the views are {numbers}", Severity.WARNING)
        return
    meant = next((command for command in screen.available_in_principle if key in command.keys), None)
    if meant is not None and meant.changes and screen.services.read_only:
        what = meant.title.rstrip("…")
        screen.console.flash(f"{what}: not in read-only mode", Severity.WARNING)


def show_help(screen: ViewScreen, *, moves: Sequence[Command]) -> None:
    shown: dict[str, list[str]] = {}
    for active in screen.active_bindings.values():
        if active.binding.id:
            shown.setdefault(active.binding.id, []).append(screen.app.get_key_display(active.binding))
    commands = [(command, " ".join(shown.get(command.id, []))) for command in screen.available]
    # Without a focused list nothing binds the moves; the help names their keys all the same.
    commands += [(command, " ".join(shown.get(command.id, list(command.keys)))) for command in moves]
    view = view_named(screen.view_name)
    title = f"{view.title} · {view.purpose}" if view else screen.view_name
    screen.app.push_screen(HelpDialog(title, sections(commands, read_only=screen.services.read_only)))


def show_log(screen: ViewScreen) -> None:
    lines = [f"{moment(flash.at)}  {SIGNS[flash.severity]} {flash.text}" for flash in screen.console.flashes]
    screen.app.push_screen(
        TextDialog("What was said so far, newest first", "\n".join(lines), empty="nothing was said yet"),
        partial(_copied_text, screen, "the log"),
    )


def _copied_text(screen: ViewScreen, what: str, text: str | None) -> None:
    if text:
        screen.console.copy(text, what)


def switch_context(screen: ViewScreen, name: str) -> None:
    console = screen.console
    if name:
        console.switch_to(name)
        return
    contexts = console.config.contexts
    names, current = [context.name for context in contexts], screen.services.context.name

    def chosen(index: int | None) -> None:
        if index is not None:
            console.switch_to(names[index])

    screen.app.push_screen(
        ChooseDialog(
            "Switch context",
            options(contexts, current=current, read_only=console.read_only),
            start=names.index(current),
        ),
        chosen,
    )


def open_row(screen: ViewScreen) -> None:
    """Enter: the focused table, or the only one there is."""
    focused = screen.focused
    table = focused if isinstance(focused, VirtualTable) else screen.query(VirtualTable).first()
    table.action_open_row()


def open_filter(screen: ViewScreen) -> None:
    screen.query(FilterLine).first().open()


def copy_role(screen: ViewScreen, role: Literal["thing", "json"]) -> None:
    if role == "thing" and (selected := screen.get_selected_text()):
        screen.console.copy(selected, "the selection")
        return
    for copy in screen.copies():
        if copy.role == role:
            screen.console.copy(copy.text, copy.label)
            return
    screen.console.flash("nothing is selected that could be copied", Severity.WARNING)


def copy_menu(screen: ViewScreen) -> None:
    copies = screen.copies()
    if not copies:
        screen.console.flash("nothing is selected that could be copied", Severity.WARNING)
        return
    screen.app.push_screen(
        ChooseDialog("Copy", [(copy.label, _preview(copy.text)) for copy in copies]), partial(_copy_chosen, screen, copies)
    )


def _preview(text: str) -> str:
    """What a line has room for: of a document as well, whose first line alone is a brace."""
    return " ".join(text[:PREVIEWED].split())


def _copy_chosen(screen: ViewScreen, copies: tuple[Copy, ...], index: int | None) -> None:
    if index is not None:
        screen.console.copy(copies[index].text, copies[index].label)


def save(screen: ViewScreen, name: str) -> None:
    """Ask for a file name and write; an existing file is never overwritten."""
    offered = screen.saved()
    if offered is None:
        screen.console.flash("there is nothing here to save", Severity.WARNING)
        return
    proposed, text = offered

    def named(path: str | None) -> None:
        if path:
            screen.start(partial(_write, screen, Path(path).expanduser(), text), group="save")

    if name:
        named(name)
    else:
        hint = "Enter writes a new file, readable by you only · Esc leaves"
        screen.app.push_screen(AskDialog("Save to", hint=hint, value=proposed), named)


async def _write(screen: ViewScreen, path: Path, text: Saved) -> None:
    try:
        written = await screen.services.off_loop(partial(_write_new, path, text))
    except FileExistsError:
        raise Refused(f"{path} exists already", hint="Choose another name; this console never overwrites a file.") from None
    except OSError as error:
        raise InputError(
            f"{path} cannot be written", detail=error.strerror or "", hint="Choose a folder you may write to."
        ) from None
    screen.console.flash(f"written to {path} ({written:,} characters)")


def _write_new(path: Path, text: Saved) -> int:
    """Characters written. What is not written whole, also where the program ends meanwhile, never has the name."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        handle, part = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
        try:
            with open(handle, "w", encoding="utf-8", errors="replace") as file:
                written = sum(map(file.write, (text,) if isinstance(text, str) else text()))
            os.replace(part, path)
        except OSError:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return written


def show_locks(screen: ViewScreen, key: str = "") -> None:
    """The locks of this context over the view; the one on the state ``key`` first."""
    from screens.locks.screen import LocksScreen

    if not isinstance(screen, LocksScreen):
        screen.app.push_screen(LocksScreen(key))


def full_screen(screen: ViewScreen) -> None:
    if screen.maximized is not None:
        screen.minimize()
    elif screen.focused is None or not screen.maximize(screen.focused, container=False):
        screen.console.flash("no part that can be shown alone has the focus: Tab goes to the next one", Severity.WARNING)
