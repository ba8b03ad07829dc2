"""The short way to a few bytes of an object.

botocore takes 1.3 ms of CPU for one GET, most of it for parameters, endpoint rules, events, retries and the parsing of headers as
if they were an e-mail's, the same for each of ten thousand ranged reads. Here a request is signed and sent on a connection that
botocore opened (0.2 ms): addressing, certificates and credentials stay as botocore has them, since they are taken from a request
that it made itself. Behind a proxy there is no short way.

Only the plain good answer is taken. After anything else the caller goes the long way, where errors are told, asked again and
translated; a shortcut that never works is given up.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from kumoss_console.clients.s3_wire import NoEnd, Silence

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest
    from mypy_boto3_s3 import S3Client

_SCOPE = re.compile(r"AWS4-HMAC-SHA256 Credential=[^/]+/\d{8}/([a-z0-9-]+)/s3/aws4_request,")
_EMPTY = hashlib.sha256().hexdigest()
_GIVEN_UP_AFTER = 5
_GOOD = re.compile(rb"HTTP/1\.1 206[ \r]")
_LONGEST_HEAD = 32 * 1024
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Partial:
    """A 206, read. ``headers`` have lower-case names."""

    headers: Mapping[str, str]
    content: bytes

    @property
    def modified(self) -> datetime | None:
        try:
            return parsedate_to_datetime(self.headers["last-modified"])
        except (KeyError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class _Learned:
    """What a request of botocore's own showed: the host and the path up to the key, the region it was signed for, and the pool
    that keeps the connections to that host."""

    host: str
    path: str
    region: str
    pool: Any


class Shortcut:
    """Ranged reads of one client. Thread-safe: what is shared is replaced whole."""

    def __init__(self, client: S3Client) -> None:
        # botocore has no public way to a client's HTTP session, nor to the credentials that it resolved.
        made: Any = client
        self._session = made._endpoint.http_session
        self._credentials = made._request_signer._credentials
        self._seconds: float = client.meta.config.read_timeout  # type: ignore[attr-defined]  # set in its __init__ by name
        self._learned: _Learned | None = None
        self._signing: tuple[tuple[str, str, str], bytes] | None = None
        self._in_vain = 0
        self._thread = threading.local()
        client.meta.events.register_first("before-send.s3.GetObject", self._observe)

    def expect(self, key: str) -> None:
        """The next GET of this thread, the long way, is for ``key``: its request is what is learned from."""
        self._thread.key = key

    def get(self, key: str, start: int, length: int, *, version: str | None, until: Callable[[int], float]) -> Partial | None:
        """The range, or ``None`` where the long way has to be taken. Raises :class:`~kumoss_console.clients.s3_wire.Silence`
        and :class:`~kumoss_console.clients.s3_wire.NoEnd`, which the long way would only repeat."""
        learned = self._learned
        if learned is None or self._in_vain >= _GIVEN_UP_AFTER:
            return None
        request = self._request(learned, key, f"bytes={start}-{start + length - 1}", version)
        self._thread.odd = False
        try:
            sent, found = _exchange(learned.pool, request, length, until(length), self._seconds)
        except TimeoutError as error:
            from botocore.exceptions import ReadTimeoutError

            raise Silence from ReadTimeoutError(endpoint_url=f"//{learned.host}", error=error)
        if found is not None:
            self._in_vain = 0
        self._thread.odd = sent and found is None
        return found

    def worked_without(self) -> None:
        """The long way succeeded. Where the short one had an answer of another kind just before, that was in vain."""
        if vars(self._thread).pop("odd", False):
            self._in_vain += 1

    def _observe(self, request: AWSPreparedRequest, **_: object) -> None:
        key = vars(self._thread).pop("key", None)
        # botocore keeps prepared headers as bytes or as text, depending on where they came from.
        signed: str | bytes = request.headers.get("Authorization", "")
        scope = _SCOPE.match(signed.decode("latin-1") if isinstance(signed, bytes) else signed)
        path = f"/{quote(key, safe='/~')}" if key else ""
        if self._learned is not None or not path or scope is None or not request.url.endswith(path):
            return
        base = urlsplit(request.url[: -len(path)])
        if self._session._proxy_config.proxy_url_for(request.url) is None:
            pool = self._session._get_connection_manager(request.url).connection_from_url(request.url)
            self._learned = _Learned(base.netloc, base.path, scope[1], pool)

    def _request(self, learned: _Learned, key: str, span: str, version: str | None) -> bytes:
        """A GET as Signature Version 4 has it. Source: AWS, "Create a signed AWS API request"."""
        credentials = self._credentials.get_frozen_credentials()
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": learned.host, "range": span, "x-amz-content-sha256": _EMPTY, "x-amz-date": now}
        if credentials.token:
            headers["x-amz-security-token"] = credentials.token
        names = ";".join(headers)
        listed = "".join(f"{name}:{value}\n" for name, value in headers.items())
        path = f"{learned.path}/{quote(key, safe='/~')}"
        query = "" if version is None else f"versionId={quote(version, safe='~')}"
        canonical = f"GET\n{path}\n{query}\n{listed}\n{names}\n{_EMPTY}"
        scope = f"{now[:8]}/{learned.region}/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = hmac.new(self._key(credentials.secret_key, now[:8], learned.region), text.encode(), "sha256").hexdigest()
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        sent = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"GET {path}{'?' if query else ''}{query} HTTP/1.1\r\n{sent}accept-encoding: identity\r\n\r\n".encode("latin-1")

    def _key(self, secret: str, day: str, region: str) -> bytes:
        """The signing key of a day: four rounds, made once."""
        known = self._signing
        if known is not None and known[0] == (secret, day, region):
            return known[1]
        key = f"AWS4{secret}".encode()
        for part in (day, region, "s3", "aws4_request"):
            key = hmac.new(key, part.encode(), "sha256").digest()
        self._signing = ((secret, day, region), key)
        return key


def _exchange(pool: Any, request: bytes, longest: int, until: float, seconds: float) -> tuple[bool, Partial | None]:
    """One request on a connection that is open already: whether it was sent, and the answer, if it is the good one.

    Where no connection is open, whoever goes the long way opens one. A connection is kept only after a good answer. Raises
    :class:`TimeoutError` after ``seconds`` of silence.
    """
    # urllib3 lends connections only with its own way of using them.
    connection = pool._get_conn()
    found = None
    try:
        if connection.sock is None:
            return False, None
        connection.sock.settimeout(seconds)
        connection.sock.sendall(request)
        found = _answer(connection.sock, longest, until)
    except TimeoutError:
        raise  # an OSError as well, and one that the long way would only wait for again
    except OSError:
        return False, None  # closed meanwhile, as idle connections are
    finally:
        if found is None or found.headers.get("connection", "").lower() == "close":
            connection.close()
        pool._put_conn(connection)
    return True, found


def _answer(source: Any, longest: int, until: float) -> Partial | None:
    """A 206 of a known length, or ``None`` for anything else."""
    head, found, body = b"", -1, b""
    while found < 0:
        chunk = source.recv(_CHUNK)
        head += chunk
        if not chunk or len(head) > _LONGEST_HEAD or time.monotonic() > until:
            return None
        found = head.find(b"\r\n\r\n")
    head, body = head[:found], head[found + 4 :]
    first, *lines = head.split(b"\r\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.decode("latin-1").partition(":") for line in lines)
    }
    length = headers.get("content-length", "")
    if not _GOOD.match(first) or "transfer-encoding" in headers or not length.isdecimal() or not 0 < int(length) <= longest:
        return None
    while len(body) < int(length):
        chunk = source.recv(_CHUNK)
        if not chunk:
            return None
        if time.monotonic() > until:
            raise NoEnd("it drips", slow=True)
        body += chunk
    return Partial(headers, body) if len(body) == int(length) else None
