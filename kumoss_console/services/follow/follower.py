"""Every recorded job of a context followed to its end, by as many consoles as there are, with the load of one.

The journal is the meeting place: a console claims there which jobs it looks at, writes down what it saw, and reads what the
others wrote. So a subscriber sees every change whoever saw it, and a console that was killed is replaced by the next look of
another one, or by its own successor.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from kumoss_console.errors import ConsoleError, Refused, ServiceError
from kumoss_console.model.context import Context
from kumoss_console.model.freshness import periods
from kumoss_console.model.job import Job
from kumoss_console.model.journal import Claim
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.services.follow.lookouts import Lookouts
from kumoss_console.services.follow.patience import Patience
from kumoss_console.services.jobs.refresh import LAPSES
from kumoss_console.services.jobs.service import JobService, is_news

TURN = 0.25
"""Seconds between two turns: how late a subscriber may learn what the journal has."""

LONGEST_TURN = 2.0
"""Seconds for which a turn that came late makes up: a machine that slept does not ask about everything at once."""

LISTED = 1000
"""Newest jobs that a subscriber is given; those that have not ended are given beyond it."""

TIDY_EVERY = timedelta(minutes=5)
"""How long the journal may be beyond its limits while a console is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """All jobs at one moment, newest first, without their output.

    ``error`` is why the service, or the journal, could not be asked last, ``None`` while all is well. ``live`` counts the jobs
    that have not ended, ``asked`` says that each of them has been looked at since the following began.
    """

    jobs: tuple[Job, ...]
    at: datetime
    live: int
    asked: bool
    error: ConsoleError | None = None


class Follower:
    """Of one context. :meth:`run` does the work for as long as the console is open; :meth:`subscribe` sees it."""

    def __init__(
        self,
        context: Context,
        jobs: JobService,
        journal: JobJournal,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._context = context
        self._jobs = jobs
        self._journal = journal
        self._clock = clock
        self._sleep = sleep
        self._patience = Patience()
        self._lookouts = Lookouts(jobs.ask)
        self._rows: dict[int, Job] = {}
        self._looked: dict[int, datetime] = {}
        self._seen: dict[int, datetime] = {}
        self._revision: tuple[int, int] | None = None
        self._visible: frozenset[int] = frozenset()
        self._error: ConsoleError | None = None
        self._odd: frozenset[int] = frozenset()
        self._tidied: datetime | None = None
        self._turned: datetime | None = None
        self._latest: Followed | None = None
        self._news = asyncio.Condition()

    @property
    def latest(self) -> Followed | None:
        """What was last published, ``None`` before the first turn."""
        return self._latest

    def as_seen(self, job: Job) -> Job:
        """``job`` with the last time at which the service told of it, which alone is no news to a subscriber."""
        if job.service.final or job.seen is None:
            return job
        row = self._rows.get(job.entry)
        times = (job.seen, self._seen.get(job.entry), row.seen if row is not None else None)
        return replace(job, seen=max(time for time in times if time is not None))

    def show(self, entries: Collection[int]) -> None:
        """The jobs on the screen: they are kept fresher than the others. Replaces what was shown before."""
        self._visible = frozenset(entries)

    async def subscribe(self) -> AsyncIterator[Followed]:
        """What is known now, and again after each change. One who is slow misses what is in between, never the last."""
        seen: Followed | None = None
        while True:
            async with self._news:
                while self._latest is None or self._latest is seen:
                    await self._news.wait()
                seen = self._latest
            yield seen

    async def run(self) -> None:
        """Follow until cancelled. Nothing that goes wrong ends it: the service may come back, and so may the disk."""
        try:
            while True:
                await self._turn()
                await self._sleep(TURN)
        finally:
            await self._lookouts.aclose()

    async def _turn(self) -> None:
        now = self._clock()
        saved, released = self._harvest(now)
        granted: frozenset[int] = frozenset()
        try:
            wanted = self._wanted(now)
            if saved or released or wanted:
                granted = await self._journal.share(saved, released, wanted, now, LAPSES)
                self._looked |= {claim.entry: now for claim in wanted}
            changed = await self._read()
            # Who looks in our place may have met a silence.
            changed = await self._jobs.learn(anew=len(granted) < len(wanted)) or changed
            await self._tidy(now)
        except Refused as error:
            # What was seen and not written is seen again: a job's document stays for an hour.
            changed = self._error is not error
            self._error = error
        else:
            silence = (self._patience.error, self._patience.odd)
            changed = changed or silence != (self._error, self._odd)
            self._error, self._odd = silence
        asked = all(job.service.final or job.entry in self._looked for job in self._rows.values() if job.job_id)
        if changed or self._latest is None or asked is not self._latest.asked:
            await self._publish(now, asked=asked)
        # Last, so that each look starts from the row as it is now.
        for entry in granted & self._rows.keys():
            self._lookouts.send(self._rows[entry])

    def _harvest(self, now: datetime) -> tuple[list[Job], list[int]]:
        """What the looks that came back have seen: the rows worth writing, and all whose claim is over."""
        saved: list[Job] = []
        released: list[int] = []
        spoke = self._patience.error is None
        for before, outcome in self._lookouts.returned():
            released.append(before.entry)
            if isinstance(outcome, ServiceError):
                self._patience.failed(before.entry, outcome, now)
                continue
            self._patience.answered(before.entry)
            if outcome.seen is not None:
                self._seen[before.entry] = outcome.seen
            if is_news(before, outcome):
                saved.append(outcome)
        if spoke and self._patience.error is not None:
            saved += self._last_seen({job.entry for job in saved})
        return saved, released

    def _last_seen(self, saved: Collection[int]) -> list[Job]:
        """The other open rows as they were last seen, now that there are no looks any more: every console can say when it was."""
        rows = [job for job in self._rows.values() if job.job_id and not job.service.final and job.entry not in saved]
        return [seen for row in rows if (seen := self.as_seen(row)).seen != row.seen]

    def _wanted(self, now: datetime) -> list[Claim]:
        """The jobs whose news has become too old, the most overdue first, no more than can be looked at before the next turn."""
        open_jobs = [job for job in self._rows.values() if job.job_id and not job.service.final]
        period = periods(open_jobs, self._visible, now)
        due: list[tuple[float, int]] = []
        for job in open_jobs:
            if job.entry in self._lookouts.out or not self._patience.may_ask(job.entry, now):
                continue
            looked = self._looked.get(job.entry)
            late = (now - looked).total_seconds() / period[job.entry] if looked else float("inf")
            if late >= 1:
                due.append((late, job.entry))
        due.sort(reverse=True)
        room = self._patience.at_once(self._pace(period.values(), now))
        return [Claim(entry, period[entry]) for _, entry in due[: max(0, room - len(self._lookouts.out))]]

    def _pace(self, periods: Collection[float], now: datetime) -> int:
        """Looks for one turn. A little more than needed, so that the looks of a thousand jobs spread over their period."""
        since = (now - self._turned).total_seconds() if self._turned else TURN
        self._turned = now
        return 8 + int(sum(1 / period for period in periods) * min(max(since, TURN), LONGEST_TURN) * 1.3)

    async def _read(self) -> bool:
        """Take in what any console has written. Whether a subscriber should know."""
        news = await self._journal.changes(self._context.name, self._revision, LISTED)
        self._revision = news.revision
        before = self._rows
        rows = {} if news.whole else dict(before)
        changed = news.whole
        for job in news.jobs:
            known = before.get(job.entry)
            rows[job.entry] = job
            changed = changed or known is None or replace(known, seen=job.seen) != job
        if news.jobs or news.whole:
            self._rows = rows
            self._looked = {entry: at for entry, at in self._looked.items() if entry in rows}
            self._seen = {entry: at for entry, at in self._seen.items() if entry in rows and not rows[entry].service.final}
        return changed

    async def _tidy(self, now: datetime) -> None:
        if self._tidied is None or now - self._tidied >= TIDY_EVERY:
            self._tidied = now
            await self._journal.prune(now)

    async def _publish(self, now: datetime, *, asked: bool) -> None:
        newest = sorted(self._rows.values(), key=lambda job: job.entry, reverse=True)
        rows = [*newest[:LISTED], *(job for job in newest[LISTED:] if not job.service.final)]
        live = sum(1 for job in rows if job.job_id and not job.service.final)
        followed = Followed(jobs=self._jobs.told(map(self.as_seen, rows)), at=now, live=live, asked=asked, error=self._error)
        async with self._news:
            self._latest = followed
            self._news.notify_all()
