"""What stands in the way of removing a lock: jobs that may hold it, and a journal that may have known such a job."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from kumoss_console.errors import Refused, ServiceError
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.journal import SetAside
from kumoss_console.model.lock.holder import Reach, blockers, given_up
from kumoss_console.model.moment import iso
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockSighting
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.locks.report import taken_of
from kumoss_console.services.locks.service import LockService
from kumoss_console.text import printable

DAY = timedelta(hours=24)
"""How long after a journal was found damaged a job that only it knew may be at work, in line behind others; and how long a
submission without an answer counts as one that may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What a person typed to override: ``jobs`` by their ids, ``journals`` by the name of the file or its path."""

    jobs: Collection[str] = ()
    journals: Collection[str] = ()

    def strange(self, found: Collection[Obstacles]) -> tuple[str, ...]:
        """Those that name nothing of ``found``, printable, each with its kind."""
        jobs = {job_name(job) for one in found for job in one.jobs}
        journals = {name for one in found for journal in one.journals for name in _spellings(journal)}
        return (
            *(f"job {printable(name)}" for name in self.jobs if name not in jobs),
            *(f"damaged journal {printable(name)}" for name in self.journals if name not in journals),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacles:
    """``jobs`` may be at work and may hold the lock; ``journals`` were set aside as damaged, and may have known one that does.
    ``context`` is where the lock is to be removed, ``configured`` are the names of all contexts that there are; ``given_up``
    jobs do not stand in the way any more, since nobody will ever tell their end."""

    context: str
    configured: frozenset[str] = frozenset()
    jobs: tuple[Job, ...] = ()
    journals: tuple[SetAside, ...] = ()
    given_up: tuple[Job, ...] = ()

    @property
    def caveats(self) -> tuple[str, ...]:
        """A sentence for each job that was given up, printable."""
        return tuple(_given_up(job, self.context) for job in self.given_up)

    @property
    def names(self) -> tuple[str, ...]:
        """What is typed to override each."""
        return (*map(job_name, self.jobs), *(journal.name for journal in self.journals))

    @property
    def words(self) -> tuple[str, ...]:
        """A sentence for each, printable."""
        jobs = (f"{in_words(job, self.context)}, and may be the one that holds it" for job in self.jobs)
        return (*jobs, *map(_set_aside, self.journals))

    def without(self, named: Overrides) -> Obstacles:
        """Those that were not named to override, a job as a job and a journal as a journal."""
        jobs = tuple(job for job in self.jobs if job_name(job) not in named.jobs)
        journals = tuple(one for one in self.journals if not _spellings(one) & set(named.journals))
        return replace(self, jobs=jobs, journals=journals)

    def refusal(self, key: str, strange: Collection[str] = ()) -> Refused:
        """Why the lock on ``key`` stays, and how to override. ``strange`` was named, and names nothing that is in the way."""
        options = [f"--despite-running-job {shlex.quote(job_name(job))}" for job in self.jobs]
        options += [f"--despite-damaged-journal {shlex.quote(one.name)}" for one in self.journals]
        lost = all(job.service is ServicePlane.LOST for job in self.jobs)
        ways = [_LOOK_FIRST if not self.jobs else _LOOK_AT_THE_SIDECAR if lost else _WAIT]
        others = dict.fromkeys(job.context for job in self.jobs if job.context != self.context)
        ways += [
            f"jobs list --context {shlex.quote(name)} asks what became of its job"
            if name in self.configured
            else f"of context {printable(name)} there is no configuration any more, so nobody can ask about its job"
            for name in others
        ]
        return Refused(
            f"{printable(key)} may be locked by a job that "
            + ("has not ended as far as is known" if self.jobs else "only a damaged journal knew")
            + ": nothing was removed",
            detail="; ".join((*self.words, *(_in_nobodys_way(name) for name in strange))),
            hint=f"{'; '.join((*ways[1:], ways[0]))}, name it: {' '.join(options)}",
            code="lock.job_running" if self.jobs else "lock.journal_damaged",
        )


_WAIT = "wait for it; to remove the lock of a job that is known to be dead"
_LOOK_AT_THE_SIDECAR = "see where the sidecar runs whether the command is at work; to remove the lock of a job that is dead"
_LOOK_FIRST = "see at the sidecar and in jobs list that nobody is at work; to remove the lock in spite of the damaged journal"


class ObstacleLook:
    """``patience`` is the longest that a job of any configured context is waited for."""

    def __init__(
        self,
        locks: LockService,
        jobs: JobService,
        journal: Callable[[], JobJournal],
        clock: Clock,
        *,
        context: str,
        patience: timedelta,
    ) -> None:
        self._locks = locks
        self._jobs = jobs
        self._journal = journal
        self._clock = clock
        self._context = context
        self._patience = patience

    async def before(self, seen: LockSighting) -> Obstacles:
        """What there is before that lock is removed, jobs of every context among it. Asks the sidecar where it answers."""
        journal = self._journal()
        now = self._clock()
        # First of all: a damaged journal shows when it is opened, and what it knew is then not among the jobs.
        asides = tuple(one for one in await journal.aside() if now - one.at < DAY)
        newest = await self._jobs.refresh()
        # A job that has not ended may be older than the newest ones; one without an id is not among the unfinished.
        every = {job.entry: job for job in (*await journal.at_work(now - max(DAY, self._patience)), *newest)}
        known = await self._locks.known(every.values())
        lock, times = seen.document.lock, taken_of(seen).times
        ties = replace(known.ties(seen.key), named=lock.path.partition("/")[2] if lock is not None else "")
        suspects = blockers(known.jobs, lock, times, ties, now=now, patience=self._patience)
        if known.reaches is not None:
            told = [await self._told(job, known.reaches.get(job.context, Reach())) for job in suspects]
            suspects = blockers(told, lock, times, ties, now=now, patience=self._patience)
        return Obstacles(
            context=self._context,
            configured=frozenset(known.reaches or ()),
            jobs=suspects,
            journals=asides,
            given_up=given_up(known.jobs, lock, times, ties, now=now, patience=self._patience),
        )

    async def _told(self, job: Job, reach: Reach) -> Job:
        """A job as its service tells of it now, where that is ours and has not been asked just now: one of another context, at
        which nobody may have looked for long, and a lost one, which the service may know all the same."""
        lost = job.service is ServicePlane.LOST
        if job.job_id is None or not reach.here or self._jobs.outage or (job.context == self._context and not lost):
            return job
        try:
            told = await self._jobs.ask(job)
        except ServiceError:
            return job
        if lost and told.service is ServicePlane.LOST:
            return job
        await self._journal().save(told)
        # Another console may have seen the end in the meantime; then that is what is true.
        return await self._journal().by_entry(job.entry) or told


def job_name(job: Job) -> str:
    """How a job is named on the command line."""
    return job.job_id or f"#{job.entry}"


def in_words(job: Job, context: str) -> str:
    """``apply 7f3a… on /workspaces/net is running``; with its context where that is another one."""
    kind = job.kind.value if job.kind else "job"
    other = f" (context {printable(job.context)})" if job.context != context else ""
    name = f"{kind} {job_name(job)} on {printable(job.workspace) or 'an unknown workspace'}{other}"
    if job.service is ServicePlane.LOST and job.seen is not None:
        seen = iso(job.seen.replace(microsecond=0))
        return f"{name} is not known to its sidecar any more, and its command may be running still: it was last seen at {seen}"
    return f"{name} is {job.service}"


def not_in_the_way(key: str, strange: Collection[str]) -> Refused:
    """What was named to override is not there to be overridden: a slip, or it has ended since."""
    return Refused(
        f"what was named to override does not stand in the way of unlocking {printable(key)}: nothing was removed",
        detail="; ".join(map(_in_nobodys_way, strange)),
        hint="leave it out: nothing else stands in the way",
        code="lock.override_unknown",
    )


def _in_nobodys_way(name: str) -> str:
    return f"no {name} stands in the way (any more)"


def _spellings(journal: SetAside) -> set[str]:
    return {journal.name, journal.file, printable(journal.file)}


def _given_up(job: Job, context: str) -> str:
    seen = iso((job.seen or job.submitted).replace(microsecond=0))
    return (
        f"{in_words(job, context)} as far as is known, and was last seen at {seen}; its context is not configured any more, "
        "so that nobody can ask about it: it was not waited for"
    )


def _set_aside(journal: SetAside) -> str:
    where = f"set aside at {iso(journal.at)} as {printable(journal.file)}"
    return f"the job journal was damaged and {where}: a job that only it knew may hold the lock"
