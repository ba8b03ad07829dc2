"""``state scan``: what is wrong with the bucket as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.errors import ConsoleError, ExitCode
from kumoss_console.model.finding import Severity

if TYPE_CHECKING:
    from kumoss_console.services.build import Services
    from kumoss_console.services.scan.service import ScanOptions, ScanProgress

_STALE_DAYS = 180


@click.command(cls=SharedCommand)
@click.option("--versions", is_flag=True, help="Read the history of each state as well: a changed lineage, a fallen serial.")
@click.option(
    "--stale-days",
    type=click.IntRange(0, 36500),
    default=_STALE_DAYS,
    show_default=True,
    metavar="N",
    help="Tell states that were not written for N days and had no job known here; 0 tells none.",
)
@click.option("--filter", "text", default="", metavar="TEXT", help="Only what has TEXT in its key or its owner.")
@pass_session
def scan(session: Session, versions: bool, stale_days: int, text: str) -> ExitCode:
    """Look through the whole bucket: copied, empty, damaged and foreign states, locks and owners that are missing.

    Reads about 1 KB of each state, and its end; what it knows by ETag it does not ask for again. Ends with 1 where something
    is wrong, or could not be looked at, or where --filter leaves nothing to look at, and with 3 where the listing broke off:
    then what it gave is looked at all the same.
    """
    from kumoss_console.cli.scan_view import nothing_chosen, scan_blocks, summary
    from kumoss_console.services.scan.service import ScanOptions
    from kumoss_console.services.scan.shape import scan_shape

    options = ScanOptions(versions=versions, stale_days=stale_days, text=text)
    last, error = session.run(lambda services: _Narrated(session).scan(services, options))
    if last is None:
        raise error if error is not None else AssertionError("a scan has an end")
    missed = nothing_chosen(last, text)
    answer = Answer(
        data=scan_shape(last),
        blocks=scan_blocks(last.findings),
        warnings=(missed,) if missed else (),
        notes=(summary(last),),
        exit_code=ExitCode.BAD_NEWS if missed or last.count(Severity.ERROR) else ExitCode.OK,
    )
    return session.answer(answer) if error is None else session.broken_off(answer, error)


@dataclass
class _Narrated:
    """A scan with its progress on stderr: a line for each step, and for each tenth of what takes long."""

    session: Session
    said: str = ""

    async def scan(self, services: Services, options: ScanOptions) -> tuple[ScanProgress | None, ConsoleError | None]:
        """What was found, and why it is not all."""
        last = None
        try:
            async for progress in services.scan.scan(options):
                last = progress
                self._say(progress)
        except ConsoleError as error:
            return last, error
        return last, None

    def _say(self, progress: ScanProgress) -> None:
        from kumoss_console.cli.scan_view import narration

        line = narration(progress)
        if line and line != self.said:
            self.session.diagnostics.note(line)
            self.said = line
