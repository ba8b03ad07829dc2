"""HTTP/1.1 as plainly as it goes: a thousand clients in one process must cost less than the service that they measure."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

MEASURES = False


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection that is kept; one request at a time."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, port: int) -> Connection:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def ask(self, method: bytes, path: bytes, body: bytes = b"") -> tuple[bytes, bytes]:
        """Head and body of an answer that must be a good one and must say its length."""
        head = b"%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        self.writer.write(head % (method, path, len(body)) + body)
        answered = await self.reader.readuntil(b"\r\n\r\n")
        assert answered.startswith(b"HTTP/1.1 20"), answered
        length = int(answered.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        return answered, await self.reader.readexactly(length)

    def close(self) -> None:
        self.writer.close()
