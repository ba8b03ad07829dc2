"""The versions of one object.

A listing of versions takes a prefix, so it also names the lock beside the state and every sibling. By the protocol keys come in
order, and the key itself is before all that begin with it: the first other key would end the listing for us. SeaweedFS fills a
page in the order of its folders (``KEY.tflock.versions`` before ``KEY.versions``), and only then sorts it: a page ends in the
middle of our key, or before it, with siblings on it, and its marker leads past the rest. So where siblings are on a page that is
not the last one, it is asked once more, from the oldest version that came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.s3_errors import Target, bad_answer, does_not_know, versions_unsupported
from kumoss_console.ports.objects import ObjectVersion, VersionsCut
from kumoss_console.text import printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_NEVER = datetime.min.replace(tzinfo=UTC)
_FOLDER = ".versions"
"""Where SeaweedFS keeps the versions of a key. As a prefix it gives the newest page of those alone, and no way on from there
beside a lock; elsewhere it is the beginning of other keys."""
Marker = tuple[str, str]
"""Key and id of the version after which a listing goes on; the id is empty for the next key."""


def versions_of(client: S3Client, target: Target, more_to_come: Callable[[], object] = lambda: None) -> tuple[ObjectVersion, ...]:
    """Every version and delete marker of ``target.key``, newest first, over as many pages as there are.

    ``more_to_come`` is called before each page but the first. Raises :class:`~kumoss_console.ports.objects.VersionsCut` where the
    store shows no way to the rest of them.
    """
    listing = _Listing(client, target, more_to_come)
    complete = listing.read()
    # Versions and delete markers come in two lists, each newest first: the sort is stable, and the store's word for the newest
    # beats the clock, which counts in whole seconds.
    newest_first = sorted(listing.found.values(), key=lambda one: (one.latest, one.modified or _NEVER), reverse=True)
    if newest_first and not newest_first[0].latest:
        # Every store says which one is active; where one does not, it is the last one that was written.
        newest_first[0] = replace(newest_first[0], latest=True)
    if not complete:
        raise VersionsCut(
            f"{target.where} lists the newest {len(newest_first):,} versions of {printable(target.key)} and no older ones",
            detail="those of its lock fill every page of the listing before them",
            hint="let old versions of the lock object expire, or delete them: then all are listed",
            found=newest_first,
        )
    return tuple(newest_first)


@dataclass(frozen=True, slots=True)
class _Page:
    """``ours`` is how many versions of the key are on it, ``new`` how many nobody had seen; ``others`` whether other keys are;
    ``following`` is where the store says that the listing goes on, ``None`` at the end."""

    ours: int
    new: int
    others: bool
    following: Marker | None


class _Listing:
    """Fills ``found``, by version id, in the order in which the versions came."""

    def __init__(self, client: S3Client, target: Target, more_to_come: Callable[[], object]) -> None:
        self._client = client
        self._target = target
        self._more_to_come = more_to_come
        self._asked = 0
        self.found: dict[str, ObjectVersion] = {}

    def read(self) -> bool:
        """Whether ``found`` has all there are."""
        page = self._in_order()
        if page.following is None:
            return True
        if self.found and self._from_the_oldest().following is None:
            return True
        # A page with nothing new and with others: by the protocol ours are over. Where a store has a folder of them, that tells.
        folder = self._page(f"{self._target.key}{_FOLDER}")
        if not folder.ours or folder.following is None:
            return True
        return self._from_the_oldest().following is None

    def _in_order(self) -> _Page:
        """Pages as the store leads from one to the next, up to the last one, or to one with other keys on it."""
        page = self._page(self._target.key)
        followed: set[Marker] = set()
        while page.following is not None and not page.others:
            if not page.following[0] or page.following in followed:
                raise bad_answer(self._target, "the listing of versions says that there is more, and not where it goes on")
            followed.add(page.following)
            page = self._page(self._target.key, page.following)
        return page

    def _from_the_oldest(self) -> _Page:
        """Pages that begin after the oldest version that is known, up to the last one, or to one that brings nothing new."""
        page = self._page(self._target.key, self._oldest())
        while page.new and page.following is not None:
            page = self._page(self._target.key, self._oldest())
        return page

    def _oldest(self) -> Marker:
        # Which of two within a second is the older one, nobody tells: what comes twice is known by its id.
        oldest = min(reversed(self.found.values()), key=lambda version: version.modified or _NEVER)
        return self._target.key, oldest.version_id

    def _page(self, prefix: str, after: Marker | None = None) -> _Page:
        if self._asked:
            self._more_to_come()
        self._asked += 1
        answer = _answer(self._client, self._target, prefix, after)
        entries = tuple(_entries(answer, self._target))
        ours = {entry.version_id: entry for entry in entries if entry.key == self._target.key}
        new = {name: entry for name, entry in ours.items() if name not in self.found}
        self.found.update(new)
        following = (answer.get("NextKeyMarker", ""), answer.get("NextVersionIdMarker", "")) if answer["IsTruncated"] else None
        others = any(entry.key != self._target.key for entry in entries)
        return _Page(ours=len(ours), new=len(new), others=others, following=following)


def _answer(client: S3Client, target: Target, prefix: str, after: Marker | None) -> Mapping[str, Any]:
    from botocore.exceptions import ClientError

    markers: dict[str, Any] = {}
    if after is not None:
        markers = {"KeyMarker": after[0]} | ({"VersionIdMarker": after[1]} if after[1] else {})
    try:
        answer: Mapping[str, Any] = client.list_object_versions(Bucket=target.bucket, Prefix=prefix, **markers)
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
