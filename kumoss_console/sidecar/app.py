"""The ten paths of the IaC service as an ASGI application."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Protocol
from uuid import UUID

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.contract import REQUESTS, Accepted, JobResult, JobStatus, SubmitRequest
from kumoss_console.sidecar import problems
from kumoss_console.sidecar.auth import BearerGate
from kumoss_console.sidecar.jobs import JobRegistry, ShuttingDown
from kumoss_console.sidecar.operations import Operations
from kumoss_console.sidecar.problems import Refusal, unprocessable
from kumoss_console.sidecar.settings import SidecarSettings
from kumoss_console.sidecar.submission import build_request, parse_body, resolve_workspace, workspace_of

_UUID = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", re.IGNORECASE)

Endpoint = Callable[[Request], Awaitable[Response]]


class Performer(Protocol):
    """Whoever does the jobs: the engine, or a test's stand-in."""

    async def perform(self, request: SubmitRequest) -> JobResult: ...


def create_app(settings: SidecarSettings, *, jobs: JobRegistry | None = None, operations: Performer | None = None) -> Starlette:
    """The application; its lifespan ends the jobs of ``jobs`` when the service stops."""
    service = _Service(BearerGate(settings.token), jobs or JobRegistry(ttl=settings.job_ttl), operations or Operations(settings))
    app = Starlette(
        routes=[
            Route("/healthz", _health, methods=["GET"]),
            *(Route(request.path, service.submission(request), methods=["POST"]) for request in REQUESTS),
            Route("/v1/jobs/{job_id}", service.job, methods=["GET"]),
        ],
        exception_handlers={
            Refusal: problems.on_expected,
            HTTPException: problems.on_expected,
            ClientDisconnect: problems.on_expected,
            Exception: problems.on_fault,
        },
        lifespan=service.lifespan,
    )
    # The contract knows ten paths; a path with a slash at its end is none of them, and a redirect is no problem document.
    app.router.redirect_slashes = False
    return app


async def _health(_: Request) -> Response:
    return _json({"status": "ok"})


def _json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(body), status, headers, media_type="application/json")


class _Service:
    def __init__(self, gate: BearerGate, jobs: JobRegistry, operations: Performer) -> None:
        self._gate = gate
        self._jobs = jobs
        self._operations = operations

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self._jobs.aclose()

    def submission(self, expected: type[SubmitRequest]) -> Endpoint:
        async def submit(http: Request) -> Response:
            document = parse_body(await http.body(), http.headers.get("content-type", ""))
            self._authorise(http)
            workspace = await run_blocking(resolve_workspace, workspace_of(document))
            request = build_request(document, expected)
            try:
                job_id = self._jobs.submit(expected.kind, workspace, lambda: self._operations.perform(request))
            except ShuttingDown:
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The service is shutting down and takes no more jobs") from None
            return _json(Accepted(job_id, JobStatus.QUEUED), 202, {"Location": f"/v1/jobs/{job_id}"})

        return submit

    async def job(self, http: Request) -> Response:
        self._authorise(http)
        text: str = http.path_params["job_id"]
        if not _UUID.fullmatch(text):
            raise unprocessable("job_id: not a UUID")
        document = self._jobs.get(UUID(text))
        if document is None:
            raise Refusal(HTTPStatus.NOT_FOUND, f"Unknown or expired job: {text}")
        return _json(document)

    def _authorise(self, http: Request) -> None:
        header = next((value for name, value in http.headers.raw if name == b"authorization"), None)
        if (refusal := self._gate.refusal(header)) is not None:
            raise Refusal(HTTPStatus.UNAUTHORIZED, refusal, challenge=True)
