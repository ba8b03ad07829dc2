"""The versions of one object.

A listing of versions takes a prefix, so it also names the lock beside the state and every sibling. Keys come in order, and the
key itself is before all that begin with it: the listing is over for us at the first other key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target, bad_answer, does_not_know, versions_unsupported
from kumoss_console.ports.objects import ObjectVersion

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_NEVER = datetime.min.replace(tzinfo=UTC)


def versions_of(client: S3Client, target: Target, more_to_come: Callable[[], object] = lambda: None) -> tuple[ObjectVersion, ...]:
    """Every version and delete marker of ``target.key``, newest first, over as many pages as there are.

    ``more_to_come`` is called before each page but the first.
    """
    found: list[ObjectVersion] = []
    markers: dict[str, Any] = {}
    seen: set[tuple[str, str]] = set()
    while True:
        answer = _page(client, target, markers)
        page = tuple(_entries(answer, target))
        found += (version for version in page if version.key == target.key)
        if not answer["IsTruncated"] or any(version.key != target.key for version in page):
            break
        following = (answer.get("NextKeyMarker", ""), answer.get("NextVersionIdMarker", ""))
        if not following[0] or following in seen:
            raise bad_answer(target, "the listing of versions says that there is more, and not where it goes on")
        seen.add(following)
        more_to_come()
        markers = {"KeyMarker": following[0]} | ({"VersionIdMarker": following[1]} if following[1] else {})
    # Versions and delete markers come in two lists, each newest first: the sort is stable, and the store's word for the newest
    # beats the clock, which counts in whole seconds.
    newest_first = sorted(found, key=lambda version: (version.latest, version.modified or _NEVER), reverse=True)
    if newest_first and not newest_first[0].latest:
        # Every store says which one is active; where one does not, it is the last one that was written.
        newest_first[0] = replace(newest_first[0], latest=True)
    return tuple(newest_first)


def _page(client: S3Client, target: Target, markers: Mapping[str, Any]) -> Mapping[str, Any]:
    from botocore.exceptions import ClientError

    try:
        answer: Mapping[str, Any] = client.list_object_versions(Bucket=target.bucket, Prefix=target.key, **markers)
    except ClientError as error:
        if does_not_know(error.response):
            told = error.response.get("Error", {})
            raise versions_unsupported(target, f"{told.get('Code')}: {told.get('Message', '')}") from error
        raise
    if not isinstance(answer.get("IsTruncated"), bool):
        raise bad_answer(target, "the answer to a listing of versions is not one")
    return answer


def _entries(answer: Mapping[str, Any], target: Target) -> Iterator[ObjectVersion]:
    for item in answer.get("Versions", ()):
        if "Key" not in item or item.get("Size", -1) < 0:
            raise bad_answer(target, "the listing of versions has one without a key or a size")
        yield ObjectVersion(
            key=item["Key"],
            version_id=item.get("VersionId", "null"),
            kind="version",
            latest=bool(item.get("IsLatest")),
            size=item["Size"],
            modified=item.get("LastModified"),
            etag=item.get("ETag"),
        )
    for item in answer.get("DeleteMarkers", ()):
        if "Key" not in item:
            raise bad_answer(target, "the listing of versions has a delete marker without a key")
        yield ObjectVersion(
            key=item["Key"],
            version_id=item.get("VersionId", "null"),
            kind="delete_marker",
            latest=bool(item.get("IsLatest")),
            size=None,
            modified=item.get("LastModified"),
            etag=None,
        )
