"""From a finished ``show`` to the plan it printed."""

from __future__ import annotations

from functools import partial

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.plan import parse_plan
from screens.base import ViewScreen
from screens.jobs.detail import is_unread
from screens.jobs.view import heading


def has_plan(job: Job | None) -> bool:
    """Whether the job printed a plan: ``show``, ended, with exit code 0."""
    return job is not None and job.kind is JobKind.SHOW and job.service is ServicePlane.ANSWERED and job.exit_code == 0


async def open_plan(screen: ViewScreen, job: Job) -> None:
    """Read the plan in the job's output and show it. Raises :class:`~kumoss_console.errors.BadAnswer` for anything else."""
    from screens.plan.screen import PlanScreen

    if is_unread(job):
        job = await screen.services.jobs.find(f"#{job.entry}")
    plan = await screen.services.off_loop(partial(parse_plan, job.stdout))
    await screen.app.push_screen(PlanScreen(plan, heading(job, screen.services.context.workspaces_root)))
