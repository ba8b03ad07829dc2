"""What the aspects of a store mean for the states and locks in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kumoss_console.errors import Unreachable
from kumoss_console.model.endpoint.aspect import TRIED, Aspect, AspectName, Fault
from kumoss_console.model.endpoint.lifecycle import about_rules
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
            remedy="delete them by hand, with all their versions: they hold a line of text and nothing else",
        )


@dataclass(frozen=True, slots=True)
class _Row:
    """What a bad aspect means. ``{said}`` in the message is the answer."""

    code: str
    severity: Severity
    message: str
    remedy: str


def _about(aspect: Aspect, store: str, *, leases: bool) -> Iterator[Finding]:
    if aspect.doubt == "not_tried":
        return
    if aspect.error is not None and aspect.name == "access":
        code = aspect.error.code.removeprefix("store.")
        yield _finding(_Row(code, Severity.ERROR, "{said}", aspect.error.hint), aspect.error.title, store)
    elif aspect.standing == "unknown":
        grant = _GRANT_WITH_LEASES if leases else _GRANT
        remedy = grant if aspect.name in TRIED and aspect.doubt == "forbidden" else _ASK.get(aspect.doubt, "")
        row = _Row(f"{aspect.name}_unknown", Severity.INFO, f"{_WORDS[aspect.name]}: not known, {{said}}", remedy)
        yield _finding(row, aspect.said, store)
    elif aspect.name == "clock":
        yield from _clock(aspect, store)
    elif aspect.name == "lifecycle":
        yield from about_rules(aspect.rules, store)
    elif aspect.standing == "bad":
        among = (_WITH_LEASES, _BAD) if leases else (_BAD,)
        row = next((rows[key] for rows in among if (key := (aspect.name, aspect.fault)) in rows), _BAD[aspect.name, ""])
        yield _finding(row, aspect.said, store)
    if aspect.remark:
        yield _finding(_Row(f"{aspect.name}_remark", Severity.INFO, "{said}", ""), aspect.remark, store)


def _finding(row: _Row, said: str, store: str) -> Finding:
    message = row.message.replace("{said}", said)
    return Finding(code=f"endpoint.{row.code}", severity=row.severity, subject=store, message=message, remedy=row.remedy)


def _clock(aspect: Aspect, store: str) -> Iterator[Finding]:
    skew = abs(aspect.seconds or 0.0)
    if skew >= SKEW_WARNING:
        severity = Severity.ERROR if skew >= SKEW_ERROR else Severity.WARNING
        remedy = "set the clocks (NTP): requests are refused beyond 15 minutes, and ages shown here are wrong by as much"
        yield _finding(_Row("clock_skew", severity, "the store's clock is {said}", remedy), aspect.said, store)


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
_ONE_AT_A_TIME = "run one job at a time for each state, or use a store that enforces conditional writes"
_DELETE = "grant deleting lock objects (s3:DeleteObject)"
_WRITE = "grant writing (Storage Blob Data Contributor; with a SAS, the permission write): a lease needs it"
_BAD: Mapping[tuple[AspectName, Fault], _Row] = {
    ("transport", ""): _Row(
        "transport",
        Severity.WARNING,
        "{said}: states with their secrets cross the network so",
        "give the store a certificate and use https",
    ),
    ("transport", "certificate_ends"): _Row(
        "certificate_ends",
        Severity.WARNING,
        "{said}: from then on neither engines nor this console reach the store",
        "renew the store's certificate before that",
    ),
    ("transport", "untrusted"): _Row(
        "certificate",
        Severity.WARNING,
        "{said}",
        "give the store a certificate that clients trust, or name its CA in AWS_CA_BUNDLE (S3) or REQUESTS_CA_BUNDLE",
    ),
    ("versioning", ""): _Row(
        "versioning_off",
        Severity.WARNING,
        "versioning is {said}: there is no way back from a bad apply or an overwritten state",
        "turn versioning on, for the bucket (S3) or the storage account (Azure); it keeps what is written from then",
    ),
    ("version_listing", ""): _Row(
        "versions_not_listable",
        Severity.WARNING,
        "versions cannot be listed: an older state cannot be found through this store",
        "keep copies with state pull before each apply",
    ),
    ("encryption", ""): _Row(
        "not_encrypted",
        Severity.INFO,
        "no default encryption: states lie on its disks in clear",
        "turn on default encryption, or OpenTofu's state encryption",
    ),
    ("public_access", ""): _Row(
        "public",
        Severity.ERROR,
        "the bucket may be public ({said}): states hold secrets in clear",
        "block public access now, and rotate what the states hold",
    ),
    ("conditional_create", ""): _Row(
        "no_mutual_exclusion",
        Severity.ERROR,
        "If-None-Match is not enforced: two applies both get the lock object, use_lockfile protects nothing here",
        _ONE_AT_A_TIME,
    ),
    ("conditional_create", "never_taken"): _Row(
        "lockfile_refused",
        Severity.ERROR,
        "If-None-Match is refused: use_lockfile cannot lock here, and an apply that asks for it fails before it begins",
        f"{_ONE_AT_A_TIME}; use_lockfile = false lets an apply begin",
    ),
    ("lease", ""): _Row(
        "lease_refused",
        Severity.ERROR,
        "leases are refused, and they are the locks here: no engine can lock a state with these credentials",
        _WRITE,
    ),
    ("lease", "never_released"): _Row(
        "lease_not_released",
        Severity.ERROR,
        "a lease, which is the lock here, can be taken with these credentials and not be released",
        _WRITE,
    ),
    ("conditional_delete", ""): _Row(
        "conditional_delete_ignored",
        Severity.INFO,
        "a condition on a delete is ignored: between the last look at a lock and its removal another may take it",
        "unlock only what nobody can be waiting for",
    ),
    ("checksums", ""): _Row(
        "checksums_refused",
        Severity.WARNING,
        "checksum headers are refused: engines need skip_s3_checksum to write states here",
        "the core's override for RUSTFS sets it; a backend block of your own has to",
    ),
    ("delete", ""): _Row(
        "delete_refused",
        Severity.ERROR,
        "objects cannot be deleted: a lock that is taken with these credentials can never be released",
        _DELETE,
    ),
    ("delete", "without_effect"): _Row(
        "delete_refused",
        Severity.ERROR,
        "a delete is answered with success and deletes nothing: a lock that is taken here can never be released",
        "look into the store's own settings: a retention rule or a proxy may keep what is deleted",
    ),
}
_NO_LOCK = "locks are leases here, and released all the same"
_WITH_LEASES: Mapping[tuple[AspectName, Fault], _Row] = {
    ("conditional_create", ""): _Row(
        "conditional_create_ignored",
        Severity.INFO,
        "If-None-Match is not enforced; locks are leases here and need no condition",
        "",
    ),
    ("conditional_create", "never_taken"): _Row(
        "conditional_create_refused", Severity.INFO, "If-None-Match is refused; locks are leases here and need no condition", ""
    ),
    ("conditional_delete", ""): _Row(
        "conditional_delete_ignored", Severity.INFO, f"a condition on a delete is ignored; {_NO_LOCK}", ""
    ),
    ("checksums", ""): _Row(
        "checksums_refused",
        Severity.INFO,
        "an MD5 checksum beside what is written is refused",
        "look for a proxy on the way that changes what is written",
    ),
    ("delete", ""): _Row(
        "delete_refused",
        Severity.INFO,
        f"objects cannot be deleted; {_NO_LOCK}. What cannot be removed is a workspace's state",
        "grant deleting (Storage Blob Data Contributor; with a SAS, the permission delete) to whoever removes workspaces",
    ),
    ("delete", "without_effect"): _Row(
        "delete_refused",
        Severity.INFO,
        f"a delete is answered with success and deletes nothing; {_NO_LOCK}",
        "look into the account's own settings: a retention policy or a proxy may keep what is deleted",
    ),
}
