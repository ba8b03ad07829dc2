"""One request and its answer, read with a cap and a deadline. What was read before something broke is kept."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import httpx

from kumoss_console.clients.failures import Failure, failure, timed_out
from kumoss_console.clients.http import CONNECT_TIMEOUT

BODY_CAP = 256 * 2**20
"""Bytes of a job's document that are read: its output may be 100 MB, and JSON escapes make it longer."""

ERROR_BODY_CAP = 64 * 2**10
"""Bytes of an error's body: a problem document, of which we show a few lines."""

PACE = 64 * 2**10
"""Bytes a second below which a body counts as stalled. A body that drips resets each read's own timeout for ever."""


class NoAnswer(Exception):
    """No status line came. Stays inside ``clients``."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Answer:
    """``broken`` tells why ``body`` ends before its end, ``None`` where it is whole (or an error's, cut at its cap)."""

    status: int
    headers: httpx.Headers
    body: bytes
    broken: Failure | None = None

    @property
    def media_type(self) -> str:
        value: str = self.headers.get("content-type", "")
        return value.partition(";")[0].strip().lower()


async def exchange(
    client: httpx.AsyncClient, request: httpx.Request, auth: httpx.Auth | None, *, seconds: float, cap: int = BODY_CAP
) -> Answer:
    """Send ``request`` once and read what comes back. ``seconds`` until the headers are in. Raises :class:`NoAnswer`."""
    try:
        # The connection has its own deadline within httpx; this one is for headers that come a byte at a time.
        async with asyncio.timeout(seconds + min(CONNECT_TIMEOUT, seconds)):
            response = await client.send(request, auth=auth, stream=True)
    except TimeoutError:
        raise NoAnswer(timed_out(seconds)) from None
    except httpx.RequestError as error:
        raise NoAnswer(failure(error, seconds)) from None
    try:
        return await _read(response, seconds, cap)
    finally:
        await response.aclose()


async def _read(response: httpx.Response, seconds: float, cap: int) -> Answer:
    """The body, as far as it came. The deadline moves on with every byte received, by :data:`PACE`."""
    is_error = response.status_code >= 300
    limit = min(cap, ERROR_BODY_CAP) if is_error else cap
    body = bytearray()
    broken: Failure | None = None
    try:
        async with asyncio.timeout(seconds) as pace:
            began = asyncio.get_running_loop().time()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > limit:
                    del body[limit:]
                    broken = None if is_error else _too_large(limit)
                    break
                pace.reschedule(began + seconds + len(body) / PACE)
    except TimeoutError:
        broken = timed_out(seconds)
    except httpx.RequestError as error:
        broken = failure(error, seconds)
    return Answer(response.status_code, response.headers, bytes(body), broken)


def _too_large(limit: int) -> Failure:
    return Failure(
        "sidecar.answer_too_large",
        f"sent more than {limit:,} bytes, and we stopped reading there",
        "read the job's output where the service runs, or ask for less (targets)",
        sent=True,
    )
