"""A listing as it grows: objects become rows, lock objects mark the rows they lock.

Linear in the number of objects: a row is made once and replaced at most once or twice, never rebuilt for a later page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from kumoss_console.model.context import KnownProject
from kumoss_console.model.lock import LOCK_SUFFIX
from kumoss_console.ports import ObjectInfo

_PROJECT_KEY = re.compile(r"([0-9a-f]{64})/")

RowKind = Literal["state", "lock", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRow:
    """One key of the bucket, exactly as the store has it.

    ``state`` is ``PROJECT_ID/FILENAME`` as the core makes it, ``lock`` a lock object whose state is not there (its key is the
    lock's own), ``other`` any other key: whether a state lies there, of a repository that declares its own backend, only
    reading it tells. ``locked_at`` is when the lock object was written, ``None`` for an unlocked row.
    """

    key: str
    kind: RowKind
    project_id: str | None
    owner: KnownProject | None
    size: int
    modified: datetime | None
    locked: bool = False
    locked_at: datetime | None = None

    @property
    def lock_key(self) -> str:
        """The key of the lock object, whether there is one or not."""
        return self.key if self.kind == "lock" else f"{self.key}{LOCK_SUFFIX}"

    @property
    def orphan(self) -> bool:
        """A state that no known project owns."""
        return self.kind == "state" and self.owner is None


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketSnapshot:
    """The bucket as far as it is listed. ``objects`` counts everything the store named, lock objects included."""

    rows: tuple[StateRow, ...]
    objects: int
    states: int
    locks: int
    orphans: int
    others: int
    """Objects at keys that the core does not make, locks of them not counted."""
    complete: bool
    at: datetime


class Listing:
    """Collects pages into rows in order of arrival; a row keeps its place when a lock is found for it."""

    def __init__(self, filename: str, owners: Mapping[str, KnownProject]) -> None:
        self._filename = filename
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
            self._objects += 1
            if info.key.endswith(LOCK_SUFFIX):
                self._add_lock(info)
            else:
                self._add_object(info)

    def snapshot(self, at: datetime, *, complete: bool) -> BucketSnapshot:
        return BucketSnapshot(
            rows=tuple(self._rows),
            objects=self._objects,
            states=self._states,
            locks=self._locks,
            orphans=self._orphans,
            others=self._others,
            complete=complete,
            at=at,
        )

    def _add_object(self, info: ObjectInfo) -> None:
        row = self._row(info)
        place = self._place.get(info.key)
        if place is None:
            place = self._place.get(row.lock_key)
        if place is not None:
            before = self._rows[place]
            self._count(before, -1)
            row = replace(row, locked=before.locked, locked_at=before.locked_at)
        self._put(row, place)

    def _add_lock(self, info: ObjectInfo) -> None:
        place = self._place.get(info.key.removesuffix(LOCK_SUFFIX))
        if place is None:
            place = self._place.get(info.key)
        if place is None or self._rows[place].kind == "lock":
            row = replace(self._row(info), kind="lock", locked=True, locked_at=info.modified)
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
        self._states += by * (row.kind == "state")
        self._locks += by * row.locked
        self._orphans += by * row.orphan
        self._others += by * (row.kind == "other")

    def _row(self, info: ObjectInfo) -> StateRow:
        found = _PROJECT_KEY.match(info.key)
        project_id = found[1] if found else None
        return StateRow(
            key=info.key,
            kind="state" if found and info.key[found.end() :] == self._filename else "other",
            project_id=project_id,
            owner=self._owners.get(project_id) if project_id else None,
            size=info.size,
            modified=info.modified,
        )
