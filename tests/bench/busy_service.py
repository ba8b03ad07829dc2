"""An IaC service for measuring: any job asked for is running. A process of its own, so that its cost is not ours."""

from __future__ import annotations

import asyncio
import json

MEASURES = False

DOCUMENT = {
    "kind": "plan",
    "status": "running",
    "created_at": "2026-01-02T03:04:05Z",
    "started_at": "2026-01-02T03:04:06Z",
    "finished_at": None,
    "result": None,
    "error": None,
}


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            asked = await reader.readuntil(b"\r\n\r\n")
            job_id = asked.split(b" ", 2)[1].rpartition(b"/")[2].decode()
            body = json.dumps({"job_id": job_id} | DOCUMENT).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - how the port is told
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
