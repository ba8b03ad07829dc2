"""The IaC service, and what may become of a request that is sent to it."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from kumoss_console.errors import ServiceError
from kumoss_console.model.contract import Accepted, JobDocument, SubmitRequest


class Busy(ServiceError):
    """The service answers and asks us to come back later. ``retry_after`` in seconds, ``None`` where it named no time."""

    default_code = "service.busy"

    def __init__(
        self, title: str, *, detail: str = "", hint: str = "", code: str | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(title, detail=detail, hint=hint, code=code)
        self.retry_after = retry_after


class SubmissionUnclear(ServiceError):
    """The request went out and may have been accepted: no answer came, or one that does not tell.

    Whoever catches it must not send again without a person's word. ``job_id`` is the id that the answer named, if any.
    """

    default_code = "sidecar.no_answer"
    may_have_been_accepted = True

    def __init__(
        self, title: str, *, detail: str = "", hint: str = "", code: str | None = None, job_id: UUID | None = None
    ) -> None:
        super().__init__(title, detail=detail, hint=hint, code=code)
        self.job_id = job_id


class Sidecar(Protocol):
    """The ten paths of the IaC service. Every call raises a :class:`~kumoss_console.errors.ServiceError` of its own kind."""

    @property
    def endpoint(self) -> str: ...

    async def health(self) -> float:
        """Seconds that ``GET /healthz`` took. Needs no token."""
        ...

    async def token_accepted(self) -> bool:
        """Whether the service takes our token, asked with a job id that cannot exist."""
        ...

    async def open_to_all(self) -> bool:
        """Whether the service answers the same question without any token."""
        ...

    async def submit(self, request: SubmitRequest) -> Accepted:
        """Send it once. :class:`SubmissionUnclear` where it may have been accepted; any other error says that it was not."""
        ...

    async def job(self, job_id: UUID) -> JobDocument:
        """The job's document; :class:`~kumoss_console.errors.NotFound` where the service has forgotten it."""
        ...

    async def aclose(self) -> None: ...
