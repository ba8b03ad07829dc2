"""``workspaces``: what lies below the workspaces root."""

from __future__ import annotations

from pathlib import Path

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import counted
from kumoss_console.errors import ExitCode
from kumoss_console.services.build import Services
from kumoss_console.services.workspaces.service import WorkspaceSnapshot, row_shape


@click.command(cls=SharedCommand)
@click.argument("root", type=GivenPath(), required=False)
@click.option("--stream", is_flag=True, help="One JSON document a workspace, as they are found.")
@pass_session
def workspaces(session: Session, root: Path | None, stream: bool) -> ExitCode:
    """The workspaces below ROOT (by default the context's workspaces_root): who owns the state of each, what the engine bound in
    it and when, and whether its override names something else.

    A workspace is a root module by the core's own rule, or a folder in which something is bound. Links are not followed.
    """
    from kumoss_console.cli.trace_view import workspaces_blocks

    top = None if root is None else session.world.cwd / root

    async def listed(services: Services) -> WorkspaceSnapshot:
        return await services.workspace_list.snapshot(top)

    async def streamed(services: Services) -> None:
        sent = 0
        async for snapshot in services.workspace_list.stream(top):
            session.output.items([row_shape(row) for row in snapshot.rows[sent:]])
            sent = len(snapshot.rows)

    if stream:
        session.run(streamed)
        return ExitCode.OK
    found = session.run(listed)
    notes = (f"{counted(len(found.rows), 'workspace')} in {counted(found.folders, 'folder')} below {found.root}.",)
    data = [row_shape(row) for row in found.rows]
    return session.answer(Answer(data=data, blocks=workspaces_blocks(found), notes=notes))
