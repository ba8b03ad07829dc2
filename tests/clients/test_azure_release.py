"""Letting go of leases on a real server of the interface, while others are at work and the service refuses this or that."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_leases import AzureLeases
from kumoss_console.errors import AccessDenied, Refused, Unreachable
from kumoss_console.model.lock import LockDocument
from tests.azure_between import Way, between
from tests.azurite import RealContainer, with_sas
from tests.clients.test_azure_errors import said
from tests.clients.test_azure_leases import KEY, lease_of, metadata_of, retake, seen, status_of, take
from tests.fakes.scripted_service import Exchange, Move, hang_up

NEVER = "00000000-0000-4000-8000-000000000000"
REFUSED = said(403, "AuthorizationPermissionMismatch")


@asynccontextmanager
async def along(container: RealContainer, way: Way) -> AsyncIterator[AzureLeases]:
    store = AzureStore(way.settings, container.credentials)
    try:
        yield AzureLeases(store)
    finally:
        await store.aclose()


@pytest.fixture
async def leases(container: RealContainer) -> AsyncIterator[AzureLeases]:
    store = AzureStore(container.settings, container.credentials)
    yield AzureLeases(store)
    await store.aclose()


def codes(document: LockDocument) -> list[str]:
    return [finding.code for finding in document.findings]


async def test_a_lease_that_may_be_broken_by_who_may_not_write_is_gone_and_what_is_left_is_said(
    container: RealContainer,
) -> None:
    container.write(KEY, b"{}")
    take(container, written="@@not base64@@")
    sas = container.sas(permission="rdl", expiry=datetime.now(UTC) + timedelta(hours=1))
    store = AzureStore(container.settings, with_sas(container, sas))
    leases = AzureLeases(store)
    caveat = await leases.remove(await seen(leases))
    await store.aclose()
    assert caveat is not None
    assert "had to be broken" in caveat
    assert "the metadata of its lock was left on the blob" in caveat
    assert "locks nothing" in caveat
    assert status_of(container) == "unlocked"
    assert "TerraformLockID" in metadata_of(container)


@pytest.mark.parametrize("written", [None, "@@not base64@@"], ids=["released", "broken"])
async def test_a_refusal_to_let_go_leaves_lease_and_lock_as_they_were(container: RealContainer, written: str | None) -> None:
    container.write(KEY, b"{}")
    take(container, written=written)
    before = metadata_of(container)
    async with between(container, instead={"release": REFUSED, "break": REFUSED}) as way, along(container, way) as leases:
        with pytest.raises(AccessDenied):
            await leases.remove(await seen(leases))
    assert (status_of(container), metadata_of(container)) == ("locked", before)
    assert "metadata" not in way.asked


@pytest.mark.parametrize("answer", [REFUSED, hang_up, said(500, "InternalError")], ids=["refused", "hung up", "failed"])
async def test_a_lease_that_is_gone_is_gone_whatever_becomes_of_the_metadata(container: RealContainer, answer: Move) -> None:
    container.write(KEY, b"{}")
    take(container)
    async with between(container, instead={"metadata": answer}) as way, along(container, way) as leases:
        caveat = await leases.remove(await seen(leases))
    assert caveat is not None
    assert "the lease is gone" in caveat
    assert "left on the blob" in caveat
    assert f"state locks {KEY}" in caveat
    assert status_of(container) == "unlocked"


async def test_no_answer_to_letting_go_is_no_answer_to_whether_it_is_gone(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    take(container)
    async with between(container, after={"release": hang_up}) as way, along(container, way) as leases:
        with pytest.raises(Unreachable):
            await leases.remove(await seen(leases))
    assert status_of(container) == "unlocked", "it was done all the same"


async def test_a_run_that_takes_the_lease_at_the_last_moment_keeps_it_and_nothing_is_cleared(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    first = take(container)
    before = metadata_of(container)
    async with between(container, before={"release": lambda: retake(container, first)}) as way, along(container, way) as leases:
        with pytest.raises(Refused) as caught:
            await leases.remove(await seen(leases))
    assert caught.value.code == "lock.changed"
    assert "nothing was removed" in caught.value.title
    assert (status_of(container), metadata_of(container)) == ("locked", before)


async def test_a_state_that_is_written_at_the_last_moment_is_that_of_a_living_run(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    lock_id = take(container)

    def write() -> None:
        container.blob(KEY).upload_blob(
            b"serial two", overwrite=True, lease=lease_of(container, lock_id), metadata=metadata_of(container)
        )

    async with between(container, before={"release": write}) as way, along(container, way) as leases:
        with pytest.raises(Refused) as caught:
            await leases.remove(await seen(leases))
    assert caught.value.code == "lock.changed"
    assert status_of(container) == "locked"


async def test_a_run_that_locks_right_after_keeps_what_it_writes(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    take(container)
    async with between(container, before={"metadata": lambda: take(container)}) as way, along(container, way) as leases:
        assert await leases.remove(await seen(leases)) is None
    assert status_of(container) == "locked"
    assert "TerraformLockID" in metadata_of(container)


async def test_a_lease_under_another_id_than_the_metadata_says_is_named_and_can_be_broken_where_nothing_changes(
    container: RealContainer, leases: AzureLeases
) -> None:
    container.write(KEY, b"{}")
    first = take(container)
    retake(container, first)
    found = await seen(leases)
    assert found.document.lock is None, "who wrote the metadata does not hold it"
    assert codes(found.document) == ["lock.other_lease"]
    assert first in found.document.findings[0].message
    assert await leases.held() == (found,)
    caveat = await leases.remove(found)
    assert caveat is not None
    assert "had to be broken" in caveat
    assert (status_of(container), metadata_of(container)) == ("unlocked", {"Owner": "acme"})


async def test_a_run_that_writes_its_lock_between_two_looks_is_no_stranger(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    first = take(container)
    new: list[str] = []

    def another_run() -> None:
        lease_of(container, first).release()
        new.append(take(container))

    async with between(container, before={"whose": another_run}) as way, along(container, way) as leases:
        found = await seen(leases)
    assert found.document.lock is not None
    assert [found.document.lock.id] == new


async def test_a_lock_that_is_let_go_between_two_looks_is_none(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    first = take(container)
    release = {"whose": lambda: lease_of(container, first).release()}
    async with between(container, before=release) as way, along(container, way) as leases:
        assert await leases.look(KEY) is None


@pytest.mark.parametrize("lock_id", ["not-a-guid", "кирилл", "b1f6f2c8 9c1d"])
async def test_a_lock_whose_id_no_lease_can_have_is_not_the_lease_that_is_held(
    container: RealContainer, leases: AzureLeases, lock_id: str
) -> None:
    container.write(KEY, b"{}")
    take(container, written=base64.b64encode(json.dumps({"ID": lock_id, "Who": "ops@x"}).encode()).decode())
    found = await seen(leases)
    assert codes(found.document) == ["lock.other_lease"]
    assert await leases.remove(found) is not None
    assert status_of(container) == "unlocked"


async def test_who_may_list_and_not_read_is_told_the_locks_of_the_listing(container: RealContainer) -> None:
    for key in ("a", "b"):
        container.write(key, b"{}")
        take(container, key)
    sas = container.sas(permission="l", expiry=datetime.now(UTC) + timedelta(hours=1))
    store = AzureStore(container.settings, with_sas(container, sas))
    held = await AzureLeases(store).held()
    await store.aclose()
    assert [found.key for found in held] == ["a", "b"]
    assert all(found.document.lock is not None for found in held)
    assert [codes(found.document) for found in held] == [["lock.lease_unasked"]] * 2
    assert "could not be asked (403 " in held[0].document.findings[0].message


async def test_who_may_only_read_is_told_what_it_takes_to_let_go_of_a_lease(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    take(container)
    sas = container.sas(permission="rl", expiry=datetime.now(UTC) + timedelta(hours=1))
    store = AzureStore(container.settings, with_sas(container, sas))
    leases = AzureLeases(store)
    with pytest.raises(AccessDenied) as caught:
        await leases.remove(await seen(leases))
    await store.aclose()
    assert status_of(container) == "locked"
    assert caught.value.hint.endswith("with a SAS, the permission write")


async def test_a_lease_with_an_end_is_told_to_end_by_itself(container: RealContainer, leases: AzureLeases) -> None:
    for key in ("fixed", "breaking", "endless"):
        container.write(key, b"{}")
        lease_of(container, NEVER, key).acquire(lease_duration=60 if key == "fixed" else -1)
    lease_of(container, key="breaking").break_lease(lease_break_period=60)
    found = {seen.key: seen for seen in await leases.held()}
    assert found["fixed"].document.lease == "fixed"
    assert [codes(found[key].document) for key in ("fixed", "breaking", "endless")] == [
        ["lock.unreadable", "lock.ends_by_itself"],
        ["lock.unreadable", "lock.ends_by_itself"],
        ["lock.unreadable"],
    ]
    assert await leases.look("fixed") == found["fixed"]
    assert await leases.look("breaking") == found["breaking"]


async def test_where_the_service_does_not_say_whose_a_lease_is_the_lock_says_so(container: RealContainer) -> None:
    container.write(KEY, b"{}")
    lock_id = take(container)
    async with between(container, instead={"whose": said(400, "SomethingNew")}) as way, along(container, way) as leases:
        for found in (await seen(leases), *await leases.held()):
            assert found.document.lock is not None
            assert found.document.lock.id == lock_id
            assert codes(found.document) == ["lock.lease_unasked"]
            assert "(400 SomethingNew)" in found.document.findings[0].message


async def test_one_lease_that_nobody_can_be_asked_about_leaves_the_others_told_apart(container: RealContainer) -> None:
    for key in ("a", "b"):
        container.write(key, b"{}")
        first = take(container, key)
    retake(container, first, "b")

    async def once(exchange: Exchange) -> None:
        if "/a?" in f"{exchange.request.path}?":
            return await hang_up(exchange)
        return await said_of_b(exchange)

    said_of_b = said(412, "LeaseIdMismatchWithBlobOperation")
    async with between(container, instead={"whose": once}) as way, along(container, way) as leases:
        held = await leases.held()
    assert [codes(found.document) for found in held] == [["lock.lease_unasked"], ["lock.other_lease"]]
