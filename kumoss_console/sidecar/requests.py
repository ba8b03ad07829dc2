"""What is done with every request: it gets an id that its answer and the log carry, and its body has a limit."""

from __future__ import annotations

import asyncio
import logging
import re
from http import HTTPStatus
from time import perf_counter
from uuid import uuid4

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kumoss_console.sidecar.logs import REQUEST_ID
from kumoss_console.sidecar.problems import Refusal
from kumoss_console.text import printable

HEADER = b"x-request-id"
# What others put into a log line and a header of ours: nothing that ends either.
_ACCEPTABLE = re.compile(rb"[A-Za-z0-9._:-]{1,128}")
BODY_SECONDS = 30.0
"""How long a body may take."""
_log = logging.getLogger(__name__)


class RequestIds:
    """Takes the caller's ``X-Request-ID`` where it is one, else makes one. Logs how each request was answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        # Routes are matched on what was sent: an escaped slash is none, and an escaped line feed no end of a path.
        if raw := scope.get("raw_path"):
            scope["path"] = raw.decode("latin-1")
        request_id = given if _ACCEPTABLE.fullmatch(given) else uuid4().hex.encode()
        began = perf_counter()
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (HEADER, request_id)]
            await send(message)

        token = REQUEST_ID.set(request_id.decode())
        try:
            await self._app(scope, receive, answer)
        finally:
            # Polls that find their job are the bulk of all requests, and say nothing.
            level = logging.DEBUG if scope["method"] == "GET" and status == HTTPStatus.OK else logging.INFO
            if _log.isEnabledFor(level):
                path = printable(scope["path"])
                _log.log(level, "%s %s: %d after %.1f ms", scope["method"], path, status, (perf_counter() - began) * 1000)
            REQUEST_ID.reset(token)


class Bodies:
    """Reads the bodies of requests, as far as they have a right to be waited for."""

    def __init__(self, limit: int, seconds: float = BODY_SECONDS) -> None:
        self._limit = limit
        self._seconds = seconds
        self._reading: set[asyncio.Timeout] = set()
        self._given_up = False

    async def read(self, http: Request) -> bytes:
        """The body, which is not kept once it is larger than the limit. Raises :class:`Refusal` (400, 503)."""
        declared = http.headers.get("content-length", "")
        if declared.isdecimal() and int(declared[:20]) > self._limit:
            raise self._too_large()
        try:
            async with asyncio.timeout(0 if self._given_up else self._seconds) as patience:
                self._reading.add(patience)
                try:
                    return await self._whole(http)
                finally:
                    self._reading.discard(patience)
        except TimeoutError:
            if self._given_up:
                title = "The service is shutting down and reads no more"
                raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, title, hangs_up=True) from None
            title = f"The body was not there after {self._seconds:g} seconds"
            raise Refusal(HTTPStatus.BAD_REQUEST, title, hangs_up=True) from None

    async def _whole(self, http: Request) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in http.stream():
            size += len(chunk)
            if size > self._limit:
                raise self._too_large()
            chunks.append(chunk)
        return b"".join(chunks)

    def give_up(self) -> None:
        """Wait for no body any more: the service stops."""
        self._given_up = True
        for patience in self._reading:
            patience.reschedule(0)

    def _too_large(self) -> Refusal:
        # The contract knows no 413: a body that is not read is one that could not be read.
        return Refusal(HTTPStatus.BAD_REQUEST, f"The body is larger than the {self._limit} bytes that this service reads")
