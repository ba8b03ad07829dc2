"""``state diff``: two versions of a state, two states, or two documents at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.given import GivenPath, read_given
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.statekeys import exact_key, missing_is_news
from kumoss_console.cli.versions_view import diff_blocks, diff_summary
from kumoss_console.errors import ExitCode, InputError

if TYPE_CHECKING:
    from kumoss_console.model.statediff import StateDiff
    from kumoss_console.services.build import Services


@click.command(cls=SharedCommand)
@click.argument("key", required=False)
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--with", "other", metavar="KEY", help="Another key: its state is the second side.")
@click.option("--file", "files", type=GivenPath(), multiple=True, metavar="FILE", help="A document at hand; give it twice.")
@pass_session
def diff(session: Session, key: str | None, a: str | None, b: str | None, other: str | None, files: tuple[Path, ...]) -> ExitCode:
    """What differs between two states, object by object. Sensitive values are compared and never shown.

    A and B are versions of KEY: an id or its beginning, #2 as state versions counts, newest (the newest with content) or
    previous: the one before that, of a deleted state the last one before the deletion. By default the newest is compared with
    the one before it. With --with the other side is another key, and A and B name a version of each. Ends with 1 where
    something differs (a serial alone is not a difference), and where the state was deleted or never there.
    """
    if files:
        found = _files(session, files, anything=key or other)
    elif key is None:
        raise InputError("state diff wants a KEY, or --file twice", hint="state list shows the keys.", code="usage")
    else:
        exact, beside = exact_key(session, key), None if other is None else exact_key(session, other)
        found = missing_is_news(lambda: session.run(lambda services: _diff(services, exact, a, b, beside)))
    from kumoss_console.services.versions.shape import diff_shape

    return session.answer(
        Answer(
            data=diff_shape(found),
            blocks=diff_blocks(found),
            notes=(diff_summary(found),),
            exit_code=ExitCode.BAD_NEWS if found.differ else ExitCode.OK,
        )
    )


async def _diff(services: Services, key: str, a: str | None, b: str | None, other: str | None) -> StateDiff:
    return await services.versions.diff(key, a, b, other=other)


def _files(session: Session, files: tuple[Path, ...], *, anything: str | None) -> StateDiff:
    if len(files) != 2 or anything is not None:
        raise InputError("state diff wants --file twice, and no KEY with it", hint="The first is the older side.", code="usage")
    from kumoss_console.services.versions.service import compare_documents

    if all(str(file) == "-" for file in files):
        raise InputError("stdin can be one of the two documents, not both", hint="Give the other one as a file.", code="usage")
    hint = "Give the path of a state; - reads stdin, for one of the two."
    before, after = (read_given(session.world, file, hint=hint) for file in files)
    return compare_documents(before, after, names=(str(files[0]), str(files[1])))
