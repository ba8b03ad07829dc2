"""``demo``: the console on a local stack that is really there, and gone afterwards."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.blocks import Block, Cell, Fields, Text
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.commands.open import new_console, require_terminal
from kumoss_console.cli.given import GivenPath
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session, SharedOptions
from kumoss_console.cli.signals import ending_like_ctrl_c
from kumoss_console.errors import ExitCode, InputError, Unreachable
from kumoss_console.model.finding import Severity
from kumoss_console.text import MASK

if TYPE_CHECKING:
    from kumoss_console.local.stack import LocalStack


@click.command(cls=SharedCommand)
@click.option(
    "--keep",
    metavar="DIR",
    type=GivenPath(),
    help="Keep the data in DIR; a DIR of an earlier demo is started again with its data.",
)
@click.option("--headless", is_flag=True, help="Print the endpoints and stay until interrupted, or a part ends.")
@pass_session
def demo(session: Session, keep: Path | None, headless: bool) -> ExitCode:
    """Start a real object store, the bundled sidecar and a small world applied by a real engine; open the console on them.

    Everything listens on loopback only and ends with the console, however it ends. Your own configuration, credentials and
    journal are neither read nor written. Needs the extra: pip install 'kumoss-console[local]'.
    """
    _refuse_other_worlds(session)
    if not headless:
        if session.shared.json:
            raise InputError(
                "demo opens the console, which has no JSON form",
                hint="demo --headless --json prints the endpoints of the local stack.",
                code="usage",
            )
        require_terminal(session)
    from kumoss_console.cli.loop import run_async

    with ending_like_ctrl_c() as told, _folder(session, keep) as folder:
        ended = run_async(_demo(session, folder, headless=headless, temporary=keep is None))
        # The console leaves in order when it is cancelled, and does not say why.
        return ExitCode.INTERRUPTED if told.to_end else ended


async def _demo(session: Session, folder: Path, *, headless: bool, temporary: bool) -> ExitCode:
    from kumoss_console.local.stack import local_stack

    def progress(step: str, done: int, total: int, text: str) -> None:
        session.diagnostics.note(f"{step} {done}/{total}: {text}")

    async with local_stack(folder, progress, environ=session.world.environ, temporary=temporary) as stack:
        if headless:
            _announce(session, stack)
            # Until SIGINT, which cancels this task; the answer to it is 130, as for every command that is interrupted.
            await stack.until_a_part_ends()
        console = new_console(_session_on(session, stack))
        watching = asyncio.create_task(_tell(stack, console.flash))
        try:
            await console.run_async()
        finally:
            watching.cancel()
        return ExitCode(console.return_code or 0)


async def _tell(stack: LocalStack, flash: Callable[[str, Severity], None]) -> None:
    """In the console, which goes on: that its sidecar or its store is gone is something it knows how to show."""
    try:
        await stack.until_a_part_ends()
    except Unreachable as error:
        flash(error.title, Severity.ERROR)


def _announce(session: Session, stack: LocalStack) -> None:
    session.output.json = session.shared.json
    answer = Answer(data=_data(stack), blocks=_blocks(stack))
    if session.output.json:
        session.output.envelope(answer.data)
    else:
        session.output.blocks(answer.blocks)
    session.diagnostics.note("Running until interrupted (Ctrl-C).")


def _data(stack: LocalStack) -> dict[str, object]:
    return {
        "config": stack.config_file,
        "environment": stack.environ_file,
        "sidecar": {"endpoint": stack.sidecar.url, "token": MASK, "engine": stack.engine},
        "store": {
            "endpoint": stack.store.url,
            "region": stack.store.region,
            "bucket": stack.bucket,
            "access_key": MASK,
            "secret_key": MASK,
        },
        "workspaces": stack.workspaces,
        "gate": stack.gate,
    }


def _blocks(stack: LocalStack) -> list[Block]:
    return [
        Fields(
            [
                ("object store", f"{stack.store.url}, bucket {stack.bucket}, region {stack.store.region}"),
                ("sidecar", f"{stack.sidecar.url}, engine {stack.engine}"),
                ("workspaces", str(stack.workspaces)),
                ("configuration", str(stack.config_file)),
                ("keys and token", Cell(f"{stack.environ_file} (for its owner only)")),
            ]
        ),
        Text(
            "From another terminal:\n"
            f"  set -a; . {stack.environ_file}; set +a; kumoss-console\n"
            "The apply that holds a lock goes on once somebody opens its gate:\n"
            f"  echo open > {stack.gate}\n"
        ),
    ]


def _session_on(session: Session, stack: LocalStack) -> Session:
    """The same terminal, another world: the configuration, the secrets and the journal of the stack."""
    world = replace(session.world, environ={**session.world.environ, **stack.environ})
    return Session(world, SharedOptions(config=[str(stack.config_file)], read_only=session.shared.read_only))


def _refuse_other_worlds(session: Session) -> None:
    given = [f"--{name}" for name in ("config", "context") if session.shared.one(name) is not None]
    if given:
        raise InputError(
            f"The demo brings a world of its own: {' and '.join(given)} cannot be used with it.",
            hint="Leave it out.",
            code="usage.conflict",
        )


@contextmanager
def _folder(session: Session, keep: Path | None) -> Iterator[Path]:
    if keep is None:
        # Best effort: what a dying engine still writes there must not turn a good end into a failure.
        with tempfile.TemporaryDirectory(prefix="kumoss-demo-", ignore_cleanup_errors=True) as name:
            yield Path(name)
        return
    folder = session.world.cwd / keep
    yield folder
    session.diagnostics.note(f"The data is kept; start it again with: kumoss-console demo --keep {folder}")
