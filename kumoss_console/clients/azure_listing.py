"""A listing of a container, read from its XML as it came."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, fromstring

from kumoss_console.clients.azure_errors import AzureTarget, bad_answer
from kumoss_console.clients.azure_lockdata import lease_duration
from kumoss_console.clients.azure_wire import Heard
from kumoss_console.errors import ConsoleError
from kumoss_console.ports.objects import ObjectInfo

PAGE = 5000
"""Blobs of a page: the service gives no more."""

_SIZE = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Blob:
    """One entry: a blob as it is, a version of one, a snapshot, or one that was deleted and can come back."""

    info: ObjectInfo
    snapshot: str
    version: str
    current: bool
    deleted: bool
    deleted_at: datetime | None
    lease_duration: str
    encrypted: bool | None
    metadata: Mapping[str, str]
    """Names in lower case; empty where it was not asked for."""


@dataclass(frozen=True, slots=True)
class BlobPage:
    blobs: tuple[Blob, ...]
    cursor: str | None


def read_listing(answer: Heard | None, target: AzureTarget) -> BlobPage:
    """The page in that answer; :class:`~kumoss_console.errors.BadAnswer` for what is none.

    A document without a list of blobs must not pass for an empty container.
    """
    if answer is None or b"<!DOCTYPE" in answer.content[:512] or b"<!ENTITY" in answer.content[:512]:
        raise bad_answer(target, "the answer to a listing is not a listing")
    try:
        root = fromstring(answer.content)  # noqa: S314 - no entities: a document type is refused above
    except (ParseError, ValueError):
        raise bad_answer(target, f"{answer.status} ({answer.kind}): the answer to a listing is not XML") from None
    blobs = root.find("Blobs")
    if root.tag != "EnumerationResults" or blobs is None:
        raise bad_answer(target, "the answer to a listing is not a listing")
    following = root.findtext("NextMarker") or None
    return BlobPage(tuple(_blobs(blobs, target)), following)


def moment(text: str | None) -> datetime | None:
    """An HTTP date as an aware datetime; ``None`` for none. Raises :class:`ValueError` for what is no date."""
    if not text:
        return None
    try:
        found = parsedate_to_datetime(text)
    except (TypeError, OverflowError) as error:
        raise ValueError("no date") from error
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def quoted(etag: str | None) -> str | None:
    """An ETag as headers have it: listings leave the quotes out."""
    return etag if not etag or etag.startswith(('"', "W/")) else f'"{etag}"'


def _blobs(blobs: Element, target: AzureTarget) -> Iterator[Blob]:
    for item in blobs.iterfind("Blob"):
        try:
            found = _blob(item, target)
        except ValueError:
            raise bad_answer(target, "the listing has a blob with a time or a size that cannot be") from None
        if found is not None:
            yield found


def _blob(item: Element, target: AzureTarget) -> Blob | None:
    name, properties = item.find("Name"), item.find("Properties")
    if name is None or not name.text or properties is None:
        raise bad_answer(target, "the listing has a blob without a name or a size")
    told: Mapping[str, str | None] = {entry.tag: entry.text for entry in properties}
    if told.get("ResourceType") == "directory":
        return None  # an account with a hierarchical namespace lists its folders, too
    size = told.get("Content-Length") or ""
    if not _SIZE.fullmatch(size):
        raise _without_size(target)
    beside: Mapping[str, str | None] = {entry.tag: entry.text for entry in item}
    version = beside.get("VersionId") or ""
    return Blob(
        info=ObjectInfo(
            # What XML cannot carry comes as in a URL, and says so.
            key=unquote(name.text) if name.get("Encoded") == "true" else name.text,
            size=int(size),
            modified=moment(told.get("Last-Modified")),
            etag=quoted(told.get("Etag")),
            version_id=version or None,
            leased=_leased(told.get("LeaseStatus")),
        ),
        snapshot=beside.get("Snapshot") or "",
        version=version,
        current=beside.get("IsCurrentVersion") == "true",
        deleted=beside.get("Deleted") == "true",
        deleted_at=moment(told.get("DeletedTime")),
        lease_duration=lease_duration(told.get("LeaseDuration"), told.get("LeaseState")),
        encrypted=None if "ServerEncrypted" not in told else told["ServerEncrypted"] == "true",
        metadata={entry.tag.lower(): entry.text or "" for entry in item.find("Metadata") or ()},
    )


def _leased(status: str | None) -> bool | None:
    return None if status is None else status == "locked"


def _without_size(target: AzureTarget) -> ConsoleError:
    return bad_answer(target, "the listing has a blob without a name or a size")
