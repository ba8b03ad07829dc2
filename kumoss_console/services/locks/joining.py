"""Locks joined with jobs: which one took a lock, and what that says of its age."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from kumoss_console.errors import ConsoleError
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.lock.holder import Reaches, Ties, holder, ran
from kumoss_console.model.lock.release import ReleaseCommand
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockSighting
from kumoss_console.services.locks.report import LockReport, stale_because
from kumoss_console.services.workspaces.places import Places

_JOBS = 500
"""Jobs of this context, and of all contexts, that a lock is looked for among."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownJobs:
    """What a lock is joined with: jobs of this context, and of others as far as their ``reaches`` go."""

    jobs: tuple[Job, ...] = ()
    places: Places = field(default_factory=dict)
    reaches: Reaches | None = None
    error: ConsoleError | None = None

    def ties(self, key: str) -> Ties:
        return Ties(key=key, places=self.places, reaches=self.reaches)


class LockJoin:
    """``commands`` are those that remove a lock, given the workspace that is bound to its state, empty where none is known."""

    def __init__(
        self,
        context: str,
        journal: Callable[[], JobJournal],
        places: Callable[[], Awaitable[Places]],
        reaches: Reaches | None,
        commands: Callable[[LockSighting, str], tuple[ReleaseCommand, ...]],
    ) -> None:
        self._context = context
        self._journal = journal
        self._places = places
        self._reaches = reaches
        self._commands = commands

    async def known(self, jobs: Iterable[Job] | None = None) -> KnownJobs:
        """What locks are joined with; of the journal where ``jobs`` are not at hand. Its being unreadable stops nothing here."""
        known = KnownJobs(places=await self._places(), reaches=self._reaches)
        if jobs is not None:
            return replace(known, jobs=tuple(jobs))
        try:
            # Those of others, too: a context may have been renamed, or two of them may have the same store.
            every = [*await self._journal().jobs(self._context, _JOBS), *await self._journal().jobs(None, _JOBS)]
        except ConsoleError as error:
            return replace(known, error=error)
        return replace(known, jobs=tuple({job.entry: job for job in every}.values()))

    async def joined(self, reports: Sequence[LockReport], known: KnownJobs, now: datetime) -> list[LockReport]:
        """Each with the job that took it, and with what that says of its age."""
        times = [at for report in reports for at in report.taken.times]
        whole = replace(known, jobs=tuple([await self._whole(job, times) for job in known.jobs]))
        return [self._with_job(report, whole, now) for report in reports]

    async def _whole(self, job: Job, times: Sequence[datetime]) -> Job:
        """With its output where that may name a lock: a command that failed, and ran when one was taken."""
        failed = job.service is ServicePlane.ANSWERED and job.exit_code not in {0, None} and job.output_bytes
        if not failed or not any(ran(job, at) for at in times):
            return job
        try:
            return await self._journal().by_entry(job.entry) or job
        except ConsoleError:
            return job

    def _with_job(self, report: LockReport, known: KnownJobs, now: datetime) -> LockReport:
        held = report.held
        tie = holder(known.jobs, held.lock, report.taken.times, known.ties(held.key))
        folder = tie.job.workspace if tie is not None and tie.certainty != "possible" else _folder(held.key, known.places)
        release = self._commands(report.sighting, folder) if report.sighting is not None else ()
        return replace(report, tie=tie, stale=stale_because(held, tie, now), release=release)


def _folder(key: str, places: Places) -> str:
    """A workspace that is bound to the state, empty where none can be seen from here."""
    return next((folder for folder, keys in places.items() if key in keys), "")
