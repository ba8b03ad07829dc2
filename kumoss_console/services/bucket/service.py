"""The state bucket: what is in it, whose it is, and who holds a lock on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from kumoss_console.errors import ConsoleError, NotFound, ServiceError
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.lock import LOCK_SUFFIX, Lock, LockDocument, parse_lock_object
from kumoss_console.model.lock.taken import taken
from kumoss_console.model.state import StateDocument, parse_state, too_large
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.locks import LockKeeper, LockSighting, is_finder
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.lock_status import LockStatus, seen_on
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.bucket.listing import BucketSnapshot, Listing, StateRow
from kumoss_console.services.bucket.walk import Walk

__all__ = ["BucketService", "BucketSnapshot", "HeldLock", "StateDetail", "StateRow"]

LARGEST_READ = 128 * 1024 * 1024
"""Bytes of an object that is read for its detail; the largest states seen are 34 MB."""

_INTERVAL = 0.1
"""Seconds between two snapshots of a growing listing: a screen shows no more."""

_AT_ONCE = 8
"""Locks that are read at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateDetail:
    """One object, read. ``lock_status`` is ``unknown`` where the lock could not be looked for, and ``lock_error`` says why.

    ``lock_document`` is there for every lock that exists, ``lock`` only for one that can be read. ``lock_since`` is when it was
    taken, by the clock that is to go by.
    """

    info: ObjectInfo
    state: StateDocument
    lock_status: LockStatus
    lock: Lock | None = None
    lock_document: LockDocument | None = None
    lock_error: ConsoleError | None = None
    lock_since: datetime | None = None
    owner: KnownProject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLock:
    """A lock on the state ``key``. ``since`` is when it was taken, by the clock that is to go by.

    ``lock`` is ``None`` where the lock cannot be read (``document`` says why) or could not be fetched (``error``). A
    ``stateless`` one has no state beside it.
    """

    key: str
    owner: KnownProject | None
    lock: Lock | None
    since: datetime | None
    document: LockDocument | None = None
    error: ConsoleError | None = None
    stateless: bool = False


class BucketService:
    """Reads the bucket of one context. ``store`` is ``None`` where there is none to read: every call then raises
    :class:`~kumoss_console.errors.ConfigError` with what to do instead."""

    def __init__(
        self,
        context: Context,
        store: ObjectStore | None,
        owners: Callable[[], Mapping[str, KnownProject]],
        clock: Clock,
        *,
        keepers: Sequence[LockKeeper] = (),
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        """``keepers`` are those who keep the locks of this context; without any, locks are objects beside the states."""
        self._context = context
        self._keepers = tuple(keepers)
        self._given = store
        self._owners = owners
        self._clock = clock
        self._off_loop = off_loop
        self._one_by_one = False
        """Whether the store was seen to keep keys in an order that does not allow for ranges."""

    async def stream(self, prefix: str = "") -> AsyncIterator[BucketSnapshot]:
        """The bucket as its pages arrive: the first page at once, then at most ten snapshots a second, the last ``complete``.

        A listing that fails half-way gives what it had, then raises.
        """
        listing = self._empty_listing()
        loop = asyncio.get_running_loop()
        shown_at = -_INTERVAL
        pending = False
        walk = Walk(self._store, prefix, one_by_one=self._one_by_one)
        try:
            async with aclosing(walk.pages()) as pages:
                async for page in pages:
                    listing.add(page)
                    pending = loop.time() - shown_at < _INTERVAL
                    if not pending:
                        yield listing.snapshot(self._clock(), complete=False, share=walk.share)
                        shown_at = loop.time()
        except ConsoleError:
            if pending:
                yield listing.snapshot(self._clock(), complete=False, share=walk.share)
            raise
        finally:
            self._one_by_one = walk.one_by_one
        yield listing.snapshot(self._clock(), complete=True)

    def _empty_listing(self) -> Listing:
        storage = self._context.storage
        return Listing(storage.terraform_state_filename, self._owners(), storage.provider)

    async def snapshot(self, prefix: str = "") -> BucketSnapshot:
        """The whole bucket, once."""
        listing = self._empty_listing()
        walk = Walk(self._store, prefix, one_by_one=self._one_by_one)
        async for page in walk.pages():
            listing.add(page)
        self._one_by_one = walk.one_by_one
        return listing.snapshot(self._clock(), complete=True)

    async def gathered(self, prefix: str = "") -> tuple[BucketSnapshot, ConsoleError | None]:
        """The whole bucket, or what there was of it until a later page failed, and why. Raises where no page came at all."""
        last = None
        try:
            async for snapshot in self.stream(prefix):
                last = snapshot
        except ConsoleError as error:
            if last is None:
                raise
            return last, error
        if last is None:
            raise AssertionError("a listing has an end")
        return last, None

    async def detail(self, key: str) -> StateDetail:
        """One object with what is in it. A lock that cannot be looked at does not fail the whole."""
        store = self._store
        owner = self.owner_of(key)
        if key.endswith(LOCK_SUFFIX):
            info = await store.head(key)
            state = await self._read(info)
            return StateDetail(
                info=info,
                state=state,
                lock_status="locked",
                lock=state.lock.lock if state.lock else None,
                lock_document=state.lock,
                lock_since=taken(state.lock.lock if state.lock else None, "object", info.modified).since,
                owner=owner,
            )
        info, (status, seen, error) = await asyncio.gather(store.head(key), self._lock_on(key))
        document = seen.document if seen is not None else None
        return StateDetail(
            info=info,
            state=await self._read(info),
            lock_status=status,
            lock=document.lock if document else None,
            lock_document=document,
            lock_error=error,
            lock_since=_since(seen) if seen is not None else None,
            owner=owner,
        )

    async def locks(self, snapshot: BucketSnapshot | None = None) -> tuple[HeldLock, ...]:
        """Every lock that is held, by key, read eight at a time; from ``snapshot`` where one is at hand, else from a new listing.

        A lock released meanwhile is left out; one that cannot be fetched stays, with its error. Leases, and rows of a table,
        come with them; where those cannot be asked for, the whole fails: nobody may take it for all there is.
        """
        finders = [keeper for keeper in self._keepers if is_finder(keeper)]
        kept = [lock for keeper in finders for lock in map(self._kept, await keeper.held())]
        if finders and len(finders) == len(self._keepers):
            return tuple(kept)
        objects = await self._objects(snapshot)
        # An engine may keep one lock in both places: it is one lock.
        known = {(held.key, held.lock.id if held.lock else "") for held in objects}
        others = (held for held in kept if (held.key, held.lock.id if held.lock else "") not in known)
        return tuple(sorted((*objects, *others), key=lambda held: held.key))

    async def _objects(self, snapshot: BucketSnapshot | None) -> tuple[HeldLock, ...]:
        rows = (snapshot or await self.snapshot()).rows
        gate = asyncio.Semaphore(_AT_ONCE)

        async def read(row: StateRow) -> HeldLock | None:
            async with gate:
                return await self._held(row)

        # A listing names keys in the order in which its parts arrive.
        locked = sorted((row for row in rows if row.locked), key=lambda row: row.key)
        found = await asyncio.gather(*(read(row) for row in locked))
        return tuple(lock for lock in found if lock is not None)

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    def owner_of(self, key: str) -> KnownProject | None:
        """The known project whose key this is. No network."""
        return self._owners().get(key.partition("/")[0])

    async def _read(self, info: ObjectInfo) -> StateDocument:
        if info.size > LARGEST_READ:
            return too_large(info.size)
        raw = await self._store.get(info.key)
        # 0.2 s for 32 MB: not on the loop.
        return await self._off_loop(lambda: parse_state(raw, name=info.key))

    def _kept(self, seen: LockSighting) -> HeldLock:
        lock, owner = seen.document.lock, self.owner_of(seen.key)
        return HeldLock(key=seen.key, owner=owner, lock=lock, since=_since(seen), document=seen.document)

    async def _lock_on(self, key: str) -> tuple[LockStatus, LockSighting | None, ConsoleError | None]:
        if self._keepers:
            return await seen_on(self._keepers, key)
        try:
            found = await self._store.fetch(f"{key}{LOCK_SUFFIX}")
        except NotFound:
            return "unlocked", None, None
        except ServiceError as error:
            return "unknown", None, error
        document, modified = parse_lock_object(found.content), found.info.modified
        seen = LockSighting(
            key=key, mechanism="object", document=document, proof=None, modified=modified, where=self._store.label
        )
        return "locked", seen, None

    async def _held(self, row: StateRow) -> HeldLock | None:
        key, stateless = row.lock_key.removesuffix(LOCK_SUFFIX), row.kind == "lock"
        try:
            document = parse_lock_object(await self._store.get(row.lock_key))
        except NotFound:
            return None
        except ConsoleError as error:
            return HeldLock(key=key, owner=row.owner, lock=None, since=row.locked_at, error=error, stateless=stateless)
        lock = document.lock
        since = taken(lock, "object", row.locked_at).since
        return HeldLock(key=key, owner=row.owner, lock=lock, since=since, document=document, stateless=stateless)


def _since(seen: LockSighting) -> datetime | None:
    return taken(seen.document.lock, seen.mechanism, seen.modified).since
