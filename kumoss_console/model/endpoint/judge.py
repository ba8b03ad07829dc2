"""What the aspects of a store mean for the states and locks in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kumoss_console.errors import Unreachable
from kumoss_console.model.endpoint.aspect import TRIED, Aspect, AspectName
from kumoss_console.model.endpoint.lifecycle import about_rules
from kumoss_console.model.endpoint.meanings import Meaning, meaning
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.text import printable

SKEW_WARNING = 60.0
SKEW_ERROR = 900.0
"""Seconds. Signatures are refused beyond a quarter of an hour (S3, Azure)."""


def judge(aspects: Iterable[Aspect], *, store: str) -> tuple[Finding, ...]:
    """Findings about ``store``, in the order of the aspects. An aspect that was not tried is no finding.

    A lease among the aspects says that locks are leases there, and that no lock depends on conditions or on deleting.
    """
    told = tuple(aspects)
    leases = any(aspect.name == "lease" for aspect in told)
    silent = any(aspect.name == "access" and isinstance(aspect.error, Unreachable) for aspect in told)
    # Nobody who cannot be reached is asked for anything else: why is said once.
    return tuple(
        finding
        for aspect in told
        if not (silent and aspect.name == "transport" and aspect.fault != "certificate_ends")
        for finding in _about(aspect, store, leases=leases)
    )


def about_leftovers(keys: Sequence[str], *, store: str) -> Iterator[Finding]:
    """A remark on scratch keys of earlier trials: those were interrupted, or were not allowed to delete."""
    if keys:
        named = ", ".join(printable(key) for key in keys[:3]) + (" …" if len(keys) > 3 else "")
        yield Finding(
            code="endpoint.scratch_left",
            severity=Severity.INFO,
            subject=store,
            message=f"{len(keys)} scratch object{' of an earlier trial is' if len(keys) == 1 else 's of earlier trials are'} "
            f"still there: {named}",
            remedy="delete it by hand, with all its versions: it holds a line of text and nothing else"
            if len(keys) == 1
            else "delete them by hand, with all their versions: they hold a line of text and nothing else",
        )


def _about(aspect: Aspect, store: str, *, leases: bool) -> Iterator[Finding]:
    if aspect.doubt == "not_tried":
        return
    if aspect.error is not None and aspect.name == "access":
        code = aspect.error.code.removeprefix("store.")
        yield _finding(Meaning(code, Severity.ERROR, "{said}", aspect.error.hint), aspect.error.title, store)
    elif aspect.standing == "unknown":
        grant = _GRANT_WITH_LEASES if leases else _GRANT
        remedy = grant if aspect.name in TRIED and aspect.doubt == "forbidden" else _ASK.get(aspect.doubt, "")
        row = Meaning(f"{aspect.name}_unknown", Severity.INFO, f"{_WORDS[aspect.name]}: not known, {{said}}", remedy)
        yield _finding(row, aspect.said, store)
    elif aspect.name == "clock":
        yield from _clock(aspect, store)
    elif aspect.name == "lifecycle":
        yield from about_rules(aspect.rules, store)
    elif aspect.standing == "bad":
        yield _finding(meaning(aspect, leases=leases), aspect.said, store)
    if aspect.remark:
        yield _finding(Meaning(f"{aspect.name}_remark", Severity.INFO, "{said}", ""), aspect.remark, store)


def _finding(row: Meaning, said: str, store: str) -> Finding:
    message = row.message.replace("{said}", said)
    return Finding(code=f"endpoint.{row.code}", severity=row.severity, subject=store, message=message, remedy=row.remedy)


def _clock(aspect: Aspect, store: str) -> Iterator[Finding]:
    skew = abs(aspect.seconds or 0.0)
    if skew >= SKEW_WARNING:
        severity = Severity.ERROR if skew >= SKEW_ERROR else Severity.WARNING
        remedy = "set the clocks (NTP): requests are refused beyond 15 minutes, and ages shown here are wrong by as much"
        yield _finding(Meaning("clock_skew", severity, "the store's clock is {said}", remedy), aspect.said, store)


_WORDS: Mapping[AspectName, str] = {
    "access": "access",
    "identity": "identity",
    "addressing": "addressing",
    "clock": "clock",
    "transport": "transport",
    "versioning": "versioning",
    "version_listing": "listing of versions",
    "encryption": "default encryption",
    "lifecycle": "lifecycle rules",
    "public_access": "public access",
    "conditional_create": "If-None-Match",
    "lease": "leases",
    "conditional_delete": "If-Match on a delete",
    "checksums": "checksum headers",
    "delete": "deleting",
}
_GRANT = (
    "grant these credentials writing and deleting objects (s3:PutObject and s3:DeleteObject): engines need both for states and "
    "locks"
)
_GRANT_WITH_LEASES = (
    "grant these credentials writing, which states and locks need, and deleting, which removing a workspace needs (Storage Blob "
    "Data Contributor; with a SAS, the permissions write and delete)"
)
_ASK = {
    "forbidden": "grant these credentials the permission to read it, or ask whoever has it",
    "unsupported": "the store does not tell: look into its own settings",
    "failed": "try again; the store's own log may tell more",
}
