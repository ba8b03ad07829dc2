"""What a comparison says besides its items: who is managed twice, what could not be looked at, what the listing doubts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff.held import StateIds
from kumoss_console.model.importdiff.result import Item, Status
from kumoss_console.text import printable

_NAMED = 20
"""States that could not be looked at are named one by one up to so many."""


def remarks(
    doubt: str,
    nothing: str,
    here: StateIds,
    elsewhere: Sequence[StateIds],
    items: Sequence[Item],
    unread: Sequence[StateIds],
) -> Iterator[Finding]:
    """The gravest first. ``nothing`` is why the listing's silence tells nothing of this state."""
    yield from _managed_twice(here, elsewhere, items)
    yield from _unread(unread)
    if nothing:
        yield Finding(
            code="discover.nothing_shown",
            severity=Severity.WARNING,
            subject="the scope listing",
            message=nothing,
            remedy="nothing is called missing; look at the scope that was asked for, and at the rights of the service there",
        )
    if doubt:
        yield Finding(
            code="discover.listing_doubtful",
            severity=Severity.WARNING,
            subject="the scope listing",
            message=f"may not be whole: {doubt}",
            remedy="nothing is called missing; list the scope again when the reason is gone",
        )
    if here.objects and all(held.hidden is None for held in here.objects):
        yield Finding(
            code="discover.identifiers_only",
            severity=Severity.INFO,
            subject="the workspace's state",
            message="only its identifiers are known: no address, no tags, and of two identifiers only one",
            remedy="name its key in the bucket to compare with all that the state says",
        )


def _managed_twice(here: StateIds, elsewhere: Sequence[StateIds], items: Sequence[Item]) -> Iterator[Finding]:
    """One finding for each set of states that manage the same things."""
    shared: dict[tuple[str, ...], list[str]] = {}
    for item in items:
        if item.status in {Status.MANAGED_HERE, Status.MANAGED_ELSEWHERE} and len(item.holders) > 1:
            states = tuple(dict.fromkeys("" if holder.here else holder.key for holder in item.holders))
            if len(states) > 1:
                shared.setdefault(states, []).append(item.id)
    lineages = {"": here.lineage} | {state.key: state.lineage for state in elsewhere}
    for states, ids in shared.items():
        names = " and ".join(key or here.key or "the workspace's state" for key in states)
        yield _shared(names, [lineages.get(key, "") for key in states], ids)


def _shared(names: str, lineages: Sequence[str], ids: Sequence[str]) -> Finding:
    things = "one thing" if len(ids) == 1 else f"{len(ids):,} things"
    first = printable(ids[0])
    if all(lineages) and len(set(lineages)) == len(lineages):
        return Finding(
            code="discover.managed_twice",
            severity=Severity.ERROR,
            subject=names,
            message=f"manage {things} together, {first} first: each undoes what the other does",
            remedy="keep it in one of them, and remove it from the other with state rm",
        )
    if all(lineages):
        return Finding(
            code="discover.state_copied",
            severity=Severity.WARNING,
            subject=names,
            message=f"have one lineage and {things} together, {first} first: one state that was moved or copied",
            remedy="find out which of them is in use; nothing has to be removed from either",
        )
    return Finding(
        code="discover.perhaps_one_state",
        severity=Severity.WARNING,
        subject=names,
        message=f"have {things} together, {first} first: two that manage it, or one state; no lineage tells",
        remedy="name the key of the workspace's state, and compare again before anything is changed",
    )


def _unread(unread: Sequence[StateIds]) -> Iterator[Finding]:
    for state in unread[:_NAMED]:
        yield Finding(
            code="discover.could_not_look",
            severity=Severity.WARNING,
            subject=state.key,
            message=f"could not be looked at: {state.reason}",
            remedy="what it manages is called unmanaged here: look there before an import",
        )
    if len(unread) > _NAMED:
        yield Finding(
            code="discover.could_not_look",
            severity=Severity.WARNING,
            subject=f"{len(unread) - _NAMED:,} more states",
            message="could not be looked at either",
            remedy="what they manage is called unmanaged here: look there before an import",
        )
