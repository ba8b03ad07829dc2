"""Identifiers in the cloud against identifiers in states. Pure, and linear in their number.

Azure's identifiers are compared without regard to case, all others exactly; where a state has both an ARN and an ``id``, either
will do. Whatever is near without being the same is ambiguous and says why. That something is missing is only claimed where the
listing would have shown it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff.absence import Absence
from kumoss_console.model.importdiff.held import Managed, StateIds
from kumoss_console.model.importdiff.index import Index, Pair
from kumoss_console.model.importdiff.kinds import kind_of
from kumoss_console.model.importdiff.remarks import remarks
from kumoss_console.model.importdiff.result import Comparison, Item, Status
from kumoss_console.model.importdiff.spelling import GRANT, Fold, folding
from kumoss_console.model.importids.companions import COMPANIONS

_ORDER = {status: place for place, status in enumerate(Status)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a scope listing answered. ``number`` is the project's on Google Cloud, empty where not known. ``doubt`` is why the
    listing may not be whole, in words; empty for one that is."""

    provider: CloudProvider
    scope: str
    ids: Sequence[str]
    number: str = ""
    doubt: str = ""


def compare(listing: Listing, here: StateIds, elsewhere: Sequence[StateIds] = (), unread: Sequence[StateIds] = ()) -> Comparison:
    """``here`` is the workspace's own state, ``elsewhere`` the others of its bucket, ``unread`` those that may manage something
    and could not be looked at."""
    fold = folding(listing.provider, listing.scope, listing.number)
    run = _Run(listing, fold, Index(listing.provider, listing.scope, fold, here, elsewhere))
    items = [*run.of_cloud(), *run.of_state(here)]
    items.sort(key=lambda item: (_ORDER[item.status], item.incomparable))
    addresses = frozenset(held.address for held in here.objects if held.address)
    return Comparison(
        provider=listing.provider,
        scope=listing.scope,
        items=tuple(items),
        findings=tuple(remarks(listing.doubt, here, items, unread)),
        here=here.key,
        addresses=addresses if addresses or here.key else None,
        index=run.index,
    )


class _Run:
    """One comparison. The listing goes first: what was met in it decides what can be said of the rest."""

    def __init__(self, listing: Listing, fold: Fold, index: Index) -> None:
        self.index = index
        self._listing = listing
        self._fold = fold
        self._spelled: dict[str, list[str]] = {}
        for identifier in listing.ids:
            self._spelled.setdefault(fold(identifier), []).append(identifier)
        self._kinds: set[str] = set()
        self._proven: set[str] = set()
        self._near: set[int] = set()
        """Objects that an item names as near: they get no item of their own."""

    def of_cloud(self) -> Iterator[Item]:
        """One item for each thing that the listing shows."""
        for spelling, spelled in self._spelled.items():
            kind = kind_of(self._listing.provider, spelling)
            self._kinds.add(kind)
            pairs = self.index.get(spelling)
            yield self._managed(kind, spelled[0], pairs) if pairs else self._unmatched(kind, spelling, spelled[0])

    def _managed(self, kind: str, identifier: str, pairs: Sequence[Pair]) -> Item:
        here = [pair for pair in pairs if self.index.is_here(pair)]
        if here:
            self._proven.add(kind)
        own = [pair for pair in pairs if pair[1].type not in COMPANIONS]
        if not own:
            names = ", ".join(dict.fromkeys(_name(pair) for pair in pairs))
            return self._item(
                identifier,
                Status.AMBIGUOUS,
                kind,
                pairs,
                code="companion",
                reason=f"{names} has its identifier and is only a setting of it: whether it is managed itself is not known",
            )
        same = _twice([pair for pair in own if self.index.is_here(pair)])
        if same:
            return self._item(
                identifier,
                Status.AMBIGUOUS,
                kind,
                pairs,
                code="same_id_twice",
                reason=f"{len(same)} addresses of this state have it: {', '.join(same)}",
            )
        return self._item(identifier, Status.MANAGED_HERE if here else Status.MANAGED_ELSEWHERE, kind, pairs)

    def _unmatched(self, kind: str, spelling: str, identifier: str) -> Item:
        near = self._near_to(kind, spelling, identifier)
        if near is None:
            return self._item(identifier, Status.UNMANAGED, kind, ())
        code, reason, pairs = near
        self._near.update(id(pair[1]) for pair in pairs)
        return self._item(identifier, Status.AMBIGUOUS, kind, pairs, code=code, reason=reason)

    def _near_to(self, kind: str, spelling: str, identifier: str) -> tuple[str, str, Sequence[Pair]] | None:
        index = self.index
        if pairs := index.by_letters(spelling):
            return (
                "only_case",
                f"{_name(pairs[0])} differs from it in upper and lower case only, which this cloud tells apart",
                pairs,
            )
        if pairs := index.by_number(spelling):
            said = f"{_name(pairs[0])} has a project's number where this has its id: give the number to compare the two"
            return "project_number", said, pairs
        if pairs := index.by_part(identifier):
            said = f"{_name(pairs[0])} has no ARN, and an id that is a part of this one: it may be this, or belong to it"
            return "part_of_arn", said, pairs
        if self._listing.provider is CloudProvider.GCP:
            grant = GRANT.fullmatch(identifier)
            if grant is not None and (pairs := index.by_condition(spelling)):
                return (
                    "conditional_grant",
                    f"{_name(pairs[0])} grants it under a condition, which the listing does not tell",
                    pairs,
                )
            if grant is not None and (pairs := index.get(f"{grant['project']}/{grant['role']}")):
                return "role_binding", f"{_name(pairs[0])} manages the role as a whole, perhaps with this member", pairs
            if kind == "serviceAccounts" and spelling.rpartition("/")[2].isdigit():
                return (
                    "named_by_number",
                    "the listing names it by number, states do by e-mail address: they cannot be compared",
                    (),
                )
        return None

    def of_state(self, here: StateIds) -> Iterator[Item]:
        """One item for each identifier of the workspace's own state that the listing does not show."""
        absence = Absence(self._listing.provider, self._listing.scope, self._kinds, self._proven, self._listing.doubt)
        left: dict[str, list[Managed]] = {}
        for held in here.objects:
            if id(held) not in self._near and not any(self._fold(one) in self._spelled for one in held.ids):
                left.setdefault(self._fold(held.id), []).append(held)
        for spelling, objects in left.items():
            kind = kind_of(self._listing.provider, spelling)
            code, reason = absence.why(spelling, kind, objects)
            pairs = [(here, held) for held in objects]
            status = Status.AMBIGUOUS if code else Status.MISSING
            yield self._item(objects[0].id, status, kind, pairs, code=code, reason=reason)

    def _item(
        self, identifier: str, status: Status, kind: str, pairs: Sequence[Pair], *, code: str = "", reason: str = ""
    ) -> Item:
        holders = tuple(map(self.index.holder, pairs))
        return Item(id=identifier, status=status, kind=kind, code=code, reason=reason, holders=holders)


def _twice(pairs: Sequence[Pair]) -> list[str]:
    """Addresses that share an identifier and are of one type, so that only one of them can be right."""
    current = [held for _, held in pairs if not held.deposed]
    if len(current) < 2 or len({held.type for held in current}) == len(current):
        return []
    return sorted({held.address or held.id for held in current})


def _name(pair: Pair) -> str:
    state, held = pair
    where = f" of {state.key}" if state.key else ""
    return f"{held.address or held.id}{where}"
