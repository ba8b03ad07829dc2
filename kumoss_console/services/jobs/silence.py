"""Since when, and why, the IaC service has not told us about jobs. The journal keeps since when: all consoles say the same."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from kumoss_console.errors import BadAnswer, Refused, ServiceError
from kumoss_console.model.job import Job, with_silence
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal

TOLD_EVERY = timedelta(seconds=10)
"""How often the other consoles are told of a service that answers all the time."""


_ELSEWHERE = "another console here got no answer from the service"
_NONSENSE_ELSEWHERE = "another console here got no usable answer about it"


@dataclass(frozen=True, slots=True)
class _Since:
    since: datetime
    reason: str


class Silences:
    """One outage of the service, and the jobs about which it answers nonsense: that says nothing of the others."""

    def __init__(self, context: str, journal: JobJournal, clock: Clock) -> None:
        self._context = context
        self._journal = journal
        self._clock = clock
        self._told_others: datetime | None = None
        self._outage: _Since | None = None
        self.error: ServiceError | None = None
        """Why the service's last answer about anything was none."""
        self.last_answer: datetime | None = None
        self._nonsense: dict[str, _Since] = {}
        self._shared: Mapping[str, datetime] = {}

    @property
    def outage(self) -> bool:
        """Whether the service's last answer about anything was none."""
        return self._outage is not None

    async def answered(self, job_id: str) -> None:
        now = self._clock()
        over = self._outage is not None or job_id in self._nonsense or bool(self._shared.keys() & {"", job_id})
        self._shared = {about: since for about, since in self._shared.items() if about not in {"", job_id}}
        self._outage = self.error = None
        self.last_answer = now
        self._nonsense.pop(job_id, None)
        if over or self._told_others is None or now - self._told_others >= TOLD_EVERY:
            self._told_others = now
            # What the service said matters more than that we could not write down that it speaks.
            with suppress(Refused):
                await self._journal.answered(self._context, job_id)

    async def accepted(self) -> None:
        """The service took a job: whoever asks in vain from now on does so since now."""
        self._shared = {about: since for about, since in self._shared.items() if about}
        with suppress(Refused):
            await self._journal.answered(self._context, "")

    @property
    def shared(self) -> bool:
        """Whether any console was known to have asked in vain when :meth:`learn` last looked."""
        return bool(self._shared)

    async def learn(self) -> bool:
        """Read what all consoles have met. Whether that is other than before."""
        before = self._shared
        with suppress(Refused):
            self._shared = await self._journal.silences(self._context)
        return self._shared != before

    async def failed(self, job_id: str, error: ServiceError) -> None:
        """The beginning of a silence stays, whichever console met it; its reason is the latest."""
        nonsense = isinstance(error, BadAnswer)
        known = self._nonsense.get(job_id) if nonsense else self._outage
        now = self._clock()
        # Known at once, also where the journal takes a while or whoever asked has no more patience.
        self._keep(job_id, error, known.since if known else now)
        with suppress(Refused):
            self._keep(job_id, error, await self._journal.silent(self._context, job_id if nonsense else "", now))

    def _keep(self, job_id: str, error: ServiceError, since: datetime) -> None:
        if isinstance(error, BadAnswer):
            self._nonsense[job_id] = _Since(since, error.title)
        else:
            self.error = error
            self._outage = _Since(since, error.title)

    def told(self, job: Job) -> Job:
        """``job`` as *unknown* where it has not ended and the service cannot be asked about it."""
        if job.service.final or job.job_id is None:
            return job
        silence = self._nonsense.get(job.job_id) or self._outage or self._elsewhere(job.job_id)
        return with_silence(job, silence.since, silence.reason) if silence else job

    def _elsewhere(self, job_id: str) -> _Since | None:
        if (since := self._shared.get("")) is not None:
            return _Since(since, _ELSEWHERE)
        since = self._shared.get(job_id)
        return _Since(since, _NONSENSE_ELSEWHERE) if since is not None else None
