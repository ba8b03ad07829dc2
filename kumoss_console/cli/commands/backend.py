"""``backend``: the effective backend of a workspace, value by value."""

from __future__ import annotations

from pathlib import Path

import click

from kumoss_console.cli.backend_view import backend_blocks
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for
from kumoss_console.errors import ExitCode
from kumoss_console.services.backend.effective import WorkspaceBackend
from kumoss_console.services.backend.shape import backend_data
from kumoss_console.services.build import Services


@click.command(cls=SharedCommand)
@click.argument("workspace", type=GivenPath(), metavar="WORKSPACE")
@click.option(
    "--backend-config",
    "options",
    multiple=True,
    metavar="FILE",
    help="As init takes it, in order: a file, absolute or relative to WORKSPACE, or KEY=VALUE. Empty: none.",
)
@click.option("--engine", metavar="terraform|tofu", help="The engine that runs; a version may follow: tofu@1.8.")
@click.option("--reveal", is_flag=True, help="Show credentials instead of a mask.")
@pass_session
def backend(session: Session, workspace: Path, options: tuple[str, ...], engine: str | None, reveal: bool) -> ExitCode:
    """The backend that init binds in WORKSPACE: type, every value with its file and line, and what it beats.

    Nothing is run and nothing is changed. Without --backend-config the sidecar's file is taken as the context states it.
    Exit code 1: the engine refuses the configuration, or the state would be lost.
    """
    folder = session.world.cwd / workspace

    async def work(services: Services) -> WorkspaceBackend:
        given = None if not options else tuple(option for option in options if option.strip())
        return await services.workspaces.inspect(folder, options=given, engine=engine)

    found = session.run(work)
    return session.answer(
        Answer(
            data=backend_data(found, reveal=reveal),
            blocks=backend_blocks(found, reveal=reveal),
            exit_code=exit_code_for(found.findings),
        )
    )
