"""What the aspects of a store mean for the states and locks in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kumoss_console.model.endpoint.aspect import TRIED, Aspect, AspectName
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.text import printable

SKEW_WARNING = 60.0
SKEW_ERROR = 900.0
"""Seconds. Signatures are refused beyond a quarter of an hour (S3, Azure)."""


def judge(aspects: Iterable[Aspect], *, store: str) -> tuple[Finding, ...]:
    """Findings about ``store``, in the order of the aspects. An aspect that was not tried is no finding."""
    return tuple(finding for aspect in aspects for finding in _about(aspect, store))


def about_leftovers(keys: Sequence[str], *, store: str) -> Iterator[Finding]:
    """A remark on scratch keys that an interrupted trial left."""
    if keys:
        named = ", ".join(printable(key) for key in keys[:3]) + (" …" if len(keys) > 3 else "")
        yield Finding(
            code="endpoint.scratch_left",
            severity=Severity.INFO,
            subject=store,
            message=f"an interrupted trial left {len(keys)} scratch object{'' if len(keys) == 1 else 's'}: {named}",
            remedy="delete them by hand, with all their versions: they hold a line of text and nothing else",
        )


def _about(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.doubt == "not_tried":
        return
    if aspect.error is not None and aspect.name == "access":
        yield Finding(
            code=f"endpoint.{aspect.error.code.removeprefix('store.')}",
            severity=Severity.ERROR,
            subject=store,
            message=aspect.error.title,
            remedy=aspect.error.hint,
        )
        return
    if aspect.standing == "unknown":
        yield Finding(
            code=f"endpoint.{aspect.name}_unknown",
            severity=Severity.INFO,
            subject=store,
            message=f"{_WORDS[aspect.name]}: not known, {aspect.said}",
            remedy=_GRANT if aspect.name in TRIED and aspect.doubt == "forbidden" else _ASK.get(aspect.doubt, ""),
        )
        return
    made = _JUDGES.get(aspect.name)
    if made is not None:
        yield from made(aspect, store)


def _versioning(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.versioning_off",
            severity=Severity.WARNING,
            subject=store,
            message=f"versioning is {aspect.said}: there is no way back from a bad apply or an overwritten state",
            remedy="turn versioning on, for the bucket (S3) or the storage account (Azure); it keeps what is written from then",
        )


def _listing(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.versions_not_listable",
            severity=Severity.WARNING,
            subject=store,
            message="versions cannot be listed: an older state cannot be found through this store",
            remedy="keep copies with state pull before each apply",
        )


def _create(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.no_mutual_exclusion",
            severity=Severity.ERROR,
            subject=store,
            message="If-None-Match is not enforced: two applies both get the lock object, use_lockfile protects nothing here",
            remedy="run one job at a time for each state, or use a store that enforces conditional writes",
        )


def _delete_on_condition(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.conditional_delete_ignored",
            severity=Severity.INFO,
            subject=store,
            message="a condition on a delete is ignored: between the last look at a lock and its removal another may take it",
            remedy="unlock only what nobody can be waiting for",
        )


def _checksums(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.checksums_refused",
            severity=Severity.WARNING,
            subject=store,
            message="checksum headers are refused: engines need skip_s3_checksum to write states here",
            remedy="the core's override for RUSTFS sets it; a backend block of your own has to",
        )


def _delete(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.delete_refused",
            severity=Severity.ERROR,
            subject=store,
            message="objects cannot be deleted: a lock that is taken with these credentials can never be released",
            remedy="grant deleting lock objects (s3:DeleteObject; on Azure Storage Blob Data Contributor)",
        )


def _clock(aspect: Aspect, store: str) -> Iterator[Finding]:
    skew = abs(aspect.seconds or 0.0)
    if skew >= SKEW_WARNING:
        yield Finding(
            code="endpoint.clock_skew",
            severity=Severity.ERROR if skew >= SKEW_ERROR else Severity.WARNING,
            subject=store,
            message=f"the store's clock is {aspect.said}",
            remedy="set the clocks (NTP): requests are refused beyond 15 minutes, and ages shown here are wrong by as much",
        )


def _transport(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.transport",
            severity=Severity.WARNING,
            subject=store,
            message=f"{aspect.said}: states with their secrets cross the network so",
            remedy="give the store a certificate and use https",
        )


def _encryption(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.not_encrypted",
            severity=Severity.INFO,
            subject=store,
            message="no default encryption: states lie on its disks in clear",
            remedy="turn on default encryption, or OpenTofu's state encryption",
        )


def _public(aspect: Aspect, store: str) -> Iterator[Finding]:
    if aspect.standing == "bad":
        yield Finding(
            code="endpoint.public",
            severity=Severity.ERROR,
            subject=store,
            message=f"the bucket may be public ({aspect.said}): states hold secrets in clear",
            remedy="block public access now, and rotate what the states hold",
        )


def _lifecycle(aspect: Aspect, store: str) -> Iterator[Finding]:
    for rule in aspect.rules:
        perhaps = " (tags or sizes narrow it)" if rule.narrowed else ""
        where = f"below {rule.prefix}" if rule.prefix else "of the whole bucket"
        if rule.expire_days is not None:
            yield Finding(
                code="endpoint.lifecycle_deletes_states",
                severity=Severity.WARNING if rule.narrowed else Severity.ERROR,
                subject=store,
                message=f"rule {rule.name} deletes objects {where} {_days(rule.expire_days)} after they were written{perhaps}: "
                "a state nobody applies for that long is gone",
                remedy="take states out of the rule; expire old versions only",
            )
        if rule.expire_old_days is not None:
            yield Finding(
                code="endpoint.lifecycle_deletes_versions",
                severity=Severity.INFO,
                subject=store,
                message=f"rule {rule.name} deletes old versions {where} after {_days(rule.expire_old_days)}{perhaps}: "
                "there is no way back beyond that",
            )


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


_WORDS: dict[AspectName, str] = {
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
    "conditional_delete": "If-Match on a delete",
    "checksums": "checksum headers",
    "delete": "deleting",
}
_GRANT = (
    "grant these credentials writing and deleting objects (s3:PutObject and s3:DeleteObject; on Azure Storage Blob Data "
    "Contributor): engines need both for states and locks"
)
_ASK = {
    "forbidden": "grant these credentials the permission to read it, or ask whoever has it",
    "unsupported": "the store does not tell: look into its own settings",
    "failed": "try again; the store's own log may tell more",
}
_JUDGES: dict[AspectName, Callable[[Aspect, str], Iterator[Finding]]] = {
    "clock": _clock,
    "transport": _transport,
    "versioning": _versioning,
    "version_listing": _listing,
    "encryption": _encryption,
    "lifecycle": _lifecycle,
    "public_access": _public,
    "conditional_create": _create,
    "conditional_delete": _delete_on_condition,
    "checksums": _checksums,
    "delete": _delete,
}
