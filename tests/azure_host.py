"""The emulator under the very name of a storage account, over TLS: what an engine's azurerm backend insists on.

Engines and SDKs ask ``https://ACCOUNT.blob.core.windows.net``. A proxy on loopback leads that name to the emulator, which has a
certificate for it; both are told by the variables that every client of the kind reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from tests.azurite import ACCOUNT, Azurite, running_azurite

HOST = f"{ACCOUNT}.blob.core.windows.net"


@dataclass(frozen=True)
class AccountHost:
    """An emulator with a certificate for :data:`HOST`. ``url`` is the account's endpoint, as in a core's configuration."""

    azurite: Azurite
    certificate: Path
    url: str = f"https://{HOST}"


@contextmanager
def account_host(folder: Path) -> Iterator[AccountHost]:
    """The emulator, with a certificate that is made for it."""
    certificate, key = _certificate(folder)
    with running_azurite(folder, "--cert", str(certificate), "--key", str(key), "--oauth", "basic") as azurite:
        yield AccountHost(azurite=azurite, certificate=certificate)


@dataclass
class Tunnel:
    """A proxy that leads :data:`HOST`, and nothing else, to the emulator."""

    certificate: Path
    port: int = 0
    asked: list[str] = field(default_factory=list)

    @property
    def variables(self) -> Mapping[str, str]:
        """What engines (Go) and SDKs (requests) read."""
        proxy = f"http://127.0.0.1:{self.port}"
        return {"HTTPS_PROXY": proxy, "SSL_CERT_FILE": str(self.certificate), "REQUESTS_CA_BUNDLE": str(self.certificate)}


@asynccontextmanager
async def tunnel(host: AccountHost) -> AsyncIterator[Tunnel]:
    """The proxy on a free port of loopback, gone when the block ends."""
    found = Tunnel(host.certificate)
    behind = urlsplit(host.azurite.url).port
    writers: list[asyncio.StreamWriter] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            found.asked.append(head.partition("\r\n")[0])
            if f" {HOST}:443 " not in head:
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                writer.close()
                return
            from_emulator, to_emulator = await asyncio.open_connection("127.0.0.1", behind)
            writers.append(to_emulator)
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await asyncio.gather(_pipe(reader, to_emulator), _pipe(from_emulator, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
        for writer in writers:
            writer.close()
        for writer in writers:
            with suppress(ConnectionError):
                await writer.wait_closed()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()


def _certificate(folder: Path) -> tuple[Path, Path]:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "certificate.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, private
