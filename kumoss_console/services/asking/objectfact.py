"""What a store holds at one key: the object, the state in it, and the lock beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from kumoss_console.errors import NotFound, ServiceError
from kumoss_console.model.moment import iso_or_none
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.leased import lease_on

if TYPE_CHECKING:
    # Reading states takes 60 ms to import; a key alone needs none of it.
    from kumoss_console.model.lock import LockDocument
    from kumoss_console.model.state import StateDocument

LARGEST_READ = 64 * 1024 * 1024
"""Bytes of a state that is read for its serial; a larger one is only looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectFact:
    """What the store holds at one key. ``size`` in bytes; ``detail`` says why something is not known, and may be empty.

    ``lock_status`` is ``unknown`` where a lock could not be asked for, or lies on an object that is not there.
    """

    object_key: str
    status: Literal["present", "absent", "unknown"]
    state: StateDocument | None = None
    lock_status: Literal["unlocked", "locked", "unknown"] = "unknown"
    lock: LockDocument | None = None
    size: int | None = None
    modified: datetime | None = None
    detail: str = ""

    def as_data(self, now: datetime | None = None) -> dict[str, Any]:
        """The ``object`` of the command line's shape; ``now`` gives the lock its age."""
        return {
            "status": self.status,
            "serial": self.state.serial if self.state else None,
            "lineage": self.state.lineage if self.state else None,
            "engine_version": self.state.engine_version if self.state else None,
            "size": self.size,
            "modified": iso_or_none(self.modified),
            "lock": self._lock_data(now),
            "detail": self.detail,
            "lock_status": self.lock_status,
        }

    def _lock_data(self, now: datetime | None) -> dict[str, Any] | None:
        from kumoss_console.model.state import lock_shape

        held = self.lock.lock if self.lock is not None else None
        return None if held is None else lock_shape(held, now)


async def look(store: ObjectStore, key: str, *, lock_objects: bool, off_loop: OffLoop) -> ObjectFact:
    """The fact about ``key``. Raises :class:`ServiceError` where not even the object's presence could be asked for.

    ``lock_objects`` says whether a lock is an object beside the state, as it is everywhere but on Azure. A state is parsed by
    ``off_loop``.
    """
    try:
        fact = await _with_state(store, await store.head(key), off_loop)
    except NotFound:
        fact = ObjectFact(object_key=key, status="absent")
    return await _with_lock(store, fact) if lock_objects and fact.lock_status == "unknown" else fact


async def _with_lock(store: ObjectStore, fact: ObjectFact) -> ObjectFact:
    from kumoss_console.model.lock import LOCK_SUFFIX, parse_lock_object

    try:
        raw = await store.get(f"{fact.object_key}{LOCK_SUFFIX}")
    except NotFound:
        return replace(fact, lock_status="unlocked")
    except ServiceError as error:
        return replace(fact, detail=f"{fact.detail}; lock: {error.title}".removeprefix("; "))
    return replace(fact, lock_status="locked", lock=parse_lock_object(raw))


async def _with_state(store: ObjectStore, info: ObjectInfo, off_loop: OffLoop) -> ObjectFact:
    from kumoss_console.model.state import parse_state

    fact = ObjectFact(object_key=info.key, status="present", size=info.size, modified=info.modified)
    if (lease := lease_on(info)) is not None:
        fact = replace(fact, lock_status=lease[0], lock=lease[1])
    if info.size > LARGEST_READ:
        return replace(fact, detail=f"not read: {info.size:,} bytes are more than this console reads at once")
    try:
        raw = await store.get(info.key)
    except NotFound:
        return ObjectFact(object_key=info.key, status="absent", detail="it was deleted while we looked")
    except ServiceError as error:
        return replace(fact, detail=f"not read: {error.title}")
    # A state of 34 MB takes a quarter of a second: not on the loop.
    state = await off_loop(lambda: parse_state(raw, name=info.key))
    return replace(fact, state=state, detail=state.reason)
