"""What a store tells of its objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from kumoss_console.errors import ServiceError

if TYPE_CHECKING:
    from kumoss_console.model.lock import LockDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectInfo:
    """One object of a store. ``key`` is as the store has it: hostile until printed. ``size`` in bytes.

    ``leased`` is whether the object itself is locked, ``None`` where a store keeps no such locks (S3: a lock is an object of its
    own); ``lock`` what its holder wrote, where one look tells that, which a listing does not.
    """

    key: str
    size: int
    modified: datetime | None
    etag: str | None
    version_id: str | None = None
    leased: bool | None = None
    lock: LockDocument | None = field(default=None, compare=False)
    """With ``leased`` the lock; without, what a lock that is held no longer left on the object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPage:
    """Some objects of a listing, in key order. ``cursor`` leads to the next page, opaque; ``None`` at the end."""

    objects: tuple[ObjectInfo, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectContent:
    """An object, whole, with what the same answer said of it."""

    info: ObjectInfo
    content: bytes


VersionKind = Literal["version", "delete_marker", "snapshot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """One version of an object, or the mark that it was deleted. ``size`` and ``etag`` are ``None`` for a delete marker.

    ``latest`` is the one a plain read gives: none where the newest is a delete marker. ``version_id`` is opaque and goes back
    to :meth:`ObjectStore.fetch`; ``"null"`` on S3 for what was written before versioning.
    """

    key: str
    version_id: str
    kind: VersionKind
    latest: bool
    size: int | None
    modified: datetime | None
    etag: str | None


class VersionsCut(ServiceError):
    """The store lists versions of a key, and not all of them. ``found`` are those it lists, newest first: none is missing between
    two of them."""

    default_code = "store.versions_cut"

    def __init__(self, title: str, *, detail: str, hint: str, found: Sequence[ObjectVersion]) -> None:
        super().__init__(title, detail=detail, hint=hint)
        self.found = tuple(found)
