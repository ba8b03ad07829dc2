"""The jobs as the follower tells of them, and each end told wherever the operator is by then."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from functools import partial

from kumoss_console.model.finding import Severity
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.names import workspace_name
from kumoss_console.services.follow.follower import Followed
from screens.base import ViewScreen
from screens.following import FOLLOWING
from screens.jobs.view import kind_name

TOLD_ONE_BY_ONE = 3
"""Ends at one moment that are told by name; of more their number is."""

_SEVERITIES = {Verdict.GOOD: Severity.INFO, Verdict.UNKNOWN: Severity.WARNING}
"""A lost job has not failed: nobody knows."""


class Following:
    """One subscription. ``heard`` is given every news; ``words`` finds what an end means.

    Of ends that are ``told_elsewhere`` nothing is said here.
    """

    def __init__(
        self,
        screen: ViewScreen,
        *,
        heard: Callable[[Followed], None],
        words: Callable[[Job], Awaitable[str]],
        told_elsewhere: Callable[[Job], bool],
    ) -> None:
        self._screen = screen
        self._heard = heard
        self._words = words
        self._told_elsewhere = told_elsewhere
        self._live: set[int] = set()
        self._latest: Followed | None = None

    def start(self) -> None:
        """From now on, also while another view is shown."""
        self._screen.start(self._listen, group=f"{FOLLOWING} jobs", lasting=True)

    def expect(self, job: Job) -> None:
        """Its end is worth telling, however soon it comes."""
        if not job.service.final:
            self._live.add(job.entry)

    def show(self, entries: Collection[int]) -> None:
        """The jobs on the screen, which are asked about more often."""
        if self._latest is not None:
            self._screen.services.follow.show(entries)

    def as_seen(self, job: Job) -> Job:
        """``job`` with the time of the last look at it, which alone is no news."""
        return self._screen.services.follow.as_seen(job) if self._latest is not None else job

    @property
    def at(self) -> datetime | None:
        """When what is shown was true; ``None`` before anything was heard."""
        latest = self._latest
        if latest is None:
            return None
        if not latest.live:
            return self._screen.now()  # nothing is left that could change without us
        return max(latest.at, self._screen.services.jobs.answered or latest.at)

    async def _listen(self) -> None:
        async for followed in self._screen.services.follow.subscribe():
            self._latest = followed
            self._heard(followed)
            ended = [job for job in followed.jobs if job.service.final and job.entry in self._live]
            ended = [job for job in ended if not self._told_elsewhere(job)]
            newest = max((job.entry for job in followed.jobs), default=0)
            live = {job.entry for job in followed.jobs if job.job_id and not job.service.final}
            self._live = live | {entry for entry in self._live if entry > newest}
            if ended:
                self._screen.start(partial(self._tell, ended), group=f"{FOLLOWING} ends", exclusive=False, lasting=True)

    async def _tell(self, ended: Sequence[Job]) -> None:
        good = sum(job.verdict is Verdict.GOOD for job in ended)
        if len(ended) > TOLD_ONE_BY_ONE:
            words = f"{len(ended)} jobs ended: {good} well, {len(ended) - good} not"
            self._screen.console.flash(words, Severity.INFO if good == len(ended) else Severity.ERROR)
            return
        root = self._screen.services.context.workspaces_root
        for job in ended:
            what = f"{kind_name(job)} on {workspace_name(job.workspace, root) or 'an unknown workspace'}"
            severity = _SEVERITIES.get(job.verdict, Severity.ERROR)
            self._screen.console.flash(f"{what}: {await self._words(job)}", severity)
