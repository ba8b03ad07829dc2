"""One state, opened: what it is, where it lies, who holds it, and its values behind a veil. From the bucket or from a file."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.finding import Finding
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.lock.taken import taken
from kumoss_console.model.state import StateDocument, parse_state, too_large
from kumoss_console.model.state.inside import Inside
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.locks import LockKeeper
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.leased import lease_on
from kumoss_console.services.asking.lock_status import seen_on
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.bucket.service import LARGEST_READ, StateDetail
from kumoss_console.services.bucket.shape import lock_findings


class ReadFile(Protocol):
    """Reads a document from disk, within limits: its bytes, and when it was modified. Blocking.

    Raises :class:`~kumoss_console.errors.InputError`.
    """

    def __call__(self, path: Path, /) -> tuple[bytes, datetime | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedState:
    """A document with its values. ``detail`` is there for an object of the bucket, ``file`` for one at hand: one of them is.

    ``at`` is when it was read.
    """

    document: StateDocument
    inside: Inside
    at: datetime
    detail: StateDetail | None = None
    file: str = ""
    modified: datetime | None = None

    @property
    def key(self) -> str:
        """The object's key; empty for a file."""
        return self.detail.info.key if self.detail is not None else ""

    @property
    def name(self) -> str:
        return self.key or self.file

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything there is to say about it and its lock."""
        return (*self.document.findings, *(lock_findings(self.detail) if self.detail is not None else ()))


def _parsed(raw: bytes, name: str) -> StateDocument:
    """:func:`parse_state` without looking for garbage meanwhile: there is none, only a hundred thousand rows that stay, and going
    over them again and again would be a fifth of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return parse_state(raw, name=name)
    finally:
        if collecting:
            gc.enable()


def opened_file(name: str, raw: bytes, at: datetime, *, modified: datetime | None = None) -> OpenedState:
    """A document at hand, opened. CPU work for a large one."""
    document = _parsed(raw, name)
    return OpenedState(document=document, inside=Inside(raw), at=at, file=name, modified=modified)


class StateDetailService:
    """Of one context. ``store`` is ``None`` where there is none to read; ``keepers`` keep the locks of its states."""

    def __init__(
        self,
        context: Context,
        store: ObjectStore | None,
        owner_of: Callable[[str], KnownProject | None],
        read_file: ReadFile,
        clock: Clock,
        *,
        keepers: Sequence[LockKeeper],
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        self._context = context
        self._given = store
        self._owner_of = owner_of
        self._read_file = read_file
        self._clock = clock
        self._keepers = tuple(keepers)
        self._off_loop = off_loop

    async def open(self, key: str) -> OpenedState:
        """One object of the bucket. A lock that cannot be looked at does not fail the whole."""
        store = self._store
        seen = None
        if key.endswith(LOCK_SUFFIX):
            info, lock = await store.head(key), None
        else:
            info, (found, seen, failed) = await asyncio.gather(store.head(key), seen_on(self._keepers, key))
            lock = (found, seen.document if seen is not None else None, failed)
            if (lease := lease_on(info)) is not None:
                lock = (*lease, None)
        document, inside = await self._read(info)
        status, held, error = lock or ("locked", document.lock, None)
        # A lock object that is opened itself was written when it was taken.
        mechanism, written = (seen.mechanism, seen.modified) if seen is not None else ("object", None if lock else info.modified)
        detail = StateDetail(
            info=info,
            state=document,
            lock_status=status,
            lock=held.lock if held else None,
            lock_document=held,
            lock_error=error,
            lock_since=taken(held.lock if held else None, mechanism, written).since,
            owner=self._owner_of(key),
        )
        return OpenedState(document=document, inside=inside, at=self._clock(), detail=detail, modified=info.modified)

    async def open_file(self, path: Path) -> OpenedState:
        """A document at hand. No service is asked."""

        def work() -> OpenedState:
            raw, modified = self._read_file(path)
            return opened_file(str(path), raw, self._clock(), modified=modified)

        return await self._off_loop(work)

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    async def _read(self, info: ObjectInfo) -> tuple[StateDocument, Inside]:
        if info.size > LARGEST_READ:
            return too_large(info.size), Inside(b"")
        raw = await self._store.get(info.key)

        def work() -> tuple[StateDocument, Inside]:
            return _parsed(raw, info.key), Inside(raw)

        return await self._off_loop(work)
