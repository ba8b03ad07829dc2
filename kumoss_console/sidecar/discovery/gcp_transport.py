"""The HTTP that google-auth asks for tokens with: httpx, which is there anyhow, in place of ``requests``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx
from google.auth.exceptions import TransportError
from google.auth.transport import Request, Response

from kumoss_console.clients.http import trust
from kumoss_console.sidecar.discovery.wire import AGENT, TIMEOUT


@contextmanager
def transport() -> Iterator[Request]:
    """What google-auth's calls take as ``request``; its connections close at the end."""
    with httpx.Client(timeout=TIMEOUT, verify=trust(), headers={"User-Agent": AGENT}) as client:
        yield _Asking(client)


class _Answer(Response):
    def __init__(self, answer: httpx.Response) -> None:
        self._answer = answer

    @property
    def status(self) -> int:
        return self._answer.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        return self._answer.headers

    @property
    def data(self) -> bytes:
        return self._answer.content


class _Asking(Request):
    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_: Any,
    ) -> _Answer:
        try:
            answer = self._client.request(method, url, content=body, headers=headers, timeout=timeout or TIMEOUT)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise TransportError(str(error) or type(error).__name__) from None
        return _Answer(answer)
