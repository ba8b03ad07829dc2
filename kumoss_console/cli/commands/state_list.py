"""``state list``: what is in the state bucket, and whose it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.state_view import matches, row_lines, rows_table
from kumoss_console.errors import ConsoleError, ExitCode

if TYPE_CHECKING:
    from kumoss_console.services.bucket.service import BucketSnapshot, StateRow
    from kumoss_console.services.build import Services


@click.command("list", cls=SharedCommand)
@click.option("--filter", "text", default="", metavar="TEXT", help="Only what has TEXT in its key or its owner.")
@click.option("--stream", is_flag=True, help="Print rows as pages arrive; with --json one row a line.")
@pass_session
def list_states(session: Session, text: str, stream: bool) -> ExitCode:
    """What is in the state bucket, and whose it is, in key order; workspaces and backups behind the state they belong to.

    With --stream rows come in the order in which the store gives them, and a row comes again where a later page changes it
    (a lock may lie on another page than its state). Where the listing breaks off, what came until then is printed, and the
    command ends with 3.
    """
    if stream:
        last = session.run(lambda services: _stream(session, services, text))
        rows = [row for row in last.rows if matches(row, text)]
        session.diagnostics.note(_summary(rows, last))
        return ExitCode.OK
    from kumoss_console.services.bucket.shape import row_shape

    last, error = session.run(_gathered)
    rows = sorted((row for row in last.rows if matches(row, text)), key=lambda row: row.place)
    answer = Answer(
        data=[row_shape(row) for row in rows],
        blocks=[rows_table(rows)],
        notes=(_summary(rows, last) + ("" if error is None else " · NOT COMPLETE"),),
    )
    return session.answer(answer) if error is None else session.broken_off(answer, error)


async def _gathered(services: Services) -> tuple[BucketSnapshot, ConsoleError | None]:
    return await services.bucket.gathered()


async def _stream(session: Session, services: Services, text: str) -> BucketSnapshot:
    from kumoss_console.services.bucket.shape import row_shape

    output = session.output
    shown: tuple[StateRow, ...] = ()
    async for snapshot in services.bucket.stream():
        news = [row for row in _news(shown, snapshot.rows) if matches(row, text)]
        if output.json:
            output.items([row_shape(row) for row in news])
        elif news:
            output.blocks([row_lines(news)])
        shown, last = snapshot.rows, snapshot
    return last


def _news(before: tuple[StateRow, ...], after: tuple[StateRow, ...]) -> list[StateRow]:
    """Rows that are new or were replaced. A listing only appends and replaces in place, so identity tells."""
    if after[: len(before)] == before:
        # Nearly every page only appends. Identical rows compare by pointer: a hundredth of looking at each here, which would
        # be quadratic in the pages of a large bucket.
        return list(after[len(before) :])
    changed = [new for old, new in zip(before, after, strict=False) if old is not new]
    return changed + list(after[len(before) :])


def _summary(rows: list[StateRow], last: BucketSnapshot) -> str:
    return (
        f"{len(rows)} shown · {last.objects} objects: {last.states} states, {last.orphans} of unknown owner, {last.locks} locked"
    )
