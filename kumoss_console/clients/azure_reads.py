"""Reading a container: pages, blobs, parts of blobs, and their versions. Everything here runs on bridge threads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.azure_errors import NO_VERSIONS, AzureTarget, bad_answer, made
from kumoss_console.clients.azure_failures import code_of
from kumoss_console.clients.azure_listing import PAGE, Blob, BlobPage, moment, quoted, read_listing
from kumoss_console.clients.azure_lockdata import held_lock, leased
from kumoss_console.clients.azure_wire import Heard, heard
from kumoss_console.errors import NotFound
from kumoss_console.ports.objects import ListingPage, ObjectContent, ObjectInfo, ObjectVersion

if TYPE_CHECKING:
    from azure.storage.blob import BlobClient, ContainerClient

SNAPSHOT = "snapshot:"
"""What a snapshot's id begins with here; a version and a snapshot are both named by a moment."""

UNVERSIONED = "null"
"""The id of a blob that has none: the account keeps no versions, or did not when it was written."""

DELETED = "deleted"
"""The id of a blob that was deleted and can come back; it cannot be read before."""

_NEVER = datetime.min.replace(tzinfo=UTC)
_TOTAL = re.compile(r"bytes (?:\d{1,18}-\d{1,18}|\*)/(\d{1,18})")
_NOT_KNOWN = frozenset({"InvalidQueryParameterValue", "UnsupportedQueryParameter"})
_OBJECT = ("etag", "last-modified", "content-length", "x-ms-blob-type")
"""What comes with every blob."""


def blob_client(container: ContainerClient, key: str, version: str | None) -> BlobClient:
    """The client for that blob, that version, or that snapshot of it."""
    if version is None or version == UNVERSIONED:
        return container.get_blob_client(key)
    if version.startswith(SNAPSHOT):
        return container.get_blob_client(key, snapshot=version.removeprefix(SNAPSHOT))
    return container.get_blob_client(key, version_id=version)


def read_page(
    container: ContainerClient, target: AzureTarget, prefix: str, cursor: str | None, after: str, limit: int
) -> ListingPage:
    """One page, as the port says. The service begins at a key; where it cannot, what is before it is left out here."""
    if cursor is not None or not after or after < prefix:
        return _keys(list_blobs(container, target, prefix, cursor, limit))
    if not after.startswith(prefix):
        return ListingPage(objects=(), cursor=None)  # behind all that begin so
    page = _from_key(container, target, prefix, after, limit)
    behind = after.encode("utf-8", "surrogatepass")
    while True:
        found = _keys(page, behind)
        if found.objects or page.cursor is None:
            return found
        page = list_blobs(container, target, prefix, page.cursor, limit)


def _from_key(container: ContainerClient, target: AzureTarget, prefix: str, after: str, limit: int) -> BlobPage:
    from azure.core.exceptions import HttpResponseError

    try:
        # The service names that key itself as well: it is left out above.
        return list_blobs(container, target, prefix, None, limit, start_from=after)
    except HttpResponseError:
        if code_of(heard()) not in _NOT_KNOWN:
            raise
    return list_blobs(container, target, prefix, None, limit)


def list_blobs(
    container: ContainerClient, target: AzureTarget, prefix: str, cursor: str | None, limit: int, **more: Any
) -> BlobPage:
    pages = container.list_blobs(name_starts_with=prefix or None, results_per_page=min(limit, PAGE), **more).by_page(
        continuation_token=cursor
    )
    next(pages)
    return read_listing(heard(), target)


def list_versions(container: ContainerClient, target: AzureTarget, prefix: str, cursor: str | None, limit: int) -> BlobPage:
    """One page with all versions, snapshots and what was deleted softly."""
    from azure.core.exceptions import HttpResponseError

    try:
        return list_blobs(container, target, prefix, cursor, limit, include=["versions", "snapshots", "deleted"])
    except HttpResponseError:
        if (code := code_of(heard())) not in _NOT_KNOWN:
            raise
    raise made(NO_VERSIONS, target, code)


def _keys(page: BlobPage, behind: bytes = b"") -> ListingPage:
    return ListingPage(
        objects=tuple(blob.info for blob in page.blobs if not behind or blob.info.key.encode("utf-8", "surrogatepass") > behind),
        cursor=page.cursor,
    )


def read_head(container: ContainerClient, target: AzureTarget) -> ObjectInfo:
    """What the headers of a blob say; a lock in its metadata is held against the lease."""
    from kumoss_console.clients.azure_whose import look_at

    answer, lock = look_at(container, target)
    return replace(_info(answer, target.key, int(answer.headers["content-length"])), lock=lock)


def read_blob(container: ContainerClient, target: AzureTarget, version: str | None) -> ObjectContent:
    """The whole blob, or a version or a snapshot of it."""
    if version == DELETED:
        raise _deleted(target)
    _download(blob_client(container, target.key, version))
    answer = must_be_a_blob(heard(), target)
    size = _whole(answer)
    if len(answer.content) != size:
        raise bad_answer(target, f"the answer ended after {len(answer.content)} of {size} bytes")
    return ObjectContent(info=_info(answer, target.key, size), content=answer.content)


def read_part(container: ContainerClient, target: AzureTarget, start: int, length: int, version: str | None) -> ObjectContent:
    """At most ``length`` bytes from ``start``, which is none behind the end of the blob."""
    from azure.core.exceptions import HttpResponseError

    if version == DELETED:
        raise _deleted(target)
    client = blob_client(container, target.key, version)
    try:
        _download(client, offset=start, length=length)
    except HttpResponseError:
        answer = heard()
        if answer is None or answer.status != 416:
            raise
        return _nothing(container, target, version)
    answer = must_be_a_blob(heard(), target)
    # A store that knows no ranges sends everything.
    skipped = start if answer.status == 200 else 0
    return ObjectContent(info=_info(answer, target.key, _whole(answer)), content=answer.content[skipped : skipped + length])


def _download(client: BlobClient, offset: int | None = None, length: int | None = None) -> None:
    """One request; what came is in :func:`heard`."""
    try:
        client.download_blob(offset, length, max_concurrency=1)
    except ValueError:
        # The SDK wants a Content-Range, which a proxy may drop. What came instead is looked at here.
        if (answer := heard()) is None or answer.status != 200:
            raise


def _nothing(container: ContainerClient, target: AzureTarget, version: str | None) -> ObjectContent:
    blob_client(container, target.key, version).get_blob_properties()
    answer = must_be_a_blob(heard(), target)
    return ObjectContent(info=_info(answer, target.key, int(answer.headers["content-length"])), content=b"")


def read_versions(container: ContainerClient, target: AzureTarget) -> tuple[ObjectVersion, ...]:
    """Every version, snapshot and soft-deleted form of exactly ``target.key``, newest first.

    A snapshot's moment is when it was taken. An account that deletes softly says so with a blob marked deleted; one that keeps
    versions has, after a deletion, versions and none that is current.
    """
    found: list[Blob] = []
    cursor: str | None = None
    seen: set[str] = set()
    while True:
        page = list_versions(container, target, target.key, cursor, PAGE)
        found += (blob for blob in page.blobs if blob.info.key == target.key)
        # The key itself comes before all that begin with it.
        if page.cursor is None or any(blob.info.key != target.key for blob in page.blobs):
            break
        if page.cursor in seen:
            raise bad_answer(target, "the listing of versions goes round in circles")
        seen.add(page.cursor)
        cursor = page.cursor
    versions = (_version(blob) for blob in found)
    return tuple(sorted(versions, key=lambda one: (one.latest, one.modified or _NEVER, one.version_id), reverse=True))


def _version(blob: Blob) -> ObjectVersion:
    name = blob.version or UNVERSIONED
    if blob.snapshot:
        name = f"{SNAPSHOT}{blob.snapshot}"
    if blob.deleted:
        return ObjectVersion(
            key=blob.info.key,
            version_id=DELETED if name == UNVERSIONED else name,
            kind="delete_marker",
            latest=not blob.snapshot and not blob.version,
            size=None,
            modified=blob.deleted_at or blob.info.modified,
            etag=None,
        )
    return ObjectVersion(
        key=blob.info.key,
        version_id=name,
        kind="snapshot" if blob.snapshot else "version",
        latest=not blob.snapshot and (blob.current or not blob.version),
        size=blob.info.size,
        modified=(_taken(blob.snapshot) or blob.info.modified) if blob.snapshot else blob.info.modified,
        etag=blob.info.etag,
    )


def _taken(snapshot: str) -> datetime | None:
    """The moment that is a snapshot's name, to the microsecond; ``None`` for a name of another form."""
    try:
        return datetime.fromisoformat(f"{snapshot[:26]}+00:00") if snapshot.endswith("Z") else None
    except ValueError:
        return None


def must_be_a_blob(answer: Heard | None, target: AzureTarget) -> Heard:
    """Raise :class:`~kumoss_console.errors.BadAnswer` for a 200 that is not a blob's."""
    if answer is None:
        raise bad_answer(target, "no answer")
    missing = [header for header in _OBJECT if not answer.headers.get(header)]
    if missing:
        raise bad_answer(target, f"{answer.status} ({answer.kind}) without {' and '.join(missing)}, which come with every blob")
    if not answer.headers["content-length"].isdecimal():
        raise bad_answer(target, "a Content-Length that is none")
    return answer


def _whole(answer: Heard) -> int:
    """Bytes of the whole blob."""
    total = _TOTAL.fullmatch(answer.headers.get("content-range", ""))
    return int(total[1]) if total else int(answer.headers["content-length"])


def _info(answer: Heard, key: str, size: int) -> ObjectInfo:
    headers: Mapping[str, str] = answer.headers
    return ObjectInfo(
        key=key,
        size=size,
        modified=moment(headers.get("last-modified")),
        etag=quoted(headers.get("etag")),
        version_id=headers.get("x-ms-version-id") or None,
        leased=leased(headers),
        lock=held_lock(headers),
    )


def _deleted(target: AzureTarget) -> NotFound:
    return NotFound(
        f"{target.subject} was deleted",
        hint="it can come back while the account's soft delete keeps it: az storage blob undelete",
        code="store.object_missing",
    )


def for_key(target: AzureTarget, key: str) -> AzureTarget:
    """The target with that key."""
    return replace(target, key=key)
