"""The S3 store against a real one (SeaweedFS)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_client import parse_timestamp
from kumoss_console.errors import AccessDenied, NotFound, ServiceError
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret
from tests.stack import RealStore

# What a store takes as a key: XML 1.0 could not carry half of these without the URL encoding of listings.
KEYS = (
    "a b",
    "a+b",
    "a%20b",
    "a%2Bb",
    "é世界👩‍🚀",
    "x\x1b[31my",
    "\x1b]52;c;QQ==\x07",
    "n\nl",
    "cr\r\nlf",
    "tab\tx",
    "q?x=1&y=2#z",
    "<a>&\"'",
    "low\x01x",
    "\u202etxt",
    "\x9b2J",
    "[red]x[/]",
    "~*()!'",
    f"{'a' * 64}/terraform.tfstate",
    "a" * 200,
)


@pytest.fixture
async def store(real_store: RealStore) -> AsyncIterator[S3Store]:
    store = S3Store(real_store.settings, real_store.credentials)
    yield store
    await store.aclose()


async def test_hostile_keys_come_back_exactly_and_lead_to_their_objects(real_store: RealStore, store: S3Store) -> None:
    for key in KEYS:
        real_store.client.put_object(Bucket=real_store.bucket, Key=key, Body=key.encode())
    listed = [info async for page in store.pages() for info in page]
    assert sorted(info.key for info in listed) == sorted(KEYS)
    for info in listed:
        assert await store.get(info.key) == info.key.encode()
        assert (await store.head(info.key)).size == info.size == len(info.key.encode())


async def test_pages_are_streamed_in_key_order_within_the_prefix(real_store: RealStore, store: S3Store) -> None:
    keys = [f"p/{number:04}" for number in range(1001)]
    for key in [*keys, "o/other", "q/other"]:
        real_store.client.put_object(Bucket=real_store.bucket, Key=key, Body=b"")
    pages = [[info.key for info in page] async for page in store.pages("p/")]
    assert [len(page) for page in pages] == [1000, 1]
    assert [key for page in pages for key in page] == keys


async def test_an_object_tells_size_time_and_etag_the_same_in_listing_and_head(real_store: RealStore, store: S3Store) -> None:
    real_store.client.put_object(Bucket=real_store.bucket, Key="k", Body=b"12345")
    (listed,) = [info async for page in store.pages() for info in page]
    looked = await store.head("k")
    assert (listed.size, listed.etag) == (looked.size, looked.etag) == (5, listed.etag)
    for info in (listed, looked):
        assert info.modified is not None
        assert abs(datetime.now(UTC) - info.modified) < timedelta(minutes=5)


async def test_ranges_are_cut_at_the_end_of_the_object(real_store: RealStore, store: S3Store) -> None:
    real_store.client.put_object(Bucket=real_store.bucket, Key="k", Body=b"0123456789")
    ranges = {(0, 4): b"0123", (8, 100): b"89", (10, 5): b"", (99, 1): b"", (0, 0): b""}
    assert {asked: await store.get_range("k", *asked) for asked in ranges} == ranges


async def test_an_empty_object_and_an_empty_bucket_are_no_errors(real_store: RealStore, store: S3Store) -> None:
    assert [page async for page in store.pages()] == [()]
    real_store.client.put_object(Bucket=real_store.bucket, Key="k", Body=b"")
    assert await store.get("k") == b""


async def test_what_is_missing_is_told_apart(real_store: RealStore, store: S3Store) -> None:
    nowhere = S3Store(replace(real_store.settings, terraform_state_bucket="no-such-bucket"), real_store.credentials)
    missing_object: tuple[Awaitable[object], ...] = (store.get("k"), store.head("k"), store.get_range("k", 0, 1))
    missing_bucket: tuple[Awaitable[object], ...] = (nowhere.get("k"), nowhere.head("k"), nowhere.check())
    for call in missing_object:
        with pytest.raises(NotFound) as caught:
            await call
        assert caught.value.code == "store.object_missing"
    for call in missing_bucket:
        with pytest.raises(ServiceError) as refused:
            await call
        assert refused.value.code == "store.bucket_missing"
        assert not isinstance(refused.value, NotFound), "nobody looked for the object"


async def test_wrong_keys_are_told_apart(real_store: RealStore) -> None:
    unknown = replace(real_store.credentials, access_key=Secret("nobody"))
    mismatched = replace(real_store.credentials, secret_key=Secret("not-the-secret"))
    for credentials, told in ((unknown, "does not know our access key"), (mismatched, "does not match")):
        with pytest.raises(AccessDenied) as caught:
            await S3Store(real_store.settings, credentials).check()
        assert caught.value.code == "store.wrong_credentials"
        assert told in caught.value.title
        assert "not-the-secret" not in str(caught.value)


async def test_checking_takes_a_moment_and_says_how_long(store: S3Store) -> None:
    assert 0 < await store.check() < 10


async def test_keys_come_from_the_sdk_where_the_settings_give_none(
    real_store: RealStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    access, secret = real_store.credentials.access_key, real_store.credentials.secret_key
    assert access is not None
    assert secret is not None
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", access.reveal())
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret.reveal())
    half = StorageCredentials(access_key=Secret("half"), secret_key=Secret(""))
    for credentials in (StorageCredentials(), half):
        assert await S3Store(real_store.settings, credentials).check() > 0


async def test_a_variable_of_the_shell_does_not_send_us_to_another_store(
    real_store: RealStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1")
    assert await S3Store(real_store.settings, real_store.credentials).check() > 0


async def test_a_profile_that_is_not_on_this_machine_does_not_matter_to_static_keys(
    real_store: RealStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nowhere")
    assert await S3Store(real_store.settings, real_store.credentials).check() > 0
    with pytest.raises(AccessDenied) as caught:
        await S3Store(real_store.settings, StorageCredentials()).check()
    assert caught.value.code == "store.no_credentials"
    assert "nowhere" in caught.value.detail


async def test_one_client_serves_many_calls_at_once(real_store: RealStore, store: S3Store) -> None:
    real_store.client.put_object(Bucket=real_store.bucket, Key="k", Body=b"x")
    assert await asyncio.gather(*(store.get("k") for _ in range(40))) == [b"x"] * 40


def test_the_label_names_bucket_and_host_and_no_secret() -> None:
    settings = StorageSettings(endpoint_url="http://user:hunter2@store.example:9000/x", terraform_state_bucket="b\x1b[2J")
    assert S3Store(settings, StorageCredentials()).label == "b␛[2J at store.example:9000"
    amazon = replace(settings, provider=StorageProvider.S3, region="eu-west-1")
    assert S3Store(amazon, StorageCredentials()).label == "b␛[2J at AWS S3 in eu-west-1"


def test_importing_the_store_does_not_import_the_sdk() -> None:
    program = "import sys, kumoss_console.clients.s3; print([m for m in ('boto3', 'botocore', 'urllib3') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-30T14:00:00.123Z", datetime(2026, 11, 30, 14, 0, 0, 123000, UTC)),
        ("2026-11-30T14:00:00Z", datetime(2026, 11, 30, 14, tzinfo=UTC)),
        ("2026-11-30T14:00:00", datetime(2026, 11, 30, 14, tzinfo=UTC)),
        ("2026-11-30T14:00:00.123456789Z", datetime(2026, 11, 30, 14, 0, 0, 123456, UTC)),
        ("Mon, 30 Nov 2026 14:00:00 GMT", datetime(2026, 11, 30, 14, tzinfo=UTC)),
        (1796047200, datetime(2026, 11, 30, 14, tzinfo=UTC)),
    ],
)
def test_timestamps_of_listings_headers_and_epochs_are_read(text: object, expected: datetime) -> None:
    assert parse_timestamp(text) == expected
