"""``state restore-plan``: the way back to an older version, planned and not taken."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.shapes import exit_code_for
from kumoss_console.cli.statekeys import exact_key, missing_is_news
from kumoss_console.cli.versions_view import restore_blocks
from kumoss_console.errors import ExitCode, Refused, Unusable
from kumoss_console.text import Secret, printable

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.versions.restore.pin import Expected
    from kumoss_console.services.versions.restore.value import Restore


@click.command("restore-plan", cls=SharedCommand)
@click.argument("key")
@click.argument("version")
@click.option(
    "--write", type=GivenPath(), metavar="FILE", help="Write the state to push into a new FILE: it holds every secret of it."
)
@click.option(
    "--expect-serial", type=click.IntRange(min=0), metavar="N", help="Refuse unless the state to go on from still has serial N."
)
@click.option("--expect-version", metavar="ID", help="Refuse unless the version on top of the history still is ID.")
@pass_session
def restore_plan(
    session: Session, key: str, version: str, write: Path | None, expect_serial: int | None, expect_version: str | None
) -> ExitCode:
    """What going back to VERSION takes: the serial and lineage to push with, what would become unmanaged, the commands.

    Nothing in the store is changed, by this command or any other of this console. VERSION is an id or its beginning, #2 as
    state versions counts, newest, or previous: the one before the newest, of a deleted state the last one before the deletion.
    Ends with 1 where something stands in the way, such as a lock, a damaged object or another lineage.
    With --write the document to push is written to a new file that only you can read, and the command ends with 0 once it is
    there, whatever else it finds and tells. It writes nothing and ends with 5 while a lock is held, and where the newest version
    is another one than the printed command expects.
    """
    from kumoss_console.services.versions.restore.commands import restore_commands, where_to_run
    from kumoss_console.services.versions.restore.pin import Expected, must_be_free
    from kumoss_console.services.versions.shape import restore_shape

    exact = exact_key(session, key)
    expected = Expected(serial=expect_serial, version=expect_version)
    restore = missing_is_news(lambda: session.run(lambda services: _plan(services, exact, version, expected)))
    notes = ["Nothing was changed: this is a plan."]
    if write is not None:
        must_be_free(restore)
        _written(session.world.cwd / write, restore.plan.content)
        notes.append(f"Written: {write}, with every secret of the state in clear text.")
    return session.answer(
        Answer(
            data=restore_shape(restore) | {"written": None if write is None else str(write)},
            blocks=restore_blocks(restore, restore_commands(restore), where_to_run(restore)),
            notes=tuple(notes),
            exit_code=exit_code_for(restore.findings) if write is None else ExitCode.OK,
        )
    )


async def _plan(services: Services, key: str, version: str, expected: Expected) -> Restore:
    return await services.versions.restore_plan(key, version, expected=expected)


def _written(path: Path, content: Secret) -> None:
    shown = printable(str(path))
    try:
        # Exclusive: neither a file that is there nor a link is written through.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Refused(
            f"{shown} exists already: nothing was written", hint="Name a file that does not exist.", code="output.exists"
        ) from None
    except OSError as error:
        raise Unusable(
            f"{shown} cannot be written: {error.strerror or error}", hint="Name another place.", code="output.file"
        ) from None
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(content.reveal().encode())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise Unusable(
            f"{shown} cannot be written: {error.strerror or error}", hint="Name another place.", code="output.file"
        ) from None
