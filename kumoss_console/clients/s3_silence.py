"""Why an S3 store could not be asked: refused, name unknown, timeout, TLS."""

from __future__ import annotations

import socket
from collections.abc import Iterator

from kumoss_console.clients.tls import distrust

SILENT = "connected, and no answer came in time"
CLOSED = "the connection was closed before an answer came"
HANGS = "the store is overloaded or hangs; storage.read_timeout sets the patience"


def reason(error: BaseException) -> tuple[str, str]:
    """Why there was no answer, and what to do about it."""
    from botocore import exceptions as sdk

    links = tuple(chained(error))
    network = "check storage.endpoint_url and the way to it"
    if isinstance(error, sdk.ProxyConnectionError):
        return (
            "the proxy cannot be reached, or does not let us through",
            "check HTTP_PROXY and HTTPS_PROXY, or put the store into NO_PROXY",
        )
    if any(isinstance(link, socket.gaierror) for link in links):
        return (
            "the host name is not known here",
            "check the host in storage.endpoint_url; a service name is known in its own network only",
        )
    if any(isinstance(link, ConnectionRefusedError) for link in links):
        return (
            "the connection was refused: the host is there, nothing listens on that port",
            "start the store, or correct the port",
        )
    if isinstance(error, sdk.ConnectTimeoutError):
        return "nobody answered in time to open a connection", "a firewall or a wrong address swallows the packets; " + network
    if isinstance(error, sdk.ReadTimeoutError):
        return SILENT, HANGS
    if isinstance(error, sdk.SSLError):
        if (untrusted := distrust(links, "AWS_CA_BUNDLE")) is not None:
            return untrusted
        return "TLS could not be agreed on", "check whether the endpoint speaks https or plain http on this port"
    if isinstance(error, sdk.ConnectionClosedError):
        return (
            CLOSED,
            "check whether the endpoint speaks https or plain http on this port",
        )
    return type(error).__name__, network


def chained(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from; botocore hands the original on as an argument as well."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        link = waiting.pop()
        if isinstance(link, BaseException) and id(link) not in seen:
            seen.add(id(link))
            yield link
            waiting += [link.__cause__, link.__context__, getattr(link, "reason", None), *link.args]
            waiting.append(getattr(link, "kwargs", {}).get("error"))
