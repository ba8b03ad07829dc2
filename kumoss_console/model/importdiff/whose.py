"""Which state of the bucket is the workspace's own, so that it is not taken for another one that manages the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.importdiff.athand import newer, own_of
from kumoss_console.model.importdiff.held import StateIds, from_listing

_MOST = 0.5
"""Share of the workspace's identifiers that a state must have to be taken for it where none has exactly the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """``here`` is the workspace's own state, with addresses where it was found; ``elsewhere`` are the others that were read,
    ``unread`` those that may be states and could not be."""

    here: StateIds
    elsewhere: tuple[StateIds, ...]
    unread: tuple[StateIds, ...]
    findings: tuple[Finding, ...] = ()


def settle(
    listed: Sequence[str], states: Sequence[StateIds], *, key: str = "", given: StateIds | None = None, looked: bool = True
) -> Settled:
    """``listed`` is what the workspace's state listing answered, ``key`` the key of its state where the operator named it,
    ``given`` its state at hand as a document. ``looked`` is whether the bucket was.

    A document is settled by the key, else by its lineage. Without one, a state whose identifiers are exactly those listed is the
    workspace's; where none is, the one that has most of them is taken for it and that is said: it may have been written since.
    Where nothing fits, only the identifiers are known.
    """
    read = [state for state in states if state.status == "read"]
    unread = tuple(state for state in states if state.status == "could_not_look")
    wanted = tuple(dict.fromkeys(listed))
    if given is not None:
        return _of_document(given, read, unread, key if looked else "", states)
    found, findings = _named(read, key, states, looked) if key else _alike(read, wanted)
    if found is None:
        return Settled(
            here=StateIds(key="", objects=from_listing(wanted)), elsewhere=tuple(read), unread=unread, findings=tuple(findings)
        )
    # What was listed counts: the bucket's document gives it addresses, and may be a moment older or younger.
    known = {one for held in found.objects for one in held.ids}
    rest = from_listing(tuple(one for one in wanted if one not in known))
    listed_here = set(wanted)
    objects = tuple(held for held in found.objects if not wanted or any(one in listed_here for one in held.ids))
    here = replace(found, objects=(*objects, *rest))
    return Settled(here=here, elsewhere=tuple(one for one in read if one is not found), unread=unread, findings=tuple(findings))


def _of_document(
    given: StateIds, read: Sequence[StateIds], unread: tuple[StateIds, ...], key: str, states: Sequence[StateIds]
) -> Settled:
    own = own_of(given, read, key)
    if own is None:
        findings = _named(read, key, states, looked=True)[1] if key else []
        return Settled(here=given, elsewhere=tuple(read), unread=unread, findings=tuple(findings))
    here, said = newer(given, own)
    return Settled(here=here, elsewhere=tuple(one for one in read if one is not own), unread=unread, findings=tuple(said))


def _named(read: Sequence[StateIds], key: str, states: Sequence[StateIds], looked: bool) -> tuple[StateIds | None, list[Finding]]:
    found = next((state for state in read if state.key == key), None)
    if found is not None:
        return found, []
    at_key = next((state for state in states if state.key == key), None)
    if at_key is not None:
        why = f"holds no state that could be read ({at_key.reason})" if at_key.reason else "holds no state that could be read"
    else:
        why = "is the key of nothing in the bucket that may be a state" if looked else "was not looked at: no bucket was read"
    return None, [
        Finding(
            code="discover.key_not_read",
            severity=Severity.WARNING,
            subject=key,
            message=f"{why}, so the workspace's own state in the bucket is not known",
            remedy="trace tells which key the workspace is bound to",
        )
    ]


def _alike(read: Sequence[StateIds], wanted: tuple[str, ...]) -> tuple[StateIds | None, list[Finding]]:
    if not wanted:
        return None, []
    sought = set(wanted)
    exact = [state for state in read if len(state.objects) >= len(sought) and set(state.contract_ids) == sought]
    if exact:
        return exact[0], [_several(exact)] if len(exact) > 1 else []
    shares = [(len(sought.intersection(state.contract_ids)), state) for state in read]
    best = max(shares, key=lambda share: share[0], default=(0, None))
    if best[1] is None or best[0] <= len(sought) * _MOST or sum(share == best[0] for share, _ in shares) > 1:
        return None, []
    return best[1], [
        Finding(
            code="discover.state_assumed",
            severity=Severity.INFO,
            subject=best[1].key,
            message=f"is taken for the workspace's own state: it has {best[0]:,} of its {len(sought):,} identifiers, no other "
            "has as many",
            remedy="name the key where that is not so",
        )
    ]


def _several(states: Sequence[StateIds]) -> Finding:
    return Finding(
        code="discover.states_alike",
        severity=Severity.WARNING,
        subject=" and ".join(state.key for state in states),
        message="have exactly the identifiers of the workspace's state: the first is taken for it, the others for copies",
        remedy="name the key of the workspace's state",
    )
