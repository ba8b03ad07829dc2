"""The ten paths of the IaC service as an ASGI application, and the document that describes them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Protocol
from urllib.parse import unquote
from uuid import UUID

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.contract import REQUESTS, Accepted, JobResult, JobStatus, ScopeResourceIdsRequest, SubmitRequest
from kumoss_console.sidecar import openapi, problems
from kumoss_console.sidecar.auth import BearerGate
from kumoss_console.sidecar.engine import why_gone
from kumoss_console.sidecar.jobs import JobRegistry, ShuttingDown, TooManyWaiting
from kumoss_console.sidecar.operations import Operations
from kumoss_console.sidecar.problems import Refusal, unprocessable
from kumoss_console.sidecar.requests import Bodies, RequestIds
from kumoss_console.sidecar.settings import SidecarSettings
from kumoss_console.sidecar.submission import build_request, parse_body, resolve_workspace, workspace_of
from kumoss_console.sidecar.variables import WAITING_LIMIT

_UUID = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})", re.IGNORECASE)

Endpoint = Callable[[Request], Awaitable[Response]]


class Performer(Protocol):
    """Whoever does the jobs: the engine, or a test's stand-in."""

    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult: ...


def create_app(
    settings: SidecarSettings,
    *,
    jobs: JobRegistry | None = None,
    operations: Performer | None = None,
    bodies: Bodies | None = None,
) -> Starlette:
    """The application; its lifespan ends the jobs of ``jobs`` when the service stops."""
    service = _Service(
        settings,
        jobs or registry(settings),
        operations or Operations(settings),
        bodies or Bodies(settings.request_limit),
    )
    app = Starlette(
        routes=[
            # Polls first: they are nearly all that is asked.
            _route("GET", "/v1/jobs/{job_id}", service.job),
            *(_route("POST", request.path, service.submission(request)) for request in REQUESTS),
            _route("GET", "/healthz", _health),
            _route("GET", "/openapi.json", _contract(openapi.DOCUMENT.read_bytes())),
        ],
        # The answer to a fault is made within the first, so that it and its line in the log carry the request's id.
        middleware=[Middleware(RequestIds), Middleware(ServerErrorMiddleware, handler=problems.on_fault)],
        exception_handlers={
            Refusal: problems.on_expected,
            HTTPException: problems.on_expected,
            ClientDisconnect: problems.on_expected,
        },
        lifespan=service.lifespan,
    )
    # The contract knows ten paths; a path with a slash at its end is none of them, and a redirect is no problem document.
    app.router.redirect_slashes = False
    return app


def _route(method: str, path: str, endpoint: Endpoint) -> Route:
    route = Route(path, endpoint)
    # Not HEAD, which comes along with GET: the contract has none.
    route.methods = {method}
    return route


def registry(settings: SidecarSettings) -> JobRegistry:
    """A registry of jobs as ``settings`` want it."""
    return JobRegistry(ttl=settings.job_ttl, running_limit=settings.running_limit, waiting_limit=settings.waiting_limit)


def _contract(document: bytes) -> Endpoint:
    async def contract(_: Request) -> Response:
        return Response(document, media_type="application/json")

    return contract


async def _health(_: Request) -> Response:
    return _json({"status": "ok"})


def _json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(body), status, headers, media_type="application/json")


class _Service:
    def __init__(self, settings: SidecarSettings, jobs: JobRegistry, operations: Performer, bodies: Bodies) -> None:
        self._settings = settings
        self._gate = BearerGate(settings.token_sha256)
        self._jobs = jobs
        self._operations = operations
        self._bodies = bodies

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await self._jobs.aclose()

    def submission(self, expected: type[SubmitRequest]) -> Endpoint:
        async def submit(http: Request) -> Response:
            body = await self._bodies.read(http)
            document = parse_body(body, http.headers.get("content-type", ""))
            self._authorise(http)
            workspace, gone = await run_blocking(self._look, workspace_of(document))
            request = build_request(document, expected)
            if gone is not None and expected is not ScopeResourceIdsRequest:
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, f"The engine cannot be run: {gone}")
            try:
                job_id = self._jobs.submit(expected.kind, workspace, lambda: self._operations.perform(request, workspace))
            except ShuttingDown:
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The service is shutting down and takes no more jobs") from None
            except TooManyWaiting:
                title = f"{self._settings.waiting_limit} jobs wait already: submit again when some have begun"
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, title, detail=f"The limit is {WAITING_LIMIT.name}.") from None
            return _json(Accepted(job_id, JobStatus.QUEUED), 202, {"Location": f"/v1/jobs/{job_id}"})

        return submit

    def _look(self, path: str) -> tuple[str, str | None]:
        """Both looks at the disk in one go: the workspace's true path, and why the engine cannot be run."""
        return resolve_workspace(path, self._settings.workspace_root), why_gone(self._settings.engine)

    async def job(self, http: Request) -> Response:
        self._authorise(http)
        text = unquote(http.path_params["job_id"])
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
