"""uvicorn's HTTP with doors: a limit on connections, an end of patience, and problem documents where it had plain text."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any, cast
from uuid import uuid4

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from kumoss_console.model.contract import Problem
from kumoss_console.sidecar.doors import Doors
from kumoss_console.sidecar.problems import MEDIA_TYPE

_log = logging.getLogger(__name__)

_MALFORMED = Problem(title="The request is no HTTP that this service reads", status=HTTPStatus.BAD_REQUEST.value)
# Whoever is still sending is cut off only then: a connection that is closed in its face takes the answer with it. Seconds.
_LINGERING = 1.0
_FULL = Problem(title="All connections are taken: try again", status=HTTPStatus.SERVICE_UNAVAILABLE.value)


class GuardedProtocol(H11Protocol):
    """One connection. Its doors are those of the service; see :func:`guarded_by`."""

    doors: Doors
    _is_done = False
    """The last word was said: what still arrives is read, so that the other side hears it, and means nothing."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if not self.doors.enter(self):
            self._last_word(_FULL)
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self.doors.exit(self)
        super().connection_lost(exc)

    def leave(self) -> None:
        """Close: there is no request to be answered."""
        self.transport.close()

    def data_received(self, data: bytes) -> None:
        if not self._is_done:
            super().data_received(data)

    def handle_events(self) -> None:
        if not self._is_done:
            super().handle_events()
            self._turn()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._turn()

    def _turn(self) -> None:
        self.doors.turn(self, busy=self._open_request() is not None)

    def _open_request(self) -> RequestResponseCycle | None:
        """The request that is read or answered; uvicorn has ``None`` where there never was one."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return None if cycle is None or cycle.response_complete else cycle

    def send_400_response(self, msg: str) -> None:
        """For bytes that are no request, also in the middle of a body."""
        if cycle := self._open_request():
            # Whoever reads the body hears that there is nobody any more, and its answer goes nowhere.
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        self._last_word(_MALFORMED)
        self.transport.write_eof()
        self.loop.call_later(_LINGERING, self.transport.close)

    def _last_word(self, problem: Problem) -> None:
        request_id = uuid4().hex
        body = msgspec.json.encode(problem)
        phrase = HTTPStatus(problem.status).phrase
        head = (
            f"HTTP/1.1 {problem.status} {phrase}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
            f"x-request-id: {request_id}\r\nconnection: close\r\n\r\n"
        )
        self._is_done = True
        self.transport.write(head.encode() + body)
        if problem is _MALFORMED:
            _log.info("bytes that are no HTTP: %d [request %s]", problem.status, request_id)


def guarded_by(doors: Doors) -> type[GuardedProtocol]:
    """The protocol of connections that go through ``doors``."""

    class Guarded(GuardedProtocol):
        """Of one service."""

    Guarded.doors = doors
    return Guarded
