"""The lock that the azurerm backend keeps in a blob's metadata, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from kumoss_console.model.lock import LockDocument, parse_lock

METADATA = "terraformlockid"
"""The name in the metadata; names there are of any case."""

_PREFIX = "x-ms-meta-"


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
    return lock_document(metadata, headers.get("x-ms-lease-duration", ""))


def lock_document(metadata: str | None, duration: str) -> LockDocument:
    """The lock of a lease. Metadata that is missing or cannot be read locks all the same."""
    headers = {"x-ms-lease-status": "locked", "x-ms-lease-duration": duration}
    if metadata is not None:
        headers[f"{_PREFIX}{METADATA}"] = metadata
    document = parse_lock(msgspec.json.encode({"headers": headers}))
    # No object lies beside the state that could be deleted: what is wrong with the lock is mended by breaking the lease.
    remedy = "make sure that nobody holds it, then break the lease (state unlock does it, too)"
    findings = tuple(replace(finding, remedy=remedy) for finding in document.findings)
    return replace(document, findings=findings, lease=document.lease or duration or None)
