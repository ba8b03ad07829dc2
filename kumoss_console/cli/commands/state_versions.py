"""``state versions``: the history of one key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import counted, exit_code_for
from kumoss_console.cli.statekeys import exact_key, missing_is_news
from kumoss_console.cli.versions_view import timeline_blocks
from kumoss_console.errors import ExitCode

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.versions import Timeline


@click.command(cls=SharedCommand)
@click.argument("key")
@pass_session
def versions(session: Session, key: str) -> ExitCode:
    """Every version of one state, newest first: serial, engine, time, and the job of the journal that likely wrote it.

    KEY is an object key, or a project id alone. Delete markers are listed too. Ends with 1 where the history has something
    wrong in it, such as a lineage that changes, and where the store has never had such an object.
    """
    from kumoss_console.services.versionshape import timeline_shape

    exact = exact_key(session, key)
    timeline = missing_is_news(lambda: session.run(lambda services: _timeline(services, exact)))
    return session.answer(
        Answer(
            data=timeline_shape(timeline),
            blocks=timeline_blocks(timeline),
            notes=(f"{counted(len(timeline.rows), 'version')} of {exact}",),
            exit_code=exit_code_for(timeline.findings),
        )
    )


async def _timeline(services: Services, key: str) -> Timeline:
    return await services.versions.timeline(key)
