"""The storage account against a real server of its interface (Azurite)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.errors import AccessDenied, InputError, NotFound, Refused, ServiceError
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret
from tests.azurite import ACCOUNT, RealContainer, with_sas

KEY = "ab/terraform.tfstate"

# What a container takes as a name. Neither a trailing dot nor a trailing slash is cut off on the way.
NAMES = (
    "a b",
    "a+b",
    "a%20b",
    "a%2Bb",
    "é世界👩‍🚀",
    "q?x=1&y=2#z",
    "<a>&\"'",
    "\u202etxt",
    "\x9b2J",
    "[red]x[/]",
    "~*()!'",
    "dots...",
    "slash/",
    "n\nl",
    "cr\r\nlf",
    "tab\tx",
    "a//b",
    "terraform.tfstateenv:prod",
    f"{'a' * 64}/terraform.tfstate",
    "long/" + "n" * 900,
)


@pytest.fixture
async def store(container: RealContainer) -> AsyncIterator[AzureStore]:
    store = AzureStore(container.settings, container.credentials)
    yield store
    await store.aclose()


async def test_hostile_names_come_back_exactly_and_lead_to_their_blobs(store: AzureStore) -> None:
    for name in NAMES:
        await store.put(name, name.encode())
    listed = [info async for page in store.pages() for info in page]
    assert sorted(info.key for info in listed) == sorted(NAMES)
    for info in listed:
        assert await store.get(info.key) == info.key.encode()
        assert (await store.head(info.key)).size == info.size == len(info.key.encode())


@pytest.mark.parametrize("key", ["a/../b", "./b", "a/.", "..", "", "lone\udcff"])
async def test_a_key_that_a_url_turns_into_another_one_is_refused_before_anything_is_asked(store: AzureStore, key: str) -> None:
    await store.put("b", b"another blob")
    for call in (store.get(key), store.head(key), store.put(key, b"x"), store.delete(key), store.versions(key)):
        with pytest.raises(InputError) as caught:
            await call
        assert caught.value.code == "store.key"
    assert await store.get("b") == b"another blob"


async def test_pages_go_on_at_their_marker_and_behind_a_key(store: AzureStore) -> None:
    for letter in "abcde":
        await store.put(letter, b"x")
    first = await store.page(after="a", limit=3)
    assert [info.key for info in first.objects] == ["b", "c"], "the service names the key itself, too"
    assert first.cursor is not None
    second = await store.page(cursor=first.cursor, limit=2)
    assert [info.key for info in second.objects] == ["d", "e"]
    alone = await store.page(after="a", limit=1)
    assert [info.key for info in alone.objects] == ["b"], "a page of the key alone leads on to the next"
    assert [info.key for info in (await store.page(after="bb", limit=5)).objects] == ["c", "d", "e"]
    assert (await store.page("b", after="c")).objects == ()
    assert [info.key for info in (await store.page("b", after="a")).objects] == ["b"]


async def test_a_blob_tells_size_time_and_etag_the_same_in_every_answer(store: AzureStore) -> None:
    written = await store.put(KEY, b"12345")
    (listed,) = [info async for page in store.pages() for info in page]
    whole, part = await store.fetch(KEY), await store.fetch_range(KEY, 1, 2)
    assert listed == written == await store.head(KEY) == whole.info == part.info
    assert (whole.content, part.content, listed.size) == (b"12345", b"23", 5)
    assert listed.modified is not None
    assert abs(datetime.now(UTC) - listed.modified) < timedelta(minutes=5)


async def test_ranges_are_cut_at_the_end_of_the_blob(store: AzureStore) -> None:
    await store.put("k", b"0123456789")
    await store.put("empty", b"")
    ranges = {(0, 4): b"0123", (8, 100): b"89", (10, 5): b"", (99, 1): b"", (0, 0): b""}
    assert {asked: await store.get_range("k", *asked) for asked in ranges} == ranges
    assert await store.get("empty") == await store.get_range("empty", 0, 9) == b""
    nothing = await store.fetch_range("k", 99, 1)
    assert (nothing.content, nothing.info.size) == (b"", 10)


async def test_a_container_without_blobs_is_an_empty_page(store: AzureStore) -> None:
    assert [page async for page in store.pages()] == [()]
    assert 0 < await store.check() < 60


async def test_what_is_missing_is_told_apart(container: RealContainer, store: AzureStore) -> None:
    nowhere = AzureStore(replace(container.settings, terraform_state_bucket="no-such-container"), container.credentials)
    missing_blob: tuple[Awaitable[object], ...] = (
        store.get("k"),
        store.head("k"),
        store.get_range("k", 0, 1),
        store.delete("k"),
    )
    missing_container: tuple[Awaitable[object], ...] = (
        nowhere.get("k"),
        nowhere.head("k"),
        nowhere.check(),
        nowhere.versions("k"),
        nowhere.put("k", b""),
    )
    for call in missing_blob:
        with pytest.raises(NotFound) as caught:
            await call
        assert caught.value.code == "store.object_missing"
    for call in missing_container:
        with pytest.raises(ServiceError) as refused:
            await call
        assert refused.value.code == "store.bucket_missing"
        assert not isinstance(refused.value, NotFound), "nobody looked for the blob"
    await nowhere.aclose()


async def test_a_wrong_key_is_named_by_its_variable_and_never_shown(container: RealContainer) -> None:
    wrong = AzureStore(container.settings, replace(container.credentials, account_key=Secret("bm90IHRoZSBrZXk=")))
    with pytest.raises(AccessDenied) as caught:
        await wrong.check()
    await wrong.aclose()
    assert caught.value.code == "store.wrong_credentials"
    assert "STORAGE_ACCOUNT_KEY" in caught.value.title
    assert "bm90" not in str(caught.value)


async def test_a_sas_reads_and_lists_and_is_told_from_one_that_is_over_or_too_early_or_permits_less(
    container: RealContainer,
) -> None:
    container.write(KEY, b"x")
    now = datetime.now(UTC)
    good = container.sas(permission="rl", expiry=now + timedelta(hours=1))
    reader = container.sas(permission="r", expiry=now + timedelta(hours=1))
    over = container.sas(permission="rl", start=now - timedelta(hours=2), expiry=now - timedelta(hours=1))
    early = container.sas(permission="rl", start=now + timedelta(hours=1), expiry=now + timedelta(hours=2))
    forged = good.replace("sig=", "sig=AAAA")
    store = AzureStore(container.settings, with_sas(container, f"?{good}"))
    assert await store.get(KEY) == b"x"
    assert [info.key async for page in store.pages() for info in page] == [KEY]
    assert "STORAGE_ACCOUNT_SAS" in store.identity
    await store.aclose()
    told = {}
    for name, sas in (("reader", reader), ("over", over), ("early", early), ("forged", forged)):
        store = AzureStore(container.settings, with_sas(container, sas))
        with pytest.raises(AccessDenied) as caught:
            await store.check()
        await store.aclose()
        told[name] = caught.value.code
        signature = sas.partition("sig=")[2].partition("&")[0]
        assert signature not in f"{caught.value} {store.label} {store.identity} {vars(caught.value)!r}"
    assert told == {
        "reader": "store.access_denied",
        "over": "store.expired_token",
        "early": "store.not_yet_valid",
        "forged": "store.wrong_credentials",
    }


async def test_snapshots_are_listed_read_and_removed_one_by_one(container: RealContainer, store: AzureStore) -> None:
    await store.put(KEY, b"one")
    container.blob(KEY).create_snapshot()
    await store.put(KEY, b"two, longer")
    container.blob(KEY).create_snapshot()
    await store.put(f"{KEY}env:prod", b"a sibling")
    await store.put(KEY, b"three")

    found = await store.versions(KEY)

    assert [(one.kind, one.latest, one.size) for one in found] == [
        ("version", True, 5),
        ("snapshot", False, 11),
        ("snapshot", False, 3),
    ]
    assert {one.key for one in found} == {KEY}
    assert (await store.fetch(KEY, version=found[2].version_id)).content == b"one"
    assert (await store.fetch(KEY, version=found[0].version_id)).content == b"three"
    assert await store.get_range(KEY, 5, 6, version=found[1].version_id) == b"longer"
    with pytest.raises(Refused) as caught:
        await store.delete(KEY)
    assert caught.value.code == "store.has_snapshots"
    for one in reversed(found):
        await store.delete(KEY, version=one.version_id)
    assert await store.versions(KEY) == ()


async def test_what_is_there_is_neither_written_over_nor_deleted_where_a_condition_forbids_it(store: AzureStore) -> None:
    first = await store.put(KEY, b"one", if_absent=True)
    with pytest.raises(Refused) as caught:
        await store.put(KEY, b"two", if_absent=True)
    assert caught.value.code == "store.exists"
    await store.put(KEY, b"two")
    with pytest.raises(Refused) as caught:
        await store.delete(KEY, etag=first.etag)
    assert caught.value.code == "store.changed"
    await store.delete(KEY, etag=(await store.head(KEY)).etag)
    with pytest.raises(NotFound):
        await store.head(KEY)


async def test_a_leased_blob_is_neither_written_nor_removed_and_the_error_says_who_may_hold_it(
    container: RealContainer, store: AzureStore
) -> None:
    written = await store.put(KEY, b"one")
    container.blob(KEY).acquire_lease()
    for call in (store.put(KEY, b"two"), store.delete(KEY), store.delete(KEY, etag=written.etag)):
        with pytest.raises(Refused) as caught:
            await call
        assert caught.value.code == "store.leased"
        assert "state locks" in caught.value.hint
    assert await store.get(KEY) == b"one"


async def test_one_client_serves_many_calls_at_once(store: AzureStore) -> None:
    await store.put("k", b"x")
    assert await asyncio.gather(*(store.get("k") for _ in range(40))) == [b"x"] * 40


def test_the_label_names_container_and_host_and_no_secret() -> None:
    settings = StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT,
        endpoint_url="https://user:hunter2@acme.blob.core.windows.net/?sv=1&sig=hunter3",
        terraform_state_bucket="b\x1b[2J",
    )
    store = AzureStore(settings, StorageCredentials(account_key=Secret("hunter4"), source="env STORAGE_ACCOUNT_KEY"))
    assert store.label == "b␛[2J at acme.blob.core.windows.net"
    assert store.identity == "the key of account acme (env STORAGE_ACCOUNT_KEY)"
    emulator = AzureStore(replace(settings, endpoint_url=f"http://127.0.0.1:10000/{ACCOUNT}"), StorageCredentials())
    assert emulator.label == f"b␛[2J at 127.0.0.1:10000/{ACCOUNT}"


def test_importing_the_store_and_its_locks_does_not_import_the_sdk() -> None:
    program = (
        "import sys, kumoss_console.clients.azure, kumoss_console.clients.azure_leases; "
        "print([m for m in sys.modules if m.partition('.')[0] in ('azure', 'requests', 'urllib3', 'msal')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
