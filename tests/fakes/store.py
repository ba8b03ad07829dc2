"""A bucket in memory, as the console sees it through its port."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from datetime import datetime

from kumoss_console.errors import ConsoleError, NotFound, Refused
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.lock import LOCK_SUFFIX, parse_lock
from kumoss_console.ports.objects import ListingPage, ObjectContent, ObjectInfo, ObjectVersion
from tests.fakes.clock import START
from tests.fakes.examiner import FakeExaminer
from tests.fakes.gate import Gate


class FakeStore:
    """Satisfies :class:`kumoss_console.ports.store.ObjectStore` over a dictionary.

    ``errors`` maps a method's name (``pages``, ``head``, ``get``, ``versions`` …) or an object's key to what is raised;
    ``fail_after_pages`` lets that many pages of a listing through before ``errors["pages"]`` strikes, whether they are asked for
    by :meth:`pages` or one by one; ``listings`` counts the listings that were begun. ``hang.shut()`` makes
    every call wait. ``history`` is what :meth:`versions` and :meth:`fetch` know of older versions. ``calls`` tells what was
    asked: (method, key or prefix). ``aspects`` and ``tried`` are what its examiner finds by reading and by writing. An object was
    written when ``modified`` says, a lock object else when it was taken.
    """

    def __init__(self, objects: Mapping[str, bytes] | None = None, *, page_size: int = 1000, modified: datetime = START) -> None:
        self.objects: dict[str, bytes] = dict(objects or {})
        self.modified: dict[str, datetime] = {}
        self.page_size = page_size
        self.errors: dict[str, ConsoleError] = {}
        self.fail_after_pages = 0
        self.hang = Gate()
        self.calls: list[tuple[str, str]] = []
        self.closed = False
        self.seeks = True
        self.listings = 0
        self.aspects: list[Aspect] = []
        self.tried: list[Aspect] = []
        self.history: dict[str, list[tuple[ObjectVersion, bytes | None]]] = {}
        self._modified = modified
        self._served = 0

    @property
    def label(self) -> str:
        return "kumoss-terraform-state at store.test:9000"

    async def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
        self.calls.append(("pages", prefix))
        self.listings += 1
        await self.hang.passed()
        keys = sorted((key for key in self.objects if key.startswith(prefix)), key=_bytes)
        starts = range(0, max(len(keys), 1), self.page_size)
        for number, start in enumerate(starts):
            if number >= self.fail_after_pages:
                self._strike("pages")
            yield tuple(self._info(key) for key in keys[start : start + self.page_size])
            await self.hang.passed()
        if self.fail_after_pages >= len(starts):
            self._strike("pages")

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        self.calls.append(("page", prefix))
        if cursor is None and not after:
            self.listings += 1
            self._served = 0
        self._served += 1
        number = self._served
        await self.hang.passed()
        self._strike("page")
        if number > self.fail_after_pages:
            self._strike("pages")
        behind = _bytes(cursor if cursor is not None else after)
        keys = sorted((key for key in self.objects if key.startswith(prefix) and _bytes(key) > behind), key=_bytes)
        size = min(limit, self.page_size)
        return ListingPage(
            objects=tuple(self._info(key) for key in keys[:size]), cursor=keys[size - 1] if len(keys) > size else None
        )

    async def head(self, key: str) -> ObjectInfo:
        await self._called("head", key)
        return self._info(key)

    async def get(self, key: str) -> bytes:
        await self._called("get", key)
        return self.objects[key]

    async def get_range(self, key: str, start: int, length: int, *, version: str | None = None) -> bytes:
        if version is not None:
            return (await self.fetch(key, version=version)).content[start : start + length]
        await self._called("get_range", key)
        return self.objects[key][start : start + length]

    async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
        """A version is one of ``history``: the entry of the key with that ``version_id``, and its content."""
        if version is None:
            await self._called("fetch", key)
            return ObjectContent(info=self._info(key), content=self.objects[key])
        self.calls.append(("fetch", f"{key}?{version}"))
        await self.hang.passed()
        self._strike("fetch")
        for entry, content in self.history.get(key, ()):
            if entry.version_id == version and content is not None:
                info = ObjectInfo(
                    key=key, size=len(content), modified=entry.modified, etag=entry.etag, version_id=entry.version_id
                )
                return ObjectContent(info=info, content=content)
        raise NotFound("the store has no such version of that key", code="store.object_missing")

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        if version is None:
            await self._called("fetch_range", key)
            whole = ObjectContent(info=self._info(key), content=self.objects[key])
        else:
            whole = await self.fetch(key, version=version)
        return ObjectContent(info=whole.info, content=whole.content[start : start + length])

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        self.calls.append(("versions", key))
        await self.hang.passed()
        self._strike("versions")
        return tuple(entry for entry, _ in self.history.get(key, ()))

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        self.calls.append(("put", key))
        await self.hang.passed()
        self._strike("put")
        if if_absent and key in self.objects:
            raise Refused("the store has an object of that key already", code="store.exists")
        self.objects[key] = content
        return self._info(key)

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        self.calls.append(("delete", key if version is None else f"{key}?{version}"))
        await self.hang.passed()
        self._strike("delete")
        if version is not None:
            self.history[key] = [kept for kept in self.history.get(key, ()) if kept[0].version_id != version]
            return
        if etag is not None and (key not in self.objects or self._info(key).etag != etag):
            raise Refused("the object changed since it was looked at", code="store.changed")
        self.objects.pop(key, None)

    async def check(self) -> float:
        self.calls.append(("check", ""))
        await self.hang.passed()
        self._strike("check")
        return 0.003

    @property
    def examiner(self) -> FakeExaminer:
        return FakeExaminer(self)

    async def aclose(self) -> None:
        self.closed = True

    def _info(self, key: str) -> ObjectInfo:
        body = self.objects[key]
        etag = hashlib.sha256(body).hexdigest()[:32]
        return ObjectInfo(key=key, size=len(body), modified=self._written(key), etag=f'"{etag}"')

    def _written(self, key: str) -> datetime:
        lock = parse_lock(self.objects[key]).lock if key.endswith(LOCK_SUFFIX) and key not in self.modified else None
        taken = lock.since if lock is not None else None
        return self.modified.get(key, self._modified if taken is None else min(taken, self._modified))

    async def _called(self, method: str, key: str) -> None:
        self.calls.append((method, key))
        await self.hang.passed()
        self._strike(method)
        self._strike(key)
        if key not in self.objects:
            raise NotFound("the store has no object of that key", code="store.not_found")

    def _strike(self, name: str) -> None:
        if error := self.errors.get(name):
            raise error


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")
