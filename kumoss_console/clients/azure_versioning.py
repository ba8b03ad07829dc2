"""Whether a storage account keeps what is written over, from what its blobs tell: the account tells only whoever has its key.

Runs on bridge threads.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.model.endpoint import Aspect, Standing

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

_SAMPLE = 100
"""Entries that are looked at."""
_NEVER = datetime.min.replace(tzinfo=UTC)


def versioning(container: ContainerClient, target: AzureTarget) -> Aspect:
    """What was written last tells: an account that keeps versions gives each blob that is written one, and a blob keeps what it
    has when that is turned on or off later."""
    from kumoss_console.clients.azure_reads import list_versions

    listed = list_versions(container, target, "", None, _SAMPLE).blobs
    soft = sum(blob.deleted for blob in listed)
    snapshots = sum(bool(blob.snapshot) and not blob.deleted for blob in listed)
    current = [blob for blob in listed if not blob.snapshot and not blob.deleted and (blob.current or not blob.version)]
    older = sum(bool(blob.version) and not blob.current and not blob.snapshot and not blob.deleted for blob in listed)
    newest = max(current, key=lambda blob: blob.info.modified or _NEVER, default=None)
    with_version = sum(bool(blob.version) for blob in current)
    if newest is not None and newest.version:
        evidence = f"{with_version} of the first {_counted(len(current), 'blob')} have the id of a version, the newest among them"
        return Aspect(name="versioning", standing="good", said="on", evidence=evidence + _snapshots(snapshots))
    kept_for = _soft_delete(container) if not soft else None
    taken_of = {blob.info.key for blob in listed if blob.snapshot and not blob.deleted}
    with_snapshot = sum(blob.info.key in taken_of for blob in current)
    every = bool(current) and with_snapshot == len(current)
    of = "" if every else f" (of {with_snapshot} of {_counted(len(current), 'blob')})"
    way = f", and {_counted(snapshots, 'snapshot')} that somebody took can be gone back to{of}" if snapshots else ""
    if kept_for:
        return Aspect(
            name="versioning",
            standing="plain",
            said=f"not seen, and what is deleted or written over is kept for {_counted(kept_for, 'day')} (soft delete){way}",
            evidence=f"the account's blob service properties: deleted blobs are retained for {_counted(kept_for, 'day')}"
            + _snapshots(snapshots),
        )
    if soft:
        said = f"off, and what is deleted or written over is kept for a while (soft delete){way}"
        if newest is None:
            said = f"not seen, and what is deleted is kept for a while (soft delete){way}"
        evidence = f"{soft} of the first {_counted(len(listed), 'entry', 'entries')} were deleted and are kept"
        return Aspect(name="versioning", standing="plain", said=said, evidence=evidence + _snapshots(snapshots))
    if newest is None:
        return Aspect(
            name="versioning",
            standing="unknown",
            said="there is no blob to tell it",
            evidence="az storage account blob-service-properties show tells it",
            doubt="unsupported",
        )
    evidence = f"looked at {_counted(len(current), 'blob')}: "
    evidence += "the newest has no version" if with_version else "none has a version"
    evidence += f"; {_counted(older, 'version')} of when it was on beside them" if older else ", nor was one deleted and kept"
    if kept_for == 0:
        evidence += "; soft delete is off"
    said = f"off, as far as the blobs tell{way}"
    standing: Standing = "plain" if every else "bad"
    return Aspect(name="versioning", standing=standing, said=said, evidence=evidence + _snapshots(snapshots))


def _snapshots(count: int) -> str:
    return f"; {_counted(count, 'snapshot')} among them" if count else ""


def _counted(count: int, one: str, many: str = "") -> str:
    """``1 day``, ``2 days``."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


def _soft_delete(container: ContainerClient) -> int | None:
    """Days for which the account keeps deleted and overwritten blobs, 0 for none; ``None`` where that may not be asked, as with a
    SAS for the container alone."""
    from azure.core.exceptions import HttpResponseError

    # The SDK has no public way from a container to its account, and a client of our own would want the pipeline again.
    service = getattr(container, "_get_blob_service_client", None)
    if service is None:
        return None
    try:
        policy = service().get_service_properties().get("delete_retention_policy")
    except HttpResponseError:
        return None
    if policy is None or policy.enabled is None:
        return None
    return int(policy.days or 0) if policy.enabled else 0
