"""``jobs submit``: start one job, and with ``--wait`` see it through."""

from __future__ import annotations

import asyncio

import click

from kumoss_console.cli.command import SharedCommand, pass_session
from kumoss_console.cli.diagnosis_view import diagnosis_of
from kumoss_console.cli.jobs_view import exit_code_of, job_blocks, state_text
from kumoss_console.cli.output import Answer
from kumoss_console.cli.request import build_request
from kumoss_console.cli.session import Session
from kumoss_console.errors import ExitCode
from kumoss_console.model.contract import CloudProvider, JobKind, SubmitRequest
from kumoss_console.model.job import Job
from kumoss_console.model.names import workspace_name
from kumoss_console.services.build import Services
from kumoss_console.services.jobs.service import READS, as_data

CONFIRMED = frozenset({JobKind.APPLY, JobKind.IMPORT})
"""Kinds that write state, and perhaps the cloud."""


@click.command(cls=SharedCommand)
@click.argument("kind", type=click.Choice([kind.value for kind in JobKind]))
@click.option("--workspace", metavar="PATH", help="The workspace's absolute path as the sidecar sees it.")
@click.option("--scope", metavar="ID", help="Subscription, project or account id.")
@click.option("--provider", type=click.Choice([provider.value for provider in CloudProvider]), help="The cloud.")
@click.option("--plan-file", metavar="NAME", help="Name of the plan file in the workspace.")
@click.option("--target", "targets", metavar="ADDRESS", multiple=True, help="Plan this resource only; may be repeated.")
@click.option("--address", metavar="ADDRESS", help="Where to import to.")
@click.option("--resource-id", metavar="ID", help="What to import.")
@click.option("--wait", is_flag=True, help="Follow the job and print its outcome; ends with 1 where the command failed.")
@click.option("--confirm", metavar="NAME", help="The workspace's name below workspaces_root, for apply and import.")
@pass_session
def submit(
    session: Session,
    kind: str,
    workspace: str | None,
    scope: str | None,
    provider: str | None,
    plan_file: str | None,
    targets: tuple[str, ...],
    address: str | None,
    resource_id: str | None,
    wait: bool,
    confirm: str | None,
) -> ExitCode:
    """Start one job. Prints it as soon as the sidecar has taken it.

    apply and import change real things: they want --confirm with the workspace's name, or that name typed on a
    terminal: its path below workspaces_root, elsewhere its last two parts. Read-only mode lets only validate, show,
    state_resource_ids and scope_resource_ids through.
    """
    request = build_request(
        JobKind(kind),
        {
            "workspace_path": workspace,
            "scope_id": scope,
            "terraform_provider": provider,
            "plan_file": plan_file,
            "targets": targets,
            "address": address,
            "resource_id": resource_id,
        },
    )
    if request.kind not in READS:
        session.refuse_read_only(f"Submitting {kind}")
    if request.kind in CONFIRMED:
        session.confirm(
            subject=name_to_type(session, request.workspace_path), consequence=consequence(session, request), given=confirm
        )
    return submitted(session, session.run(lambda services: submit_and_wait(session, services, request, wait)), wait)


def submitted(session: Session, job: Job, wait: bool) -> ExitCode:
    """The answer of a submission: the outcome where it was waited for, else the job and how to follow it."""
    now = session.world.clock()
    if wait:
        diagnosis = diagnosis_of(session, job)
        data = as_data(job, output=True, diagnosis=diagnosis)
        return session.answer(Answer(data=data, blocks=job_blocks(job, now, diagnosis), exit_code=exit_code_of([job])))
    return session.answer(
        Answer(data=as_data(job), blocks=job_blocks(job, now), notes=(f"Follow it with: kumoss-console jobs watch {job.job_id}",))
    )


def name_to_type(session: Session, workspace: str) -> str:
    """What is typed to confirm: the workspace's name as the console's screens have it."""
    return workspace_name(workspace, session.services.context.workspaces_root)


def consequence(session: Session, request: SubmitRequest) -> str:
    """What an apply or an import does, in a sentence."""
    where = f"{request.workspace_path} (context {session.services.context.name})"
    fields = {name: getattr(request, name) for name in request.__struct_fields__}
    scope = f"{fields['terraform_provider']} {fields['scope_id']}"
    if request.kind is JobKind.APPLY:
        return f"apply carries out the plan {fields['plan_file']} of {where} on {scope}. It cannot be taken back."
    return f"import writes {fields['resource_id']} as {fields['address']} into the state of {where} on {scope}."


async def submit_and_wait(session: Session, services: Services, request: SubmitRequest, wait: bool) -> Job:
    """Send it, and with ``wait`` narrate it to its end."""
    job = await services.jobs.submit(request)
    if not wait or job.job_id is None:
        return job
    note = session.diagnostics.note
    note(f"submitted {request.kind.value} as {job.job_id}")
    shown = ""
    try:
        async for seen in services.jobs.watch(job.job_id):
            job = seen
            if (state := state_text(job)) != shown:
                note(f"{job.job_id} {state}")
                shown = state
    except asyncio.CancelledError:
        note(f"The job goes on without us. Follow it with: kumoss-console jobs watch {job.job_id}")
        raise
    return job
