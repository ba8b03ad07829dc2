"""Locks of the azurerm backend: a lease without an end on the state's blob, and the lock in the blob's metadata.

The engine takes a lease whose id is the lock's id, then writes the lock into ``terraformlockid``; it lets go in the other
order. So the id in the metadata is the lease's own, unless a run is just taking the lease or ended before it wrote its lock: then
the metadata is what an earlier one left. The service tells which it is, where a blob is looked at under that id.

When a lease was taken nobody says but the lock in the metadata. The blob's Last-Modified does not: taking a lease writes nothing.

Metadata without a lease locks nothing: the engine takes the lease and writes over it.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.azure_lockdata import METADATA, LeaseProof, leased, lock_document, unasked
from kumoss_console.clients.azure_release import BROKEN, clear, left_behind, let_go
from kumoss_console.clients.azure_whose import look_at, whose
from kumoss_console.errors import ConsoleError, NotFound
from kumoss_console.model.lock import LockDocument, LockMechanism
from kumoss_console.model.lock.word import legible_id
from kumoss_console.ports.locks import LockSighting
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

_AT_ONCE = 8
"""Leases that are asked at the same time whose they are."""
_GIVE_UP = 8
"""Failures in a row after which no more leases are asked about."""


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
        """Every leased blob: the listing tells them, with the metadata, a page of 5,000 at a time. Then each is asked whether
        it is held under the id in its metadata; where that cannot be asked, the lock says so."""
        found: list[LockSighting] = []
        cursors: list[str | None] = [None]
        while True:
            page, cursor = await self._store.ask(None, _leased, self._store.label, cursors[-1])
            found += page
            if cursor is None:
                break
            cursors.append(self._store.onward(cursor, cursors))
        gate = asyncio.Semaphore(_AT_ONCE)
        failures: list[ConsoleError] = []
        told = await asyncio.gather(*(self._told_apart(seen, gate, failures) for seen in found))
        return tuple(seen for seen in told if seen is not None)

    async def remove(self, sighting: LockSighting) -> str | None:
        """As the port says. Nothing is changed before the lease is gone, and what fails afterwards is said, not raised."""
        proof = msgspec.json.decode(sighting.proof or "{}", type=LeaseProof)
        kept = await self._store.ask(sighting.key, let_go, proof)
        caveats = [] if proof.lease else [BROKEN]
        if kept is not None:
            try:
                await self._store.ask(sighting.key, clear, proof, kept)
            except ConsoleError as error:
                caveats += left_behind(error, sighting.key)
        return "; ".join(caveats) or None

    async def _told_apart(self, seen: LockSighting, gate: asyncio.Semaphore, failures: list[ConsoleError]) -> LockSighting | None:
        """``failures`` are those since the last answer."""
        lock_id = legible_id(seen.document)
        if lock_id is None:
            return seen
        async with gate:
            if len(failures) >= _GIVE_UP:
                return _unasked(seen, failures[-1].title)
            try:
                told, why = await self._store.ask(seen.key, whose, lock_id)
                now = seen if told in {"its own", "not told"} else await self.look(seen.key)
            except ConsoleError as error:
                failures.append(error)
                return _unasked(seen, error.title)
            failures.clear()
            return _unasked(seen, why) if told == "not told" else now


def _unasked(seen: LockSighting, why: str) -> LockSighting:
    return replace(seen, document=unasked(seen.document, why))


# Everything below runs on bridge threads.


def _seen(container: ContainerClient, target: AzureTarget, label: str) -> LockSighting | None:
    from kumoss_console.clients.azure_listing import quoted

    answer, document = look_at(container, target)
    if document is None or not leased(answer.headers):
        return None
    raw = _raw(answer.headers.get(f"x-ms-meta-{METADATA}"))
    return _sighting(target.key, label, raw, document, quoted(answer.headers.get("etag")) or "")


def _leased(
    container: ContainerClient, target: AzureTarget, label: str, cursor: str | None
) -> tuple[tuple[LockSighting, ...], str | None]:
    from kumoss_console.clients.azure_listing import PAGE
    from kumoss_console.clients.azure_reads import list_blobs

    page = list_blobs(container, target, "", cursor, PAGE, include=["metadata"])
    found: list[LockSighting] = []
    for blob in page.blobs:
        if blob.info.leased:
            metadata = blob.metadata.get(METADATA)
            document = lock_document(metadata, blob.lease_duration)
            found.append(_sighting(blob.info.key, label, _raw(metadata), document, blob.info.etag or ""))
    return tuple(found), page.cursor


def _sighting(key: str, label: str, raw: bytes, document: LockDocument, etag: str) -> LockSighting:
    return LockSighting(
        key=key,
        mechanism="lease",
        document=document,
        proof=msgspec.json.encode(LeaseProof(etag=etag, lease=legible_id(document) or "")).decode(),
        modified=None,
        where=f"the lease on {printable(key)} in {label}",
        raw=raw,
    )


def _raw(metadata: str | None) -> bytes:
    if metadata is None:
        return b""
    try:
        return base64.b64decode(metadata.strip(), validate=True)
    except (binascii.Error, ValueError):
        return metadata.encode("utf-8", "surrogatepass")
