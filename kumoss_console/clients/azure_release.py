"""Letting go of a lease that somebody else took: by its id, or, where that is not known, by breaking it.

The lease goes first, on the condition that the blob is as it was seen, so that a refusal leaves everything as it was. The
metadata of the lock goes then, on the same condition and under no lease: a run that has taken the blob meanwhile keeps what it
writes. What is left where that fails locks nothing.

A broken lease may be one that was taken a moment ago: a run that has come to write anything has changed the blob, and keeps it.

Everything here but :func:`left_behind` runs on bridge threads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.azure_lockdata import METADATA, MISMATCH, NO_LEASE, LeaseProof, leased
from kumoss_console.errors import AccessDenied, ConsoleError, NotFound
from kumoss_console.model.lock.refusals import lock_changed, lock_gone
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

BROKEN = (
    "the lease had to be broken, since its id is not known: had a run taken a new one at the very same moment, before it wrote "
    "its own lock, it has lost it; look at the running jobs"
)
ELSEWHERE = (
    "the lease has another id by now than the lock in the metadata: a run is just taking it, or somebody else holds the blob; "
    "where it stays so, state locks KEY shows it as a lease whose id is not known, which state unlock can break"
)
_TAKEN = frozenset({"store.leased", "store.changed"})
"""Refusals of a write by which a run shows that it has the blob: what is in the metadata is its own business."""


def let_go(container: ContainerClient, target: AzureTarget, proof: LeaseProof) -> Mapping[str, str] | None:
    """Release or break the lease. The metadata without that of a lock, where there is one to be cleared; else ``None``.

    Raises :class:`~kumoss_console.errors.Refused` as the port says, and whatever the service refuses: then nothing was changed.
    """
    from azure.core.exceptions import HttpResponseError
    from azure.storage.blob import BlobLeaseClient

    from kumoss_console.clients.azure_failures import code_of
    from kumoss_console.clients.azure_wire import heard

    metadata = _still_there(container, target, proof)
    blob = container.get_blob_client(target.key)
    try:
        if proof.lease:
            BlobLeaseClient(blob, lease_id=proof.lease).release(**_if(proof.etag))
        else:
            BlobLeaseClient(blob).break_lease(lease_break_period=0, **_if(proof.etag))
    except HttpResponseError:
        code = code_of(heard())
        if code in NO_LEASE or code == "BlobNotFound":
            raise lock_gone(target.key) from None
        if code in MISMATCH:
            raise lock_changed(target.key, detail=ELSEWHERE) from None
        if code == "ConditionNotMet":
            raise lock_changed(target.key, detail="the blob was written since") from None
        raise
    rest = {name: value for name, value in metadata.items() if name.lower() != METADATA}
    return rest if len(rest) < len(metadata) else None


def clear(container: ContainerClient, target: AzureTarget, proof: LeaseProof, kept: Mapping[str, str]) -> None:
    """Leave only what is ``kept`` in the metadata of a blob that nobody has written or leased since."""
    container.get_blob_client(target.key).set_blob_metadata(dict(kept), **_if(proof.etag))


def left_behind(error: ConsoleError, key: str) -> list[str]:
    """What to say where the metadata could not be cleared of the lock that is gone."""
    if isinstance(error, NotFound) or error.code in _TAKEN:
        return []
    left = "was left on the blob" if isinstance(error, AccessDenied) else "may have been left on the blob"
    return [
        f"the lease is gone, and the metadata of its lock {left} ({error.title}): it locks nothing, and the next run that locks "
        f"writes its own over it; state locks {printable(key)} tells whether it is there"
    ]


def _still_there(container: ContainerClient, target: AzureTarget, proof: LeaseProof) -> Mapping[str, str]:
    """The metadata of a blob that is as it was seen, and leased."""
    from azure.core.exceptions import ResourceNotFoundError

    from kumoss_console.clients.azure_listing import quoted
    from kumoss_console.clients.azure_reads import must_be_a_blob
    from kumoss_console.clients.azure_wire import heard

    try:
        told = container.get_blob_client(target.key).get_blob_properties()
    except ResourceNotFoundError:
        raise lock_gone(target.key) from None
    headers = must_be_a_blob(heard(), target).headers
    if not leased(headers):
        raise lock_gone(target.key)
    if quoted(headers.get("etag")) != proof.etag:
        raise lock_changed(target.key, detail="the blob was written since")
    return dict(told.metadata or {})  # as the SDK has it: names keep their case


def _if(etag: str) -> dict[str, Any]:
    """The condition that the blob is the one that was seen; sent once, since a second answer would not be about the first."""
    from azure.core import MatchConditions

    return {"etag": etag, "match_condition": MatchConditions.IfNotModified, "retry_total": 0}
