"""The lock that the azurerm backend keeps in a blob's metadata, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from kumoss_console.model.finding import Finding, Severity
from kumoss_console.model.lock import LockDocument, parse_lock
from kumoss_console.model.lock.document import UNASKED
from kumoss_console.text import printable

METADATA = "terraformlockid"
"""The name in the metadata; names there are of any case."""

MISMATCH = frozenset({"LeaseIdMismatchWithBlobOperation", "LeaseIdMismatchWithLeaseOperation", "LeaseIdMissing", "LeaseLost"})
"""The service's codes where a lease is held, under another id than was sent."""
NO_LEASE = frozenset({"LeaseNotPresentWithBlobOperation", "LeaseNotPresentWithLeaseOperation"})

_PREFIX = "x-ms-meta-"
_BREAKING = "breaking"


class LeaseProof(msgspec.Struct, frozen=True):
    """The blob as it was, and the id of the lease where it is known."""

    etag: str
    lease: str = ""


def leased(headers: Mapping[str, str]) -> bool | None:
    """Whether somebody holds a lease, by a blob's headers; ``None`` where they do not say, as those of a snapshot."""
    status = headers.get("x-ms-lease-status")
    return None if status is None else status == "locked"


def held_lock(headers: Mapping[str, str]) -> LockDocument | None:
    """The lock of a leased blob by its headers, names in lower case, or what is left of one where no lease is held any more;
    ``None`` where there is neither lease nor metadata."""
    metadata = headers.get(f"{_PREFIX}{METADATA}")
    if not leased(headers) and not metadata:
        return None
    return lock_document(metadata, lease_duration(headers.get("x-ms-lease-duration"), headers.get("x-ms-lease-state")))


def lease_duration(duration: str | None, state: str | None) -> str:
    """``infinite``, ``fixed``, or ``breaking`` for one whose holder was told to go; empty where nothing is known."""
    return _BREAKING if state == _BREAKING else duration or ""


def lock_document(metadata: str | None, duration: str) -> LockDocument:
    """The lock of a lease. Metadata that is missing or cannot be read locks all the same. ``duration`` as
    :func:`lease_duration` gives it."""
    headers = {"x-ms-lease-status": "locked", "x-ms-lease-duration": duration}
    if metadata is not None:
        headers[f"{_PREFIX}{METADATA}"] = metadata
    document = parse_lock(msgspec.json.encode({"headers": headers}))
    # No object lies beside the state that could be deleted: what is wrong with the lock is mended by breaking the lease.
    remedy = "make sure that nobody holds it, then break the lease (state unlock does it, too)"
    findings = (*(replace(finding, remedy=remedy) for finding in document.findings), *_of_its_end(duration))
    return replace(document, findings=findings, lease=document.lease or duration or None)


def of_another_lease(document: LockDocument) -> LockDocument:
    """What is known of a lease that has another id than the lock in the metadata, which is an earlier one: next to nothing."""
    lock = document.lock
    whose = f" of {printable(lock.holder)}" if lock is not None and lock.holder else ""
    named = f" ({printable(lock.id)}{whose})" if lock is not None else ""
    reason = "its metadata tells of another lock"
    finding = Finding(
        code="lock.other_lease",
        severity=Severity.ERROR,
        subject="lock",
        message=(
            f"the lease has another id than the lock in the metadata{named}, and it locks the state all the same: a run is just "
            "taking it, one ended before it wrote its own lock, or somebody else holds the blob; force-unlock cannot release it"
        ),
        remedy="look again; where nothing has changed and nobody is at work, break the lease (state unlock does it, too)",
    )
    return LockDocument(lock=None, reason=reason, lease=document.lease, findings=(finding, *_of_its_end(document.lease or "")))


def unasked(document: LockDocument, why: str) -> LockDocument:
    """What the metadata says, where nobody could tell whether it is of the lease that is held."""
    finding = Finding(
        code=UNASKED,
        severity=Severity.WARNING,
        subject="lock",
        message=f"whether this lock is the one of the lease could not be asked ({printable(why)}): another run may hold it",
        remedy="ask with credentials that may read the blob (with a SAS, the permission read), before anything is done about it",
    )
    return replace(document, findings=(*document.findings, finding))


def _of_its_end(duration: str) -> tuple[Finding, ...]:
    """An engine's lease has no end. Azure gives no other one more than 60 s, and breaks none later than that."""
    if duration not in {"fixed", _BREAKING}:
        return ()
    if duration == _BREAKING:
        message, renewed = "the lease is being broken: it ends by itself, in at most 60 seconds", ""
    else:
        message = "the lease ends by itself: at most 60 seconds after it was taken or last renewed; an engine's has no end"
        renewed = ": where it is still there, somebody renews it and is at work"
    return (
        Finding(
            code="lock.ends_by_itself",
            severity=Severity.INFO,
            subject="lock",
            message=message,
            remedy=f"wait a minute and look again{renewed}",
        ),
    )
