"""What a discovery found, in the words that both front ends have for it."""

from __future__ import annotations

from kumoss_console.model.importdiff import Holder, Item, Status
from kumoss_console.model.importids.proposal import propose
from kumoss_console.services.discovery.service import Discovery

WORDS = {
    Status.UNMANAGED: "unmanaged",
    Status.MISSING: "missing in the cloud",
    Status.AMBIGUOUS: "ambiguous",
    Status.MANAGED_ELSEWHERE: "managed elsewhere",
    Status.MANAGED_HERE: "managed here",
}


def type_text(found: Discovery, item: Item) -> str:
    """The type a state has it as, else the guess with a question mark, else the cloud's kind."""
    if item.type:
        return item.type
    if item.status is Status.UNMANAGED:
        proposal = propose(found.request.provider, item.id)
        if proposal.type:
            return proposal.type if proposal.certain else f"{proposal.type}?"
    return item.kind or "-"


def why_text(found: Discovery, item: Item) -> str:
    """Who manages it, why it is where it is, or by whose decision it is suppressed."""
    if (rule := found.covered.get(item.id)) is not None:
        until = f" until {rule.expires.isoformat()}" if rule.expires is not None else ""
        return f"{rule.reason} ({rule.author}{until})"
    if item.reason:
        return item.reason
    return ", ".join(dict.fromkeys(map(_holder, item.holders)))


def _holder(one: Holder) -> str:
    """Address and whose the state is; of an identifier in a listing only that it is this workspace's."""
    return " ".join(filter(None, (one.address, one.owner or one.key))) or "this workspace's state"
