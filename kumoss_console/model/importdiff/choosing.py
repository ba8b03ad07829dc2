"""Which items of a comparison are asked for: by words, by type, by status. Linear; the order stays."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff.result import Item, Status
from kumoss_console.model.importids.proposal import propose

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """``text`` are words that all occur in the identifier, its kind, its reason, or in who manages it. ``types`` are resource
    types or the cloud's kinds, ``*`` for any text. ``wrong`` keeps what somebody should look at. Without ``suppressed`` what is
    suppressed is left out."""

    text: str = ""
    types: tuple[str, ...] = ()
    statuses: frozenset[Status] = frozenset()
    wrong: bool = False
    suppressed: bool = True

    def of(self, items: Sequence[Item], covered: Container[str] = _NONE, provider: CloudProvider | None = None) -> list[Item]:
        """``provider`` lets a type be guessed from the identifier where no state has one."""
        kept: Collection[Item] = items
        if self.statuses:
            kept = [item for item in kept if item.status in self.statuses]
        if self.wrong:
            kept = [item for item in kept if item.wrong]
        if not self.suppressed:
            kept = [item for item in kept if item.id not in covered]
        if self.types:
            patterns = tuple(one.casefold() for one in self.types)
            kept = [item for item in kept if _is_of(item, patterns, provider)]
        for word in self.text.casefold().split():
            kept = [item for item in kept if _has(item, word)]
        return list(kept)


def _is_of(item: Item, patterns: tuple[str, ...], provider: CloudProvider | None) -> bool:
    type_ = item.type or (propose(provider, item.id).type if provider is not None else "")
    return any(fnmatchcase(name.casefold(), pattern) for name in (type_, item.kind) if name for pattern in patterns)


def _has(item: Item, word: str) -> bool:
    if word in item.id.casefold() or word in item.kind or word in item.reason.casefold():
        return True
    return any(
        word in part.casefold() for holder in item.holders for part in (holder.owner, holder.key, holder.address, holder.type)
    )
