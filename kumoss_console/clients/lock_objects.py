"""Locks that are objects beside the state (``KEY.tflock``), over any :class:`~kumoss_console.ports.store.ObjectStore`.

Removing one is a deletion on the condition that the object is still the one that was seen (``If-Match``). AWS S3 and SeaweedFS
(seen on 4.48) keep that condition; stores that do not know it delete whatever is there by then. Which kind this one is, it is
asked first: to delete, on a condition that cannot hold, an object that does not exist.
"""

from __future__ import annotations

import hashlib
from uuid import uuid4

from kumoss_console.errors import ConsoleError, NotFound, Refused, ServiceError
from kumoss_console.model.lock import LOCK_SUFFIX, LockMechanism, parse_lock_object
from kumoss_console.model.lock.refusals import lock_changed, lock_gone
from kumoss_console.ports.locks import LockSighting
from kumoss_console.ports.store import ObjectStore
from kumoss_console.text import printable

_IMPOSSIBLE = f'"{hashlib.md5(b"no object of anybody has this", usedforsecurity=False).hexdigest()}"'

UNGUARDED = (
    "this store deletes without looking at the condition, so the last moment was not protected: the lock was read again right "
    "before, and a run that took it between the two has lost it; look at the running jobs"
)
UNCONDITIONAL = (
    "this store refuses deletions on a condition, so the last moment was not protected: the lock was read again right before, "
    "and a run that took it between the two has lost it; look at the running jobs"
)
UNKNOWN_GUARD = (
    "whether this store looks at the condition of a deletion could not be found out; the lock was read again right before"
)
NO_ETAG = "this store gave no ETag, so the deletion had no condition; the lock was read again right before"


class LockObjects:
    """:class:`~kumoss_console.ports.locks.LockKeeper` of lock objects."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    @property
    def mechanism(self) -> LockMechanism:
        return "object"

    async def look(self, key: str) -> LockSighting | None:
        try:
            found = await self._store.fetch(f"{key}{LOCK_SUFFIX}")
        except NotFound:
            return None
        return LockSighting(
            key=key,
            mechanism="object",
            document=parse_lock_object(found.content),
            proof=found.info.etag,
            modified=found.info.modified,
            where=f"the object {printable(found.info.key)} in {self._store.label}",
            raw=found.content,
        )

    async def remove(self, sighting: LockSighting) -> str | None:
        """As the port says; an object of the same content that was written later is another lock, too."""
        caveat = await self._caveat(sighting)
        condition = None if caveat == UNCONDITIONAL else sighting.proof
        await self._must_be_there(sighting)
        try:
            await self._store.delete(f"{sighting.key}{LOCK_SUFFIX}", etag=condition)
        except Refused as refused:
            await self._must_be_there(sighting)
            raise lock_changed(sighting.key, detail=refused.title) from refused
        return caveat

    async def _must_be_there(self, sighting: LockSighting) -> None:
        now = await self.look(sighting.key)
        if now is None:
            raise lock_gone(sighting.key)
        if (now.proof, now.modified, now.raw) != (sighting.proof, sighting.modified, sighting.raw):
            raise lock_changed(sighting.key)

    async def _caveat(self, sighting: LockSighting) -> str | None:
        """What this store cannot promise about a deletion on a condition; ``None`` where it keeps the condition."""
        if sighting.proof is None:
            return NO_ETAG
        nothing = f"{sighting.key}{LOCK_SUFFIX}.{uuid4().hex}"
        try:
            await self._store.delete(nothing, etag=_IMPOSSIBLE)
        except (Refused, NotFound):
            return None
        except ServiceError as error:
            return UNCONDITIONAL if error.code == "store.conditions_unsupported" else UNKNOWN_GUARD
        await self._forget(nothing)
        return UNGUARDED

    async def _forget(self, nothing: str) -> None:
        """Where the store keeps versions, deleting what was never there has left a delete marker."""
        try:
            for version in await self._store.versions(nothing):
                await self._store.delete(nothing, version=version.version_id)
        except ConsoleError:
            return  # a marker over nothing does no harm
