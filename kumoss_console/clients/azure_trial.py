"""What only writing tells of a storage account. Locks are leases there, so one is taken and let go of, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_errors import AzureTarget
from kumoss_console.clients.azure_lockdata import NO_LEASE
from kumoss_console.clients.store_trial import FIRST, StoreTrial
from kumoss_console.errors import ConsoleError, Refused, ServiceError
from kumoss_console.model.endpoint import Aspect
from kumoss_console.model.endpoint.aspect import evidence_of, not_answered
from kumoss_console.ports.objects import ObjectVersion
from kumoss_console.text import printable

if TYPE_CHECKING:
    from azure.storage.blob import ContainerClient

_LEASED_FOR = 15
"""Seconds, the least that the service gives. An engine's lease has no end; this one must not outlive a trial that breaks off."""
_REMAINING = re.compile(rb"<RemainingRetentionDays>([0-9]{1,4})</RemainingRetentionDays>")


class AzureTrial(StoreTrial):
    """One trial on ``key``."""

    checksum = "an MD5 checksum"

    def __init__(self, store: AzureStore, key: str) -> None:
        super().__init__(store, key)
        self._azure = store
        self._held = ""

    async def _put_with_checksum(self) -> None:
        try:
            await self._as_holder(_put_with_checksum)
        except ServiceError as error:
            if error.code == "store.refused":  # not credentials, not load, and no failure of the service
                raise Refused(error.title, detail=error.detail, code="store.checksums_refused") from error
            raise

    async def _lease(self) -> Aspect:
        # The id is ours from the first, so that a lease whose answer was lost does not stand in the way of what follows.
        lease = self._held = str(uuid4())
        try:
            await self._azure.ask(self._key, _take, lease)
        except ConsoleError as error:
            if error.code == "store.access_denied":
                self._held = ""
                return Aspect(name="lease", standing="bad", said="refused", evidence=evidence_of(error), error=error)
            return not_answered("lease", error, "taking a lease ended in an error")
        try:
            await self._azure.ask(self._key, _let_go, lease)
        except ConsoleError as error:
            if error.code == "store.access_denied":
                evidence = f"taken, and its release refused; it ends by itself within {_LEASED_FOR} s: {evidence_of(error)}"
                return Aspect(
                    name="lease", standing="bad", fault="never_released", said="not released", evidence=evidence, error=error
                )
            return not_answered("lease", error, "a lease was taken, and its release ended in an error")
        self._held = ""
        evidence = f"a lease of {_LEASED_FOR} s was taken on the scratch key and released"
        return Aspect(name="lease", standing="good", said="taken and released", evidence=evidence)

    async def _remove(self, *, etag: str | None = None, version: str | None = None) -> None:
        await self._as_holder(_delete, etag, version)

    async def _as_holder(self, call: Callable[..., None], *args: str | None) -> None:
        """Write under our own lease, where it may still be held. One that is in the way all the same is named as ours."""
        try:
            await self._azure.ask(self._key, _under, self._held, call, *args)
        except Refused as error:
            if self._held and error.code == "store.leased":
                title = f"{printable(self._key)} is leased, most likely by this trial itself: nothing was written or removed"
                hint = f"the lease ends by itself within {_LEASED_FOR} s"
                raise Refused(title, detail=error.detail, hint=hint, code=error.code) from error
            raise

    async def _kept(self, left: Sequence[ObjectVersion]) -> tuple[Sequence[ObjectVersion], str]:
        """What was deleted softly is not there for anybody who reads, and goes by itself."""
        stayed = [version for version in left if version.kind != "delete_marker"]
        if len(stayed) == len(left):
            return stayed, ""
        try:
            days = await self._azure.ask(self._key, _kept_for)
        except ConsoleError:
            days = 0
        until = f"for {days} day{'' if days == 1 else 's'} more" if days else "for as long as it is set to"
        return stayed, f"the account keeps what is deleted {until} (soft delete), the scratch key as well: nothing has to be done"


# Everything below runs on bridge threads. What writes is sent once.


def _under(container: ContainerClient, target: AzureTarget, lease: str, call: Callable[..., None], *args: str | None) -> None:
    """``call`` under ``lease``, and without it where the service says that it is not held, or over: then it did nothing."""
    from azure.core.exceptions import HttpResponseError

    from kumoss_console.clients.azure_failures import code_of
    from kumoss_console.clients.azure_wire import heard

    try:
        return call(container, target, lease or None, *args)
    except HttpResponseError:
        if not lease or code_of(heard()) not in NO_LEASE | {"LeaseLost"}:
            raise
    return call(container, target, None, *args)


def _put_with_checksum(container: ContainerClient, target: AzureTarget, lease: str | None) -> None:
    from azure.storage.blob import BlobLeaseClient

    blob = container.get_blob_client(target.key)
    held = BlobLeaseClient(blob, lease_id=lease) if lease else None
    blob.upload_blob(FIRST, overwrite=True, validate_content=True, max_concurrency=1, lease=held, retry_total=0)


def _delete(container: ContainerClient, target: AzureTarget, lease: str | None, etag: str | None, version: str | None) -> None:
    from kumoss_console.clients.azure_writes import delete_blob

    delete_blob(container, target, etag, version, lease if version is None else None)


def _take(container: ContainerClient, target: AzureTarget, lease: str) -> None:
    from azure.storage.blob import BlobLeaseClient

    blob = container.get_blob_client(target.key)
    BlobLeaseClient(blob, lease_id=lease).acquire(lease_duration=_LEASED_FOR, retry_total=0)


def _let_go(container: ContainerClient, target: AzureTarget, lease: str) -> None:
    from azure.storage.blob import BlobLeaseClient

    BlobLeaseClient(container.get_blob_client(target.key), lease_id=lease).release(retry_total=0)


def _kept_for(container: ContainerClient, target: AzureTarget) -> int:
    """The days that are left to what was deleted of this key; 0 where nobody tells."""
    from kumoss_console.clients.azure_reads import list_versions
    from kumoss_console.clients.azure_wire import heard

    list_versions(container, target, target.key, None, 100)
    answer = heard()
    return max((int(days) for days in _REMAINING.findall(answer.content)), default=0) if answer is not None else 0
