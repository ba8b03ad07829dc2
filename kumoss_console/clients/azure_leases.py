"""Locks of the azurerm backend: a lease without an end on the state's blob, and the lock in the blob's metadata.

The engine takes a lease whose id is the lock's id, then writes the lock into ``terraformlockid``; it lets go in the other
order. So the id in the metadata is the lease's own, and whoever knows it can release that lease and no other. Where the metadata
is not legible, the lease can only be broken, whoever holds it by then: on the condition that the blob is as it was seen, which a
run that has come to write anything has changed.

Metadata without a lease locks nothing: the engine takes the lease and writes over it.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.azure_lockdata import METADATA, leased, lock_document
from kumoss_console.errors import NotFound
from kumoss_console.model.lock import LockMechanism
from kumoss_console.model.lock.refusals import lock_changed, lock_gone
from kumoss_console.model.lock.word import legible_id
from kumoss_console.ports.locks import LockSighting
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

BROKEN = (
    "the lease had to be broken, since its id is not legible: had a run taken a new one at the very same moment, before it wrote "
    "its own lock, it has lost it; look at the running jobs"
)
ELSEWHERE = (
    "the lease has another id than the lock in the metadata says: a run is just taking it, or somebody else holds the blob; look "
    "again, and where nothing has changed, break it with the az storage blob lease break that state locks KEY prints: neither "
    "this console nor force-unlock can release it by the id in the metadata"
)
_MISMATCH = frozenset({"LeaseIdMismatchWithBlobOperation", "LeaseIdMismatchWithLeaseOperation", "LeaseIdMissing", "LeaseLost"})
_NO_LEASE = frozenset({"LeaseNotPresentWithBlobOperation", "LeaseNotPresentWithLeaseOperation"})


class _Proof(msgspec.Struct, frozen=True):
    """The blob as it was, and the id of the lease where it is known."""

    etag: str
    lease: str = ""


class AzureLeases:
    """:class:`~kumoss_console.ports.locks.LockFinder` of the leases in the container of ``store``."""

    def __init__(self, store: AzureStore) -> None:
        self._store = store

    @property
    def mechanism(self) -> LockMechanism:
        return "lease"

    async def look(self, key: str) -> LockSighting | None:
        try:
            return await self._store.ask(key, _seen, self._store.label)
        except NotFound:
            return None

    async def held(self) -> tuple[LockSighting, ...]:
        """Every leased blob: the listing tells them, with the metadata, a page of 5,000 at a time."""
        found: list[LockSighting] = []
        cursors: list[str | None] = [None]
        while True:
            page, cursor = await self._store.ask(None, _leased, self._store.label, cursors[-1])
            found += page
            if cursor is None:
                return tuple(found)
            cursors.append(self._store.onward(cursor, cursors))

    async def remove(self, sighting: LockSighting) -> str | None:
        """As the port says. The metadata is cleared as the engine does it, first or, after a break, last."""
        return await self._store.ask(sighting.key, _remove, sighting)


# Everything below runs on bridge threads.


def _seen(container: ContainerClient, target: AzureTarget, label: str) -> LockSighting | None:
    from kumoss_console.clients.azure_listing import moment, quoted
    from kumoss_console.clients.azure_reads import must_be_a_blob
    from kumoss_console.clients.azure_wire import heard

    container.get_blob_client(target.key).get_blob_properties()
    headers = must_be_a_blob(heard(), target).headers
    if not leased(headers):
        return None
    metadata = headers.get(f"x-ms-meta-{METADATA}")
    etag, modified = quoted(headers.get("etag")), moment(headers.get("last-modified"))
    return _sighting(target.key, label, metadata, etag or "", modified, headers.get("x-ms-lease-duration", ""))


def _leased(
    container: ContainerClient, target: AzureTarget, label: str, cursor: str | None
) -> tuple[tuple[LockSighting, ...], str | None]:
    from kumoss_console.clients.azure_listing import PAGE
    from kumoss_console.clients.azure_reads import list_blobs

    page = list_blobs(container, target, "", cursor, PAGE, include=["metadata"])
    found = (
        _sighting(
            blob.info.key, label, blob.metadata.get(METADATA), blob.info.etag or "", blob.info.modified, blob.lease_duration
        )
        for blob in page.blobs
        if blob.info.leased
    )
    return tuple(found), page.cursor


def _sighting(key: str, label: str, metadata: str | None, etag: str, modified: datetime | None, duration: str) -> LockSighting:
    document = lock_document(metadata, duration)
    proof = _Proof(etag=etag, lease=legible_id(document) or "")
    return LockSighting(
        key=key,
        mechanism="lease",
        document=document,
        proof=msgspec.json.encode(proof).decode(),
        modified=modified,
        where=f"the lease on {printable(key)} in {label}",
        raw=_raw(metadata),
    )


def _raw(metadata: str | None) -> bytes:
    if metadata is None:
        return b""
    try:
        return base64.b64decode(metadata.strip(), validate=True)
    except (binascii.Error, ValueError):
        return metadata.encode("utf-8", "surrogatepass")


def _remove(container: ContainerClient, target: AzureTarget, sighting: LockSighting) -> str | None:
    from azure.core.exceptions import HttpResponseError

    from kumoss_console.clients.azure_failures import code_of
    from kumoss_console.clients.azure_wire import heard

    proof = msgspec.json.decode(sighting.proof or "{}", type=_Proof)
    metadata = _still_there(container, target, proof)
    try:
        if proof.lease:
            _release(container, target, proof, metadata)
            return None
        _break(container, target, proof, metadata)
    except HttpResponseError:
        code = code_of(heard())
        if code in _NO_LEASE or code == "BlobNotFound":
            raise lock_gone(target.key) from None
        if code in _MISMATCH:
            raise lock_changed(target.key, detail=ELSEWHERE) from None
        if code == "ConditionNotMet":
            raise lock_changed(target.key, detail="the blob was written since") from None
        raise
    return BROKEN


def _still_there(container: ContainerClient, target: AzureTarget, proof: _Proof) -> dict[str, str]:
    """The metadata that stays, of a blob that is as it was seen, and leased."""
    from azure.core.exceptions import ResourceNotFoundError

    from kumoss_console.clients.azure_listing import quoted
    from kumoss_console.clients.azure_reads import must_be_a_blob
    from kumoss_console.clients.azure_wire import heard

    try:
        told = container.get_blob_client(target.key).get_blob_properties()
    except ResourceNotFoundError:
        raise lock_gone(target.key) from None
    answer = must_be_a_blob(heard(), target)
    if not leased(answer.headers):
        raise lock_gone(target.key)
    if quoted(answer.headers.get("etag")) != proof.etag:
        raise lock_changed(target.key, detail="the blob was written since")
    return {name: value for name, value in (told.metadata or {}).items() if name.lower() != METADATA}


def _release(container: ContainerClient, target: AzureTarget, proof: _Proof, metadata: Mapping[str, str]) -> None:
    from azure.storage.blob import BlobLeaseClient

    blob = container.get_blob_client(target.key)
    blob.set_blob_metadata(dict(metadata), lease=proof.lease, **_if(proof.etag))
    BlobLeaseClient(blob, lease_id=proof.lease).release(retry_total=0)


def _break(container: ContainerClient, target: AzureTarget, proof: _Proof, metadata: Mapping[str, str]) -> None:
    from azure.core.exceptions import HttpResponseError
    from azure.storage.blob import BlobLeaseClient

    from kumoss_console.clients.azure_failures import code_of
    from kumoss_console.clients.azure_wire import heard

    blob = container.get_blob_client(target.key)
    BlobLeaseClient(blob).break_lease(lease_break_period=0, **_if(proof.etag))
    try:
        blob.set_blob_metadata(dict(metadata), **_if(proof.etag))
    except HttpResponseError:
        # The lock is gone; a run that holds a new one has written its own by now.
        if code_of(heard()) not in {"ConditionNotMet", "LeaseIdMissing"}:
            raise


def _if(etag: str) -> dict[str, Any]:
    """The condition that the blob is the one that was seen; sent once, since a second answer would not be about the first."""
    from azure.core import MatchConditions

    return {"etag": etag, "match_condition": MatchConditions.IfNotModified, "retry_total": 0}
