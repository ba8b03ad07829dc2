"""A wire to a store on which each request takes longer: a program of its own, so that what is measured does not carry it.

``python slow_wire.py HOST PORT SECONDS`` prints the port it listens on and runs until it is killed. Requests are held back for
SECONDS, answers come at full speed.
"""

from __future__ import annotations

import asyncio
import sys

MEASURES = False


async def _there(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    while chunk := await reader.read(65536):
        await asyncio.sleep(seconds)
        writer.write(chunk)
        await writer.drain()


async def _back(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(1 << 20):
        writer.write(chunk)
        await writer.drain()


async def wire(host: str, port: int, seconds: float) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_connection(host, port)
        ways = [asyncio.create_task(_there(reader, requests, seconds)), asyncio.create_task(_back(answers, writer))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        requests.close()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - whoever started this waits for it
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(wire(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
