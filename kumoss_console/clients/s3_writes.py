"""Writing to the store: few things do, each on a person's word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target, changed, conditions_unsupported, does_not_know, exists
from kumoss_console.ports.objects import ObjectInfo

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_s3 import S3Client

_PRECONDITION = frozenset({409, 412})
"""What a store says where the condition does not hold, or where somebody else is writing the same key."""
_NOT_IMPLEMENTED = 501
"""What it says where it knows no such condition, and says so."""


def put_object(client: S3Client, target: Target, content: bytes, *, if_absent: bool) -> ObjectInfo:
    """Write ``content`` at ``target.key``; :class:`~kumoss_console.errors.Refused` as the port says."""
    from botocore.exceptions import ClientError

    condition: dict[str, Any] = {"IfNoneMatch": "*"} if if_absent else {}
    try:
        answer = client.put_object(Bucket=target.bucket, Key=target.key, Body=content, **condition)
    except ClientError as error:
        if if_absent and error.response["ResponseMetadata"]["HTTPStatusCode"] in _PRECONDITION:
            raise exists(target) from error
        if if_absent and does_not_know(error.response):
            raise conditions_unsupported(target, _said(error), writing=True) from error
        raise
    return ObjectInfo(
        key=target.key,
        size=len(content),
        modified=None,
        etag=answer.get("ETag"),
        version_id=answer.get("VersionId"),
    )


def delete_object(client: S3Client, target: Target, *, etag: str | None, version: str | None) -> None:
    """Delete ``target.key``, or a version of it; :class:`~kumoss_console.errors.Refused` as the port says."""
    from botocore.exceptions import ClientError

    exactly: dict[str, Any] = {} if etag is None else {"IfMatch": etag}
    if version is not None:
        exactly["VersionId"] = version
    try:
        client.delete_object(Bucket=target.bucket, Key=target.key, **exactly)
    except ClientError as error:
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        if etag is not None and status in _PRECONDITION:
            raise changed(target) from error
        if etag is not None and status == _NOT_IMPLEMENTED:
            raise conditions_unsupported(target, _said(error)) from error
        raise


def _said(error: ClientError) -> str:
    said = error.response.get("Error", {})
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    return f"{status} {said.get('Code', '')}: {said.get('Message', '')}"
