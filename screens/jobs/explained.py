"""What ended jobs said and what failed ones mean, each looked into once, beside the event loop and newest first."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from kumoss_console.errors import ConfigError, ConsoleError, Refused
from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.job import Job, ServicePlane
from screens.jobs.detail import is_unread
from screens.jobs.diagnosis import headline, needs_one

if TYPE_CHECKING:
    from kumoss_console.services.build import Services

AT_MOST = 40
"""Failures that are explained before anybody looks at them: about a screenful. The one under the cursor always is."""
READING_SECONDS = 5.0
"""An output is in the journal; one that is not kept there has to be asked for."""


class Explained:
    """Diagnoses by the job's entry. An end never changes, so none is made twice."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[int, Diagnosis] = {}
        self._said: dict[int, str] = {}
        self._heard: set[int] = set()

    def of(self, job: Job) -> Diagnosis | None:
        """What is known of a job's failure; ``None`` where there is none, or nobody has looked yet."""
        return self._known.get(job.entry) if needs_one(job) else None

    def words(self, job: Job) -> str:
        """The job's verdict in one line: what its output means, else what the command said, as far as that is known, else how
        it ended."""
        diagnosis = self.of(job)
        return (headline(diagnosis) if diagnosis is not None else "") or self._said.get(job.entry) or job.summary

    async def learn(self, jobs: Sequence[Job]) -> AsyncIterator[Job]:
        """Hear those that ended and explain those that failed, and give each when it is. Raises :class:`ConfigError` where
        rules cannot be read; an output that cannot is left out."""
        ended = [job for job in jobs if job.service is ServicePlane.ANSWERED and job.entry not in self._heard]
        if ended:
            with suppress(Refused):
                self._said |= await self._services.jobs.said(ended)
            self._heard |= {job.entry for job in ended}
            yield ended[0]
        failed = [job for job in jobs if needs_one(job) and job.entry not in self._known]
        for job in failed[:AT_MOST]:
            try:
                await self.explain(job)
            except ConfigError:
                raise
            except (ConsoleError, TimeoutError):
                continue  # its exit code is told all the same
            yield job

    async def explain(self, job: Job) -> None:
        """Explain this one, reading its output where a list left it out."""
        if is_unread(job):
            job = await asyncio.wait_for(self._services.jobs.find(f"#{job.entry}"), READING_SECONDS)
        if not is_unread(job):
            explanation = await self._services.off_loop(partial(self._services.explain.job, job))
            self._known[job.entry] = explanation.diagnosis
