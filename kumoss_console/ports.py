"""What the services see of the outside world. Adapters satisfy these; tests bring fakes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from kumoss_console.model.contract import Accepted, JobDocument, SubmitRequest


class Clock(Protocol):
    """UTC wall time, aware."""

    def __call__(self) -> datetime: ...


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

    async def submit(self, request: SubmitRequest) -> Accepted: ...

    async def job(self, job_id: UUID) -> JobDocument:
        """The job's document; :class:`~kumoss_console.errors.NotFound` where the service has forgotten it."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInfo:
    """One object of a store. ``key`` is as the store has it: hostile until printed. ``size`` in bytes."""

    key: str
    size: int
    modified: datetime | None
    etag: str | None
    version_id: str | None = None


class ObjectStore(Protocol):
    """Reading a bucket or container. A missing object is :class:`~kumoss_console.errors.NotFound`, never an empty one."""

    @property
    def label(self) -> str:
        """Bucket and host in words, without secrets."""
        ...

    def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
        """The listing under ``prefix``, a page at a time, in key order within the prefix."""
        ...

    async def head(self, key: str) -> ObjectInfo: ...

    async def get(self, key: str) -> bytes: ...

    async def get_range(self, key: str, start: int, length: int) -> bytes:
        """At most ``length`` bytes from ``start``; fewer at the end of the object."""
        ...

    async def check(self) -> float:
        """Seconds that one cheap authorised request on the bucket took."""
        ...

    async def aclose(self) -> None: ...
