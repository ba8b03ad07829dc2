"""What a comparison found: one item for each identifier, sorted into five heaps, each with its reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.finding import Finding
from kumoss_console.model.importdiff.index import Holder, Index


class Status(StrEnum):
    """``missing``: the state has it, the listing of the cloud can show it and does not. ``ambiguous``: see the reason."""

    UNMANAGED = "unmanaged"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    MANAGED_ELSEWHERE = "managed_elsewhere"
    MANAGED_HERE = "managed_here"


INCOMPARABLE = frozenset(
    {
        "doubt",
        "form_not_known",
        "kind_not_shown",
        "left_out",
        "left_out_by_tags",
        "nothing_shown",
        "other_form",
        "other_provider",
        "other_scope",
        "region_not_shown",
        "tags_unknown",
        "type_not_shown",
    }
)
"""Reasons why what a state has cannot be looked for in the listing: nothing is wrong with it as far as anybody here knows."""

_PERHAPS_UNMANAGED = frozenset(
    {"companion", "conditional_grant", "named_by_number", "only_case", "part_of_arn", "project_number", "role_binding"}
)
"""Reasons why it is not known whether what the listing shows is managed: an operator who looked may import it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One identifier: as the listing has it; as the state has it where the listing does not. ``kind`` is the cloud's own name
    of what it is. ``code`` names the reason in one stable word; both are empty where the status says it all."""

    id: str
    status: Status
    kind: str
    code: str = ""
    reason: str = ""
    holders: tuple[Holder, ...] = ()

    @property
    def incomparable(self) -> bool:
        return self.code in INCOMPARABLE

    @property
    def wrong(self) -> bool:
        """Whether somebody should look at it."""
        return self.status in {Status.UNMANAGED, Status.MISSING} or (self.status is Status.AMBIGUOUS and not self.incomparable)

    @property
    def importable(self) -> bool:
        """Whether it is in the cloud and no state certainly manages it."""
        return self.status is Status.UNMANAGED or (self.status is Status.AMBIGUOUS and self.code in _PERHAPS_UNMANAGED)

    @property
    def type(self) -> str:
        """The resource type that a state has it as; empty where none says."""
        return next((holder.type for holder in self.holders if holder.type), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All items, what needs a look first. ``here`` is the key of the workspace's own state in the bucket, empty where that is not
    known; ``addresses`` are those of that state, ``None`` where only its identifiers are known."""

    provider: CloudProvider
    scope: str
    items: tuple[Item, ...]
    findings: tuple[Finding, ...] = ()
    here: str = ""
    addresses: frozenset[str] | None = None
    index: Index = field(repr=False, compare=False)
    """Who manages what, for whoever is about to import something."""

    @property
    def counts(self) -> dict[str, int]:
        """Items by status; every status is there."""
        found = Counter(item.status for item in self.items)
        return {status.value: found[status] for status in Status}
