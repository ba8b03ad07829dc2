"""The command line's edge: argv in, exit code out. The only place where an unexpected exception is caught.

    0 done    1 bad news    2 usage or input    3 unreachable    4 gave up    5 refused    70 a bug of ours    130 interrupted

3 is also an output that cannot be written (a full disk, a stdout that is closed): the answer did not arrive, whose fault it is.

A reader that closes the pipe early (``| head``) has what it wanted: the command ends quietly with 0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

import click

from kumoss_console import __version__
from kumoss_console.cli.command import Lazy, LazyGroup, pass_session
from kumoss_console.cli.diagnostics import crash_error
from kumoss_console.cli.output import ReaderGone
from kumoss_console.cli.session import Session
from kumoss_console.cli.world import World, real_world
from kumoss_console.errors import BUG, ConsoleError, ExitCode, InputError, Unusable

NAME = "kumoss-console"
_COMPLETION = "_KUMOSS_CONSOLE_COMPLETE"
"""Set by the shell's completion script, which ``_KUMOSS_CONSOLE_COMPLETE=bash_source kumoss-console`` prints."""
_UNWRITABLE = "output.unwritable"
_COMMANDS = "kumoss_console.cli.commands"


def _show_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    session = ctx.find_object(Session)
    if value and session is not None:
        session.output.text(f"{NAME} {__version__}")
        ctx.exit()


@click.command(
    cls=LazyGroup,
    name=NAME,
    invoke_without_command=True,
    lazy={
        "key": Lazy(f"{_COMMANDS}.key:key", "The state key of a repository, scope and path, step by step; or whose key it is."),
        "override": Lazy(f"{_COMMANDS}.override:override", "The backend_override.tf that the core would write."),
        "backend": Lazy(f"{_COMMANDS}.backend:backend", "The backend that init binds in a workspace, value by value."),
        "trace": Lazy(f"{_COMMANDS}.trace:trace", "Which state is active: core, engine and store, and whether they agree."),
        "workspaces": Lazy(f"{_COMMANDS}.workspaces:workspaces", "The workspaces below a root: model, bound state and age."),
        "state": Lazy(f"{_COMMANDS}.state:state", "The state bucket: list it, show one state or a file at hand."),
        "jobs": Lazy(f"{_COMMANDS}.jobs:jobs", "Submit jobs to the sidecar, watch them, show and list them."),
        "overview": Lazy(f"{_COMMANDS}.overview:overview", "Is anything wrong: services, ownership, jobs and locks."),
        "explain": Lazy(f"{_COMMANDS}.explain:explain", "What an engine's or a store's error text means, and what to do."),
        "discover": Lazy(f"{_COMMANDS}.discover:discover", "What exists in a cloud beside what states manage; imports."),
        "doctor": Lazy(f"{_COMMANDS}.doctor:doctor", "Every check of this context, each with its remedy."),
        "contexts": Lazy(f"{_COMMANDS}.contexts:contexts", "The contexts of this configuration."),
        "info": Lazy(f"{_COMMANDS}.info:info", "Every path and version in use."),
        "sidecar": Lazy(f"{_COMMANDS}.sidecar:sidecar", "The bundled IaC service."),
        "demo": Lazy(f"{_COMMANDS}.demo:demo", "The console on a local stack with a small world in it."),
    },
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Show the version and leave."
)
@pass_session
@click.pass_context
def main(ctx: click.Context, session: Session) -> ExitCode:
    """Operate Kumoss from a terminal: jobs, state, keys, backends and locks.

    Without a command the console opens. stdout is data, stderr is narration. Exit codes: 0 done; 1 done, and the answer is
    bad news; 2 usage, configuration or input; 3 a service could not be reached, refused us or has forgotten, or the journal
    or stdout cannot be used; 4 gave up waiting; 5 refused: read-only, locked or not confirmed; 70 a bug of this program;
    130 interrupted.
    """
    if ctx.invoked_subcommand is not None:
        return ExitCode.OK
    from kumoss_console.cli.commands.open import open_console

    return open_console(session)


def execute(argv: Sequence[str], world: World) -> int:
    """Run one command line in ``world`` and return its exit code. Raises nothing but what ends the process."""
    session = Session(world)
    try:
        return _invoke(list(argv), session)
    except ConsoleError as error:
        return _failed(session, error, argv)
    except click.exceptions.NoArgsIsHelpError as error:
        return _untold(session, error, argv)
    except click.ClickException as error:
        return _failed(session, _usage_error(error), argv)
    except (KeyboardInterrupt, click.Abort):
        session.diagnostics.interrupted()
        return ExitCode.INTERRUPTED
    except ReaderGone:
        return ExitCode.OK
    except Exception as error:  # noqa: BLE001 - the edge of the process: what arrives here is a bug, reported without locals
        return _crashed(session, error, argv)


def _invoke(argv: list[str], session: Session) -> int:
    if _COMPLETION in session.world.environ:
        main.main(argv, prog_name=NAME, obj=session)
    # Not main.main(): it writes to stderr itself, and turns a closed pipe into exit code 1.
    try:
        with main.make_context(NAME, argv, obj=session) as ctx:
            return int(main.invoke(ctx) or ExitCode.OK)
    except click.exceptions.Exit as end:
        return end.exit_code


def _failed(session: Session, error: ConsoleError, argv: Sequence[str]) -> int:
    if not _wants_json(session, argv) or error.code == _UNWRITABLE:
        session.diagnostics.error(error)
        return error.exit_code
    return _told(session, error, error.exit_code)


def _untold(session: Session, error: click.exceptions.NoArgsIsHelpError, argv: Sequence[str]) -> int:
    """A group without a command: its help is narration then, and the command line is at fault."""
    ctx = error.ctx
    if _wants_json(session, argv):
        names = ", ".join(ctx.command.list_commands(ctx)) if isinstance(ctx.command, click.Group) else ""
        told = InputError(f"{ctx.command_path} needs a command", detail=names, hint=f"{ctx.command_path} --help", code="usage")
        return _failed(session, told, argv)
    session.diagnostics.usage(ctx.get_help())
    return ExitCode.INPUT


def _crashed(session: Session, error: Exception, argv: Sequence[str]) -> int:
    session.diagnostics.crash(error, session.secrets)
    if _wants_json(session, argv):
        _told(session, crash_error(error, session.secrets), BUG)
    return BUG


def _told(session: Session, error: ConsoleError, code: int) -> int:
    """How a command ends whose envelope is ``error``: 0 where nobody reads any more."""
    try:
        session.output.failure(error)
    except ReaderGone:
        return ExitCode.OK
    except Unusable as unwritable:
        session.diagnostics.error(error)
        session.diagnostics.error(unwritable)
    return code


def _wants_json(session: Session, argv: Sequence[str]) -> bool:
    """A usage error may come before ``--json`` was understood: then its being there is enough."""
    operands = list(argv)
    given = "--json" in (operands[: operands.index("--")] if "--" in operands else operands)
    session.shared.json = session.shared.json or given
    session.output.json = session.shared.json
    return session.shared.json


def _usage_error(error: click.ClickException) -> InputError:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    path = ctx.command_path if ctx else NAME
    usage = ctx.get_usage() if ctx else ""
    return InputError(error.format_message(), detail=usage, hint=f"{path} --help says more.", code="usage")


def _let_go(stream: TextIO | None) -> None:
    """What could not be written stays in the buffer: the interpreter would try again on its way out, and complain."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def run() -> NoReturn:
    """The entry point of the installed program. Ends the process, without what is registered for its end."""
    code = execute(sys.argv[1:], real_world())
    for stream in (sys.stdout, sys.stderr):
        _let_go(stream)
    # All that was opened is closed by now. A regular exit would wait for a thread in which a name lookup hangs, and take down
    # each module and object one by one: 0.2 to 0.8 s after the console, for which whoever quit it waits.
    os._exit(code)
