"""Why there was no answer, in words: what httpx raises, told apart by its cause."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import httpx

from kumoss_console.text import clip, printable


@dataclass(frozen=True, slots=True)
class Failure:
    """``title`` completes *the IaC service at HOST …*. ``sent`` is whether the request may have reached somebody."""

    code: str
    title: str
    hint: str
    sent: bool
    detail: str = ""


_IS_IT_UP = "check that the service runs and that services.iac.endpoint names its host and port"


def timed_out(seconds: float) -> Failure:
    """The whole exchange took too long, though each step of it kept moving."""
    return Failure("sidecar.timeout", f"did not answer within {seconds:g} s", "it may be overloaded: look at its log", sent=True)


def failure(error: httpx.RequestError, seconds: float) -> Failure:
    """What ``error`` means. ``seconds`` is the timeout that was in force."""
    match error:
        case httpx.ConnectTimeout():
            return Failure(
                "sidecar.timeout", "did not take the connection in time", f"{_IS_IT_UP}; a firewall may drop it", sent=False
            )
        case httpx.PoolTimeout():
            hint = "wait for the requests that are under way, or raise services.iac.timeout"
            return Failure("sidecar.timeout", "is still busy with our earlier requests", hint, sent=False)
        case httpx.TimeoutException():
            return timed_out(seconds)
        case httpx.ConnectError() | httpx.UnsupportedProtocol() | httpx.ProxyError():
            return _unconnected(error)
        case httpx.DecodingError():
            return Failure("sidecar.bad_answer", "sent a body that does not decompress", _NOT_OURS, sent=True)
        case httpx.RemoteProtocolError() if "without sending a response" not in str(error):
            said = clip(printable(str(error)), 160)
            return Failure("sidecar.bad_answer", "did not answer in proper HTTP", _NOT_OURS, sent=True, detail=said)
        case httpx.LocalProtocolError():
            return Failure("sidecar.bad_answer", "takes no request of this form", _NOT_OURS, sent=False)
        case _:
            hint = "it may have been restarted just now: look again; else something between breaks the connection"
            return Failure("sidecar.unreachable", "closed the connection without an answer", hint, sent=True)


_NOT_OURS = "check that services.iac.endpoint leads to the IaC service and not to something else"


def _unconnected(error: httpx.RequestError) -> Failure:
    causes = tuple(_causes(error))
    for cause in causes:
        match cause:
            case ssl.SSLCertVerificationError():
                hint = "let SSL_CERT_FILE name the authority's certificate, or correct the host in services.iac.endpoint"
                said = clip(printable(cause.verify_message or cause.reason or ""), 160)
                return Failure("sidecar.unreachable", "shows a certificate we do not trust", hint, sent=False, detail=said)
            case ssl.SSLError():
                hint = "if the service speaks plain HTTP, the endpoint begins with http://"
                said = clip(printable(cause.reason or str(cause)), 160)
                return Failure("sidecar.unreachable", "did not agree on TLS", hint, sent=False, detail=said)
            case socket.gaierror():
                hint = "check the host in services.iac.endpoint; names of containers are known on their own network only"
                said = clip(printable(cause.strerror or ""), 160)
                return Failure("sidecar.unreachable", "has a name that does not resolve", hint, sent=False, detail=said)
            case ConnectionRefusedError():
                return Failure("sidecar.unreachable", "refused the connection", _IS_IT_UP, sent=False)
    said = next((clip(printable(cause.strerror), 160) for cause in causes if isinstance(cause, OSError) and cause.strerror), "")
    return Failure("sidecar.unreachable", "cannot be reached", _IS_IT_UP, sent=False, detail=said)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """What led to ``error``, itself first. Several addresses tried make a group, whose members count as causes."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _causes(inner)
        error = error.__cause__ or error.__context__
