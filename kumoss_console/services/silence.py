"""Since when, and why, the IaC service has not told us about jobs. Kept in memory: the journal holds only what was learned."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kumoss_console.errors import BadAnswer, ServiceError
from kumoss_console.model.job import Job, with_silence
from kumoss_console.ports import Clock


@dataclass(frozen=True, slots=True)
class _Since:
    since: datetime
    reason: str


class Silences:
    """One outage of the service, and the jobs about which it answers nonsense: that says nothing of the others."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._outage: _Since | None = None
        self.error: ServiceError | None = None
        """Why the service's last answer about anything was none."""
        self.last_answer: datetime | None = None
        self._nonsense: dict[str, _Since] = {}

    @property
    def outage(self) -> bool:
        """Whether the service's last answer about anything was none."""
        return self._outage is not None

    def answered(self, job_id: str) -> None:
        self._outage = self.error = None
        self.last_answer = self._clock()
        self._nonsense.pop(job_id, None)

    def failed(self, job_id: str, error: ServiceError) -> None:
        """The beginning of a silence stays; its reason is the latest."""
        if isinstance(error, BadAnswer):
            known = self._nonsense.get(job_id)
            self._nonsense[job_id] = _Since(known.since if known else self._clock(), error.title)
        else:
            self.error = error
            self._outage = _Since(self._outage.since if self._outage else self._clock(), error.title)

    def told(self, job: Job) -> Job:
        """``job`` as *unknown* where it has not ended and the service cannot be asked about it."""
        if job.service.final or job.job_id is None:
            return job
        silence = self._nonsense.get(job.job_id) or self._outage
        return with_silence(job, silence.since, silence.reason) if silence else job
