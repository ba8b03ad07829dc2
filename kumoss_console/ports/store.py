"""A bucket or container, and what finds out how it really behaves."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Protocol

from kumoss_console.model.endpoint import Aspect
from kumoss_console.ports.objects import ListingPage, ObjectContent, ObjectInfo, ObjectVersion


class StoreExaminer(Protocol):
    """Finds out what a store really does. Neither raises for what the store answers: that is what the aspects are for."""

    def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        """Every aspect that reading tells, as each is known. Writes nothing.

        Without ``thorough`` only what the store itself says of the bucket: no other service and no handshake of our own.
        """
        ...

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        """What only writing tells, on ``key``, which must be empty and is empty again afterwards, versions and all. Closed
        between two aspects it removes what was written; cancelled, it leaves it.

        :class:`~kumoss_console.errors.Refused` (``store.exists``) where something lies there; an error of the store where
        what was written could not be removed, which names the key.
        """
        ...


class ObjectStore(Protocol):
    """A bucket or container.

    A missing object is :class:`~kumoss_console.errors.NotFound`, never an empty one; a missing bucket is another
    :class:`~kumoss_console.errors.ServiceError`, since nobody could look for the object.
    """

    @property
    def label(self) -> str:
        """Bucket and host in words, without secrets."""
        ...

    @property
    def seeks(self) -> bool:
        """Whether :meth:`page` can begin behind any key: a listing is then asked for in parts, many at once. Where it cannot
        (``after`` is left out then), one page leads to the next."""
        ...

    def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
        """The listing under ``prefix``, a page at a time, in key order within the prefix."""
        ...

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        """One page under ``prefix``: from ``cursor``, else of the keys behind ``after``, at most ``limit`` of them."""
        ...

    async def head(self, key: str) -> ObjectInfo: ...

    async def get(self, key: str) -> bytes: ...

    async def get_range(self, key: str, start: int, length: int, *, version: str | None = None) -> bytes:
        """At most ``length`` bytes from ``start``; fewer at the end of the object."""
        ...

    async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
        """The object, or that version of it, with its ETag. A delete marker is a missing object."""
        ...

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        """At most ``length`` bytes from ``start``, with what the same answer said of the whole object: its size, its ETag."""
        ...

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        """Every version of exactly this key, newest first, empty where the store has never had one.

        :class:`~kumoss_console.errors.ServiceError` with the code ``store.versions_unsupported`` where the store knows none, and
        :class:`~kumoss_console.ports.objects.VersionsCut` where it lists the newest ones only.
        """
        ...

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        """Write it. With ``if_absent``, :class:`~kumoss_console.errors.Refused` (``store.exists``) where the store says that
        something lies there; a store that ignores conditions overwrites, and one that refuses them is a
        :class:`~kumoss_console.errors.ServiceError` with the code ``store.conditions_unsupported``."""
        ...

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        """Delete the object, or that version of it.

        With ``etag``, :class:`~kumoss_console.errors.Refused` (``store.changed``) where the store says that another object lies
        there by now; a store that ignores conditions deletes whatever is there, and one that refuses them is a
        :class:`~kumoss_console.errors.ServiceError` with the code ``store.conditions_unsupported``.
        """
        ...

    async def check(self) -> float:
        """Seconds that one cheap authorised request on the bucket took."""
        ...

    @property
    def examiner(self) -> StoreExaminer | None:
        """What finds out what this store really does; ``None`` where nobody has written one for its kind."""
        ...

    async def aclose(self) -> None: ...
