"""How a state comes onto the screen: by its key, or from a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kumoss_console.text import printable
from screens.dialogs.ask import AskDialog
from screens.statedetail.screen import StateDetailScreen

if TYPE_CHECKING:
    from kumoss_console.services.states.detail import OpenedState
    from screens.app import ConsoleApp
    from screens.base import ViewScreen


def open_state(app: ConsoleApp, key: str) -> None:
    """Show one object of the bucket, over whatever is shown now. What cannot be read is said there, with a next step."""
    services = app.services

    async def read() -> OpenedState:
        opened = await services.state_detail.open(key)
        if opened.detail is not None:
            services.xray.learn(opened.detail.info, opened.document)
        return opened

    app.push_screen(StateDetailScreen(key, read))


def open_file(app: ConsoleApp, path: Path) -> None:
    """Show a document at hand. No service is asked."""
    app.push_screen(StateDetailScreen(printable(str(path)), partial(app.services.state_detail.open_file, path)))


def ask_for_file(screen: ViewScreen, path: str = "") -> None:
    """What the command that opens a file does: with a path at once, else after asking for one."""

    def named(text: str | None) -> None:
        if text:
            open_file(screen.console, Path(text).expanduser())

    if path:
        named(path)
    else:
        hint = "a state, a lock or another document at hand; nothing is asked of any service"
        screen.app.push_screen(AskDialog("Open a state from a file", hint=hint), named)
