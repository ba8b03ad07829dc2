"""No command: the console itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kumoss_console.cli.session import Session
from kumoss_console.cli.signals import ending_like_ctrl_c
from kumoss_console.errors import ExitCode, InputError

if TYPE_CHECKING:
    from kumoss_console.config import LoadedConfig
    from kumoss_console.services.build import Services
    from screens.app import ConsoleApp


def open_console(session: Session) -> ExitCode:
    """Open the console on this terminal and stay until it is left, or told to end: the terminal is given back either way."""
    require_terminal(session)
    console = new_console(session)
    from kumoss_console.cli.loop import run_async

    with ending_like_ctrl_c():
        return run_async(_stay(console))


async def _stay(console: ConsoleApp) -> ExitCode:
    await console.run_async()
    # It leaves in order when it is cancelled, which is how a signal arrives, and keeps that to itself.
    task = asyncio.current_task()
    told_to_end = task is not None and task.cancelling() > 0
    return ExitCode.INTERRUPTED if told_to_end else ExitCode(console.return_code or 0)


def require_terminal(session: Session) -> None:
    """Raises :class:`InputError` where the console could not be opened here, before anything was started for it."""
    if session.shared.json:
        raise InputError(
            "--json needs a command",
            hint="kumoss-console --help lists the commands; everything a screen shows is one of them.",
            code="usage",
        )
    if session.world.columns is None or not session.world.interactive:
        raise InputError(
            "The console needs a terminal on stdin, stdout and stderr",
            hint="kumoss-console --help lists the commands, which work without one.",
            code="usage.no_terminal",
        )


def new_console(session: Session) -> ConsoleApp:
    """The application on the configuration, the context and the environment of ``session``."""
    config, world = session.config, session.world
    name = config.context(session.shared.one("context")).name

    def build(config: LoadedConfig, name: str | None = None, *, read_only: bool = False) -> Services:
        return world.build(config, name, read_only=read_only, environ=world.environ)

    from screens.app import ConsoleApp

    return ConsoleApp(config, name, session.shared.read_only, build=build)
