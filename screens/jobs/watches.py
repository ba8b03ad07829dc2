"""Unfinished jobs followed to their end, and the end told wherever the operator is by then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from kumoss_console.errors import GaveUp, ServiceError
from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.names import workspace_name
from screens.base import ViewScreen
from screens.jobs.view import kind_name


class Watches:
    """One watch for each job. ``heard`` is given every news; ``words`` finds what an end means."""

    def __init__(self, screen: ViewScreen, *, heard: Callable[[Job], None], words: Callable[[Job], Awaitable[str]]) -> None:
        self._screen = screen
        self._heard = heard
        self._words = words
        self._under_way: set[str] = set()

    def follow(self, job: Job) -> None:
        """Watch it from now on, unless that is done already."""
        if job.job_id and job.job_id not in self._under_way:
            self._under_way.add(job.job_id)
            self._screen.start(partial(self._to_its_end, job.job_id), group=f"watch {job.job_id}", lasting=True)

    async def _to_its_end(self, job_id: str) -> None:
        """Goes on while another view is shown: the flash line tells the end."""
        console = self._screen.console
        try:
            async for job in self._screen.services.jobs.watch(job_id):
                self._heard(job)
        except GaveUp as error:
            console.flash(f"{error.title}. {error.hint}", Severity.WARNING)
        except ServiceError as error:
            # The next refresh asks again, and shows in the banner what stands in the way.
            console.flash(error.title, Severity.ERROR)
        else:
            await self._tell(job)
        finally:
            self._under_way.discard(job_id)

    async def _tell(self, job: Job) -> None:
        root = self._screen.services.context.workspaces_root
        what = f"{kind_name(job)} on {workspace_name(job.workspace, root) or 'an unknown workspace'}"
        severity = Severity.INFO if job.verdict is Verdict.GOOD else Severity.ERROR
        self._screen.console.flash(f"{what}: {await self._words(job)}", severity)
