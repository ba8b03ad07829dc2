"""No command: the console itself."""

from __future__ import annotations

from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode, InputError


def open_console(session: Session) -> ExitCode:
    """Open the console on this terminal and stay until it is left."""
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
    config = session.config
    name = config.context(session.shared.one("context")).name
    from screens.app import ConsoleApp

    console = ConsoleApp(config, name, session.shared.read_only)
    console.run()
    return ExitCode(console.return_code or 0)
