"""Between the SDK and the wire: what was heard, how much of it, how long, and what is not asked again.

The SDK signs, spells URLs and asks again where a store says that it is busy. What came back is read here, once, within a size
and a time, and kept for the call: the store's words for an error, and a listing, which the SDK takes 0.2 ms an object to read
(measured, 1.0 s for a page of 5,000) where a parser in C takes 0.11 s for the page. The SDK is handed an empty listing instead.

An answer without a single header of Azure's is none: a web page, a proxy, another store.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from kumoss_console.clients.blocking import THREADS
from kumoss_console.clients.s3_wire import MAX_ANSWER, NoEnd, Silence

MAX_OBJECT = 512 * 1024 * 1024
"""Bytes of the largest blob that is read whole; the largest states seen are 34 MB."""

_SLOWEST = 256 * 1024
"""Bytes a second of a download that is still worth waiting for: a state of 34 MB takes at most 130 s."""

_CHUNK = 1 << 14
_EMPTY = b"<?xml version='1.0'?><EnumerationResults><Blobs/><NextMarker/></EnumerationResults>"
_CALL = threading.local()


class Waits(Protocol):
    """What a call is given: how long it may still take. ``waits_for`` is what it waits for other than the store, in words."""

    waits_for: str

    def more(self, seconds: float) -> float: ...


@dataclass(frozen=True, slots=True)
class Heard:
    """One answer as it came. Header names are lower case; ``method`` is that of the request."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    method: str = ""

    @property
    def kind(self) -> str:
        return self.headers.get("content-type") or "no content type"


class NotAzure(Exception):
    """Something answered that is no storage account."""


class Cut(Exception):
    """The connection ended before the answer did. The text says after how much."""


class TooLarge(Exception):
    """No blob that holds a state is this large."""


def begin(patience: Waits) -> None:
    """A call begins on this thread."""
    _CALL.patience = patience
    _CALL.heard = None


def heard() -> Heard | None:
    """The last answer of this thread's call."""
    found: Heard | None = getattr(_CALL, "heard", None)
    return found


def waiting_for(what: str) -> None:
    """This thread's call waits for that, in words; empty for the store."""
    if (patience := getattr(_CALL, "patience", None)) is not None:
        patience.waits_for = what


def forget() -> None:
    """The call of this thread is over: its answer may be 34 MB of state."""
    vars(_CALL).clear()


def bounded_session(seconds: float) -> Any:
    """A session of ``requests`` whose answers are all read here. ``seconds`` is what one that is no blob may take."""
    import requests
    from requests.adapters import HTTPAdapter

    session = requests.Session()
    for scheme in ("http://", "https://"):
        adapter: Any = _Bounded(HTTPAdapter(pool_maxsize=THREADS, max_retries=0), seconds)
        session.mount(scheme, adapter)
    # An authorisation of our own stands: ~/.netrc has no say.
    session.auth = _as_it_is
    return session


def _as_it_is(request: Any) -> Any:
    return request


class _Bounded:
    """A transport adapter of ``requests`` in front of its own one."""

    def __init__(self, inner: Any, seconds: float) -> None:
        self._inner = inner
        self._seconds = seconds

    def close(self) -> None:
        self._inner.close()

    def send(self, request: Any, **how: Any) -> Any:
        from requests.exceptions import ConnectTimeout, ReadTimeout
        from urllib3 import HTTPResponse

        until = time.monotonic() + self._seconds
        _CALL.heard = None
        try:
            answer = self._inner.send(request, **{**how, "stream": True})
        except (ConnectTimeout, ReadTimeout) as error:
            raise Silence from error
        asked = parse_qs(urlsplit(request.url).query)
        try:
            content = self._content(answer, until, is_object=request.method == "GET" and "comp" not in asked)
        except (NoEnd, TooLarge, Silence, Cut):
            answer.raw.close()
            raise
        answer.raw.release_conn()
        headers = {name.lower(): value for name, value in answer.headers.items()}
        found = Heard(answer.status_code, headers, content, request.method or "")
        _CALL.heard = found
        _must_be_azure(found)
        listing = found.status == 200 and asked.get("comp") == ["list"]
        shown = _EMPTY if listing else content
        if listing:
            answer.headers["Content-Type"] = "application/xml"
        answer.raw = HTTPResponse(body=io.BytesIO(shown), status=answer.status_code, preload_content=False)
        return answer

    def _content(self, answer: Any, until: float, *, is_object: bool) -> bytes:
        from urllib3 import exceptions as http

        limit = MAX_ANSWER
        if is_object and answer.status_code < 300:
            size = _length(answer.headers.get("Content-Length", ""))
            if size > MAX_OBJECT:
                raise TooLarge
            limit = MAX_OBJECT
            if (patience := getattr(_CALL, "patience", None)) is not None:
                until = patience.more(self._seconds + size / _SLOWEST)
        try:
            # A blob comes as it is stored, whatever encoding it says it has.
            return _read(answer.raw.stream(_CHUNK, decode_content=not is_object), limit, until)
        except http.ReadTimeoutError as error:
            raise Silence from error
        except (http.ProtocolError, http.DecodeError) as error:
            raise Cut(_how_much(error)) from error


def _how_much(error: Exception) -> str:
    """urllib3 hands on the one that counts as the last argument of the one that it raises."""
    links: list[object] = [error, *error.args]
    for link in links:
        came, missing = getattr(link, "partial", None), getattr(link, "expected", None)
        if isinstance(came, int):
            return f"the answer ended after {came:,} bytes" + (f" of {came + missing:,}" if isinstance(missing, int) else "")
    return "the answer ended before all of it had arrived"


def _read(chunks: Any, limit: int, until: float) -> bytes:
    found: list[bytes] = []
    size = 0
    for chunk in chunks:
        found.append(chunk)
        size += len(chunk)
        if size > limit:
            raise NoEnd(f"it does not end within {limit // 1024 // 1024} MiB", slow=False)
        if time.monotonic() > until:
            raise NoEnd("it drips", slow=True)
    return b"".join(found)


def _length(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _is_s3(found: Heard) -> bool:
    """Its errors have a code as well, and beside it what Azure's have not."""
    words = found.content[:1024]
    told = b"<Code>" in words and any(name in words for name in (b"<RequestId>", b"<HostId>", b"<Resource>", b"<BucketName>"))
    return told or any(name.startswith("x-amz-") for name in found.headers)


def _must_be_azure(found: Heard) -> None:
    """Raise :class:`NotAzure`, except for what a proxy says of a store that is overloaded: that is asked again."""
    if "x-ms-request-id" in found.headers or "x-ms-error-code" in found.headers:
        return
    if _is_s3(found):
        raise NotAzure(f"{found.status} ({found.kind}) in the words of S3: an S3 store is listening there")
    if found.status >= 500 or found.status == 429 or b"<Code>" in found.content[:1024]:
        return
    moved = found.headers.get("location", "").partition("?")[0]
    raise NotAzure(f"{found.status} ({found.kind}) without any header of Azure's" + (f"\nit points to {moved}" if moved else ""))
