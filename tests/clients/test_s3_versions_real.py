"""Versions and conditional writes on a running store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.s3_errors import Target
from kumoss_console.clients.s3_versions import versions_of
from kumoss_console.errors import NotFound, Refused
from kumoss_console.ports.objects import VersionsCut
from tests.stack import RealStore

KEY = "ab/terraform.tfstate"
PAGE = 5
"""Versions of a page in tests of how pages are put together: by itself the store gives 1,000."""


@pytest.fixture
async def store(real_store: RealStore) -> AsyncIterator[S3Store]:
    store = S3Store(real_store.settings, real_store.credentials)
    yield store
    await store.aclose()


async def test_versions_are_of_exactly_that_key_newest_first_with_the_marks_of_deletions(
    store: S3Store, real_store: RealStore
) -> None:
    real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Enabled"})
    first = await store.put(KEY, b"one")
    await store.put(KEY, b"two")
    await store.put(f"{KEY}.tflock", b"a lock")
    await store.delete(KEY)

    found = await store.versions(KEY)

    assert [(version.kind, version.size, version.latest) for version in found] == [
        ("delete_marker", None, True),
        ("version", 3, False),
        ("version", 3, False),
    ]
    assert {version.key for version in found} == {KEY}
    assert found[2].version_id == first.version_id
    assert (await store.fetch(KEY, version=found[2].version_id)).content == b"one"
    assert await store.get_range(KEY, 1, 5, version=found[2].version_id) == b"ne"
    with pytest.raises(NotFound):
        await store.fetch(KEY)
    for version in found:
        await store.delete(KEY, version=version.version_id)
    assert await store.versions(KEY) == ()


async def test_what_is_there_is_not_written_over_where_it_was_to_be_absent(store: S3Store) -> None:
    await store.put(KEY, b"one", if_absent=True)

    with pytest.raises(Refused) as refused:
        await store.put(KEY, b"two", if_absent=True)

    assert refused.value.code == "store.exists"
    assert await store.get(KEY) == b"one"


async def test_a_page_goes_on_behind_a_key_and_at_its_cursor(store: S3Store) -> None:
    for letter in "abcde":
        await store.put(letter, b"x")

    first = await store.page(after="a", limit=2)
    second = await store.page(cursor=first.cursor, limit=2)

    assert [info.key for info in first.objects] == ["b", "c"]
    assert [info.key for info in second.objects] == ["d", "e"]
    assert second.cursor is None


@pytest.fixture
def pages(real_store: RealStore) -> list[dict[str, Any]]:
    """What is asked of the store's listing of versions, which keeps them and gives few at a time."""
    asked: list[dict[str, Any]] = []

    def few(params: dict[str, Any], **_: object) -> None:
        asked.append(dict(params))
        params["MaxKeys"] = PAGE

    real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Enabled"})
    real_store.client.meta.events.register("provide-client-params.s3.ListObjectVersions", few)
    return asked


def history(store: RealStore, writes: int, locks: int) -> list[str]:
    """Ids of what was written under the key and deleted, oldest first, with a lock taken and released that many times."""
    ids: list[str] = []
    for number in range(writes):
        deleted = number % 4 == 3
        write = store.client.delete_object if deleted else partial(store.client.put_object, Body=b"x")
        ids.append(write(Bucket=store.bucket, Key=KEY)["VersionId"])
    for _ in range(locks):
        store.client.put_object(Bucket=store.bucket, Key=f"{KEY}.tflock", Body=b"{}")
        store.client.delete_object(Bucket=store.bucket, Key=f"{KEY}.tflock")
    return ids


@pytest.mark.parametrize(
    ("writes", "locks", "most"),
    [(12, 0, 3), (12, 1, 6), (3, 1, 1), (3, 4, 2), (0, 3, 2)],
    ids=["no lock", "a lock on each page", "all on one page", "the lock fills the pages", "the lock alone"],
)
async def test_no_version_is_missed_where_those_of_the_lock_come_first_on_every_page(
    pages: list[dict[str, Any]], real_store: RealStore, writes: int, locks: int, most: int
) -> None:
    written = await run_blocking(history, real_store, writes, locks)
    target = Target(bucket=real_store.bucket, key=KEY, where="the store")

    found = await run_blocking(versions_of, real_store.client, target)

    assert sorted(version.version_id for version in found) == sorted(written)
    assert len(pages) <= most


async def test_what_a_store_shows_no_way_to_is_told_with_what_it_shows(
    pages: list[dict[str, Any]], real_store: RealStore
) -> None:
    written = await run_blocking(history, real_store, 12, 4)
    target = Target(bucket=real_store.bucket, key=KEY, where="the store")

    with pytest.raises(VersionsCut) as cut:
        await run_blocking(versions_of, real_store.client, target)

    assert sorted(version.version_id for version in cut.value.found) == sorted(written[-PAGE:])
    assert "newest 5 versions" in cut.value.title
