"""A way to the emulator on which something happens in between: another run comes, or an answer is another one, or none."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qs, urlsplit

from kumoss_console.model.storage import StorageSettings
from tests.azurite import ACCOUNT, RealContainer
from tests.fakes.scripted_service import Exchange, Move, Seen, head, scripted_service

_OF_THE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


def doing(request: Seen) -> str:
    """``release``, ``break``, ``metadata``, ``list`` and so on; ``whose`` for a look under the id of a lease; or the method."""
    if request.method == "HEAD" and "x-ms-lease-id" in request.headers:
        return "whose"
    asked = parse_qs(urlsplit(request.path).query)
    return request.headers.get("x-ms-lease-action") or asked.get("comp", [request.method])[0]


@dataclass
class Way:
    """``before`` happens before that is asked for the first time; ``instead`` is answered instead of the emulator's answer;
    ``after`` is answered after the emulator has done it. All are by what :func:`doing` calls a request, as ``asked`` is."""

    settings: StorageSettings
    behind: str
    before: Mapping[str, Callable[[], object]]
    instead: Mapping[str, Move]
    after: Mapping[str, Move]
    asked: list[str] = field(default_factory=list)

    async def move(self, exchange: Exchange) -> None:
        what = doing(exchange.request)
        first = what not in self.asked
        self.asked.append(what)
        if what in self.before and first:
            await asyncio.to_thread(self.before[what])
        if what in self.instead:
            return await self.instead[what](exchange)
        answer = await asyncio.to_thread(_passed_on, exchange.request, self.behind)
        if what in self.after:
            return await self.after[what](exchange)
        return await exchange.send(answer)


def _passed_on(request: Seen, behind: str) -> bytes:
    connection = http.client.HTTPConnection(behind, timeout=20)
    try:
        connection.putrequest(request.method, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            if name != "connection":
                connection.putheader(name, value)
        connection.endheaders(request.body)
        answer = connection.getresponse()
        body = answer.read()
        told = {name: value for name, value in answer.getheaders() if name.lower() not in _OF_THE_CONNECTION}
        size = answer.getheader("content-length", "0") if request.method == "HEAD" else str(len(body))
        return head(answer.status, {**told, "Content-Length": size}) + body
    finally:
        connection.close()


@asynccontextmanager
async def between(
    container: RealContainer,
    *,
    before: Mapping[str, Callable[[], object]] | None = None,
    instead: Mapping[str, Move] | None = None,
    after: Mapping[str, Move] | None = None,
) -> AsyncIterator[Way]:
    """The way, while the block lasts; its ``settings`` lead along it."""
    behind = urlsplit(container.azurite.url).netloc
    way = Way(container.settings, behind, before or {}, instead or {}, after or {})
    async with scripted_service(way.move) as service:
        way.settings = replace(container.settings, endpoint_url=f"{service.endpoint}/{ACCOUNT}", read_timeout=5.0)
        yield way
