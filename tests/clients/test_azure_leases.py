"""Locks of the azurerm backend on a real server of its interface (Azurite), taken as the engine takes them."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_leases import AzureLeases
from kumoss_console.errors import Refused, ServiceError
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.locks import LockSighting
from tests.azurite import RealContainer
from tests.clients.test_azure_errors import AZURE, BLOB, KEYS, said
from tests.fakes.scripted_service import raw_answer, scripted_service

if TYPE_CHECKING:
    from azure.storage.blob import BlobLeaseClient

KEY = "ab/terraform.tfstate"
L12 = (
    "eyJJRCI6ImIxZjZmMmM4LTljMWQtNGI3ZS04YTUzLTFmMmUzZDRjNWI2YSIsIk9wZXJhdGlvbiI6Ik9wZXJhdGlvblR5cGVQbGFuIiwiSW5mbyI6IiIsIldo"
    "byI6Im9wc0BydW5uZXItNyIsIlZlcnNpb24iOiIxLjExLjQiLCJDcmVhdGVkIjoiMjAyNi0xMS0zMFQxNDowMDowMC4xMjM0NTY3ODlaIiwiUGF0aCI6InRm"
    "c3RhdGUvY29yZS50ZnN0YXRlIn0="
)
"""What Terraform 1.11.4 wrote into the metadata of a blob that it locked."""


@pytest.fixture
async def leases(container: RealContainer) -> AsyncIterator[AzureLeases]:
    store = AzureStore(container.settings, container.credentials)
    yield AzureLeases(store)
    await store.aclose()


def lease_of(container: RealContainer, lock_id: str | None = None, key: str = KEY) -> BlobLeaseClient:
    from azure.storage.blob import BlobLeaseClient

    return BlobLeaseClient(container.blob(key), lease_id=lock_id)


def lease(container: RealContainer, key: str, lock_id: str) -> None:
    lease_of(container, lock_id, key).acquire()


def take(container: RealContainer, key: str = KEY, *, written: str | None = None) -> str:
    """Lock as the engine does: the lease first, then the lock in the metadata, beside what else is there."""
    lock_id = str(uuid4())
    lease(container, key, lock_id)
    document = {"ID": lock_id, "Who": "ops@runner-7", "Operation": "OperationTypeApply", "Path": f"{container.name}/{key}"}
    metadata = base64.b64encode(json.dumps(document).encode()).decode() if written is None else written
    container.blob(key).set_blob_metadata({"Owner": "acme", "TerraformLockID": metadata}, lease=lock_id)
    return lock_id


def retake(container: RealContainer, lock_id: str, key: str = KEY) -> str:
    """Another run has the lease, and has not written its lock yet: what the first one wrote is still there."""
    lease_of(container, lock_id, key).release()
    other = str(uuid4())
    lease(container, key, other)
    return other


def metadata_of(container: RealContainer, key: str = KEY) -> dict[str, str]:
    return dict(container.blob(key).get_blob_properties().metadata)


def status_of(container: RealContainer, key: str = KEY) -> str:
    status: str = container.blob(key).get_blob_properties().lease.status
    return status


async def seen(leases: AzureLeases, key: str = KEY) -> LockSighting:
    found = await leases.look(key)
    assert found is not None
    return found


async def test_a_lock_of_an_engine_is_read_from_the_metadata(container: RealContainer, leases: AzureLeases) -> None:
    container.write(KEY, b"{}")
    assert await leases.look(KEY) is None
    lock_id = take(container)

    found = await seen(leases)

    assert found.document.lock is not None
    assert (found.document.lock.id, found.document.lock.user_and_host) == (lock_id, ("ops", "runner-7"))
    assert (found.mechanism, found.document.lease) == ("lease", "infinite")
    assert json.loads(found.raw)["ID"] == lock_id
    assert found.modified is None, "when the blob was written says nothing of when it was leased"
    assert container.name in found.where
    assert await leases.look("no/such.tfstate") is None


async def test_all_locks_of_a_container_are_found_by_its_listing_and_seen_as_a_look_sees_them(
    container: RealContainer, leases: AzureLeases
) -> None:
    for key in ("a", "b", "c", "d", "e"):
        container.write(key, b"{}")
    take(container, "a")
    take(container, "b", written="@@not base64@@")
    lease(container, "d", str(uuid4()))
    retake(container, take(container, "e"), "e")
    held = await leases.held()
    assert [found.key for found in held] == ["a", "b", "d", "e"]
    assert held == tuple([await seen(leases, key) for key in ("a", "b", "d", "e")])


async def test_metadata_without_a_lease_locks_nothing(container: RealContainer, leases: AzureLeases) -> None:
    container.write(KEY, b"{}")
    container.blob(KEY).set_blob_metadata({"terraformlockid": L12})
    assert await leases.look(KEY) is None
    assert await leases.held() == ()


async def test_a_lock_is_released_by_its_own_id_and_its_metadata_goes_while_the_rest_stays(
    container: RealContainer, leases: AzureLeases
) -> None:
    container.write(KEY, b"the state")
    take(container)
    assert await leases.remove(await seen(leases)) is None
    assert await leases.look(KEY) is None
    assert metadata_of(container) == {"Owner": "acme"}
    assert container.blob(KEY).download_blob().readall() == b"the state"


@pytest.mark.parametrize("written", ["@@not base64@@", base64.b64encode(b'{"ID": "b1f6').decode(), ""])
async def test_a_lease_whose_id_is_not_legible_is_broken_and_the_doubt_is_said(
    container: RealContainer, leases: AzureLeases, written: str
) -> None:
    container.write(KEY, b"the state")
    if written:
        take(container, written=written)
    else:
        lease(container, KEY, str(uuid4()))
    found = await seen(leases)
    assert not found.document.readable
    assert found.document.lease == "infinite"
    assert all("lease" in finding.remedy for finding in found.document.findings), "no object could be deleted"
    caveat = await leases.remove(found)
    assert caveat is not None
    assert "had to be broken" in caveat
    assert await leases.look(KEY) is None
    assert "TerraformLockID" not in metadata_of(container)


async def test_a_lock_that_was_released_meanwhile_is_gone(container: RealContainer, leases: AzureLeases) -> None:
    container.write(KEY, b"{}")
    take(container)
    stale = await seen(leases)
    assert await leases.remove(stale) is None
    for remove_again in (stale, stale):
        with pytest.raises(Refused) as caught:
            await leases.remove(remove_again)
        assert caught.value.code == "lock.gone"
    container.blob(KEY).delete_blob()
    with pytest.raises(Refused) as caught:
        await leases.remove(stale)
    assert caught.value.code == "lock.gone"


@pytest.mark.parametrize("legible", [True, False])
async def test_the_lock_of_another_run_is_never_removed_by_a_stale_view(
    container: RealContainer, leases: AzureLeases, legible: bool
) -> None:
    container.write(KEY, b"{}")
    take(container, written=None if legible else "@@")
    stale = await seen(leases)
    await leases.remove(stale)
    living = take(container)
    with pytest.raises(Refused) as caught:
        await leases.remove(stale)
    assert caught.value.code == "lock.changed"
    now = await seen(leases)
    assert now.document.lock is not None
    assert now.document.lock.id == living


async def test_a_run_that_has_the_lease_and_has_not_written_its_lock_yet_keeps_it(
    container: RealContainer, leases: AzureLeases
) -> None:
    """Neither taking nor letting go of a lease changes the blob's ETag: the id alone tells the two leases apart."""
    container.write(KEY, b"{}")
    first = take(container)
    stale = await seen(leases)
    retake(container, first)
    with pytest.raises(Refused) as caught:
        await leases.remove(stale)
    assert caught.value.code == "lock.changed"
    assert "a run is just taking it" in caught.value.detail
    assert status_of(container) == "locked"


async def test_a_run_that_has_written_the_state_since_is_alive_and_keeps_its_lock(
    container: RealContainer, leases: AzureLeases
) -> None:
    container.write(KEY, b"{}")
    lock_id = take(container)
    stale = await seen(leases)
    holder = lease_of(container, lock_id)
    container.blob(KEY).upload_blob(b"serial two", overwrite=True, lease=holder, metadata={"terraformlockid": L12})
    with pytest.raises(Refused) as caught:
        await leases.remove(stale)
    assert caught.value.code == "lock.changed"
    assert status_of(container) == "locked"


async def test_two_who_remove_one_lock_at_once_remove_it_once(container: RealContainer, leases: AzureLeases) -> None:
    container.write(KEY, b"{}")
    take(container)
    found = await seen(leases)
    ends = await asyncio.gather(*(leases.remove(found) for _ in range(4)), return_exceptions=True)
    done = [end for end in ends if end is None]
    refused = [end for end in ends if isinstance(end, Refused)]
    assert len(done) == 1
    assert len(refused) == 3
    assert {end.code for end in refused} <= {"lock.gone", "lock.changed"}


def store_at(endpoint: str) -> AzureLeases:
    settings = StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url=f"{endpoint}/acmekumoss", max_attempts=1, read_timeout=1.0
    )
    return AzureLeases(AzureStore(settings, KEYS))


@pytest.mark.parametrize(
    ("headers", "lock_id", "reason"),
    [
        (
            {
                "x-ms-lease-status": "locked",
                "x-ms-lease-state": "leased",
                "x-ms-lease-duration": "infinite",
                "x-ms-meta-terraformlockid": L12,
            },
            "b1f6f2c8-9c1d-4b7e-8a53-1f2e3d4c5b6a",
            "",
        ),
        (
            {"X-Ms-Lease-Status": "locked", "X-Ms-Lease-State": "leased", "X-Ms-Meta-Terraformlockid": "@@not base64@@"},
            None,
            "metadata is not base64",
        ),
    ],
    ids=["as terraform wrote it", "bad base64"],
)
async def test_locks_as_engines_wrote_them_are_read(headers: dict[str, Any], lock_id: str | None, reason: str) -> None:
    async with scripted_service(raw_answer(200, b"", {**BLOB, **headers})) as service:
        found = await store_at(service.endpoint).look("core.tfstate")
    assert found is not None
    assert (found.document.lock.id if found.document.lock else None) == lock_id
    assert found.document.reason == reason
    if found.document.lock is not None and found.document.lock.since is not None:
        assert found.document.lock.since.minute == 0
        assert found.document.lock.since.utcoffset() == timedelta(0)


async def test_a_container_that_cannot_be_asked_is_no_container_without_locks() -> None:
    async with scripted_service(said(403, "AuthorizationPermissionMismatch"), raw_answer(200, b"<X/>", AZURE)) as service:
        leases = store_at(service.endpoint)
        for call in (leases.look(KEY), leases.held()):
            with pytest.raises(ServiceError):
                await call
