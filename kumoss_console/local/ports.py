"""The eight ports of the object store: free ones, or those of the last run, so that kept configuration stays true."""

from __future__ import annotations

import json
import socket
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path

HOST = "127.0.0.1"
_FILE = "ports.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePorts:
    """One listener each. SeaweedFS derives gRPC ports by adding 10000 unless told otherwise, which may pass 65535."""

    master: int
    master_grpc: int
    volume: int
    volume_grpc: int
    filer: int
    filer_grpc: int
    s3: int
    s3_grpc: int

    @classmethod
    def free(cls) -> StorePorts:
        """Ports that nobody listens on now. Somebody may before we do: be ready to ask again."""
        with ExitStack() as held:
            numbers = []
            for _ in fields(cls):
                listener = held.enter_context(socket.socket())
                listener.bind((HOST, 0))
                numbers.append(listener.getsockname()[1])
        return cls(**dict(zip((field.name for field in fields(cls)), numbers, strict=True)))

    @classmethod
    def remembered(cls, folder: Path) -> StorePorts | None:
        """The ports of the last run in ``folder`` if all of them are free; ``None`` otherwise."""
        with suppress(OSError, ValueError, TypeError):
            ports = cls(**json.loads((folder / _FILE).read_text()))
            return ports if all(_is_free(port) for port in asdict(ports).values()) else None
        return None

    def remember(self, folder: Path) -> None:
        (folder / _FILE).write_text(json.dumps(asdict(self), indent=2) + "\n")

    def sockets(self) -> tuple[str, ...]:
        """Unix sockets that SeaweedFS makes in /tmp for its gRPC ports and does not remove."""
        grpc = {"master": self.master_grpc, "volume": self.volume_grpc, "filer": self.filer_grpc, "s3": self.s3_grpc}
        return tuple(f"/tmp/seaweedfs-{name}-grpc-{port}.sock" for name, port in grpc.items())  # noqa: S108 - where it puts them


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # Connections of the run before may still be in TIME_WAIT; SeaweedFS's own listeners do not mind them either.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except (OSError, OverflowError):
            return False
    return True
