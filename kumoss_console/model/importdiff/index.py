"""Who manages what: every spelling that states have of their objects' identifiers, folded, and the near ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff.held import Managed, StateIds
from kumoss_console.model.importdiff.kinds import is_foreign
from kumoss_console.model.importdiff.spelling import Fold, numbered, with_project
from kumoss_console.model.importids.companions import COMPANIONS

Pair = tuple[StateIds, Managed]

_POLICY = "google_project_iam_policy"
_BUCKET = "google_storage_bucket"


@dataclass(frozen=True, slots=True)
class Holder:
    """Who manages an item. ``key`` is that of a state in the bucket, empty for the workspace's own where nobody knows which of
    the bucket's that is; ``owner`` in words; ``address`` and ``type`` are empty where only the identifier is known."""

    key: str
    owner: str
    address: str
    type: str
    here: bool


class Index:
    """Objects of the workspace's own state ``here`` and of the others, by folded identifier. Linear to build and to ask."""

    def __init__(self, provider: CloudProvider, scope: str, fold: Fold, here: StateIds, elsewhere: Iterable[StateIds]) -> None:
        self._provider = provider
        self._scope = scope
        self._fold = fold
        self._here = here
        self._pairs: dict[str, list[Pair]] = {}
        self.policies: list[Pair] = []
        """Objects that are the whole of who was granted what on the project."""
        for state in (here, *elsewhere):
            for held in state.objects:
                pair = (state, held)
                if held.type == _POLICY and held.ids[0] in {scope, f"projects/{scope}"}:
                    self.policies.append(pair)
                for spelling in {fold(one) for one in held.ids} if len(held.ids) > 1 else (fold(held.ids[0]),):
                    if _may_be(provider, held.type, spelling):
                        self._pairs.setdefault(spelling, []).append(pair)

    def get(self, spelling: str) -> Sequence[Pair]:
        """The objects with exactly this folded identifier."""
        return self._pairs.get(spelling, ())

    def is_here(self, pair: Pair) -> bool:
        return pair[0] is self._here

    def holder(self, pair: Pair) -> Holder:
        state, held = pair
        return Holder(state.key, state.owner, held.address, held.type, state is self._here)

    def holders_of(self, identifier: str) -> tuple[Holder, ...]:
        """Who manages exactly this identifier, spelled in any of the ways that name the same thing."""
        return tuple(map(self.holder, self.get(self._fold(identifier))))

    # -- near spellings ----------------------------------------------------------------------------------------------------

    def by_letters(self, spelling: str) -> Sequence[Pair]:
        """Objects whose identifier differs from this one in nothing but upper and lower case; none on Azure, where it is the
        same."""
        if self._provider is CloudProvider.AZURE:
            return ()
        others = (other for other in self._by_letters.get(spelling.lower(), ()) if other != spelling)
        return [pair for other in others for pair in self._pairs[other] if self._is_near(pair)]

    def by_part(self, arn: str) -> Sequence[Pair]:
        """Objects that have no ARN and whose ``id`` is the last part of this one, or all of its resource part."""
        if self._provider is not CloudProvider.AWS:
            return ()
        resource = arn.split(":", 5)[-1]
        tails = dict.fromkeys((resource, resource.rpartition("/")[2], resource.rpartition(":")[2]))
        return [pair for tail in tails if tail for pair in self._without_arn.get(tail, ())]

    def by_number(self, spelling: str) -> Sequence[Pair]:
        """Objects whose identifier has a project's number where this one has the project's id."""
        return self._by_number.get(spelling, ()) if self._provider is CloudProvider.GCP else ()

    def by_condition(self, grant: str) -> Sequence[Pair]:
        """Objects that are this grant under a condition: states have the condition's title behind the member."""
        return self._by_condition.get(grant, ()) if self._provider is CloudProvider.GCP else ()

    def _is_near(self, pair: Pair) -> bool:
        """What another provider manages is near to nothing: only the very same identifier names the same thing."""
        return not is_foreign(self._provider, pair[1].type)

    @cached_property
    def _by_condition(self) -> dict[str, list[Pair]]:
        found: dict[str, list[Pair]] = {}
        for spelling, pairs in self._pairs.items():
            if "/roles/" in spelling and ":" in spelling:
                found.setdefault(spelling.rpartition("/")[0], []).extend(pairs)
        return found

    @cached_property
    def _by_letters(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for spelling in self._pairs:
            found.setdefault(spelling.lower(), []).append(spelling)
        return found

    @cached_property
    def _without_arn(self) -> dict[str, list[Pair]]:
        found: dict[str, list[Pair]] = {}
        for spelling, pairs in self._pairs.items():
            for pair in pairs:
                if not pair[1].has_arn and self._is_near(pair):
                    found.setdefault(spelling, []).append(pair)
        return found

    @cached_property
    def _by_number(self) -> dict[str, list[Pair]]:
        found: dict[str, list[Pair]] = {}
        for spelling, pairs in self._pairs.items():
            if numbered(spelling):
                found.setdefault(with_project(spelling, self._scope), []).extend(pairs)
        return found


def _may_be(provider: CloudProvider, type_: str, spelling: str) -> bool:
    """Whether an object of that type can be the thing with this identifier: on Google Cloud a bare name is a bucket's, while most
    types, of other providers too, have bare names for an ``id``."""
    bare = provider is CloudProvider.GCP and "/" not in spelling
    return not bare or type_ in {"", _BUCKET} or type_ in COMPANIONS
