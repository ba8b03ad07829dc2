"""How a store is reached: in clear, or encrypted, by which protocol and with a certificate until when."""

from __future__ import annotations

import base64
import os
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPException, HTTPSConnection
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_SOON = 14
"""Days before its end at which a certificate is worth a warning."""
_OTHER_HOST = 62
_REASONS = {
    9: ("its TLS certificate is not valid yet", "compare the clock of this machine with the time the certificate begins"),
    10: ("its TLS certificate has expired", "renew the store's certificate"),
    _OTHER_HOST: (
        "its TLS certificate is for another host",
        "correct the host in storage.endpoint_url, or the certificate",
    ),
    64: ("its TLS certificate is for another host", "name the host as the certificate does, instead of its address"),
}
"""What OpenSSL's codes of a failed verification mean (X509_V_ERR_*), and what to do."""


@dataclass(frozen=True, slots=True)
class Way:
    """How an SDK reaches an endpoint. ``trusted`` is the file or folder of the certificates it trusts, ``proxy`` a URL, empty for
    none: it may hold a password."""

    trusted: str
    proxy: str = ""


def way_of_boto(client: S3Client, url: str) -> Way:
    """The way of that client: AWS_CA_BUNDLE, ``ca_bundle`` or REQUESTS_CA_BUNDLE, and the proxies of the environment."""
    from botocore.httpsession import get_cert_path
    from botocore.utils import get_environ_proxies

    # botocore resolved them when it made the client, and has no public way to what it found.
    session = getattr(getattr(client, "_endpoint", None), "http_session", None)
    trusted = get_cert_path(getattr(session, "_verify", True))
    return Way(str(trusted), get_environ_proxies(url).get(urlsplit(url).scheme, ""))


def way_of_requests(url: str) -> Way:
    """The way of ``requests``, which Azure's SDK takes: REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE, proxies of the environment."""
    import requests
    from requests.utils import DEFAULT_CA_BUNDLE_PATH, select_proxy

    with requests.Session() as session:
        found = session.merge_environment_settings(url, {}, None, None, None)
    trusted = found["verify"]
    return Way(trusted if isinstance(trusted, str) else DEFAULT_CA_BUNDLE_PATH, select_proxy(url, found["proxies"]) or "")


async def transport(storage: StorageSettings, way: Way) -> Aspect:
    """One handshake of our own with the endpoint of the settings, on the SDK's way; for AWS it is known to be TLS."""
    if storage.provider is StorageProvider.S3:
        return Aspect(name="transport", standing="good", said="TLS", evidence="AWS endpoints are asked over https only")
    parts = urlsplit(storage.endpoint_url)
    host = parts.hostname or ""
    if parts.scheme != "https":
        near = on_this_machine(host) and not way.proxy
        return Aspect(
            name="transport",
            standing="plain" if near else "bad",
            said="http, on this machine" if near else "http, in clear",
            evidence=f"the endpoint is {parts.scheme}://{printable(host)}" + (", through a proxy" if way.proxy else ""),
        )
    try:
        return await run_blocking(_handshake, host, parts.port or 443, way, storage.connect_timeout)
    except ssl.SSLCertVerificationError as error:
        said, _ = distrust((error,), "") or ("its TLS certificate is not trusted", "")
        evidence = f"a handshake: {printable(error.verify_message or str(error))}"
        return Aspect(name="transport", standing="bad", fault="untrusted", said=said, evidence=evidence)
    except (OSError, ValueError, HTTPException) as error:
        evidence = printable(str(error)) or type(error).__name__
        return Aspect(name="transport", standing="unknown", said="no handshake", evidence=evidence, doubt="failed")


def on_this_machine(host: str) -> bool:
    """Whether what is sent there stays on this machine: by the name, or by an address of loopback."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def distrust(links: Iterable[BaseException], variable: str) -> tuple[str, str] | None:
    """Why a certificate was not taken, and what to do: of an error and what it was raised from, ``None`` where it was taken.
    ``variable`` names the CA."""
    found: tuple[str, str] | None = None
    for link in links:
        if isinstance(link, ssl.SSLCertVerificationError):
            found = _REASONS.get(link.verify_code)
            found = found or ("its TLS certificate is not trusted", f"name the CA that issued it in {variable}")
        elif type(link).__name__ == "CertificateError":
            return _REASONS[_OTHER_HOST]  # urllib3 looks at the names by itself
    return found


def _handshake(host: str, port: int, way: Way, timeout: float) -> Aspect:
    context = _context(way.trusted)
    if way.proxy:
        protocol, certificate = _through(way.proxy, host, port, context, timeout)
    else:
        with (
            socket.create_connection((host, port), timeout=timeout) as plain,
            context.wrap_socket(plain, server_hostname=host) as wrapped,
        ):
            protocol, certificate = _seen(wrapped)
    by_proxy = " through the proxy" if way.proxy else ""
    until = certificate.get("notAfter")
    if not isinstance(until, str):
        evidence = f"a handshake{by_proxy}, with a certificate that is trusted"
        return Aspect(name="transport", standing="good", said=protocol, evidence=evidence)
    end = datetime.fromtimestamp(ssl.cert_time_to_seconds(until), UTC)
    days = (end - datetime.now(UTC)).days
    evidence = f"a handshake{by_proxy} ({protocol}), with a trusted certificate until {end:%Y-%m-%d}"
    if days < _SOON:
        said = f"certificate ends in {days} day{'' if days == 1 else 's'}"
        return Aspect(name="transport", standing="bad", fault="certificate_ends", said=said, evidence=evidence)
    return Aspect(name="transport", standing="good", said=protocol, evidence=evidence)


def _context(trusted: str) -> ssl.SSLContext:
    if os.path.isdir(trusted):
        return ssl.create_default_context(capath=trusted)
    return ssl.create_default_context(cafile=trusted)


def _through(proxy: str, host: str, port: int, context: ssl.SSLContext, timeout: float) -> tuple[str, dict[str, object]]:
    """The handshake through a tunnel. Raises :class:`ValueError` for a proxy that is not spoken to in plain HTTP."""
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("not looked at: the proxy is not one that is asked over http")
    headers = {}
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
    connection = HTTPSConnection(parts.hostname, parts.port or 80, timeout=timeout, context=context)
    try:
        connection.set_tunnel(host, port, headers=headers)
        connection.connect()
        wrapped = connection.sock
        if not isinstance(wrapped, ssl.SSLSocket):
            raise ValueError("the tunnel is not encrypted")
        return _seen(wrapped)
    finally:
        connection.close()


def _seen(wrapped: ssl.SSLSocket) -> tuple[str, dict[str, object]]:
    return wrapped.version() or "TLS", dict(wrapped.getpeercert() or {})
