"""The bucket service: what is in the bucket, whose it is, who holds it, and what happens when the store fails half-way."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest

from kumoss_console.errors import AccessDenied, ConfigError, ConsoleError, NotFound, ServiceError, Unreachable
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.ports.objects import ListingPage, ObjectInfo
from kumoss_console.services.bucket.listing import Listing
from kumoss_console.services.bucket.service import BucketService, BucketSnapshot
from kumoss_console.services.bucket.shape import detail_shape, held_lock_shape, row_shape
from tests.fakes.clock import START, FakeClock
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE
from tests.waiting import wait_until

T = TypeVar("T")
A, B, C = "a" * 64, "b" * 64, "c" * 64
NET = KnownProject(repo="https://github.com/acme/net", scope="prod", name="net")
STATE = json.dumps(
    {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 41,
        "lineage": "7d1e",
        "outputs": {"token": {"value": "top-secret", "type": "string", "sensitive": True}},
        "resources": [
            {
                "mode": "managed",
                "type": "aws_vpc",
                "name": "v",
                "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
                "instances": [{"attributes": {"id": "vpc-1", "password": "top-secret"}}],
            }
        ],
    }
).encode()
LOCK = json.dumps(
    {
        "ID": "b1f6",
        "Who": "ci@runner-7",
        "Operation": "OperationTypeApply",
        "Version": "1.11.4",
        "Created": "2026-01-02T02:04:05.5Z",
    }
).encode()


def state_key(project_id: str) -> str:
    return f"{project_id}/terraform.tfstate"


def service(store: FakeStore | None, *, managed: bool = True) -> BucketService:
    storage = StorageSettings() if managed else StorageSettings(terraform_state_bucket="")
    return BucketService(Context(name="prod", storage=storage), store, lambda: {A: NET}, FakeClock())


async def whole(store: FakeStore) -> BucketSnapshot:
    last = [snapshot async for snapshot in service(store).stream()][-1]
    assert last.complete
    return last


async def test_states_get_their_owner_and_everything_else_is_shown_as_it_is() -> None:
    objects = {state_key(A): STATE, state_key(B): STATE, "notes/README.md": b"x", f"{C}/other.tfstate": STATE, A: b""}
    rows = {row.key: row for row in (await whole(FakeStore(objects))).rows}
    assert [rows[key].kind for key in objects] == ["state", "state", "other", "elsewhere", "other"]
    assert [rows[key].owner for key in objects] == [NET, None, None, None, None]
    assert [rows[key].project_id for key in objects] == [A, B, None, C, None]
    assert [rows[key].orphan for key in objects] == [False, True, False, False, False]


async def test_a_lock_marks_the_row_it_locks_and_is_no_row_of_its_own() -> None:
    store = FakeStore({state_key(A): STATE, f"{state_key(A)}.tflock": LOCK, state_key(B): STATE})
    store.modified[f"{state_key(A)}.tflock"] = START
    snapshot = await whole(store)
    assert [(row.key, row.locked) for row in snapshot.rows] == [(state_key(A), True), (state_key(B), False)]
    assert (snapshot.objects, snapshot.states, snapshot.locks, snapshot.orphans) == (3, 2, 1, 1)
    assert snapshot.rows[0].locked_at == START


async def test_a_lock_without_a_state_is_a_row_of_its_own() -> None:
    snapshot = await whole(FakeStore({f"{state_key(A)}.tflock": LOCK}))
    (row,) = snapshot.rows
    assert (row.key, row.kind, row.locked, row.owner) == (f"{state_key(A)}.tflock", "lock", True, NET)
    assert (snapshot.states, snapshot.locks) == (0, 1)


@pytest.mark.parametrize("page_size", [1, 2, 3, 1000])
async def test_page_borders_change_nothing(page_size: int) -> None:
    objects = {state_key(A): STATE, f"{state_key(A)}-copy": STATE, f"{state_key(A)}.tflock": LOCK, f"{state_key(B)}.tflock": LOCK}
    snapshot = await whole(FakeStore(objects, page_size=page_size))
    assert sorted((row.key, row.kind, row.locked) for row in snapshot.rows) == [
        (state_key(A), "state", True),
        (f"{state_key(A)}-copy", "other", False),
        (f"{state_key(B)}.tflock", "lock", True),
    ]


def test_a_leased_blob_is_counted_and_marked_as_locked_until_a_later_page_says_otherwise() -> None:
    leased = [ObjectInfo(key=key, size=1, modified=START, etag=None, leased=True) for key in (state_key(A), "a.txt")]
    listing = Listing("terraform.tfstate", {A: NET}, StorageProvider.STORAGE_ACCOUNT)
    listing.add([*leased, ObjectInfo(key=state_key(B), size=1, modified=START, etag=None, leased=False)])
    snapshot = listing.snapshot(START, complete=True)
    assert [(row.key, row.locked) for row in snapshot.rows] == [
        (state_key(A), True),
        ("a.txt", True),
        (state_key(B), False),
    ]
    assert snapshot.locks == 2
    assert not any(row.locked_at for row in snapshot.rows), "taking a lease writes nothing"
    listing.add([ObjectInfo(key=state_key(A), size=1, modified=START, etag=None, leased=False)])
    again = listing.snapshot(START, complete=True)
    assert (again.locks, again.rows[0].locked) == (1, False)


def test_what_came_from_s3_is_neither_a_lock_nor_a_workspace_in_a_storage_account() -> None:
    keys = (state_key(A), f"{state_key(A)}.tflock", f"env:/prod/{state_key(A)}", f"{state_key(A)}env:prod")
    infos = [ObjectInfo(key=key, size=1, modified=START, etag=None, leased=False) for key in keys]
    listing = Listing("terraform.tfstate", {A: NET}, StorageProvider.STORAGE_ACCOUNT)
    listing.add(infos)
    snapshot = listing.snapshot(START, complete=True)
    kinds = ["state", "other", "elsewhere", "workspace"]
    assert [(row.key, row.kind) for row in snapshot.rows] == list(zip(keys, kinds, strict=True))
    assert (snapshot.locks, snapshot.states) == (0, 2)


async def test_what_a_listing_gave_until_it_broke_off_is_kept_with_why() -> None:
    store = FakeStore({state_key(A): STATE, state_key(B): STATE}, page_size=1)
    store.seeks, store.fail_after_pages = False, 1
    store.errors["pages"] = ServiceError("slow down", code="store.throttled")
    found, error = await service(store).gathered()
    assert ([row.key for row in found.rows], found.complete, error is not None) == ([state_key(A)], False, True)
    store.fail_after_pages = 0
    with pytest.raises(ServiceError):
        await service(store).gathered()


def test_locks_that_come_before_their_states_end_in_the_same_rows() -> None:
    infos = [
        ObjectInfo(key=key, size=1, modified=START, etag=None)
        for key in (
            f"{state_key(A)}.tflock",
            state_key(A),
            state_key(A),
            state_key(B),
            f"{state_key(B)}.tflock",
            f"{state_key(B)}.tflock",
        )
    ]
    listing = Listing("terraform.tfstate", {A: NET}, StorageProvider.RUSTFS)
    listing.add(infos)
    snapshot = listing.snapshot(START, complete=True)
    assert [(row.key, row.kind, row.locked) for row in snapshot.rows] == [
        (state_key(A), "state", True),
        (state_key(B), "state", True),
    ]
    assert (snapshot.states, snapshot.locks, snapshot.orphans) == (2, 2, 1)


async def test_hostile_keys_come_back_exactly() -> None:
    objects = {f"k{number}/{text}": b"" for number, text in enumerate(HOSTILE)}
    assert {row.key for row in (await whole(FakeStore(objects))).rows} == set(objects)


async def test_an_empty_bucket_is_one_complete_snapshot_without_rows() -> None:
    assert (await whole(FakeStore())).rows == ()


async def test_the_first_page_is_shown_at_once_and_snapshots_come_at_a_bounded_rate() -> None:
    store = FakeStore({f"{number:064x}/terraform.tfstate": b"" for number in range(300)}, page_size=1)
    snapshots = [snapshot async for snapshot in service(store).stream()]
    assert len(snapshots[0].rows) == 1
    assert not snapshots[0].complete
    assert len(snapshots[-1].rows) == 300
    assert len(snapshots) < 30


def test_a_hundred_thousand_keys_are_taken_in_about_as_fast_as_they_could_be_listed() -> None:
    pages = [
        [
            ObjectInfo(key=f"{page * 1000 + item:064x}/terraform.tfstate", size=1, modified=START, etag=None)
            for item in range(1000)
        ]
        for page in range(100)
    ]

    def seconds(count: int) -> float:
        listing = Listing("terraform.tfstate", {}, StorageProvider.RUSTFS)
        began = time.process_time()
        for page in pages[:count]:
            listing.add(page)
            listing.snapshot(START, complete=False)
        return time.process_time() - began

    seconds(10)
    # A listing that rebuilt its rows for each page would take a hundred times as long for ten times the pages.
    assert seconds(100) < 40 * seconds(10)


async def test_a_listing_that_fails_half_way_gives_what_it_had_and_then_raises() -> None:
    store = FakeStore({state_key(A): STATE, state_key(B): STATE, state_key(C): STATE}, page_size=1)
    store.errors["pages"] = Unreachable("gone")
    store.fail_after_pages = 2
    seen: list[BucketSnapshot] = []

    async def look() -> None:
        async for snapshot in service(store).stream():
            seen.append(snapshot)  # noqa: PERF401 - what was seen before the error counts

    with pytest.raises(Unreachable):
        await look()
    assert len(seen[-1].rows) == 2
    assert not seen[-1].complete


async def test_leaving_the_stream_closes_the_listing() -> None:
    closed = []

    class Closing(FakeStore):
        async def pages(self, prefix: str = "") -> AsyncIterator[tuple[ObjectInfo, ...]]:
            try:
                async for page in super().pages(prefix):
                    yield page
            finally:
                closed.append(True)

    store = Closing({state_key(A): STATE, state_key(B): STATE}, page_size=1)
    store.seeks = False
    stream = service(store).stream()
    await anext(stream)
    await stream.aclose()  # type: ignore[attr-defined]  # a generator, as every stream of the house is
    assert closed == [True]


async def test_detail_reads_object_state_lock_and_owner() -> None:
    detail = await service(FakeStore({state_key(A): STATE, f"{state_key(A)}.tflock": LOCK})).detail(state_key(A))
    assert (detail.state.serial, detail.state.lineage, detail.state.ids) == (41, "7d1e", ("vpc-1",))
    assert (detail.lock_status, detail.owner, detail.info.size) == ("locked", NET, len(STATE))
    assert detail.lock is not None
    assert detail.lock.holder == "ci@runner-7"


async def test_no_lock_and_could_not_look_are_different() -> None:
    store = FakeStore({state_key(A): STATE})
    assert (await service(store).detail(state_key(A))).lock_status == "unlocked"
    store.errors[f"{state_key(A)}.tflock"] = AccessDenied("no", hint="ask", code="store.access_denied")
    detail = await service(store).detail(state_key(A))
    assert detail.lock_status == "unknown"
    assert detail.state.serial == 41
    (finding,) = [item for item in detail_shape(detail, START)["findings"] if item["code"] == "lock.unknown"]
    assert "not known" in finding["message"]
    assert finding["remedy"] == "ask"


async def test_a_missing_bucket_is_no_answer_about_a_lock() -> None:
    store = FakeStore({state_key(A): STATE})
    store.errors[f"{state_key(A)}.tflock"] = ServiceError("no bucket", code="store.bucket_missing")
    assert (await service(store).detail(state_key(A))).lock_status == "unknown"


async def test_a_lock_that_cannot_be_read_still_locks() -> None:
    detail = await service(FakeStore({state_key(A): STATE, f"{state_key(A)}.tflock": b"by hand"})).detail(state_key(A))
    assert (detail.lock_status, detail.lock) == ("locked", None)
    assert "lock.unreadable" in [finding["code"] for finding in detail_shape(detail, START)["findings"]]


async def test_detail_of_a_lock_object_reads_it_as_a_lock() -> None:
    detail = await service(FakeStore({f"{state_key(A)}.tflock": LOCK})).detail(f"{state_key(A)}.tflock")
    assert (detail.state.kind.value, detail.lock_status, detail.owner) == ("lock", "locked", NET)
    assert detail_shape(detail, START)["lock"]["id"] == "b1f6"


async def test_a_missing_object_is_said_to_be_missing() -> None:
    with pytest.raises(NotFound):
        await service(FakeStore()).detail(state_key(A))


async def test_an_object_beyond_any_state_is_not_read() -> None:
    class Huge(FakeStore):
        async def head(self, key: str) -> ObjectInfo:
            return ObjectInfo(key=key, size=10**12, modified=None, etag=None)

    store = Huge({state_key(A): b"x"})
    detail = await service(store).detail(state_key(A))
    assert not detail.state.readable
    assert ("get", state_key(A)) not in store.calls


async def test_a_state_is_read_off_the_loop() -> None:
    threads: list[str] = []

    async def off_loop(function: Callable[[], T], /) -> T:
        def noted() -> T:
            threads.append(threading.current_thread().name)
            return function()

        return await asyncio.to_thread(noted)

    bucket = BucketService(Context(name="prod"), FakeStore({state_key(A): STATE}), dict, FakeClock(), off_loop=off_loop)
    await bucket.detail(state_key(A))
    assert threads
    assert threading.current_thread().name not in threads


async def test_the_shape_keeps_the_order_and_no_secret() -> None:
    detail = await service(FakeStore({state_key(A): STATE, f"{state_key(A)}.tflock": LOCK})).detail(state_key(A))
    shape = detail_shape(detail, START)
    promised = ["kind", "readable", "format_version", "engine_version", "serial", "lineage", "counts", "ids", "lock", "findings"]
    assert list(shape)[: len(promised)] == promised
    assert shape["lock"]["age_seconds"] == 3599
    assert shape["lock"]["created"] == "2026-01-02T02:04:05.5Z"
    assert (shape["key"], shape["modified"], shape["owner"]["name"]) == (state_key(A), "2026-01-02T03:04:05Z", "net")
    assert "top-secret" not in json.dumps(shape) + repr(detail)


async def test_held_locks_are_read_with_their_holders() -> None:
    store = FakeStore(
        {state_key(A): STATE, f"{state_key(A)}.tflock": LOCK, f"{state_key(B)}.tflock": b"by hand", state_key(C): STATE}
    )
    first, second = await service(store).locks()
    assert (first.key, first.owner, first.since) == (state_key(A), NET, datetime(2026, 1, 2, 2, 4, 5, 500000, UTC))
    assert first.lock is not None
    # What cannot be read still locks; the object itself tells since when.
    assert (second.key, second.lock, second.since) == (state_key(B), None, START)
    assert held_lock_shape(second, START)["reason"] == "plain text"
    assert held_lock_shape(first, START + timedelta(hours=1))["lock"]["age_seconds"] == 7199


async def test_a_lock_released_meanwhile_is_left_out_and_one_that_is_refused_stays() -> None:
    store = FakeStore({state_key(A): STATE, f"{state_key(A)}.tflock": LOCK, f"{state_key(B)}.tflock": LOCK})
    snapshot = await service(store).snapshot()
    del store.objects[f"{state_key(A)}.tflock"]
    store.errors[f"{state_key(B)}.tflock"] = AccessDenied("refused")
    (held,) = await service(store).locks(snapshot)
    assert (held.key, held.lock) == (state_key(B), None)
    assert isinstance(held.error, ConsoleError)


async def test_no_more_than_eight_locks_are_read_at_once() -> None:
    store = FakeStore({f"{number:064x}/terraform.tfstate.tflock": LOCK for number in range(20)})
    bucket = service(store)
    snapshot = await bucket.snapshot()
    store.hang.shut()
    reading = asyncio.create_task(bucket.locks(snapshot))
    await wait_until(lambda: store.hang.waiting >= 8)
    await asyncio.sleep(0)
    assert store.hang.waiting == 8
    store.hang.open()
    assert len(await reading) == 20


@pytest.mark.parametrize("managed", [True, False])
async def test_without_a_store_every_call_says_what_to_do_instead(managed: bool) -> None:
    bucket = service(None, managed=managed)
    for call in (bucket.detail(state_key(A)), bucket.locks(), anext(bucket.stream())):
        with pytest.raises(ConfigError) as caught:
            await _await(call)
        assert caught.value.hint


async def _await(call: Awaitable[object]) -> object:
    return await call


async def test_a_row_as_data() -> None:
    (row,) = (await whole(FakeStore({state_key(A): STATE}))).rows
    fields = ["key", "kind", "base", "workspace", "project_id", "owner", "size", "modified", "locked", "locked_at"]
    assert list(row_shape(row)) == fields


async def test_a_workspace_belongs_to_the_project_of_its_base_and_a_lock_on_it_is_its_own() -> None:
    sibling, green, stranger = (f"env:/{name}/{state_key(base)}" for name, base in (("blue", A), ("green", A), ("blue", B)))
    snapshot = await whole(FakeStore(dict.fromkeys([sibling, f"{sibling}.tflock", green, stranger, state_key(A)], STATE)))
    rows = {row.key: row for row in snapshot.rows}
    assert {(row.base, row.workspace, row.owner) for key, row in rows.items() if key in {sibling, green}} == {
        (state_key(A), "blue", NET),
        (state_key(A), "green", NET),
    }
    assert [key for key, row in rows.items() if row.locked] == [sibling]
    assert rows[stranger].orphan
    assert (snapshot.states, snapshot.orphans, snapshot.others, snapshot.objects) == (4, 1, 0, 5)


async def test_the_share_of_the_listing_is_told_until_it_is_whole() -> None:
    objects = {f"{number:02x}{'0' * 62}/terraform.tfstate": b"" for number in range(256)}
    shares = [snapshot.share async for snapshot in service(FakeStore(objects, page_size=64)).stream()]
    assert shares[0] is not None
    assert 0.1 < shares[0] < 0.5
    assert shares[-1] == 1.0


async def test_a_store_found_to_keep_another_order_is_not_tried_in_ranges_again() -> None:
    class Backwards(FakeStore):
        async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
            page = await super().page(prefix, cursor=cursor, after=after, limit=limit)
            return replace(page, objects=page.objects[::-1])

    store = Backwards({state_key(A): STATE, state_key(B): STATE})
    bucket = service(store)
    assert len((await bucket.snapshot()).rows) == 2
    assert {method for method, _ in store.calls} == {"page", "pages"}
    store.calls.clear()
    *_, last = [snapshot async for snapshot in bucket.stream()]
    assert (len(last.rows), last.objects) == (2, 2)
    assert {method for method, _ in store.calls} == {"pages"}


def test_a_hundred_thousand_rows_are_no_work_for_the_garbage_collector() -> None:
    listing = Listing("terraform.tfstate", {A: NET}, StorageProvider.RUSTFS)
    listing.add([ObjectInfo(key=state_key(A), size=1, modified=START, etag='"e"')])
    (row,) = listing.snapshot(START, complete=True).rows
    assert not gc.is_tracked(row)
    with pytest.raises(AttributeError):
        row.locked = True  # type: ignore[misc]  # frozen: a screen and a service look at one row
