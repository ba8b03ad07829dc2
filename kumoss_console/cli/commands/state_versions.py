"""``state versions``: the history of one key."""

from __future__ import annotations

from contextlib import aclosing
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
    from kumoss_console.services.versions.timelines import Timeline

_TENTHS = 10


@click.command(cls=SharedCommand)
@click.argument("key")
@click.option("--all", "everything", is_flag=True, help="Read the serial of every version, not of the newest 200 only.")
@pass_session
def versions(session: Session, key: str, everything: bool) -> ExitCode:
    """Every version of one state, newest first: serial, engine, time, and the job of the journal that likely wrote it.

    KEY is an object key, or a project id alone. Delete markers and snapshots are listed too. Serials are read from about 1 KB of
    each version, of the newest 200 where --all does not ask for more. Ends with 1 where the history has something wrong in it,
    such as a lineage that changes, and where the store has never had such an object.
    """
    from kumoss_console.services.versions.shape import timeline_shape

    exact = exact_key(session, key)
    timeline = missing_is_news(lambda: session.run(lambda services: _timeline(session, services, exact, everything)))
    return session.answer(
        Answer(
            data=timeline_shape(timeline),
            blocks=timeline_blocks(timeline),
            notes=(f"{counted(len(timeline.rows), 'version')} of {exact}",),
            exit_code=exit_code_for(timeline.findings),
        )
    )


async def _timeline(session: Session, services: Services, key: str, everything: bool) -> Timeline:
    """The whole history, with a line on stderr for each tenth of what takes long."""
    from kumoss_console.services.versions.timelines import HEADS

    said = 0
    async with aclosing(services.versions.stream(key, heads=None if everything else HEADS)) as timelines:
        async for timeline in timelines:
            wanted = len(timeline.rows) if everything else min(HEADS, len(timeline.rows))
            tenth = _TENTHS * (wanted - min(timeline.unread, wanted)) // max(wanted, 1)
            if tenth > said and not timeline.complete and wanted >= HEADS:
                session.diagnostics.note(f"read {10 * tenth} % of {wanted:,} versions")
                said = tenth
    return timeline
