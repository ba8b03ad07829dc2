"""An IaC service in memory, as the console sees it through its port."""

from __future__ import annotations

import random
from datetime import datetime
from uuid import UUID

import msgspec

from kumoss_console.errors import ConsoleError, NotFound
from kumoss_console.model.contract import Accepted, JobDocument, JobKind, JobResult, JobStatus, Problem, SubmitRequest
from tests.fakes.clock import FakeClock
from tests.fakes.gate import Gate


class FakeSidecar:
    """Satisfies :class:`kumoss_console.ports.sidecar.Sidecar`.

    Jobs stay queued until a test moves them: :meth:`start`, :meth:`answer`, :meth:`fault`, :meth:`forget`. ``errors`` maps a
    method's name (``health``, ``token_accepted``, ``open_to_all``, ``submit``, ``job``) to what it raises; ``hang.shut()``
    makes every call wait. Ids are UUIDs from a fixed seed, the same in each run.
    """

    def __init__(self, clock: FakeClock | None = None, *, token_ok: bool = True) -> None:
        self.clock = clock or FakeClock()
        self.token_ok = token_ok
        self.open = False
        self.errors: dict[str, ConsoleError] = {}
        self.hang = Gate()
        self.documents: dict[UUID, JobDocument] = {}
        self.requests: list[SubmitRequest] = []
        self.calls: list[str] = []
        self.closed = False
        self._ids = random.Random(7)

    @property
    def endpoint(self) -> str:
        return "http://iac.test:8082"

    async def health(self) -> float:
        await self._called("health")
        return 0.004

    async def token_accepted(self) -> bool:
        await self._called("token_accepted")
        return self.token_ok

    async def open_to_all(self) -> bool:
        await self._called("open_to_all")
        return self.open

    async def submit(self, request: SubmitRequest) -> Accepted:
        await self._called("submit")
        self.requests.append(request)
        document = self.add(request.kind)
        return Accepted(job_id=document.job_id, status=document.status)

    async def job(self, job_id: UUID) -> JobDocument:
        await self._called("job")
        try:
            return self.documents[job_id]
        except KeyError:
            raise NotFound(f"the service does not know job {job_id}", code="sidecar.not_found") from None

    async def aclose(self) -> None:
        self.closed = True

    def add(self, kind: JobKind, *, job_id: UUID | None = None, created: datetime | None = None) -> JobDocument:
        """A queued job the service knows, as if somebody had submitted it."""
        return self._keep(
            JobDocument(
                job_id=job_id or UUID(int=self._ids.getrandbits(128), version=4),
                kind=kind,
                status=JobStatus.QUEUED,
                created_at=created or self.clock(),
                started_at=None,
                finished_at=None,
                result=None,
                error=None,
            )
        )

    def start(self, job_id: UUID) -> JobDocument:
        return self._change(job_id, status=JobStatus.RUNNING, started_at=self.clock())

    def answer(self, job_id: UUID, exit_code: int = 0, stdout: str = "", stderr: str = "") -> JobDocument:
        """The command ended, well or not; the service did its part."""
        result = JobResult(exit_code=exit_code, stdout=stdout, stderr=stderr)
        return self._end(job_id, status=JobStatus.SUCCEEDED, result=result)

    def fault(self, job_id: UUID, status: int = 500, title: str = "Internal Server Error", detail: str = "boom") -> JobDocument:
        """The service itself failed."""
        return self._end(job_id, status=JobStatus.FAILED, error=Problem(title=title, status=status, detail=detail))

    def forget(self, job_id: UUID | None = None) -> None:
        """One job expires, or with ``None`` the service restarts."""
        if job_id is None:
            self.documents.clear()
        else:
            del self.documents[job_id]

    def _end(self, job_id: UUID, **changes: object) -> JobDocument:
        started = self.documents[job_id].started_at or self.clock()
        return self._change(job_id, started_at=started, finished_at=self.clock(), **changes)

    def _change(self, job_id: UUID, **changes: object) -> JobDocument:
        return self._keep(msgspec.structs.replace(self.documents[job_id], **changes))

    def _keep(self, document: JobDocument) -> JobDocument:
        self.documents[document.job_id] = document
        return document

    async def _called(self, name: str) -> None:
        self.calls.append(name)
        await self.hang.passed()
        if error := self.errors.get(name):
            raise error
