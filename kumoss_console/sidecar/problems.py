"""Everything that is not an answer is a problem document (RFC 7807), also where no route matches."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from kumoss_console.model.contract import Problem
from kumoss_console.text import redact

MEDIA_TYPE = "application/problem+json"
_log = logging.getLogger(__name__)


class Refusal(Exception):
    """A request that ends here, with the problem document it is answered with."""

    def __init__(
        self, status: HTTPStatus, title: str, *, detail: str | None = None, challenge: bool = False, hangs_up: bool = False
    ) -> None:
        super().__init__(title)
        self.problem = Problem(title=title, status=status.value, detail=detail)
        self.headers: dict[str, str] = {}
        if challenge:
            self.headers["WWW-Authenticate"] = "Bearer"
        if hangs_up:
            self.headers["Connection"] = "close"


def unprocessable(detail: str) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "Request validation failed", detail=detail)


def respond(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(problem), problem.status, headers, media_type=MEDIA_TYPE)


async def on_expected(_: Request, error: Exception) -> Response:
    """A refusal of ours, a route or method that does not exist, or a client that left in the middle of its request."""
    match error:
        case Refusal():
            return respond(error.problem, error.headers)
        case HTTPException():
            # The framework's headers stay: ``Allow`` belongs to a 405.
            return respond(Problem(title=HTTPStatus(error.status_code).phrase, status=error.status_code), error.headers)
        case _:
            return respond(Problem(title="Client closed the request", status=HTTPStatus.BAD_REQUEST.value))


async def on_fault(_: Request, error: Exception) -> Response:
    _log.error("unhandled %s", type(error).__name__)
    return respond(Problem(title="Internal server error", status=500, detail=redact(str(error))))
