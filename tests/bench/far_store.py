"""A store on machines of its own: ``python -m tests.bench.far_store PORT SECONDS``, prints its own port.

Store and clients share the cores here, and a client that asks for many things at the same time then waits for the store's
computing, as it would not where a service answers. So each answer of the store on ``PORT`` is taken twice, with nothing else
asked of it meanwhile, and kept with the lesser time it took. From then on the same question gets the same bytes after that
time and ``SECONDS`` of a round trip more, however many are asked at once. Who asks for one thing after another never shares a
core with the store's computing: they are measured at the store itself, which spares them what this process costs.

``GET /~asked`` tells how many questions had to be put to the store: where a measured run adds to that, it measured the store.

A process of its own, so that its work is not measured as that of whoever is measured. For GET and HEAD, without a body.
"""

from __future__ import annotations

import asyncio
import sys
import time
import urllib.request
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from tests.bench.own_process import own_process

ASKED = "/~asked"
_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class _Answer:
    raw: bytes
    seconds: float


class _FarStore:
    def __init__(self, port: int, seconds: float) -> None:
        self._port = port
        self._seconds = seconds
        self._known: dict[tuple[bytes, bytes], _Answer] = {}
        self._alone = asyncio.Lock()
        self._asked = 0

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await _head(reader):
                if head.startswith(f"GET {ASKED} ".encode()):
                    told = str(self._asked).encode()
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(told), told))
                    continue
                answer = await self._answer(head)
                await asyncio.sleep(answer.seconds + self._seconds)
                writer.write(answer.raw)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _answer(self, head: bytes) -> _Answer:
        question = head.partition(b"\r\n")[0], _field(head, b"range")
        known = self._known.get(question)
        if known is None:
            async with self._alone:
                self._asked += 1
                known = self._known[question] = min(
                    await self._ask(head), await self._ask(head), key=lambda answer: answer.seconds
                )
        return known

    async def _ask(self, head: bytes) -> _Answer:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=_LIMIT)
        try:
            began = time.perf_counter()
            writer.write(head)
            raw = await _head(reader)
            if not head.startswith(b"HEAD "):
                raw += await _body(reader, raw)
            return _Answer(raw, time.perf_counter() - began)
        finally:
            writer.close()


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""


async def _body(reader: asyncio.StreamReader, head: bytes) -> bytes:
    if _field(head, b"transfer-encoding") == b"chunked":
        body = b""
        while True:
            line = await reader.readuntil(b"\r\n")
            body += line + await reader.readexactly(int(line, 16) + 2)
            if line == b"0\r\n":
                return body
    return await reader.readexactly(int(_field(head, b"content-length") or b"0"))


def _field(head: bytes, name: bytes) -> bytes:
    for line in head.split(b"\r\n")[1:]:
        if line[: len(name) + 1].lower() == name + b":":
            return line[len(name) + 1 :].strip().lower()
    return b""


async def serve(port: int, seconds: float) -> None:
    """Until the process ends."""
    server = await asyncio.start_server(_FarStore(port, seconds).connected, "127.0.0.1", 0, limit=_LIMIT)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - whoever started it reads this
    async with server:
        await server.serve_forever()


def asked(port: int) -> int:
    """How many questions the far store at ``port`` had to put to the store itself."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{ASKED}") as answer:
        return int(answer.read())


def far_store(port: int, seconds: float) -> AbstractAsyncContextManager[int]:
    """The port of a store that answers as that on ``port`` of this machine does, ``seconds`` of a round trip away."""
    return own_process("tests.bench.far_store", str(port), str(seconds))


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))
