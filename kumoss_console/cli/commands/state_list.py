"""``state list``: what is in the state bucket, and whose it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.cli.state_view import matches, row_data, rows_table
from kumoss_console.errors import ExitCode

if TYPE_CHECKING:
    from kumoss_console.services.bucket import BucketSnapshot, StateRow
    from kumoss_console.services.build import Services


@click.command("list", cls=SharedCommand)
@click.option("--filter", "text", default="", metavar="TEXT", help="Only what has TEXT in its key or its owner.")
@click.option("--stream", is_flag=True, help="Print rows as pages arrive; with --json one row a line.")
@click.option("--all", "everything", is_flag=True, help="Objects that are no states too.")
@pass_session
def list_states(session: Session, text: str, stream: bool, everything: bool) -> ExitCode:
    """What is in the state bucket, and whose it is, in key order.

    With --stream rows come in the order in which the store gives them, and a row comes again where a later page changes it
    (a lock may lie on another page than its state).
    """

    def wanted(row: StateRow) -> bool:
        return (everything or row.kind == "state") and matches(row, text)

    shown = _Shown(session) if stream else None
    last = session.run(lambda services: _read(services, wanted, shown))
    if last is None:
        return ExitCode.OK
    rows = sorted(filter(wanted, last.rows), key=lambda row: row.key)
    summary = f"{len(rows)} of {last.objects} objects"
    if shown is not None:
        session.diagnostics.note(summary)
        return ExitCode.OK
    return session.answer(
        Answer(data=[row_data(row) for row in rows], blocks=[rows_table(rows)], notes=() if session.output.json else (summary,))
    )


class _Shown:
    """Rows that a stream has printed, as they were then."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._rows: dict[str, StateRow] = {}

    def show(self, rows: list[StateRow]) -> None:
        new = [row for row in rows if self._rows.get(row.key) != row]
        self._rows.update((row.key, row) for row in new)
        if self._session.output.json:
            for row in new:
                self._session.output.item(row_data(row))
        elif new:
            self._session.output.blocks([rows_table(new)])


async def _read(services: Services, wanted: Callable[[StateRow], bool], shown: _Shown | None) -> BucketSnapshot | None:
    last: BucketSnapshot | None = None
    async for snapshot in services.bucket.stream():
        last = snapshot
        if shown is not None:
            shown.show([row for row in snapshot.rows if wanted(row)])
    return last
