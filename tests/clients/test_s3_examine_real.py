"""The card of a running store, and what a trial leaves behind: nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import Refused, ServiceError
from kumoss_console.model.endpoint import Aspect, AspectName
from kumoss_console.text import Secret
from tests.stack import RealStore

KEY = "kumoss-console-scratch/trial"


@pytest.fixture
async def store(real_store: RealStore) -> AsyncIterator[S3Store]:
    store = S3Store(real_store.settings, real_store.credentials)
    yield store
    await store.aclose()


async def examined(store: S3Store) -> dict[AspectName, Aspect]:
    return {aspect.name: aspect async for aspect in store.examiner.examine()}


async def test_a_store_tells_what_it_does_and_what_it_does_not_know(store: S3Store, real_store: RealStore) -> None:
    before = await examined(store)
    real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Enabled"})
    real_store.client.put_bucket_lifecycle_configuration(
        Bucket=real_store.bucket,
        LifecycleConfiguration={
            "Rules": [{"ID": "tidy", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 30}}]
        },
    )
    after = await examined(store)

    assert (before["access"].standing, before["versioning"].said, after["versioning"].said) == ("good", "off", "on")
    assert before["lifecycle"].rules == ()
    assert [(rule.prefix, rule.expire_days) for rule in after["lifecycle"].rules] == [("", 30)]
    assert before["clock"].seconds == 0.0
    assert before["version_listing"].standing == "good"
    assert before["transport"].said == "http, on this machine"
    assert before["identity"].said == f"keys from {real_store.credentials.source}"
    everything = repr((before, after))
    assert real_store.endpoint.secret_key.reveal() not in everything
    assert real_store.endpoint.access_key not in everything


async def test_wrong_keys_are_one_answer_and_the_rest_is_not_guessed(real_store: RealStore) -> None:
    wrong = replace(real_store.credentials, secret_key=Secret("not-the-secret-key-of-this-store"))
    store = S3Store(real_store.settings, wrong)
    found = await examined(store)
    await store.aclose()

    assert found["access"].error is not None
    assert found["access"].error.code == "store.wrong_credentials"
    assert found["access"].evidence.startswith("asked for the listing: ")
    assert "versioning" not in found


@pytest.mark.parametrize("versioned", [False, True])
async def test_a_trial_finds_out_what_only_writing_tells_and_leaves_nothing(
    store: S3Store, real_store: RealStore, versioned: bool
) -> None:
    if versioned:
        real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Enabled"})

    found = {aspect.name: aspect async for aspect in store.examiner.try_writes(KEY)}

    assert list(found) == ["conditional_create", "conditional_delete", "checksums", "delete"]
    assert found["conditional_create"].standing == "good"
    assert found["delete"].standing == "good"
    assert await store.versions(KEY) == ()
    assert (await store.page()).objects == ()


async def test_a_trial_keeps_away_from_a_key_that_holds_something(store: S3Store) -> None:
    await store.put(KEY, b"a state")

    with pytest.raises(Refused):
        async for _ in store.examiner.try_writes(KEY):
            pass

    assert await store.get(KEY) == b"a state"


@pytest.mark.parametrize("status", ["Enabled", "Suspended"])
async def test_a_trial_leaves_no_version_and_no_marker_or_says_so(store: S3Store, real_store: RealStore, status: str) -> None:
    real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Enabled"})
    if status == "Suspended":
        real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Suspended"})
    said = ""
    try:
        async for _ in store.examiner.try_writes(KEY):
            pass
    except ServiceError as error:
        said = error.title
    left = await store.versions(KEY)
    assert bool(left) is bool(said), (left, said)
    if left:
        assert f"{len(left)} delete marker" in said
