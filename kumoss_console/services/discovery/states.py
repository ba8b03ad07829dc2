"""What every state of the bucket manages: its documents read, many at once, none twice that has not changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass

from kumoss_console.errors import ConsoleError, Unreachable
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.importdiff import StateIds, state_ids
from kumoss_console.model.storedkey import KeyKind
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.arriving import arriving
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.bucket.service import BucketService, StateRow
from kumoss_console.services.states.xray import XrayService

READ: frozenset[KeyKind] = frozenset({"state", "workspace", "elsewhere"})
"""Kinds of keys at which a state in use can lie. Backups and plans manage nothing."""

LOOKED_AT: frozenset[KeyKind] = frozenset({"other"})
"""Kinds of keys that tell nothing: the first bytes tell whether it is a state, which is then read."""

_WANTED = READ | LOOKED_AT
AT_ONCE = 8
LARGEST_READ = 128 * 1024 * 1024
_LARGE = 1 << 20
_LARGE_AT_ONCE = 2
_OFF_LOOP = 64 * 1024
_DEAD_AFTER = 2 * AT_ONCE
"""Reads in a row that found nobody: the rest is not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketLook:
    """The objects that may be states, as far as they are read: ``read`` of ``to_read``, which is final where ``listed``.
    ``states`` are all of them where ``complete``. ``error`` is why the bucket could not be listed: nothing is known then."""

    listed: bool = False
    to_read: int = 0
    read: int = 0
    failed: int = 0
    complete: bool = False
    states: tuple[StateIds, ...] = ()
    error: ConsoleError | None = None

    @property
    def states_read(self) -> int:
        """How many of them are states, and were read."""
        return sum(state.status == "read" for state in self.states)


class BucketStates:
    """Of one context. ``store`` is ``None`` where there is none to read: then every look has a ``ConfigError``."""

    def __init__(
        self, context: Context, store: ObjectStore | None, bucket: BucketService, xray: XrayService, off_loop: OffLoop
    ) -> None:
        self._context = context
        self._xray = xray
        self._store = store
        self._bucket = bucket
        self._off_loop = off_loop
        self._known: dict[str, tuple[str, StateIds]] = {}
        """By key: ETag and what was read under it. A state that is no more listed is let go of."""

    async def look(self) -> AsyncGenerator[BucketLook, None]:
        """The look as it goes on, the last one ``complete``. Raises nothing that is an answer of the store: see ``error``."""
        store = self._store
        if store is None:
            yield BucketLook(complete=True, error=no_store(self._context))
            return
        rows: tuple[StateRow, ...] = ()
        try:
            async for snapshot in self._bucket.stream():
                rows = snapshot.rows
                yield BucketLook(to_read=sum(row.kind in _WANTED for row in rows))
        except ConsoleError as error:
            yield BucketLook(complete=True, error=error)
            return
        wanted = [row for row in rows if row.kind in _WANTED]
        yield BucketLook(listed=True, to_read=len(wanted))
        found: list[StateIds] = []
        failed = 0
        async with aclosing(_Reading(self, store, iter(wanted)).run()) as reading:
            async for state in reading:
                found.append(state)
                failed += state.status == "could_not_look"
                yield BucketLook(listed=True, to_read=len(wanted), read=len(found), failed=failed)
        found.sort(key=lambda state: state.key)
        kept = {row.key for row in wanted}
        self._known = {key: known for key, known in self._known.items() if key in kept}
        yield BucketLook(
            listed=True,
            to_read=len(wanted),
            read=len(found),
            failed=failed,
            complete=True,
            states=tuple(found),
        )

    def recall(self, row: StateRow) -> StateIds | None:
        known = self._known.get(row.key)
        return known[1] if known is not None and row.etag and known[0] == row.etag.strip('"') else None

    async def read(self, store: ObjectStore, row: StateRow) -> StateIds:
        """The state at a key, read anew. Raises what the store raises."""
        owner = owner_words(row.owner)
        if row.size > LARGEST_READ:
            return StateIds(key=row.key, owner=owner, status="could_not_look", reason=f"too large to read: {row.size:,} bytes")
        if row.kind in LOOKED_AT:
            head = await self._xray.head(row.info)
            if head.error is not None:
                raise head.error
            if head.status not in {"state", "encrypted", "damaged"}:
                return StateIds(key=row.key, owner=owner, status="not_a_state", reason=head.reason)
        fetched = await store.fetch(row.key)
        if len(fetched.content) <= _OFF_LOOP:
            found = state_ids(fetched.content, key=row.key, owner=owner)
        else:
            found = await self._off_loop(lambda: state_ids(fetched.content, key=row.key, owner=owner))
        if fetched.info.etag:
            self._known[row.key] = (fetched.info.etag.strip('"'), found)
        return found


class _Reading:
    """One run over the keys, shared by the tasks that read them."""

    def __init__(self, states: BucketStates, store: ObjectStore, rows: Iterator[StateRow]) -> None:
        self._states = states
        self._store = store
        self._rows = rows
        self._done: asyncio.Queue[StateIds | None] = asyncio.Queue()
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)
        self._in_vain = 0

    async def run(self) -> AsyncGenerator[StateIds, None]:
        async with aclosing(arriving(self._done, self._work, AT_ONCE)) as states:
            async for state in states:
                yield state

    async def _work(self) -> None:
        for row in self._rows:
            self._done.put_nowait(await self._state(row))
            await asyncio.sleep(0)  # states that are known take no time of their own

    async def _state(self, row: StateRow) -> StateIds:
        if (known := self._states.recall(row)) is not None:
            return known
        if self._in_vain >= _DEAD_AFTER:
            return _not_looked(row, f"not asked: {self._store.label} did not answer the last {_DEAD_AFTER} reads")
        try:
            if row.size <= _LARGE:
                found = await self._states.read(self._store, row)
            else:
                async with self._large:
                    found = await self._states.read(self._store, row)
        except ConsoleError as error:
            self._in_vain = self._in_vain + 1 if isinstance(error, Unreachable) else 0
            return _not_looked(row, error.title)
        self._in_vain = 0
        return found


def owner_words(owner: KnownProject | None) -> str:
    """Whose a key is, in one line; empty for nobody's that is known here."""
    if owner is None:
        return ""
    return " · ".join(part for part in (owner.name or owner.repo.removeprefix("https://"), owner.scope, owner.path) if part)


def _not_looked(row: StateRow, reason: str) -> StateIds:
    return StateIds(key=row.key, owner=owner_words(row.owner), status="could_not_look", reason=reason)
