"""A listing as it grows: objects become rows, lock objects mark the rows they lock.

Linear in the number of objects: a row is made once and replaced at most once or twice, never rebuilt for a later page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from kumoss_console.model.context import KnownProject
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.model.storage import StorageProvider
from kumoss_console.model.storedkey import KeyKind, is_lock_object, stored_key
from kumoss_console.ports.objects import ObjectInfo

STATES: frozenset[KeyKind] = frozenset({"state", "workspace"})
"""Kinds of keys that an engine writes a state to by the core's order."""


class StateRow(Struct, frozen=True, kw_only=True, gc=False):
    """One key of the bucket, exactly as the store has it. A struct: a bucket has a hundred thousand, a frozen dataclass takes six
    times as long to make, and the garbage collector would look at each of them, again and again.

    ``kind`` is what the key tells (:class:`~kumoss_console.model.storedkey.StoredKey`): ``lock`` is a lock object whose state is
    not there (its key is the lock's own). Whether a state lies at any other key, only reading it tells. ``base`` is the key of
    the state that this one belongs to, empty for its own; ``workspace`` is empty for the default one. ``locked_at`` is when the
    lock object was written; ``None`` for an unlocked row, and for a lease, which is taken without writing anything.
    """

    key: str
    kind: KeyKind
    project_id: str | None
    owner: KnownProject | None
    size: int
    modified: datetime | None
    locked: bool = False
    locked_at: datetime | None = None
    base: str = ""
    workspace: str = ""
    etag: str | None = None

    @property
    def lock_key(self) -> str:
        """The key of the lock object, whether there is one or not."""
        return self.key if self.kind == "lock" else f"{self.key}{LOCK_SUFFIX}"

    @property
    def place(self) -> str:
        """What rows are ordered by: their key, and what belongs to a state right behind it (its workspaces, its backup, a lock
        that lost it)."""
        return f"{self.base}\0{self.workspace}\0{self.key}" if self.base else self.key

    @property
    def orphan(self) -> bool:
        """A state that no known project owns, at a key of the core or of a workspace beside one."""
        return self.owner is None and self.kind in STATES and self.project_id is not None

    @property
    def info(self) -> ObjectInfo:
        """The object as the store named it."""
        return ObjectInfo(key=self.key, size=self.size, modified=self.modified, etag=self.etag)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketSnapshot:
    """The bucket as far as it is listed. ``objects`` counts everything the store named, lock objects included.

    ``share`` is how much of the listing is done, from 0 to 1, ``None`` where that cannot be told.
    """

    rows: tuple[StateRow, ...]
    objects: int
    states: int
    locks: int
    orphans: int
    others: int
    """Objects at keys that the core does not make, locks of them not counted."""
    complete: bool
    at: datetime
    share: float | None = None


class Listing:
    """Collects pages into rows in order of arrival; a row keeps its place when a lock is found for it."""

    def __init__(self, filename: str, owners: Mapping[str, KnownProject], provider: StorageProvider) -> None:
        self._filename = filename
        self._provider = provider
        self._core = re.compile(r"[0-9a-f]{64}/" + re.escape(filename))
        self._owners = owners
        self._rows: list[StateRow] = []
        self._place: dict[str, int] = {}
        self._objects = 0
        self._states = 0
        self._locks = 0
        self._orphans = 0
        self._others = 0

    def add(self, page: Iterable[ObjectInfo]) -> None:
        """One page more. A key that comes again, as it may while the bucket changes, replaces its row."""
        for info in page:
            if is_lock_object(info.key, self._provider):
                self._add_lock(info)
            else:
                self._add_object(info)

    def snapshot(self, at: datetime, *, complete: bool, share: float | None = None) -> BucketSnapshot:
        return BucketSnapshot(
            rows=tuple(self._rows),
            objects=self._objects,
            states=self._states,
            locks=self._locks,
            orphans=self._orphans,
            others=self._others,
            complete=complete,
            at=at,
            share=1.0 if complete else share,
        )

    def _add_object(self, info: ObjectInfo) -> None:
        row = self._row(info)
        place = self._place.get(info.key)
        if place is None:
            self._objects += 1
            # Most buckets have few locks, and few of those come before their state.
            place = self._place.get(row.lock_key) if self._locks else None
        if place is not None:
            before = self._rows[place]
            self._count(before, -1)
            if info.leased is None:
                row = replace(row, locked=before.locked, locked_at=before.locked_at)
        self._put(row, place)

    def _add_lock(self, info: ObjectInfo) -> None:
        place = self._place.get(info.key.removesuffix(LOCK_SUFFIX))
        if place is None:
            place = self._place.get(info.key)
        if place is None or not self._rows[place].locked:
            self._objects += 1
        if place is None or self._rows[place].kind == "lock":
            row = replace(self._row(info), locked=True, locked_at=info.modified)
        else:
            row = replace(self._rows[place], locked=True, locked_at=info.modified)
        if place is not None:
            self._count(self._rows[place], -1)
        self._put(row, place)

    def _put(self, row: StateRow, place: int | None) -> None:
        if place is None:
            place = len(self._rows)
            self._rows.append(row)
        else:
            self._rows[place] = row
        self._place[row.key] = place
        self._count(row, 1)

    def _count(self, row: StateRow, by: int) -> None:
        if row.kind in STATES:
            self._states += by
            if row.owner is None and row.project_id is not None:
                self._orphans += by
        elif row.kind != "lock":
            self._others += by
        if row.locked:
            self._locks += by

    def _row(self, info: ObjectInfo) -> StateRow:
        if self._core.fullmatch(info.key) and not info.leased:
            # Nearly all rows of a bucket: told at a third of the cost.
            digest = info.key[:64]
            return StateRow(
                key=info.key,
                kind="state",
                project_id=digest,
                owner=self._owners.get(digest),
                size=info.size,
                modified=info.modified,
                etag=info.etag,
            )
        told = stored_key(info.key, self._filename, self._provider)
        return StateRow(
            key=info.key,
            kind=told.kind,
            project_id=told.project_id,
            owner=self._owners.get(told.project_id) if told.project_id else None,
            size=info.size,
            modified=info.modified,
            base="" if told.base == info.key else told.base,
            workspace=told.workspace,
            etag=info.etag,
            locked=bool(info.leased),
        )
