"""``jobs show`` and ``jobs list``: what the journal knows, brought up to date where the sidecar answers."""

from __future__ import annotations

import asyncio

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.diagnosis_view import diagnosis_of
from kumoss_console.cli.jobs_view import exit_code_of, job_blocks, jobs_table
from kumoss_console.cli.output import Answer
from kumoss_console.cli.session import Session
from kumoss_console.errors import ConsoleError, ExitCode, ServiceError
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.journal import SetAside
from kumoss_console.model.moment import iso
from kumoss_console.services.asking.probe import sidecar_deadline
from kumoss_console.services.build import Services
from kumoss_console.services.jobs.service import as_data
from kumoss_console.text import printable

_PATIENCE = 3
"""How many times the patience with one answer the whole list gets."""
_NONE = "No jobs: none was submitted from here to this context."
_UNKNOWN = "No jobs are known: whether one was submitted from here to this context, only a damaged journal could tell."


@click.command(cls=SharedCommand)
@click.argument("job_id", metavar="ID")
@click.option("--offline", is_flag=True, help="Show what the journal knows, and ask nobody.")
@pass_session
def show(session: Session, job_id: str, offline: bool) -> ExitCode:
    """One job with its output or its error. ID may be cut short where that is unambiguous.

    Ends with 1 where its command failed, with 3 where the outcome could not be learned.
    """
    job, error = session.run(lambda services: _show(services, job_id, offline))
    stale = (_stale("The job is shown as it was last seen", error),) if error else ()
    warnings = (*session.services.jobs.notices, *stale)
    now = session.world.clock()
    diagnosis = diagnosis_of(session, job)
    return session.answer(
        Answer(
            data=as_data(job, output=True, diagnosis=diagnosis),
            blocks=job_blocks(job, now, diagnosis),
            warnings=warnings,
            exit_code=_ended(job, error),
        )
    )


def _ended(job: Job, error: ConsoleError | None) -> ExitCode:
    return error.exit_code if error else exit_code_of([job])


async def _show(services: Services, job_id: str, offline: bool) -> tuple[Job, ConsoleError | None]:
    job = await services.jobs.find(job_id)
    if offline or job.service.final or job.job_id is None:
        return job, None
    try:
        return await services.jobs.poll(job.job_id), None
    except ServiceError as error:
        return await services.jobs.find(job_id), error  # what it was when last seen is no longer known to be so


@click.command("list", cls=SharedCommand)
@click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, help="At most so many jobs.")
@click.option("--offline", is_flag=True, help="List what the journal knows, and ask nobody.")
@pass_session
def list_jobs(session: Session, limit: int, offline: bool) -> ExitCode:
    """The jobs of this context, newest first. Asks the sidecar about those that had not ended; ends with 0 whatever they did."""
    jobs, words, warnings, asides = session.run(lambda services: _listed(services, limit, offline))
    notices = session.services.jobs.notices
    # One that was set aside just now is named by the notice.
    damaged = [_damaged(one) for one in asides if not any(one.file in notice for notice in notices)]
    return session.answer(
        Answer(
            data=[as_data(job, words=words.get(job.entry, "")) for job in jobs],
            blocks=[jobs_table(jobs, session.world.clock(), words)],
            warnings=(*notices, *warnings, *damaged),
            notes=() if jobs else (_UNKNOWN if asides else _NONE,),
        )
    )


def _damaged(journal: SetAside) -> str:
    return (
        f"A damaged journal was set aside at {iso(journal.at)} as {printable(journal.file)}: jobs that were only in it are "
        "missing here. → Delete that file once nobody can be at work on them."
    )


async def _listed(
    services: Services, limit: int, offline: bool
) -> tuple[tuple[Job, ...], dict[int, str], tuple[str, ...], tuple[SetAside, ...]]:
    jobs, warnings = await _list(services, limit, offline)
    return jobs, await services.jobs.said(jobs), warnings, await services.jobs.set_aside()


async def _list(services: Services, limit: int, offline: bool) -> tuple[tuple[Job, ...], tuple[str, ...]]:
    if offline:
        return await services.jobs.list(limit), ()
    await services.transfer.let_go()
    # One that gives no answer ends the refresh; this is for one that is slow about each of many jobs.
    deadline = _PATIENCE * sidecar_deadline(services.context)
    try:
        jobs = await asyncio.wait_for(services.jobs.refresh(limit), deadline)
    except TimeoutError:
        slow = f"Unfinished jobs are listed as they were last seen: the sidecar did not tell of all within {deadline:g} s."
        return await services.jobs.list(limit), (slow,)
    silent = sum(job.service is ServicePlane.UNKNOWN and job.job_id is not None for job in jobs)
    if not silent:
        return jobs, ()
    about = "1 job cannot be asked about" if silent == 1 else f"{silent} jobs cannot be asked about"
    error = services.jobs.silence
    return jobs, (_stale(about, error) if error is not None else f"{about}: another console here got no answer.",)


def _stale(what: str, error: ConsoleError) -> str:
    return " ".join(filter(None, (f"{what}. {error.title}", f"→ {error.hint}" if error.hint else "")))
