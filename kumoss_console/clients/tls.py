"""How a store is reached: in clear, or encrypted, by which protocol and with a certificate until when."""

from __future__ import annotations

import socket
import ssl
from datetime import UTC, datetime
from urllib.parse import urlsplit

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.text import printable

_LOOPBACK = ("localhost", "127.", "::1", "[::1]")
_SOON = 14
"""Days before its end at which a certificate is worth a warning."""


async def transport(storage: StorageSettings) -> Aspect:
    """One handshake of our own with the endpoint of the settings; for AWS it is known to be TLS."""
    if storage.provider is StorageProvider.S3:
        return Aspect(name="transport", standing="good", said="TLS", evidence="AWS endpoints are asked over https only")
    parts = urlsplit(storage.endpoint_url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    if not secure:
        near = host.startswith(_LOOPBACK)
        return Aspect(
            name="transport",
            standing="plain" if near else "bad",
            said="http, on this machine" if near else "http, in clear",
            evidence=f"the endpoint is {parts.scheme}://{printable(host)}",
        )
    try:
        return await run_blocking(_handshake, host, parts.port or 443, storage.connect_timeout)
    except (OSError, ValueError) as error:
        return Aspect(name="transport", standing="unknown", said="no handshake", evidence=printable(str(error)), doubt="failed")


def _handshake(host: str, port: int, timeout: float) -> Aspect:
    context = ssl.create_default_context()
    with (
        socket.create_connection((host, port), timeout=timeout) as plain,
        context.wrap_socket(plain, server_hostname=host) as wrapped,
    ):
        protocol, certificate = wrapped.version() or "TLS", wrapped.getpeercert() or {}
    until = certificate.get("notAfter")
    if not isinstance(until, str):
        return Aspect(
            name="transport", standing="good", said=protocol, evidence="a handshake, with a certificate that is trusted"
        )
    end = datetime.fromtimestamp(ssl.cert_time_to_seconds(until), UTC)
    days = (end - datetime.now(UTC)).days
    return Aspect(
        name="transport",
        standing="bad" if days < _SOON else "good",
        said=f"{protocol}, certificate ends in {days} days" if days < _SOON else protocol,
        evidence=f"a handshake, with a trusted certificate until {end:%Y-%m-%d}",
    )
