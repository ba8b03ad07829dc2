"""What is done with every request: it gets an id that its answer and the log carry, and its body has a limit."""

from __future__ import annotations

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


async def body_of(http: Request, limit: int) -> bytes:
    """The body, which is not kept once it is larger than ``limit`` bytes. Raises :class:`Refusal` (400)."""
    chunks: list[bytes] = []
    size = 0
    declared = http.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)
    async for chunk in http.stream():
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
    return b"".join(chunks)


def _too_large(limit: int) -> Refusal:
    # The contract knows no 413: a body that is not read is one that could not be read.
    return Refusal(HTTPStatus.BAD_REQUEST, f"The body is larger than the {limit} bytes that this service reads")
