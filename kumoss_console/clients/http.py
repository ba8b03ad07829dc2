"""Every HTTP client of the console is built here, with the same deadlines and the same caution.

Three choices, and why:

* **No proxy from the environment** (``trust_env=False``). ``HTTP_PROXY`` and ``ALL_PROXY`` are set for the way to the internet;
  the IaC service stands beside the operator. Obeying them would hand a bearer token, over plain HTTP, to whoever runs the
  proxy, and nobody would be told. What is lost with ``trust_env``, the operator's own CA, is kept: see :func:`trust`.
* **No redirect is followed.** The contract has none, and a followed one would carry the token somewhere else.
* **The token never is a header of the client.** It is put on a request as it leaves (:class:`Bearer`), so that no client, no
  request that an exception carries along and no local variable of ours shows it.
"""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Generator
from urllib.parse import urlsplit

import httpx

from kumoss_console import __version__
from kumoss_console.errors import InputError
from kumoss_console.text import Secret, clip, printable

CONNECT_TIMEOUT = 5.0
"""Seconds for a connection, or the whole request's timeout where that is shorter. A service beside us answers in milliseconds."""

# Servers close idle connections (uvicorn after 5 s). Reusing one in that moment makes a submission look unanswered, so ours
# are dropped well before.
KEEPALIVE_SECONDS = 2.0
CONNECTIONS = 32

_TOKEN = re.compile(r"[\x21-\x7e]+\Z")


class Bearer(httpx.Auth):
    """Puts the token on a request as it leaves. Raises :class:`InputError` for one that a header cannot carry."""

    def __init__(self, token: Secret) -> None:
        if not _TOKEN.match(token.reveal()):
            raise InputError(
                "the bearer token cannot be sent in a header",
                detail="it holds a space, a line break or a character outside ASCII",
                hint="set the token's variable again without it; a line break at its end often comes from reading it from a file",
                code="sidecar.token_unusable",
            )
        self._token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._token.reveal()}"
        yield request


def checked_endpoint(endpoint: str) -> str:
    """``endpoint`` as a base URL without a slash at its end.

    Raises :class:`InputError` for anything but http or https with a host; for userinfo, which would travel in clear and show in
    every log; and for a query or fragment, which a base cannot have.
    """
    try:
        parts = urlsplit(endpoint)
        url = httpx.URL(endpoint)
        host, _ = parts.hostname, parts.port
    except (ValueError, httpx.InvalidURL) as error:
        # What cannot be parsed may hold a password, so it is repeated only without a sign of one.
        raise _unusable(endpoint, "" if "@" in endpoint else printable(str(error))) from None
    if "@" in parts.netloc:
        raise _unusable(endpoint, "it holds a user name or password: the service takes a bearer token, from a variable")
    if parts.scheme not in {"http", "https"}:
        raise _unusable(endpoint, "it must begin with http:// or https://")
    if not host or not url.host:
        raise _unusable(endpoint, "it names no host")
    if "?" in endpoint or "#" in endpoint:
        raise _unusable(endpoint, "a base URL has no query and no fragment")
    if any(char.isspace() or not char.isprintable() for char in endpoint):
        raise _unusable(endpoint, "it holds a space or a control character")
    return endpoint.rstrip("/")


def _unusable(endpoint: str, problem: str) -> InputError:
    shown = "" if "@" in endpoint else f": {clip(printable(endpoint), 200)}"
    return InputError(
        f"the endpoint of the IaC service is unusable{shown}",
        detail=problem,
        hint="set services.iac.endpoint to a base URL such as http://iac:8082",
        code="sidecar.endpoint_invalid",
    )


def new_client(endpoint: str, *, timeout: float) -> httpx.AsyncClient:
    """A client for the services under ``endpoint``. ``timeout`` in seconds, for each step of a request."""
    return httpx.AsyncClient(
        base_url=endpoint,
        headers={"User-Agent": f"kumoss-console/{__version__}", "Accept": "application/json, application/problem+json"},
        timeout=httpx.Timeout(timeout, connect=min(CONNECT_TIMEOUT, timeout)),
        limits=httpx.Limits(
            max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS, keepalive_expiry=KEEPALIVE_SECONDS
        ),
        follow_redirects=False,
        trust_env=False,
        verify=trust() if endpoint.startswith("https:") else _trust_nobody(),
    )


def trust() -> ssl.SSLContext:
    """The machine's roots, or those that ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name; the bundled ones where there are none."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not paths.cafile and not (paths.capath and any(os.scandir(paths.capath))):
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def _trust_nobody() -> ssl.SSLContext:
    # Plain HTTP needs no roots, and reading them takes 20 ms of every start.
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
