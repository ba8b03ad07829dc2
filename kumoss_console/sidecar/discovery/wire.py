"""Questions to the HTTP APIs of a cloud: one bearer token, one deadline, no second try, and every failure in words.

Unlike the console's own services, a cloud lies beyond the operator's network: proxies of the environment are used.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from kumoss_console import __version__
from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.http import Bearer, trust
from kumoss_console.errors import InputError
from kumoss_console.sidecar.discovery.failure import DiscoveryError, told
from kumoss_console.sidecar.discovery.fields import mapping, text
from kumoss_console.text import Secret

TIMEOUT = 60.0
"""Seconds that one question may take, from the connection to the last byte."""

MAX_BODY = 64 * 1024 * 1024
"""Bytes of one answer: a page of 1,000 identifiers of the greatest length is some 4 MB."""

AGENT = f"kumoss-console/{__version__}"


class Caller:
    """Asks with one token. Made by :func:`calling`."""

    def __init__(self, client: httpx.AsyncClient, token: Secret, timeout: float, limit: int) -> None:
        self._client = client
        self._token = token
        self._timeout = timeout
        self._limit = limit

    async def ask(
        self, source: str, method: str, url: str, *, params: Mapping[str, str] | None = None, body: object = None
    ) -> Mapping[str, Any]:
        """The JSON object that ``source`` (as messages call it) answers with. Raises :class:`DiscoveryError`."""
        try:
            async with asyncio.timeout(self._timeout):
                status, content = await self._exchange(source, method, url, params, body)
        except TimeoutError:
            raise DiscoveryError(f"{source} is unreachable: no whole answer within {self._timeout:g} s") from None
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as error:
            raise DiscoveryError(f"{source} was given an unusable URL: {self._told(error)}") from None
        except httpx.RequestError as error:
            raise DiscoveryError(f"{source} is unreachable: {self._told(error)}") from None
        document = await run_blocking(_decoded, content)
        if status >= 300:
            message = told(_message(document, content), (self._token,)) or "(no message)"
            raise DiscoveryError(f"{status} from {source}: {message}")
        if not isinstance(document, dict):
            raise DiscoveryError(f"{source} returned a body that is not a JSON object")
        return document

    async def _exchange(
        self, source: str, method: str, url: str, params: Mapping[str, str] | None, body: object
    ) -> tuple[int, bytes]:
        async with self._client.stream(method, url, params=params, json=body) as response:
            chunks: list[bytes] = []
            size = 0
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > self._limit:
                    raise DiscoveryError(f"{source} returned a body of more than {self._limit} bytes")
            return response.status_code, b"".join(chunks)

    def _told(self, error: Exception) -> str:
        return told(str(error) or type(error).__name__, (self._token,))


@asynccontextmanager
async def calling(token: Secret, *, timeout: float = TIMEOUT, limit: int = MAX_BODY) -> AsyncIterator[Caller]:
    """A caller with ``token``, whose connections close at the end. Raises :class:`DiscoveryError` for an unusable token."""
    try:
        bearer = Bearer(token)
    except InputError as error:
        raise DiscoveryError(f"{error.title}: {error.detail}") from None
    # Reading the machine's roots takes 20 ms.
    roots = await run_blocking(trust)
    client = httpx.AsyncClient(
        auth=bearer, headers={"User-Agent": AGENT, "Accept": "application/json"}, timeout=timeout, verify=roots
    )
    async with client:
        yield Caller(client, token, timeout, limit)


def _decoded(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _message(document: object, content: bytes) -> str:
    """``error.message`` of an error document, else the body as it is."""
    if isinstance(document, dict) and (message := text(mapping(document, "error"), "message").strip()):
        return message
    return content.decode("utf-8", "replace").strip()
