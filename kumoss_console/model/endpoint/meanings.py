"""What a bad aspect means for states and locks, as data: where locks are objects of their own, and where they are leases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kumoss_console.model.endpoint.aspect import Aspect, AspectName, Fault
from kumoss_console.model.finding import Severity


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a bad aspect means. ``{said}`` in the message is the answer."""

    code: str
    severity: Severity
    message: str
    remedy: str


def meaning(aspect: Aspect, *, leases: bool) -> Meaning:
    """What a bad ``aspect`` means, by how it is bad; where locks are ``leases``, no lock depends on conditions or on deleting."""
    for rows in (_WITH_LEASES, _BAD) if leases else (_BAD,):
        if (found := rows.get((aspect.name, aspect.fault))) is not None:
            return found
    return _BAD[aspect.name, ""]


_ONE_AT_A_TIME = "run one job at a time for each state, or use a store that enforces conditional writes"
_DELETE = "grant deleting lock objects (s3:DeleteObject)"
_WRITE = "grant writing (Storage Blob Data Contributor; with a SAS, the permission write): a lease needs it"
_BAD: Mapping[tuple[AspectName, Fault], Meaning] = {
    ("transport", ""): Meaning(
        "transport",
        Severity.WARNING,
        "{said}: states with their secrets cross the network so",
        "give the store a certificate and use https",
    ),
    ("transport", "certificate_ends"): Meaning(
        "certificate_ends",
        Severity.WARNING,
        "{said}: from then on neither engines nor this console reach the store",
        "renew the store's certificate before that",
    ),
    ("transport", "untrusted"): Meaning(
        "certificate",
        Severity.WARNING,
        "{said}",
        "give the store a certificate that clients trust, or name its CA in AWS_CA_BUNDLE (S3) or REQUESTS_CA_BUNDLE",
    ),
    ("versioning", ""): Meaning(
        "versioning_off",
        Severity.WARNING,
        "versioning is {said}: there is no way back from a bad apply or an overwritten state",
        "turn versioning on, for the bucket (S3) or the storage account (Azure); it keeps what is written from then",
    ),
    ("version_listing", ""): Meaning(
        "versions_not_listable",
        Severity.WARNING,
        "versions cannot be listed: an older state cannot be found through this store",
        "keep copies with state pull before each apply",
    ),
    ("encryption", ""): Meaning(
        "not_encrypted",
        Severity.INFO,
        "no default encryption: states lie on its disks in clear",
        "turn on default encryption, or OpenTofu's state encryption",
    ),
    ("public_access", ""): Meaning(
        "public",
        Severity.ERROR,
        "the bucket may be public ({said}): states hold secrets in clear",
        "block public access now, and rotate what the states hold",
    ),
    ("conditional_create", ""): Meaning(
        "no_mutual_exclusion",
        Severity.ERROR,
        "If-None-Match is not enforced: two applies both get the lock object, use_lockfile protects nothing here",
        _ONE_AT_A_TIME,
    ),
    ("conditional_create", "never_taken"): Meaning(
        "lockfile_refused",
        Severity.ERROR,
        "If-None-Match is refused: use_lockfile cannot lock here, and an apply that asks for it fails before it begins",
        f"{_ONE_AT_A_TIME}; use_lockfile = false lets an apply begin",
    ),
    ("lease", ""): Meaning(
        "lease_refused",
        Severity.ERROR,
        "leases are refused, and they are the locks here: no engine can lock a state with these credentials",
        _WRITE,
    ),
    ("lease", "never_released"): Meaning(
        "lease_not_released",
        Severity.ERROR,
        "a lease, which is the lock here, can be taken with these credentials and not be released",
        _WRITE,
    ),
    ("conditional_delete", ""): Meaning(
        "conditional_delete_ignored",
        Severity.INFO,
        "a condition on a delete is ignored: between the last look at a lock and its removal another may take it",
        "unlock only what nobody can be waiting for",
    ),
    ("checksums", ""): Meaning(
        "checksums_refused",
        Severity.WARNING,
        "checksum headers are refused: engines need skip_s3_checksum to write states here",
        "the core's override for RUSTFS sets it; a backend block of your own has to",
    ),
    ("delete", ""): Meaning(
        "delete_refused",
        Severity.ERROR,
        "objects cannot be deleted: a lock that is taken with these credentials can never be released",
        _DELETE,
    ),
    ("delete", "without_effect"): Meaning(
        "delete_refused",
        Severity.ERROR,
        "a delete is answered with success and deletes nothing: a lock that is taken here can never be released",
        "look into the store's own settings: a retention rule or a proxy may keep what is deleted",
    ),
}
_NO_LOCK = "locks are leases here, and released all the same"
_WITH_LEASES: Mapping[tuple[AspectName, Fault], Meaning] = {
    ("conditional_create", ""): Meaning(
        "conditional_create_ignored",
        Severity.INFO,
        "If-None-Match is not enforced; locks are leases here and need no condition",
        "",
    ),
    ("conditional_create", "never_taken"): Meaning(
        "conditional_create_refused", Severity.INFO, "If-None-Match is refused; locks are leases here and need no condition", ""
    ),
    ("conditional_delete", ""): Meaning(
        "conditional_delete_ignored", Severity.INFO, f"a condition on a delete is ignored; {_NO_LOCK}", ""
    ),
    ("checksums", ""): Meaning(
        "checksums_refused",
        Severity.INFO,
        "an MD5 checksum beside what is written is refused",
        "look for a proxy on the way that changes what is written",
    ),
    ("delete", ""): Meaning(
        "delete_refused",
        Severity.INFO,
        f"objects cannot be deleted; {_NO_LOCK}. What cannot be removed is a workspace's state",
        "grant deleting (Storage Blob Data Contributor; with a SAS, the permission delete) to whoever removes workspaces",
    ),
    ("delete", "without_effect"): Meaning(
        "delete_refused",
        Severity.INFO,
        f"a delete is answered with success and deletes nothing; {_NO_LOCK}",
        "look into the account's own settings: a retention policy or a proxy may keep what is deleted",
    ),
}
