"""A real HTTP server on loopback that answers exactly as a test scripts it, broken answers included."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Move = Callable[["Exchange"], Awaitable[None]]
"""What the service does with one request."""


@dataclass(frozen=True)
class Seen:
    """One request as it arrived. Header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Exchange:
    """One request and the wire on which the answer goes out."""

    request: Seen
    writer: asyncio.StreamWriter
    released: asyncio.Event

    async def send(self, raw: bytes) -> None:
        self.writer.write(raw)
        await self.writer.drain()


def head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def raw_answer(status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Move:
    """Any status, any body; nothing is added but the length."""

    async def move(exchange: Exchange) -> None:
        await exchange.send(head(status, {"Content-Length": str(len(body)), **(headers or {})}) + body)

    return move


def answer(status: int, document: object, headers: Mapping[str, str] | None = None) -> Move:
    """A JSON document."""
    return raw_answer(status, json.dumps(document).encode(), {"Content-Type": "application/json", **(headers or {})})


def problem(status: int, title: str, detail: str | None = None, headers: Mapping[str, str] | None = None) -> Move:
    """A problem document, null members dropped as the reference does."""
    document = {"type": "about:blank", "title": title, "status": status} | ({"detail": detail} if detail else {})
    return answer(status, document, {"Content-Type": "application/problem+json", **(headers or {})})


def truncated(status: int, body: bytes, headers: Mapping[str, str] | None = None, *, missing: int = 100) -> Move:
    """The connection closes ``missing`` bytes before the promised end."""

    async def move(exchange: Exchange) -> None:
        promised = {"Content-Type": "application/json", "Content-Length": str(len(body) + missing), **(headers or {})}
        await exchange.send(head(status, promised) + body)
        exchange.writer.close()

    return move


async def hang(exchange: Exchange) -> None:
    """Read the request and say nothing, until the service ends."""
    await exchange.released.wait()


async def hang_up(exchange: Exchange) -> None:
    """Read the request and close."""
    exchange.writer.close()


async def reset(exchange: Exchange) -> None:
    """Read the request and reset the connection, as a process that was killed does."""
    raw: socket.socket = exchange.writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.writer.transport.abort()


def drip(status: int, document: object, *, after: int = 0, pause: float = 0.02, headers: Mapping[str, str] | None = None) -> Move:
    """The whole answer, a byte at a time from byte ``after`` of the wire on: each read succeeds, the answer never ends."""
    body = json.dumps(document).encode()
    wire = head(status, {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}) + body

    async def move(exchange: Exchange) -> None:
        await exchange.send(wire[:after])
        for position in range(after, len(wire)):
            if exchange.released.is_set() or exchange.writer.is_closing():
                return
            await exchange.send(wire[position : position + 1])
            await asyncio.sleep(pause)

    return move


def reset_mid_body(status: int, body: bytes, headers: Mapping[str, str] | None = None) -> Move:
    """Half an answer, then the reset of a killed process."""

    async def move(exchange: Exchange) -> None:
        promised = {"Content-Type": "application/json", "Content-Length": str(len(body) + 100), **(headers or {})}
        await exchange.send(head(status, promised) + body)
        await reset(exchange)

    return move


def speak(raw: bytes) -> Move:
    """Something that is not HTTP, then the end."""

    async def move(exchange: Exchange) -> None:
        await exchange.send(raw)
        exchange.writer.close()

    return move


@dataclass
class ScriptedService:
    """Plays its moves in order, one per request; the last one stays for all requests after it. ``seen`` tells what came."""

    moves: list[Move]
    port: int = 0
    seen: list[Seen] = field(default_factory=list)
    connections: int = 0
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)
    _serving: set[asyncio.Task[None]] = field(default_factory=set)
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def script(self, *moves: Move) -> None:
        self.moves = list(moves)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            while (request := await _read(reader, writer)) is not None:
                self.seen.append(request)
                move = self.moves.pop(0) if len(self.moves) > 1 else self.moves[0]
                await move(Exchange(request, writer, self._released))
                if writer.is_closing():
                    break
        except ConnectionError:
            pass  # the client went away, which is one of the things tests do
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Seen | None:
    first_byte = await reader.read(1)
    if first_byte == b"\x16":
        # The greeting of TLS. Servers of plain HTTP answer it like this.
        writer.write(head(400, {"Connection": "close"}))
        return None
    try:
        raw = (first_byte + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = raw.rstrip("\r\n").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("expect", "").lower() == "100-continue":
        # botocore waits a second for this before it sends the body.
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    method, path, _ = first.split(" ", 2)
    return Seen(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


@asynccontextmanager
async def scripted_service(*moves: Move) -> AsyncIterator[ScriptedService]:
    """The service on a free port of loopback, gone when the block ends."""
    service = ScriptedService(list(moves))
    server = await asyncio.start_server(service._connected, "127.0.0.1", 0)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        service._released.set()
        server.close()
        for writer in service._writers:
            writer.close()
        await asyncio.gather(*service._serving)
        await server.wait_closed()


def closed_port() -> int:
    """A port of loopback on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
