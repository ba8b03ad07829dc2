"""What the store holds at the keys of a trace. A store that does not answer makes keys unknown, never absent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kumoss_console.errors import ConfigError, NotFound, ServiceError, Unreachable
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.model.trace import Applied, Candidate, Stored
from kumoss_console.model.trace.kept import Kept
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.objectfact import ObjectFact, look
from kumoss_console.services.trace.left import left_in, local_state
from kumoss_console.services.trace.near import NearMiss

_AT_ONCE = 8
_SHOWN = 3
"""States at near-misses that are read; more than that is noise."""


class Look:
    """``store`` is ``None`` where this context has none to read."""

    def __init__(self, store: ObjectStore | None, storage: StorageSettings, off_loop: OffLoop) -> None:
        self._store = store
        self._lock_objects = storage.provider is not StorageProvider.STORAGE_ACCOUNT
        self._off_loop = off_loop

    @property
    def label(self) -> str:
        return self._store.label if self._store is not None else ""

    async def at(self, keys: Iterable[str]) -> tuple[Stored, ...]:
        """One answer for each key."""
        return tuple(await asyncio.gather(*(self._one(key) for key in keys)))

    async def _one(self, key: str) -> Stored:
        if self._store is None:
            return Stored(key=key, status="unknown", detail="this context names no store that could be read")
        try:
            fact, version, kept = await asyncio.gather(
                look(self._store, key, lock_objects=self._lock_objects, off_loop=self._off_loop),
                self._version(self._store, key),
                _kept(self._store, key),
            )
        except (ServiceError, ConfigError) as error:  # ConfigError: what reads this kind of store is not installed
            # Both go on, or end, in a sentence.
            title, why = error.title.rstrip("."), error.detail.rstrip(".")
            detail = f"{title} ({why})" if why else title
            silent = isinstance(error, Unreachable)
            return Stored(key=key, status="unknown", detail=detail, unanswered=True, unreachable=silent, why=why)
        return replace(stored_of(fact, version), kept=kept)

    async def _version(self, store: ObjectStore, key: str) -> str | None:
        try:
            return (await store.head(key)).version_id
        except NotFound:
            return None

    async def file(self, folder: Path, path: str) -> Stored:
        """The local state at ``path``, absolute or relative to ``folder``; under its path as the key."""
        return await self._off_loop(lambda: local_state(folder, path))

    async def left(self, folder: Path) -> tuple[Applied, ...]:
        """Files that an engine leaves in ``folder`` once it has written a state, or could not write it."""
        return await self._off_loop(lambda: left_in(folder))

    async def candidates(self, misses: Sequence[NearMiss], *, skip: frozenset[str]) -> tuple[Candidate, ...]:
        """The near-misses that exist, likeliest first. One that cannot be asked for is left out: it proves nothing."""
        if self._store is None:
            return ()
        store = self._store
        gate = asyncio.Semaphore(_AT_ONCE)

        async def exists(key: str) -> bool:
            async with gate:
                try:
                    await store.head(key)
                except (ServiceError, ConfigError):
                    return False
                return True

        asked = [miss for miss in misses if miss.key not in skip]
        there = await asyncio.gather(*(exists(miss.key) for miss in asked))
        present = [miss for miss, found in zip(asked, there, strict=True) if found][:_SHOWN]
        stored = await self.at([miss.key for miss in present])
        return tuple(
            Candidate(why=miss.why, identity=miss.identity, stored=one, strong=miss.strong)
            for miss, one in zip(present, stored, strict=True)
            if one.status == "present"
        )


async def _kept(store: ObjectStore, key: str) -> Kept:
    """The earlier versions; a store that lists none, or does not answer this one question, takes nothing from the rest."""
    try:
        versions = await store.versions(key)
    except (ServiceError, ConfigError) as error:
        if error.code == "store.versions_unsupported":
            return Kept(status="unsupported")
        return Kept(status="unknown", detail=error.title)
    earlier = [one for one in versions if not one.latest and one.kind != "delete_marker"]
    gone = versions[0].modified if versions and versions[0].kind == "delete_marker" else None
    return Kept(status="known", earlier=len(earlier), newest=earlier[0].modified if earlier else None, deleted=gone)


def stored_of(fact: ObjectFact, version: str | None = None) -> Stored:
    """A fact about an object as the trace takes it."""
    state, lock = fact.state, fact.lock.lock if fact.lock is not None else None
    counts = state.counts if state is not None else None
    return Stored(
        key=fact.object_key,
        status=fact.status,
        readable=state is not None and state.serial is not None,
        serial=state.serial if state is not None else None,
        lineage=state.lineage if state is not None else None,
        engine_version=state.engine_version if state is not None else None,
        resources=counts.resources_managed if counts is not None else None,
        size=fact.size,
        modified=fact.modified,
        lock_status=fact.lock_status,
        holder=lock.holder if lock is not None else "",
        operation=lock.operation if lock is not None else "",
        since=lock.since if lock is not None else None,
        version=version,
        detail=fact.detail,
    )
