"""What the card of the endpoint says without being opened: lines of the Overview, and words beside the store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Severity
from kumoss_console.services.endpoint.service import EndpointCard
from kumoss_console.services.overview.attention import Attention
from kumoss_console.text import printable


def endpoint_attention(card: EndpointCard | None) -> tuple[Attention, ...]:
    """Errors and warnings of ``card``, each opening it; nothing where nobody has looked yet. Asks nobody.

    Whether the store can be reached and takes us is left out: the Overview asks that itself, and more often.
    """
    if card is None:
        return ()
    access = card.aspect("access")
    known = access is None or access.standing == "good"
    return tuple(
        Attention(severity=finding.severity, text=printable(finding.message), view="endpoint")
        for finding in card.findings
        if finding.severity in (Severity.ERROR, Severity.WARNING) and known
    )


def store_words(card: EndpointCard | None, now: datetime) -> str:
    """What is known of the store's protections, in a few words; empty where nothing is."""
    return " · ".join(_words(card, now)) if card is not None else ""


def _words(card: EndpointCard, now: datetime) -> Iterator[str]:
    versioning = card.aspect("versioning")
    if versioning is not None and versioning.standing != "unknown":
        yield f"versioning {printable(versioning.said)}"
    create = card.aspect("conditional_create")
    if create is not None and create.standing != "unknown" and card.tried_at is not None:
        yield f"conditional writes {printable(create.said)} (tried {in_words(now - card.tried_at)} ago)"
