"""Between botocore and the wire: how much of an answer is heard, how long, and what is not asked again.

botocore reads an answer to its end, however long that is, and takes silence for a reason to ask once more. An operator waits
for both. So an answer other than an object has a size it cannot have and a time it cannot take; a store that was silent for
the whole of its timeout is not asked a second time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest, AWSResponse

MAX_ANSWER = 64 * 1024 * 1024
"""Bytes of an answer that is no object: a page of 1,000 keys of the greatest length is some 4 MB."""

STATUS_HEADER = "kumoss-console-status"
"""Carries the status as it came, since botocore calls a 200 that it cannot read a 500."""

_CHUNK = 1 << 14
_OPEN = threading.local()


class Silence(Exception):
    """Nobody answered in time; the cause is botocore's word for it. Not one of the errors that botocore asks again after."""


class NoEnd(Exception):
    """The answer is longer than any, or takes longer than any."""

    def __init__(self, told: str, *, slow: bool) -> None:
        super().__init__(told)
        self.slow = slow


class BrokeOff(Exception):
    """The connection ended amid the answer: after ``came`` bytes ``of`` those it was to have, ``None`` where it did not say."""

    def __init__(self, came: int, of: int | None) -> None:
        super().__init__(f"the answer broke off after {came} bytes")
        self.came = came
        self.of = of


def bound(client: Any, seconds: float) -> None:
    """Bound every answer that ``client`` hears. ``seconds`` is what one that is no object may take."""
    # botocore has no public way to a client's HTTP session, and none to limit what it reads.
    session = client._endpoint.http_session

    def send(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        until = time.monotonic() + seconds
        is_object, request.stream_output = request.stream_output, True
        answer = _sent(session, request)
        answer.headers[STATUS_HEADER] = str(answer.status_code)
        if not is_object or answer.status_code >= 300:
            answer.raw = _Heard(_heard(answer, until, _promised(answer, request.method)))
        else:
            _OPEN.body = answer.raw
        return answer

    client.meta.events.register("before-send.s3", send)


def hang_up() -> None:
    """Close the body that this thread asked for last: where botocore cannot read the headers, nobody else would."""
    body = vars(_OPEN).pop("body", None)
    if body is not None:
        body.close()


def read(source: Callable[[int], bytes], limit: int, until: float) -> bytes:
    """What ``source`` gives, at most ``limit`` bytes. Raises :class:`NoEnd` at ``until`` (monotonic seconds)."""
    chunks: list[bytes] = []
    left = limit
    while left > 0 and (chunk := source(min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
        if time.monotonic() > until:
            raise NoEnd("it drips", slow=True)
    return b"".join(chunks)


class _Heard:
    """A body that was read, where botocore expects one to read."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Iterator[bytes]:
        yield self._content


def _sent(session: Any, request: AWSPreparedRequest) -> AWSResponse:
    from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError

    try:
        answer: AWSResponse = session.send(request)
    except (ConnectTimeoutError, ReadTimeoutError) as error:
        raise Silence from error
    return answer


def _heard(answer: AWSResponse, until: float, promised: int | None) -> bytes:
    from botocore.exceptions import ReadTimeoutError
    from urllib3 import exceptions as http

    chunks: list[bytes] = []
    size = 0
    try:
        for chunk in answer.raw.stream(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_ANSWER:
                raise NoEnd(f"it does not end within {MAX_ANSWER // 1024 // 1024} MiB", slow=False)
            if time.monotonic() > until:
                raise NoEnd("it drips", slow=True)
    except NoEnd:
        answer.raw.close()
        raise
    except http.ReadTimeoutError as error:
        raise Silence from ReadTimeoutError(endpoint_url=answer.url, error=error)
    except http.ProtocolError:
        raise _broke_off(answer.url, size, promised) from None
    if promised is not None and size < promised:
        raise _broke_off(answer.url, size, promised)
    return b"".join(chunks)


def _broke_off(url: str, came: int, of: int | None) -> Exception:
    """As botocore has it for a connection that ended, so that it asks once more."""
    from botocore.exceptions import ConnectionClosedError

    error: Exception = ConnectionClosedError(endpoint_url=url, error=BrokeOff(came, of))
    return error


def _promised(answer: AWSResponse, method: str) -> int | None:
    """Bytes that the body is to have; ``None`` where that is not said, or the answer has none by its nature."""
    length = answer.headers.get("content-length", "")
    return int(length) if method != "HEAD" and length.isdecimal() else None
