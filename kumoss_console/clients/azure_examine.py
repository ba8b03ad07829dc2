"""What a storage account really does, asked of it. Every answer is an aspect; one that fails does not hide the others.

Versioning, soft delete and lifecycle rules belong to the account, and the resource manager alone tells them all: a key or a SAS
does not reach it. What the blobs themselves tell is told, the rest is not guessed.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.store_trial import FIRST, StoreTrial
from kumoss_console.clients.tls import transport
from kumoss_console.errors import ConsoleError, NotFound
from kumoss_console.model.endpoint import Aspect, AspectName
from kumoss_console.model.endpoint.aspect import no_access, not_answered
from kumoss_console.model.storage import StorageSettings
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

_SAMPLE = 100
"""Blobs that are looked at for whether they have versions."""

_Asked = Callable[["ContainerClient", AzureTarget], Aspect]


class AzureExaminer:
    """:class:`~kumoss_console.ports.store.StoreExaminer` over the container of ``storage``."""

    def __init__(self, store: AzureStore, storage: StorageSettings) -> None:
        self._store = store
        self._storage = storage

    async def examine(self, *, thorough: bool = True) -> AsyncGenerator[Aspect, None]:
        try:
            clock = await self._store.ask(None, _clock)
        except ConsoleError as error:
            yield no_access(error)
            if thorough:
                yield self._identity()
                yield await transport(self._storage)
            if error.code != "store.access_denied":
                return
        else:
            yield Aspect(name="access", standing="good", said="listing works", evidence="listed the container")
            if thorough:
                yield self._identity()
                yield self._addressing()
            yield clock
            if thorough:
                yield await transport(self._storage)
        for name, ask in _QUESTIONS:
            yield await self._ask(name, ask)
        if not thorough:
            yield await self._ask("public_access", _public_access)
            return
        yield Aspect(
            name="lifecycle",
            standing="unknown",
            said="kept by the resource manager alone",
            evidence="az storage account management-policy show tells it",
            doubt="unsupported",
        )
        yield await self._ask("public_access", _public_access)

    def try_writes(self, key: str) -> AsyncGenerator[Aspect, None]:
        return _AzureTrial(self._store, key).run()

    def _identity(self) -> Aspect:
        return Aspect(name="identity", standing="plain", said=self._store.identity, evidence="as it signs its requests")

    def _addressing(self) -> Aspect:
        named = f"/{self._storage.account_name}" in self._store.label
        said = "the account in the path, as the emulator has it" if named else "the account's own host"
        return Aspect(name="addressing", standing="plain", said=said, evidence="the listing was answered that way")

    async def _ask(self, name: AspectName, ask: _Asked) -> Aspect:
        try:
            return await self._store.ask(None, ask)
        except ConsoleError as error:
            if error.code == "store.versions_unsupported":
                return Aspect(name=name, standing="bad", said="refused", evidence=error.detail)
            return not_answered(name, error)


class _AzureTrial(StoreTrial):
    """One trial on ``key``."""

    checksum = "an MD5 checksum"

    def __init__(self, store: AzureStore, key: str) -> None:
        super().__init__(store, key)
        self._azure = store

    async def _put_with_checksum(self) -> None:
        def put(container: ContainerClient, target: AzureTarget) -> None:
            blob = container.get_blob_client(target.key)
            blob.upload_blob(FIRST, overwrite=True, validate_content=True, max_concurrency=1, retry_total=0)

        await self._azure.ask(self._key, put)


# Everything below runs on bridge threads.


def _clock(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_failures import skew
    from kumoss_console.clients.azure_reads import list_blobs
    from kumoss_console.clients.azure_wire import heard

    list_blobs(container, target, "", None, 1)
    answer = heard()
    ahead = None if answer is None else skew(answer)
    if answer is None or ahead is None:
        return Aspect(name="clock", standing="unknown", said="it sends no date", evidence="no Date header", doubt="unsupported")
    # The header counts in whole seconds, and the answer was under way.
    seconds = 0.0 if abs(ahead) <= 2 else -round(ahead, 1)
    said = f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} ours" if seconds else "right, to the second"
    evidence = f"Date: {printable(answer.headers.get('date', ''))}"
    return Aspect(name="clock", standing="plain", said=said, evidence=evidence, seconds=seconds)


def _versioning(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_reads import list_versions

    listed = list_versions(container, target, "", None, _SAMPLE).blobs
    versioned = sum(bool(blob.version) for blob in listed)
    soft = sum(blob.deleted for blob in listed)
    snapshots = sum(bool(blob.snapshot) and not blob.deleted for blob in listed)
    blobs = sum(not blob.snapshot and not blob.deleted and not blob.version for blob in listed)
    kept_for = _soft_delete(container) if not versioned and not soft else None
    taken = f"; {counted(snapshots, 'snapshot')} among them" if snapshots else ""
    way = f", and {counted(snapshots, 'snapshot')} that somebody took can be gone back to" if snapshots else ""
    if kept_for:
        return Aspect(
            name="versioning",
            standing="plain",
            said=f"not seen, and what is deleted or written over is kept for {counted(kept_for, 'day')} (soft delete){way}",
            evidence=f"the account's blob service properties: deleted blobs are retained for {counted(kept_for, 'day')}{taken}",
        )
    if not listed:
        return Aspect(
            name="versioning",
            standing="unknown",
            said="there is no blob to tell it",
            evidence="az storage account blob-service-properties show tells it",
            doubt="unsupported",
        )
    if versioned:
        evidence = f"{versioned} of the first {counted(len(listed), 'entry', 'entries')} have the id of a version{taken}"
        return Aspect(name="versioning", standing="good", said="on", evidence=evidence)
    if soft:
        said = f"off, and what is deleted or written over is kept for a while (soft delete){way}"
        evidence = f"{soft} of the first {counted(len(listed), 'entry', 'entries')} were deleted and are kept{taken}"
        return Aspect(name="versioning", standing="plain", said=said, evidence=evidence)
    evidence = f"looked at {counted(blobs, 'blob')}: none has a version, nor was one deleted and kept"
    if kept_for == 0:
        evidence += "; soft delete is off"
    if snapshots:
        return Aspect(name="versioning", standing="plain", said=f"off, as far as the blobs tell{way}", evidence=evidence + taken)
    return Aspect(name="versioning", standing="bad", said="off, as far as the blobs tell", evidence=evidence)


def counted(count: int, one: str, many: str = "") -> str:
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


def _version_listing(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_reads import list_versions

    list_versions(container, target, "", None, 1)
    return Aspect(name="version_listing", standing="good", said="works", evidence="a listing with versions was answered")


def _encryption(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_reads import list_blobs

    told = [blob.encrypted for blob in list_blobs(container, target, "", None, _SAMPLE).blobs if blob.encrypted is not None]
    if not told:
        return Aspect(
            name="encryption",
            standing="unknown",
            said="there is no blob to tell it",
            evidence="ServerEncrypted of the listed blobs",
            doubt="unsupported",
        )
    return Aspect(
        name="encryption",
        standing="good" if all(told) else "bad",
        said="by the service" if all(told) else "not all blobs",
        evidence=f"ServerEncrypted: {sum(told)} of {len(told)} blobs",
    )


def _public_access(container: ContainerClient, target: AzureTarget) -> Aspect:
    from kumoss_console.clients.azure_wire import heard

    container.get_container_properties()
    answer = heard()
    if answer is None:
        raise NotFound(f"there is no answer about {target.subject}")
    public = answer.headers.get("x-ms-blob-public-access")
    if public:
        return Aspect(
            name="public_access",
            standing="bad",
            said=f"level {printable(public)}",
            evidence="the container says so; it holds where the account allows public access",
        )
    return Aspect(name="public_access", standing="good", said="none", evidence="the container has no level of public access")


_QUESTIONS: tuple[tuple[AspectName, _Asked], ...] = (
    ("versioning", _versioning),
    ("version_listing", _version_listing),
    ("encryption", _encryption),
)
