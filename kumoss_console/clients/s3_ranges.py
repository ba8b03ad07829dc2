"""Parts of objects: a range with what the same answer said of the whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target, bad_answer, cut_off
from kumoss_console.clients.s3_shortcut import Partial, Shortcut
from kumoss_console.clients.s3_signs import must_be_an_object
from kumoss_console.clients.s3_wire import read
from kumoss_console.ports.objects import ObjectContent, ObjectInfo

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19})\Z")
_WHOLE = 200


def range_of(
    client: S3Client,
    shortcut: Shortcut,
    target: Target,
    start: int,
    length: int,
    version: str | None,
    until: Callable[[int], float],
) -> ObjectContent | None:
    """At most ``length`` bytes from ``start``; ``None`` where the object ends before that.

    ``until`` takes how many bytes are coming and gives the monotonic time at which our patience for them ends.
    """
    short = shortcut.get(target.key, start, length, version=version, until=until)
    if short is not None and (found := _taken(short, target, start)) is not None:
        return found
    found = _long_way(client, shortcut, target, start, length, version, until)
    shortcut.worked_without()
    return found


def _taken(short: Partial, target: Target, start: int) -> ObjectContent | None:
    """What the short way gave, where it is all that an object comes with."""
    told = _CONTENT_RANGE.match(short.headers.get("content-range", ""))
    etag, modified = short.headers.get("etag"), short.modified
    if told is None or int(told[1]) != start or etag is None or modified is None:
        return None
    version = short.headers.get("x-amz-version-id")
    info = ObjectInfo(key=target.key, size=int(told[2]), modified=modified, etag=etag, version_id=version)
    return ObjectContent(info=info, content=short.content)


def _long_way(
    client: S3Client,
    shortcut: Shortcut,
    target: Target,
    start: int,
    length: int,
    version: str | None,
    until: Callable[[int], float],
) -> ObjectContent | None:
    from botocore.exceptions import ClientError

    exactly: dict[str, Any] = {} if version is None else {"VersionId": version}
    if version is None:
        shortcut.expect(target.key)
    try:
        answer = client.get_object(Bucket=target.bucket, Key=target.key, Range=f"bytes={start}-{start + length - 1}", **exactly)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == "InvalidRange":
            return None
        raise
    with answer["Body"] as body:
        must_be_an_object(answer, target)
        coming = answer["ContentLength"]
        # A store that knows no ranges sends everything.
        whole = answer["ResponseMetadata"]["HTTPStatusCode"] == _WHOLE
        skipped = start if whole else 0
        size = coming if whole else _size(answer.get("ContentRange"), start, target)
        wanted = min(skipped + length, coming)
        content = read(body.read, wanted, until(wanted))
    if len(content) < wanted:
        raise cut_off(target, len(content), wanted)
    info = ObjectInfo(
        key=target.key,
        size=size,
        modified=answer["LastModified"],
        etag=answer["ETag"],
        version_id=answer.get("VersionId"),
    )
    return ObjectContent(info=info, content=content[skipped:])


def _size(header: str | None, start: int, target: Target) -> int:
    found = _CONTENT_RANGE.match(header or "")
    if found is None or int(found[1]) != start:
        raise bad_answer(target, f"206 without a Content-Range that fits what was asked for: {header or 'none'}")
    return int(found[2])
