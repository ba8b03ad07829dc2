"""A TCP proxy that adds a fixed time to each round trip: ``python -m tests.bench.slow_wire PORT SECONDS``, prints its own port.

A process of its own, so that its work is not measured as that of whoever is measured.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import AbstractAsyncContextManager

from tests.bench.own_process import own_process

_CHUNK = 1 << 16


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """What is read goes out ``seconds`` later, as on a long line: bytes on their way do not wait for those before them."""
    loop = asyncio.get_running_loop()
    line: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def arrive() -> None:
        while True:
            due, chunk = await line.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not chunk:
                writer.close()
                return
            writer.write(chunk)
            await writer.drain()

    arriving = asyncio.create_task(arrive())
    try:
        while chunk := await reader.read(_CHUNK):
            line.put_nowait((loop.time() + seconds, chunk))
    except ConnectionError:
        pass
    line.put_nowait((loop.time() + seconds, b""))
    await asyncio.gather(arriving, return_exceptions=True)


async def serve(port: int, seconds: float) -> None:
    """Until the process ends. ``seconds`` are added to a round trip, half of them each way."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(_carry(reader, far_writer, seconds / 2), _carry(far_reader, writer, seconds / 2))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - whoever started it reads this
    async with server:
        await server.serve_forever()


def slow_wire(port: int, seconds: float) -> AbstractAsyncContextManager[int]:
    """The port that leads to ``port`` of this machine, with ``seconds`` more for each round trip."""
    return own_process("tests.bench.slow_wire", str(port), str(seconds))


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2])))
