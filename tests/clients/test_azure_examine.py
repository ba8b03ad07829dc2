"""The card of a storage account, and what a trial leaves behind: nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.errors import Refused
from kumoss_console.model.endpoint import Aspect, AspectName, judge
from kumoss_console.model.storage import StorageCredentials
from kumoss_console.text import Secret
from tests.azurite import RealContainer
from tests.clients.test_azure_errors import AZURE, KEYS, SAS, blob, listing, said, settings
from tests.fakes.scripted_service import Move, raw_answer, scripted_service

KEY = "kumoss-console-scratch/trial"


@pytest.fixture
async def store(container: RealContainer) -> AsyncIterator[AzureStore]:
    store = AzureStore(container.settings, container.credentials)
    yield store
    await store.aclose()


async def examined(store: AzureStore) -> dict[AspectName, Aspect]:
    return {aspect.name: aspect async for aspect in store.examiner.examine()}


async def test_an_account_tells_what_it_does_and_what_is_not_known_is_not_guessed(
    container: RealContainer, store: AzureStore
) -> None:
    empty = await examined(store)
    container.write("a", b"x")
    found = await examined(store)

    assert (found["access"].standing, found["versioning"].standing) == ("good", "bad")
    assert (empty["versioning"].standing, empty["encryption"].standing) == ("unknown", "unknown")
    assert found["encryption"].said == "by the service"
    assert found["clock"].seconds == 0.0
    assert found["transport"].said == "http, on this machine"
    assert "in the path" in found["addressing"].said
    assert (found["lifecycle"].standing, found["lifecycle"].doubt) == ("unknown", "unsupported")
    assert found["public_access"].said == "none"
    assert "STORAGE_ACCOUNT_KEY" in found["identity"].said
    assert container.azurite.key.reveal() not in repr((found, empty))


async def test_snapshots_that_somebody_took_are_a_way_back(container: RealContainer, store: AzureStore) -> None:
    container.write("a", b"x")
    container.blob("a").create_snapshot()
    found = await examined(store)
    assert found["versioning"].standing == "plain"
    assert "1 snapshot that somebody took can be gone back to" in found["versioning"].said
    assert found["versioning"].evidence.startswith("looked at 1 blob: none has a version")
    assert "endpoint.versioning_off" not in {finding.code for finding in judge(found.values(), store=store.label)}


async def test_a_container_that_anybody_may_read_is_an_error(container: RealContainer, store: AzureStore) -> None:
    from azure.storage.blob import PublicAccess

    container.client.set_container_access_policy(signed_identifiers={}, public_access=PublicAccess.CONTAINER)
    found = await examined(store)
    assert found["public_access"].standing == "bad"
    assert "endpoint.public" in {finding.code for finding in judge(found.values(), store=store.label)}


async def test_a_wrong_key_is_one_answer_and_the_rest_is_not_guessed(container: RealContainer) -> None:
    store = AzureStore(container.settings, replace(container.credentials, account_key=Secret("bm90IHRoZSBrZXk=")))
    found = await examined(store)
    await store.aclose()
    assert found["access"].error is not None
    assert found["access"].error.code == "store.wrong_credentials"
    assert "versioning" not in found


async def test_a_trial_finds_out_what_only_writing_tells_and_leaves_nothing(store: AzureStore) -> None:
    found = {aspect.name: aspect async for aspect in store.examiner.try_writes(KEY)}
    assert {name: aspect.standing for name, aspect in found.items()} == {
        "conditional_create": "good",
        "lease": "good",
        "conditional_delete": "good",
        "checksums": "good",
        "delete": "good",
    }
    assert await store.versions(KEY) == ()
    assert (await store.page()).objects == ()


async def test_a_trial_keeps_away_from_a_key_that_holds_something(store: AzureStore) -> None:
    await store.put(KEY, b"a state")
    with pytest.raises(Refused):
        async for _ in store.examiner.try_writes(KEY):
            pass
    assert await store.get(KEY) == b"a state"


async def told_by(*moves: Move) -> dict[AspectName, Aspect]:
    async with scripted_service(*moves) as service:
        store = AzureStore(settings(service.endpoint), KEYS)
        found = await examined(store)
        await store.aclose()
    return found


OLD = "<VersionId>2026-11-01T10:00:00.1234567Z</VersionId>"
VERSION = f"{OLD}<IsCurrentVersion>true</IsCurrentVersion>"
SNAPSHOT = "<Snapshot>2026-11-01T10:00:00.1234567Z</Snapshot>"
BEFORE = "Sun, 01 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("entries", "standing", "words"),
    [
        ((blob("a", more=VERSION), blob("b", modified=BEFORE)), "good", "on"),
        ((blob("a", more=VERSION, modified=BEFORE), blob("b")), "bad", "off, as far as the blobs tell"),
        ((blob("a", more=OLD, modified=BEFORE), blob("a")), "bad", "off, as far as the blobs tell"),
        ((blob("a", more=OLD, modified=BEFORE),), "unknown", "no blob to tell it"),
        ((blob("a"), blob("a", more="<Deleted>true</Deleted>")), "plain", "soft delete"),
        ((blob("a"),), "bad", "off, as far as the blobs tell"),
        (
            (blob("a", more=SNAPSHOT), blob("a"), blob("b")),
            "bad",
            "1 snapshot that somebody took can be gone back to (of 1 of 2 blobs)",
        ),
        ((blob("a", more=SNAPSHOT), blob("a")), "plain", "1 snapshot that somebody took can be gone back to"),
    ],
)
async def test_the_blobs_tell_of_versioning_and_soft_delete(entries: tuple[str, ...], standing: str, words: str) -> None:
    found = await told_by(listing(), listing(*entries))
    assert found["versioning"].standing == standing
    assert words in found["versioning"].said


async def test_what_an_account_refuses_is_unknown_or_bad_and_hides_nothing_else() -> None:
    found = await told_by(
        listing(blob("a")),
        said(403, "AuthorizationPermissionMismatch"),
        said(400, "InvalidQueryParameterValue"),
        listing(blob("a", ServerEncrypted="true")),
        said(403, "AuthorizationPermissionMismatch"),
    )
    assert (found["versioning"].standing, found["versioning"].doubt) == ("unknown", "forbidden")
    assert (found["version_listing"].standing, found["version_listing"].said) == ("bad", "refused")
    assert found["encryption"].standing == "good"
    assert found["public_access"].doubt == "forbidden"


async def test_a_clock_that_is_off_is_told_with_its_direction() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    body = b"<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>"
    found = await told_by(raw_answer(200, body, {**AZURE, "Date": later}))
    assert found["clock"].seconds is not None
    assert 290 < found["clock"].seconds < 310
    assert "ahead of ours" in found["clock"].said


async def test_who_may_not_list_is_told_of_the_clock_and_the_addressing_all_the_same() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(minutes=5), usegmt=True)
    found = await told_by(said(403, "AuthorizationPermissionMismatch", Date=later))
    assert found["access"].standing == "bad"
    assert "ahead of ours" in found["clock"].said
    assert found["addressing"].evidence == "the listing was refused that way"


TIME = (
    "Signature not valid in the specified time frame: Start [Sun, 01 Nov 2026 10:00:00 GMT] - "
    "Expiry [Mon, 02 Nov 2026 10:00:00 GMT] - Current [Mon, 30 Nov 2026 14:00:00 GMT]"
)
FOUR = [
    (SAS, said(403, "AuthenticationFailed", why=TIME), "store.expired_token", "have expired"),
    (KEYS, said(403, "AuthorizationPermissionMismatch"), "store.access_denied", "refused"),
    (KEYS, said(404, "ContainerNotFound"), "store.bucket_missing", "no container"),
    (KEYS, said(403, "AuthenticationFailed"), "store.wrong_credentials", "key"),
]


@pytest.mark.parametrize(("credentials", "answer", "code", "words"), FOUR, ids=[row[2] for row in FOUR])
async def test_expired_forbidden_missing_and_wrong_are_answers_of_their_own(
    credentials: StorageCredentials, answer: Move, code: str, words: str
) -> None:
    async with scripted_service(answer) as service:
        store = AzureStore(settings(service.endpoint), credentials)
        found = await examined(store)
        await store.aclose()
    access = found["access"]
    assert access.error is not None
    assert (access.standing, access.error.code) == ("bad", code)
    assert words in access.said
    assert access.error.hint
    assert f"endpoint.{code.removeprefix('store.')}" in {finding.code for finding in judge(found.values(), store="s")}


async def test_soft_delete_of_the_account_is_a_way_back_though_nothing_was_deleted_yet(
    container: RealContainer, store: AzureStore
) -> None:
    from azure.storage.blob import BlobServiceClient, RetentionPolicy

    from kumoss_console.clients.blocking import run_blocking

    account = BlobServiceClient(container.settings.endpoint_url, credential=container.azurite.key.reveal())

    def keep(days: int | None) -> None:
        policy = RetentionPolicy(enabled=days is not None, days=days)
        account.set_service_properties(delete_retention_policy=policy)

    container.write("a", b"x")
    await run_blocking(keep, 7)
    try:
        found = await examined(store)
    finally:
        await run_blocking(keep, None)
        account.close()
    off = await examined(store)

    assert (found["versioning"].standing, "kept for 7 days" in found["versioning"].said) == ("plain", True)
    assert "endpoint.versioning_off" not in {finding.code for finding in judge(found.values(), store="s")}
    assert (off["versioning"].standing, "soft delete is off" in off["versioning"].evidence) == ("bad", True)


def test_a_variable_whose_name_is_not_shown_is_told_in_words() -> None:
    def identity(source: str) -> str:
        return AzureStore(settings("http://127.0.0.1:1"), replace(KEYS, source=source)).identity

    assert identity("env STORAGE_ACCOUNT_KEY").endswith("(env STORAGE_ACCOUNT_KEY)")
    assert identity("env the variable named by storage.account_key_env").endswith(
        "(the variable named by storage.account_key_env)"
    )
