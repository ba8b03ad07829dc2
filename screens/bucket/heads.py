"""What is known of single objects beyond the listing, from their first and last bytes or from a whole read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kumoss_console.model.scan import is_error
from kumoss_console.model.state import StateDocument
from kumoss_console.model.state.head import Head, facts_of
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.services.bucket.listing import StateRow

_NOT_READ = frozenset({"folder", "lock"})
"""Kinds of keys whose object says nothing of a state."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """By key. What is known of an object that was replaced since is not shown for the new one."""

    heads: Mapping[str, Head] = field(default_factory=dict)

    def with_heads(self, heads: Iterable[Head]) -> Known:
        return replace(self, heads={**self.heads, **{head.key: head for head in heads}})

    def with_read(self, info: ObjectInfo, state: StateDocument) -> Known:
        """The object was read whole: nothing of its head is a guess any more."""
        facts = replace(facts_of(state), certain=True)
        head = facts.head(info.key, info.etag, info.size, ended=True)
        return self.with_heads((head,))

    def without_failures(self) -> Known:
        """For another look: what could not be looked into is not known."""
        return replace(self, heads={key: head for key, head in self.heads.items() if head.error is None})

    def head(self, row: StateRow) -> Head | None:
        head = self.heads.get(row.key)
        return head if head is not None and _same(head.etag, row.etag) else None

    def serial(self, row: StateRow) -> int | None:
        head = self.head(row)
        return head.serial if head is not None else None

    def managed(self, row: StateRow) -> int | None:
        """Managed resources, where something counted them."""
        head = self.head(row)
        return head.managed if head is not None else None

    def is_wrong(self, row: StateRow) -> bool:
        """Whether what was read of the object, or that it could not be read, is an error where it lies: what a scan says, too."""
        head = self.head(row)
        return head is not None and is_error(row.kind, head)

    def news(self, heads: Iterable[Head]) -> list[Head]:
        """Those of ``heads`` that come from a whole read, where what is known does not."""
        return [head for head in heads if head.certain and (known := self.heads.get(head.key)) is not None and not known.certain]

    @property
    def judged(self) -> int:
        """Objects that were looked into."""
        return sum(1 for head in self.heads.values() if head.error is None)

    def missing(self, rows: Iterable[StateRow]) -> list[ObjectInfo]:
        """The objects of ``rows`` that nobody has looked into."""
        return [row.info for row in rows if row.kind not in _NOT_READ and self.head(row) is None]


NOTHING = Known()


def _same(one: str | None, other: str | None) -> bool:
    return (one or "").strip('"') == (other or "").strip('"')
