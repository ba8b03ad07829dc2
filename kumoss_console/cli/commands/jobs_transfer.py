"""``jobs export`` and ``jobs import``: the journal out to other consoles, and back in."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext

import click

from kumoss_console.cli.blocks import Text
from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode, InputError
from kumoss_console.model.journal import Merged, Pruned
from kumoss_console.services.build import Services
from kumoss_console.text import printable


@click.command("export", cls=SharedCommand)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--all-contexts", is_flag=True, help="The jobs of every context, not only of this one.")
@click.option("--no-output", is_flag=True, help="Leave out what the commands printed.")
@click.option("--reveal", is_flag=True, help="Leave in what looks like a secret. What plans mark as sensitive was never kept.")
@pass_session
def export(session: Session, ids: tuple[str, ...], all_contexts: bool, no_output: bool, reveal: bool) -> ExitCode:
    """Jobs of the journal as NDJSON, one a line, oldest first: for jobs import, or for whoever reads JSON.

    Without --reveal, secrets of this configuration, values a plan marks as sensitive, and what looks like a secret are masked.
    """
    session.run(
        lambda services: _export(session, services, ids, None if all_contexts else services.context.name, no_output, reveal)
    )
    return ExitCode.OK


async def _export(
    session: Session, services: Services, ids: tuple[str, ...], context: str | None, no_output: bool, reveal: bool
) -> None:
    jobs = [await services.jobs.find(one) for one in dict.fromkeys(ids)]
    async for line in services.transfer.lines(context, jobs=jobs, reveal=reveal, output=not no_output):
        session.output.items([line])


@click.command("import", cls=SharedCommand)
@click.argument("file", metavar="FILE")
@pass_session
def import_jobs(session: Session, file: str) -> ExitCode:
    """Read what jobs export wrote, - for stdin, into the journal: all of it, or nothing where a line is damaged.

    Jobs keep the context they were in. Nothing is submitted; jobs that have not ended are followed like any other. What is
    beyond the journal's limits of age and size is let go at once, and said.
    """
    try:
        with nullcontext(session.world.stdin) if file == "-" else (session.world.cwd / file).open("rb") as lines:
            merged, contexts, pruned = session.run(lambda services: _take(services, lines))
    except OSError as error:
        raise InputError(
            f"{printable(file)} cannot be read",
            detail=error.strerror or "",
            hint="Give a file that jobs export wrote, or - for stdin.",
            code="input.unreadable",
        ) from None
    known = {context.name for context in session.config.contexts}
    strangers = [printable(name) for name in contexts if name not in known]
    warnings = (f"Jobs of contexts that this configuration does not have: {', '.join(strangers)}.",) if strangers else ()
    if pruned.jobs or pruned.outputs:
        warnings = (*warnings, f"{_gone(pruned)} let go: the journal's limits are max_age_days and max_bytes of console.journal.")
    data = {"added": merged.added, "completed": merged.completed, "known": merged.known, "contexts": list(contexts)}
    return session.answer(Answer(data=data, blocks=[Text(_words(merged))], warnings=(*session.services.jobs.notices, *warnings)))


async def _take(services: Services, lines: Iterable[bytes]) -> tuple[Merged, tuple[str, ...], Pruned]:
    merged, contexts = await services.transfer.take(lines)
    return merged, contexts, await services.transfer.let_go()


def _gone(pruned: Pruned) -> str:
    counts = ((pruned.jobs, "job"), (pruned.outputs, "output"))
    return " and ".join(f"{count:,} {name}{'' if count == 1 else 's'}" for count, name in counts if count)


def _words(merged: Merged) -> str:
    return f"{merged.added} jobs added, {merged.completed} completed, {merged.known} known already"
