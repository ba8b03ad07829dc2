"""What is known of single objects beyond the listing, from their first bytes or from a whole read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kumoss_console.model.state import DocumentKind, StateDocument
from kumoss_console.model.state.head import Head
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.services.bucket.listing import StateRow

_READ_BEFORE = frozenset({"folder", "lock"})
"""Kinds of keys whose object says nothing of a state."""


@dataclass(frozen=True, slots=True)
class Read:
    """A whole read of one object."""

    etag: str | None
    kind: DocumentKind
    serial: int | None
    managed: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """By key. What is known of an object that was replaced since is not shown for the new one."""

    heads: Mapping[str, Head] = field(default_factory=dict)
    reads: Mapping[str, Read] = field(default_factory=dict)

    def with_heads(self, heads: Iterable[Head]) -> Known:
        return replace(self, heads={**self.heads, **{head.key: head for head in heads}})

    def with_read(self, info: ObjectInfo, state: StateDocument) -> Known:
        managed = state.counts.resources_managed if state.counts is not None else None
        return replace(self, reads={**self.reads, info.key: Read(info.etag, state.kind, state.serial, managed)})

    def without_failures(self) -> Known:
        """For another look: what could not be looked into is not known."""
        return replace(self, heads={key: head for key, head in self.heads.items() if head.error is None})

    def head(self, row: StateRow) -> Head | None:
        head = self.heads.get(row.key)
        return head if head is not None and _same(head.etag, row.etag) else None

    def read(self, row: StateRow) -> Read | None:
        read = self.reads.get(row.key)
        return read if read is not None and _same(read.etag, row.etag) else None

    def serial(self, row: StateRow) -> int | None:
        read, head = self.read(row), self.head(row)
        return read.serial if read is not None else head.serial if head is not None else None

    def managed(self, row: StateRow) -> int | None:
        """Managed resources, where something counted them."""
        read, head = self.read(row), self.head(row)
        return read.managed if read is not None else head.managed if head is not None else None

    def missing(self, rows: Iterable[StateRow]) -> list[ObjectInfo]:
        """The objects of ``rows`` whose first bytes nobody has looked at, or looked at in vain."""
        return [row.info for row in rows if row.kind not in _READ_BEFORE and self._wanted(row)]

    def _wanted(self, row: StateRow) -> bool:
        return self.read(row) is None and self.head(row) is None


NOTHING = Known()


def _same(one: str | None, other: str | None) -> bool:
    return (one or "").strip('"') == (other or "").strip('"')
