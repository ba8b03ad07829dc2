"""Identifiers in the cloud against identifiers in states. Pure, and linear in their number.

Azure's identifiers are compared without regard to case, all others exactly; where a state has both an ARN and an ``id``, either
will do. Whatever is near without being the same is ambiguous and says why. That something is missing is only claimed where the
listing would have shown it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff.absence import Absence, Seen, Sought, region_of
from kumoss_console.model.importdiff.held import Managed, StateIds
from kumoss_console.model.importdiff.index import Index, Pair
from kumoss_console.model.importdiff.kinds import group_of, is_foreign, kind_of
from kumoss_console.model.importdiff.remarks import remarks
from kumoss_console.model.importdiff.result import Comparison, Item, Status
from kumoss_console.model.importdiff.spelling import Fold, folding
from kumoss_console.model.importids.companions import COMPANIONS
from kumoss_console.model.importids.forms import form_of
from kumoss_console.model.importids.grant import GRANT

_FEW = 0.05
"""A share of what could be shown: below it the service rather may not see things than that all of them are gone."""

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
        findings=tuple(remarks(listing.doubt, run.nothing, here, elsewhere, items, unread)),
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
        self._types: set[str] = set()
        self.nothing = ""
        """Why the listing's silence tells nothing of this state; known when :meth:`of_state` is through."""
        self._near: set[int] = set()
        """Objects that an item names as near: they get no item of their own."""

    def of_cloud(self) -> Iterator[Item]:
        """One item for each thing that the listing shows."""
        for spelling, spelled in self._spelled.items():
            kind = kind_of(self._listing.provider, spelling)
            self._kinds.add(kind)
            pairs = self.index.get(spelling) or self._by_policy(spelled[0])
            yield self._managed(kind, spelled[0], pairs) if pairs else self._unmatched(kind, spelling, spelled[0])

    def _by_policy(self, identifier: str) -> Sequence[Pair]:
        """The policy of the project that a grant is a part of: it says who is granted what, whole."""
        policies = self.index.policies
        if not policies or GRANT.fullmatch(identifier) is None:
            return ()
        self._near.update(id(pair[1]) for pair in policies)
        return policies

    def _managed(self, kind: str, identifier: str, pairs: Sequence[Pair]) -> Item:
        here = [pair for pair in pairs if self.index.is_here(pair)]
        if here:
            self._proven.add(kind)
            self._types.update(pair[1].type for pair in here)
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
        met, left = 0, dict[str, list[Managed]]()
        for held in here.objects:
            if id(held) in self._near:
                continue
            if any(self._fold(one) in self._spelled for one in held.ids):
                met += not is_foreign(self._listing.provider, held.type)
            else:
                left.setdefault(self._fold(held.id), []).append(held)
        self.nothing = ""
        if not left:
            return
        seen = self._seen(here)
        absence = Absence(self._listing.provider, self._listing.scope, seen)
        gone = [self._sought(objects) for objects in left.values()]
        sought = sum(not absence.never_shown(one)[0] for one in gone)
        self.nothing = _shows_nothing(sought, met, len(self._spelled))
        absence = Absence(self._listing.provider, self._listing.scope, replace(seen, nothing=self.nothing))
        for one in gone:
            code, reason = absence.why(one)
            pairs = [(here, held) for held in one.objects]
            status = Status.AMBIGUOUS if code else Status.MISSING
            yield self._item(one.objects[0].id, status, one.kind, pairs, code=code, reason=reason)

    def _sought(self, objects: Sequence[Managed]) -> Sought:
        """The identifier to look for: one that is the objects' own where they have one, else the contract's."""
        provider = self._listing.provider
        found: Sought | None = None
        for spelling in dict.fromkeys(self._fold(one) for held in objects for one in held.ids):
            kind = kind_of(provider, spelling)
            if kind == "bucket" and all(held.type not in {"", "google_storage_bucket"} for held in objects):
                kind = ""
            one = Sought(spelling, kind, form_of(provider, spelling) if kind else None, objects)
            if one.own:
                return one
            found = one if found is None or (not found.kind and kind) else found
        if found is None:
            raise ValueError("an object without an identifier")
        return found

    def _seen(self, here: StateIds) -> Seen:
        provider, spelled = self._listing.provider, self._spelled
        forms = (form_of(provider, spelling) for spelling in spelled)
        hidden = (held for held in here.objects if held.hidden and held.type == "azurerm_resource_group")
        return Seen(
            kinds=self._kinds,
            forms=frozenset(form.name for form in forms if form is not None),
            regions=frozenset(map(region_of, spelled)) if provider is CloudProvider.AWS else (),
            proven=self._proven,
            types=self._types,
            groups=frozenset(group_of(self._fold(held.id)) for held in hidden) - {""},
            doubt=self._listing.doubt,
        )

    def _item(
        self, identifier: str, status: Status, kind: str, pairs: Sequence[Pair], *, code: str = "", reason: str = ""
    ) -> Item:
        holders = tuple(map(self.index.holder, pairs))
        return Item(id=identifier, status=status, kind=kind, code=code, reason=reason, holders=holders)


def _shows_nothing(sought: int, met: int, listed: int) -> str:
    """Why nothing is missing by a listing that shows next to nothing of what this state has and it could show."""
    if not sought or (met and met >= (sought + met) * _FEW):
        return ""
    if not listed:
        return "the listing shows nothing at all: perhaps the service may not see what is there"
    if met:
        return f"the listing shows only {met:,} of {sought + met:,} that this state has: perhaps the service may not see the rest"
    return "the listing shows nothing of this state: perhaps the service may not see it" if sought > 1 else ""


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
