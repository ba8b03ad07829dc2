"""``jobs resubmit``: the request of a recorded job once more, shown before it is sent."""

from __future__ import annotations

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.commands.jobs_submit import CONFIRMED, consequence, name_to_type, submit_and_wait, submitted
from kumoss_console.cli.session import Session
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import ExitCode
from kumoss_console.model.contract import SubmitRequest
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.services.build import Services
from kumoss_console.services.jobs.resubmission import may_be_running, recorded_request
from kumoss_console.services.jobs.service import READS


@click.command(cls=SharedCommand)
@click.argument("job_id", metavar="ID")
@click.option("--wait", is_flag=True, help="Follow the job and print its outcome; ends with 1 where the command failed.")
@click.option("--confirm", metavar="NAME", help="The workspace's name, for apply, import, and a job that may be running.")
@pass_session
def resubmit(session: Session, job_id: str, wait: bool, confirm: str | None) -> ExitCode:
    """Send the request of a job once more, as a new job. ID may be cut short; #ENTRY names a job that never got an id.

    The request is shown first. apply and import want --confirm with the workspace's name, as for jobs submit, or that name typed
    on a terminal; so does a job that may still be running: one whose submission was never answered, or that has not ended.
    """
    job = session.run(lambda services: _again(session, services, job_id, wait, confirm))
    return submitted(session, job, wait)


async def _again(session: Session, services: Services, job_id: str, wait: bool, given: str | None) -> Job:
    found = await services.jobs.find(job_id)
    request = recorded_request(found)
    if request.kind not in READS:
        session.refuse_read_only(f"Submitting {request.kind.value}")
    session.diagnostics.note(f"once more: {_shown(request)}")
    doubt = may_be_running(found)
    if doubt:
        session.diagnostics.warning(doubt)
    if request.kind in CONFIRMED or (doubt and found.service is not ServicePlane.LOST):
        effect = consequence(session, request) if request.kind in CONFIRMED else f"{request.kind.value} is submitted once more."
        # On a thread: ^C must end the question, not wait for its answer.
        await run_blocking(
            session.confirm,
            subject=name_to_type(session, request.workspace_path),
            consequence=f"{effect} {doubt}".strip(),
            given=given,
        )
    return await submit_and_wait(session, services, request, wait)


def _shown(request: SubmitRequest) -> str:
    fields = ((name, getattr(request, name)) for name in request.__struct_fields__)
    told = (f"{name}={', '.join(value) if isinstance(value, tuple) else value}" for name, value in fields if value)
    return f"{request.kind.value} {' '.join(told)}"
