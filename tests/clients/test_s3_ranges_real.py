"""Parts of objects on a real store: the short way and the long way give the same, and a fault is told as ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_shortcut import Shortcut
from kumoss_console.errors import AccessDenied, NotFound
from kumoss_console.text import Secret
from tests.stack import RealStore

ODD = "a b/ü+%20&=?#~/terraform.tfstate"


@asynccontextmanager
async def opened(real: RealStore) -> AsyncIterator[S3Store]:
    store = S3Store(real.settings, real.credentials)
    yield store
    await store.aclose()


async def test_a_range_tells_size_and_etag_of_the_whole(real_store: RealStore) -> None:
    body = bytes(range(256)) * 40
    for key in ("plain", ODD, "none"):
        real_store.client.put_object(Bucket=real_store.bucket, Key=key, Body=b"" if key == "none" else body)
    async with opened(real_store) as store:
        # The first goes the long way, which teaches the short one.
        for _ in range(3):
            for key in ("plain", ODD):
                found = await store.fetch_range(key, 256, 300)
                assert found.content == body[256:556]
                assert (found.info.key, found.info.size, found.info.etag) == (key, len(body), (await store.head(key)).etag)
                assert found.info.modified == (await store.head(key)).modified
        last = await store.fetch_range("plain", len(body) - 10, 1024)
        assert last.content == body[-10:]
        empty = await store.fetch_range("none", 0, 1024)
        assert (empty.content, empty.info.size) == (b"", 0)


async def test_faults_of_the_short_way_are_told_by_the_long_one(real_store: RealStore) -> None:
    real_store.client.put_object(Bucket=real_store.bucket, Key="there", Body=b"x" * 3000)
    async with opened(real_store) as store:
        await store.fetch_range("there", 0, 10)
        with pytest.raises(NotFound):
            await store.fetch_range("gone", 0, 10)
        real_store.client.delete_object(Bucket=real_store.bucket, Key="there")
        with pytest.raises(NotFound):
            await store.fetch_range("there", 0, 10)
    wrong = replace(real_store.credentials, secret_key=Secret("not-the-secret"))
    store = S3Store(real_store.settings, wrong)
    with pytest.raises(AccessDenied):
        await store.fetch_range("there", 0, 10)
    await store.aclose()


async def test_many_at_once_and_older_versions(real_store: RealStore) -> None:
    client, bucket = real_store.client, real_store.bucket
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    client.put_object(Bucket=bucket, Key="k", Body=b"one" * 1000)
    client.put_object(Bucket=bucket, Key="k", Body=b"two" * 1000)
    async with opened(real_store) as store:
        versions = await store.versions("k")
        await store.fetch_range("k", 0, 3)
        asked = [store.fetch_range("k", 0, 3, version=version.version_id) for version in versions for _ in range(20)]
        found = await asyncio.gather(*asked)
        assert [one.content for one in found] == [b"two"] * 20 + [b"one"] * 20
        assert {one.info.etag for one in found[:20]} == {versions[0].etag}
    for version in versions:
        client.delete_object(Bucket=bucket, Key="k", VersionId=version.version_id)


def test_the_short_way_opens_once_a_request_was_seen_and_takes_only_the_plain_good_answer(real_store: RealStore) -> None:
    client, bucket = real_store.client, real_store.bucket
    client.put_object(Bucket=bucket, Key=ODD, Body=b"0123456789")
    shortcut = Shortcut(client)

    def short(key: str) -> bytes | None:
        found = shortcut.get(key, 2, 3, version=None, until=lambda _: time.monotonic() + 30)
        return None if found is None else found.content

    assert short(ODD) is None
    shortcut.expect(ODD)
    client.get_object(Bucket=bucket, Key=ODD)["Body"].read()
    assert short(ODD) == b"234"
    assert short("gone") is None
    for _ in range(6):
        # Nothing lies there, and yet the long way is said to have found something.
        assert short("gone") is None
        client.get_object(Bucket=bucket, Key=ODD)["Body"].read()
        shortcut.worked_without()
    assert short(ODD) is None
