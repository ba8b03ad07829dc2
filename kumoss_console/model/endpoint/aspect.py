"""One aspect of a store, as it answered for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import ConsoleError

AspectName = Literal[
    "access",
    "identity",
    "addressing",
    "clock",
    "transport",
    "versioning",
    "version_listing",
    "encryption",
    "lifecycle",
    "public_access",
    "conditional_create",
    "conditional_delete",
    "checksums",
    "delete",
]
"""In the order in which a card shows them. The last four are only known from a trial that writes."""

READ_ONLY: tuple[AspectName, ...] = (
    "access",
    "identity",
    "addressing",
    "clock",
    "transport",
    "versioning",
    "version_listing",
    "encryption",
    "lifecycle",
    "public_access",
)
TRIED: tuple[AspectName, ...] = ("conditional_create", "conditional_delete", "checksums", "delete")

Standing = Literal["good", "bad", "plain", "unknown"]
"""``good`` protects states, ``bad`` endangers them, ``plain`` is a fact without a verdict; ``unknown`` could not be found out."""

Doubt = Literal["", "forbidden", "unsupported", "failed", "not_tried"]
"""Why something is unknown: we may not ask, the store does not know the question, the answer was an error, nobody asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleRule:
    """A rule by which the store deletes by itself. Days are ``None`` where the rule does not do that; ``prefix`` empty for all.

    ``narrowed`` says that tags or sizes narrow it further, so that it may not concern any state.
    """

    name: str
    prefix: str
    expire_days: int | None
    expire_old_days: int | None
    narrowed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    """``said`` is the answer in a few words, ``evidence`` what was asked and what came back. Neither holds a secret.

    ``rules`` come with ``lifecycle``, ``seconds`` with ``clock``: how far the store's clock is ahead of ours.
    """

    name: AspectName
    standing: Standing
    said: str
    evidence: str
    doubt: Doubt = ""
    error: ConsoleError | None = None
    rules: tuple[LifecycleRule, ...] = ()
    seconds: float | None = None


def no_access(error: ConsoleError) -> Aspect:
    """Access where the listing failed with ``error``."""
    evidence = f"asked for the listing: {_in_one_line(error.detail or error.title)}"
    return Aspect(name="access", standing="bad", said=error.title, evidence=evidence, error=error)


def not_answered(name: AspectName, error: ConsoleError) -> Aspect:
    """An aspect that a store was asked for in vain. Only a plain refusal is a missing permission: credentials that are wrong or
    have expired are refused as well, and no grant would help."""
    said = _in_one_line(error.detail)
    if error.code == "store.access_denied":
        return Aspect(name=name, standing="unknown", said="we may not ask", evidence=said, doubt="forbidden", error=error)
    return Aspect(name=name, standing="unknown", said=error.title, evidence=said, doubt="failed", error=error)


def _in_one_line(detail: str) -> str:
    return "; ".join(detail.splitlines())


def cannot_be_tried(name: AspectName, access: Aspect) -> Aspect:
    """An aspect that was to be tried on a store that did not even list."""
    said = "not tried: the store does not list for us"
    return Aspect(name=name, standing="unknown", said=said, evidence=access.evidence, doubt="not_tried", error=access.error)


def not_tried(name: AspectName) -> Aspect:
    """An aspect that only a trial tells."""
    return Aspect(
        name=name,
        standing="unknown",
        said="not tried",
        evidence="only writing to a scratch key tells, which takes your consent",
        doubt="not_tried",
    )
