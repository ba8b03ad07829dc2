"""Versions and conditional writes on a running store."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import NotFound, Refused
from tests.stack import RealStore

KEY = "ab/terraform.tfstate"


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
