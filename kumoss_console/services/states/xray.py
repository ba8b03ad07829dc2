"""Heads of many objects: whose history each state belongs to, from its first bytes.

One ranged read of 1 KB for each object, many at once, none for an object whose head is known by its ETag. The whole document
is read where it is asked for, and where its first bytes do not tell.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from itertools import islice

from kumoss_console.errors import ConsoleError, ServiceError, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.state import StateDocument, parse_state, too_large
from kumoss_console.model.state.head import (
    HEAD_BYTES,
    LONGER_HEAD_BYTES,
    TAIL_BYTES,
    Head,
    HeadFacts,
    KnownHead,
    NeedsMore,
    ends_well,
    facts_of,
    read_head,
)
from kumoss_console.ports.headcache import HeadCache
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.arriving import arriving
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.states.fault import bug_in_reading
from kumoss_console.text import printable

AT_ONCE = 16
"""Objects that are read at the same time: what the bridge to the store's client has threads for."""

LARGEST_READ = 128 * 1024 * 1024
"""Bytes of an object that is read whole; the largest states seen are 34 MB."""

_LARGE = 1 << 20
_LARGE_AT_ONCE = 2
"""Documents beyond 1 MiB that are in memory at the same time."""

_OFF_LOOP = 64 * 1024
"""Bytes whose parsing takes a millisecond: larger ones are parsed off the loop."""

_ATTEMPTS = 3
"""How often an object is read anew because it was replaced between two reads of it."""

_DEAD_AFTER = 2 * AT_ONCE
"""Reads in a row that found nobody: the rest is not asked for."""

_SAVED_EVERY = 5000
_MOST_KNOWN = 200_000
"""Heads that are kept in memory, some 80 MB of them."""


class NoCache:
    """Nothing outlives the process."""

    def load(self, store: str) -> dict[tuple[str, str], KnownHead]:
        return {}

    def save(self, store: str, heads: Mapping[tuple[str, str], KnownHead]) -> None:
        return


class XrayService:
    """Reads the heads of one context's bucket. ``store`` is ``None`` where there is none to read: every call then raises
    :class:`~kumoss_console.errors.ConfigError`."""

    def __init__(
        self,
        context: Context,
        store: ObjectStore | None,
        *,
        off_loop: OffLoop = asyncio.to_thread,
        cache: HeadCache | None = None,
        at_once: int = AT_ONCE,
    ) -> None:
        self._context = context
        self._given = store
        self._off_loop = off_loop
        self._cache = cache or NoCache()
        self._at_once = at_once
        self._known: dict[tuple[str, str], KnownHead] | None = None
        self._loading = asyncio.Lock()
        self._unsaved = 0

    async def heads(
        self, objects: Iterable[ObjectInfo], *, whole: bool = False, ends: bool = False
    ) -> AsyncGenerator[Head, None]:
        """A head for each of ``objects``, as they become known, in no order. Never raises for one object: its head says why.

        An object that names a version is read in that version.

        ``whole`` reads every document completely. ``ends`` looks at the last bytes as well (one more request for each document
        beyond 1 KB, none once it is known), and reads completely what does not end as a document does.
        """
        store = self._store
        await self._load(store.label)
        reading = _Reading(self, store, iter(objects), whole=whole, ends=ends)
        async with aclosing(arriving(reading.done, reading.work, self._at_once)) as heads:
            async for head in heads:
                yield head
                if self._unsaved >= _SAVED_EVERY:
                    await self._save(store.label)
        await self._save(store.label)

    async def head(self, info: ObjectInfo, *, whole: bool = False, ends: bool = False) -> Head:
        """The head of one object."""
        await self._load(self._store.label)
        return await _Reading(self, self._store, iter(()), whole=whole, ends=ends).head(info)

    def at_hand(self, info: ObjectInfo) -> Head | None:
        """The head of exactly this object where it is known already. No network, no disk."""
        known = self.recall(info)
        return None if known is None else _head(info, known, changed=False)

    def learn(self, info: ObjectInfo, document: StateDocument) -> None:
        """Somebody read this object whole: nobody needs to read it again for its head."""
        self.remember(info, KnownHead(info.size, facts_of(document), True))

    def recall(self, info: ObjectInfo) -> KnownHead | None:
        """What is kept of an object with this key, ETag and size."""
        if self._known is None or (name := _name(info)) is None:
            return None
        known = self._known.get(name)
        return known if known is not None and known.size == info.size else None

    def remember(self, info: ObjectInfo, known: KnownHead) -> None:
        """Keep it under its key and ETag; an object without an ETag is not kept."""
        if self._known is not None and (name := _name(info)) is not None:
            self._known.pop(name, None)
            self._known[name] = known
            self._unsaved += 1

    def used(self, info: ObjectInfo) -> None:
        """Keep it for longer than what was not used since."""
        if self._known is not None and (name := _name(info)) in self._known:
            self._known[name] = self._known.pop(name)

    async def parsed(self, raw: bytes, name: str) -> HeadFacts:
        """The head of a whole document."""
        if len(raw) <= _OFF_LOOP:
            return facts_of(parse_state(raw, name=name))
        return await self._off_loop(lambda: facts_of(parse_state(raw, name=name)))

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    async def _load(self, label: str) -> None:
        async with self._loading:
            if self._known is None:
                self._known = await self._off_loop(lambda: self._cache.load(label))

    async def _save(self, label: str) -> None:
        if self._unsaved and self._known:
            self._unsaved = 0
            for name in list(islice(self._known, max(0, len(self._known) - _MOST_KNOWN))):
                del self._known[name]
            kept = dict(self._known)
            await self._off_loop(lambda: self._cache.save(label, kept))


class _Reading:
    """One run over some objects, shared by the tasks that read them."""

    def __init__(
        self, service: XrayService, store: ObjectStore, objects: Iterator[ObjectInfo], *, whole: bool, ends: bool
    ) -> None:
        self.done: asyncio.Queue[Head | None] = asyncio.Queue()
        self._service = service
        self._store = store
        self._objects = objects
        self._whole = whole
        self._ends = ends
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)
        self._in_vain = 0

    async def work(self) -> None:
        for info in self._objects:
            self.done.put_nowait(await self.head(info))
            await asyncio.sleep(0)  # heads that are known take no time of their own

    async def head(self, info: ObjectInfo) -> Head:
        known = self._service.recall(info)
        if known is not None and self._suffices(known):
            self._service.used(info)
            return _head(info, known, changed=False)
        if self._in_vain >= _DEAD_AFTER:
            return _failed(info, _not_asked(self._store))
        try:
            read, found = await self._read(info)
        except ConsoleError as error:
            self._in_vain = self._in_vain + 1 if isinstance(error, Unreachable) else 0
            return _failed(info, error)
        except Exception as error:  # noqa: BLE001 - a bug that one object brings up is no end of the others
            return _failed(info, bug_in_reading(info.key, error))
        self._in_vain = 0
        self._service.remember(read, found)
        return _head(read, found, changed=not _same(info, read))

    async def _read(self, info: ObjectInfo) -> tuple[ObjectInfo, KnownHead]:
        """The object as it is now, and its head. An object that is replaced between two reads is read anew."""
        if info.size == 0:
            return info, KnownHead(0, facts_of(parse_state(b"", name=info.key)))
        for _ in range(_ATTEMPTS):
            if (found := await self._once(info)) is not None:
                return found
        raise ServiceError(
            f"{printable(info.key)} was replaced again and again while it was read",
            hint="look again when the job that writes it is done",
            code="store.changing",
        )

    async def _once(self, info: ObjectInfo) -> tuple[ObjectInfo, KnownHead] | None:
        """``None`` where two reads saw two objects."""
        if self._whole:
            return await self._all(info, info.version_id)
        first = await self._store.fetch_range(info.key, 0, HEAD_BYTES, version=info.version_id)
        now = first.info
        facts = read_head(first.content, size=now.size, name=info.key)
        if isinstance(facts, NeedsMore) and facts.longer:
            longer = await self._store.fetch_range(info.key, 0, LONGER_HEAD_BYTES, version=info.version_id)
            if not _same(now, longer.info):
                return None
            facts = read_head(longer.content, size=now.size, name=info.key)
        if isinstance(facts, NeedsMore):
            return await self._all(now, info.version_id)
        if not self._ends or facts.certain or facts.status not in {"state", "encrypted"}:
            return now, KnownHead(now.size, facts)
        start = max(0, now.size - TAIL_BYTES)
        last = await self._store.fetch_range(info.key, start, now.size - start, version=info.version_id)
        if not _same(now, last.info):
            return None
        return (now, KnownHead(now.size, facts, True)) if ends_well(last.content) else await self._all(now, info.version_id)

    async def _all(self, info: ObjectInfo, version: str | None) -> tuple[ObjectInfo, KnownHead]:
        if info.size > LARGEST_READ:
            return info, KnownHead(info.size, facts_of(too_large(info.size)))
        if info.size <= _LARGE:
            return await self._fetched(info.key, version)
        async with self._large:
            return await self._fetched(info.key, version)

    async def _fetched(self, key: str, version: str | None) -> tuple[ObjectInfo, KnownHead]:
        found = await self._store.fetch(key, version=version)
        return found.info, KnownHead(found.info.size, await self._service.parsed(found.content, key), True)

    def _suffices(self, known: KnownHead) -> bool:
        if self._whole:
            return known.facts.certain and known.ended is not None
        return not self._ends or known.ended is not None or known.facts.certain


def _head(info: ObjectInfo, known: KnownHead, *, changed: bool) -> Head:
    return known.facts.head(info.key, info.etag, info.size, ended=known.ended, changed=changed)


def _failed(info: ObjectInfo, error: ConsoleError) -> Head:
    return Head(key=info.key, etag=info.etag, size=info.size, status="unknown", error=error, reason=error.title)


def _not_asked(store: ObjectStore) -> Unreachable:
    return Unreachable(
        f"not asked: {store.label} did not answer the last {_DEAD_AFTER} reads",
        hint="look again when the store answers; doctor asks it once",
        code="store.gave_up",
    )


def _name(info: ObjectInfo) -> tuple[str, str] | None:
    return None if not info.etag else (info.key, info.etag.strip('"'))


def _same(one: ObjectInfo, other: ObjectInfo) -> bool:
    """Whether two looks saw one object: by ETag where both have one, else by size."""
    if one.etag and other.etag:
        return one.etag.strip('"') == other.etag.strip('"')
    return one.size == other.size
