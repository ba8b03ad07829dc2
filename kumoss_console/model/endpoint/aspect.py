"""One aspect of a store, as it answered for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kumoss_console.errors import AccessDenied, ConfigError, ConsoleError, InputError, Unreachable
from kumoss_console.model.endpoint.lifecycle import LifecycleRule

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
    "lease",
    "conditional_delete",
    "checksums",
    "delete",
]
"""In the order in which a card shows them. The last five are only known from a trial that writes; leases are Azure's locks."""

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
TRIED: tuple[AspectName, ...] = ("conditional_create", "lease", "conditional_delete", "checksums", "delete")

Standing = Literal["good", "bad", "plain", "unknown"]
"""``good`` protects states, ``bad`` endangers them, ``plain`` is a fact without a verdict; ``unknown`` could not be found out."""

Doubt = Literal["", "forbidden", "unsupported", "failed", "not_tried"]
"""Why something is unknown: we may not ask, the store does not know the question, the answer was an error, nobody asked."""

Fault = Literal["", "certificate_ends", "untrusted", "never_taken", "never_released", "without_effect"]
"""What is bad about it, where an aspect can be bad in more than one way; empty for the usual one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    """``said`` is the answer in a few words, ``evidence`` what was asked and what came back, in one line. Neither holds a secret.

    ``rules`` come with ``lifecycle``, ``seconds`` with ``clock``: how far the store's clock is ahead of ours. ``remark`` is worth
    knowing and no fault of the store.
    """

    name: AspectName
    standing: Standing
    said: str
    evidence: str
    doubt: Doubt = ""
    error: ConsoleError | None = None
    rules: tuple[LifecycleRule, ...] = ()
    seconds: float | None = None
    fault: Fault = ""
    remark: str = ""


def tried(*, leases: bool) -> tuple[AspectName, ...]:
    """What a trial finds out, where locks are ``leases`` and where they are objects of their own."""
    return tuple(name for name in TRIED if leases or name != "lease")


def evidence_of(error: ConsoleError) -> str:
    """What came back, in one line."""
    return "; ".join((error.detail or error.title).splitlines())


def no_access(error: ConsoleError) -> Aspect:
    """Access where the listing failed with ``error``."""
    asked = "asked for the listing: " if _was_asked(error) else "nothing was asked of the store: "
    return Aspect(name="access", standing="bad", said=error.title, evidence=f"{asked}{evidence_of(error)}", error=error)


def not_answered(name: AspectName, error: ConsoleError, said: str = "") -> Aspect:
    """An aspect that a store was asked for in vain; ``said`` is what was done, where that says more than the error's title.

    Only a plain refusal is a missing permission: credentials that are wrong or have expired are refused as well, and no grant
    would help.
    """
    forbidden = error.code == "store.access_denied"
    return Aspect(
        name=name,
        standing="unknown",
        said=said or ("we may not ask" if forbidden else error.title),
        evidence=evidence_of(error),
        doubt="forbidden" if forbidden else "failed",
        error=error,
    )


def cannot_be_tried(name: AspectName, because: Aspect) -> Aspect:
    """An aspect that was to be tried on a store that did not even list, or on one where nothing could be written."""
    error = because.error
    why = "its listing failed"
    if because.name != "access":
        why = "nothing could be written"
    elif error is not None and not _was_asked(error):
        why = "the store was not asked"
    elif isinstance(error, AccessDenied):
        why = "the store does not list for us"
    elif isinstance(error, Unreachable):
        why = "the store gave no answer"
    return Aspect(
        name=name, standing="unknown", said=f"not tried: {why}", evidence=because.evidence, doubt="not_tried", error=error
    )


def not_tried(name: AspectName) -> Aspect:
    """An aspect that only a trial tells."""
    return Aspect(
        name=name,
        standing="unknown",
        said="not tried",
        evidence="only writing to a scratch key tells, which takes your consent",
        doubt="not_tried",
    )


def _was_asked(error: ConsoleError) -> bool:
    """Whether a request was sent: none is without what it is made of."""
    return not isinstance(error, InputError | ConfigError) and error.code != "store.no_credentials"
