"""``jobs watch``: follow jobs until they end, each change one line."""

from __future__ import annotations

import asyncio

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.diagnosis_view import diagnosis_of
from kumoss_console.cli.jobs_view import exit_code_of, watch_line
from kumoss_console.cli.session import Session
from kumoss_console.errors import ConsoleError, ExitCode
from kumoss_console.model.job import Job
from kumoss_console.services.build import Services
from kumoss_console.services.jobs.service import as_data


@click.command(cls=SharedCommand)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@pass_session
def watch(session: Session, ids: tuple[str, ...]) -> ExitCode:
    """Follow jobs until they have ended; with --json each change is one job on a line of its own.

    An ID may be cut short where that is unambiguous. Ends with 1 where a command failed, else with 3 where an outcome could
    not be learned, else with 4 where waiting took too long; the jobs go on all the same.
    """
    jobs, errors = session.run(lambda services: _Watch(session, services).follow(ids))
    code = exit_code_of(jobs)
    if code is ExitCode.BAD_NEWS or not errors:
        for error in errors:
            session.diagnostics.error(error)
        return code
    *others, last = sorted(errors, key=lambda error: -error.exit_code)
    for error in others:
        session.diagnostics.error(error)
    raise last


class _Watch:
    def __init__(self, session: Session, services: Services) -> None:
        self._session = session
        self._services = services
        self._shown: dict[str, Job] = {}

    async def follow(self, ids: tuple[str, ...]) -> tuple[list[Job], list[ConsoleError]]:
        """The last news of every job, and why a watch ended before its job did."""
        found = [await self._services.jobs.find(one) for one in dict.fromkeys(ids)]
        for job in found:
            if job.job_id is None:  # sent without an answer: there is nothing to ask about
                self._show(f"#{job.entry}", job)
        names = list(dict.fromkeys(job.job_id for job in found if job.job_id))
        ends = await asyncio.gather(*map(self._follow_one, names))
        return list(self._shown.values()), [error for error in ends if error is not None]

    async def _follow_one(self, job_id: str) -> ConsoleError | None:
        try:
            async for job in self._services.jobs.watch(job_id):
                self._show(job_id, job)
        except ConsoleError as error:
            return error
        return None

    def _show(self, name: str, job: Job) -> None:
        self._shown[name] = job
        if self._session.output.json:
            self._session.output.items([as_data(job, output=True, diagnosis=diagnosis_of(self._session, job))])
        else:
            self._session.output.blocks([watch_line(job, self._services.clock())])
