"""The fakes keep the promises of the ports, so that what passes against them means something."""

from __future__ import annotations

from uuid import uuid4

import pytest

from kumoss_console.errors import NotFound, Unreachable
from kumoss_console.model.contract import JobStatus, ValidateRequest
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.ports.store import ObjectStore
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore


async def test_a_submitted_job_is_queued_until_the_test_moves_it() -> None:
    fake = FakeSidecar()
    sidecar: Sidecar = fake
    accepted = await sidecar.submit(ValidateRequest(workspace_path="/w"))
    assert (await sidecar.job(accepted.job_id)).status is JobStatus.QUEUED
    fake.start(accepted.job_id)
    assert (await sidecar.job(accepted.job_id)).status is JobStatus.RUNNING
    fake.answer(accepted.job_id, 1, stderr="no")
    document = await sidecar.job(accepted.job_id)
    assert document.status is JobStatus.SUCCEEDED
    assert document.result is not None
    assert document.result.exit_code == 1


async def test_a_forgotten_job_is_not_found() -> None:
    fake = FakeSidecar()
    accepted = await fake.submit(ValidateRequest(workspace_path="/w"))
    fake.forget()
    with pytest.raises(NotFound):
        await fake.job(accepted.job_id)
    with pytest.raises(NotFound):
        await fake.job(uuid4())


async def test_a_listing_comes_in_pages_and_in_key_order() -> None:
    store: ObjectStore = FakeStore({"b": b"2", "a": b"1", "c": b"3", "x/y": b"4"}, page_size=2)
    assert [[info.key for info in page] async for page in store.pages()] == [["a", "b"], ["c", "x/y"]]
    assert [[info.key for info in page] async for page in store.pages("x/")] == [["x/y"]]


async def test_a_listing_can_break_after_a_page() -> None:
    store = FakeStore({"a": b"1", "b": b"2"}, page_size=1)
    store.errors["pages"] = Unreachable("gone")
    store.fail_after_pages = 1
    listing = store.pages()
    assert [info.key for info in await anext(listing)] == ["a"]
    with pytest.raises(Unreachable):
        await anext(listing)


async def test_a_missing_object_is_an_error_and_never_empty() -> None:
    store = FakeStore({"a": b"0123456789"})
    assert await store.get_range("a", 8, 10) == b"89"
    with pytest.raises(NotFound):
        await store.get("b")
