"""The short way to a few bytes of an object.

botocore takes 1.3 ms of CPU for one GET, most of it for parameters, endpoint rules, events and retries that are the same for
each of ten thousand ranged reads. Here a request is signed and sent through botocore's own connections (0.4 ms): addressing,
proxies, certificates and credentials stay as botocore has them, since they are taken from a request that it made itself.

Only the plain good answer is taken. After anything else the caller goes the long way, where errors are told, asked again and
translated; a shortcut that never works is given up.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from kumoss_console.clients.s3_wire import Silence, read

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest
    from mypy_boto3_s3 import S3Client

_SCOPE = re.compile(r"AWS4-HMAC-SHA256 Credential=[^/]+/\d{8}/([a-z0-9-]+)/s3/aws4_request,")
_EMPTY = hashlib.sha256().hexdigest()
_GIVEN_UP_AFTER = 5
_PARTIAL = 206


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
    """What a request of botocore's own showed: the URL up to the key, and the region it was signed for."""

    base: str
    region: str


class Shortcut:
    """Ranged reads of one client. Thread-safe: what is shared is replaced whole."""

    def __init__(self, client: S3Client) -> None:
        # botocore has no public way to a client's HTTP session, nor to the credentials that it resolved.
        made: Any = client
        self._session = made._endpoint.http_session
        self._credentials = made._request_signer._credentials
        self._learned: _Learned | None = None
        self._signing: tuple[tuple[str, str, str], bytes] | None = None
        self._in_vain = 0
        self._expected = threading.local()
        client.meta.events.register_first("before-send.s3.GetObject", self._observe)

    def expect(self, key: str) -> None:
        """The next GET of this thread, the long way, is for ``key``: its request is what is learned from."""
        self._expected.key = key

    def get(self, key: str, start: int, length: int, *, version: str | None, until: Callable[[int], float]) -> Partial | None:
        """The range, or ``None`` where the long way has to be taken. Raises :class:`~kumoss_console.clients.s3_wire.Silence`
        and :class:`~kumoss_console.clients.s3_wire.NoEnd`, which the long way would only repeat."""
        learned = self._learned
        if learned is None or self._in_vain >= _GIVEN_UP_AFTER:
            return None
        found = self._sent(learned, key, f"bytes={start}-{start + length - 1}", version, length, until)
        self._in_vain = 0 if found is not None else self._in_vain
        return found

    def worked_without(self) -> None:
        """The long way succeeded where the short one did not."""
        self._in_vain += self._learned is not None

    def _observe(self, request: AWSPreparedRequest, **_: object) -> None:
        key = vars(self._expected).pop("key", None)
        # botocore keeps prepared headers as bytes or as text, depending on where they came from.
        signed: str | bytes = request.headers.get("Authorization", "")
        authorization = signed.decode("latin-1") if isinstance(signed, bytes) else signed
        scope = _SCOPE.match(authorization)
        path = f"/{quote(key, safe='/~')}" if key else ""
        if path and scope is not None and request.url.endswith(path):
            self._learned = _Learned(request.url[: -len(path)], scope[1])

    def _sent(
        self, learned: _Learned, key: str, span: str, version: str | None, length: int, until: Callable[[int], float]
    ) -> Partial | None:
        from botocore.awsrequest import AWSPreparedRequest, HeadersDict
        from botocore.exceptions import ConnectTimeoutError, HTTPClientError, ReadTimeoutError
        from urllib3.exceptions import HTTPError

        query = "" if version is None else f"versionId={quote(version, safe='~')}"
        url = f"{learned.base}/{quote(key, safe='/~')}"
        headers: Any = HeadersDict(self._signed(urlsplit(url), query, span, learned.region))
        request = AWSPreparedRequest("GET", f"{url}?{query}" if query else url, headers, None, True)
        try:
            answer = self._session.send(request)
        except (ConnectTimeoutError, ReadTimeoutError) as error:
            raise Silence from error
        except HTTPClientError:
            return None
        try:
            told = {name.lower(): value for name, value in answer.headers.items()}
            size = told.get("content-length", "")
            if answer.status_code != _PARTIAL or not size.isdigit() or int(size) > length:
                return None
            content = read(answer.raw.read, int(size), until(int(size)))
        except HTTPError:
            return None
        finally:
            answer.raw.close()
        return Partial(told, content) if len(content) == int(size) else None

    def _signed(self, url: Any, query: str, span: str, region: str) -> dict[str, str]:
        """The headers of a GET as Signature Version 4 has them. Source: AWS, "Create a signed AWS API request"."""
        credentials = self._credentials.get_frozen_credentials()
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        headers = {"host": url.netloc, "range": span, "x-amz-content-sha256": _EMPTY, "x-amz-date": now}
        if credentials.token:
            headers["x-amz-security-token"] = credentials.token
        names = ";".join(headers)
        listed = "".join(f"{name}:{value}\n" for name, value in headers.items())
        canonical = f"GET\n{url.path}\n{query}\n{listed}\n{names}\n{_EMPTY}"
        scope = f"{now[:8]}/{region}/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        signature = hmac.new(self._key(credentials.secret_key, now[:8], region), text.encode(), "sha256").hexdigest()
        headers["Authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={credentials.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
        )
        return headers

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
