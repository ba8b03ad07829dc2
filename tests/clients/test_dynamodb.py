"""Locks that are rows of a DynamoDB table, over the real SDK and a table on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from kumoss_console.clients.dynamodb import DynamoTable
from kumoss_console.errors import ConsoleError, Refused, ServiceError
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret
from tests.fakes.dynamodb import FakeTable, serving

SECRET = "s3cret-key-that-nobody-may-see"
STORAGE = StorageSettings(
    provider=StorageProvider.S3, terraform_state_bucket="acme-tf", region="eu-west-1", max_attempts=1, read_timeout=5.0
)
CREDENTIALS = StorageCredentials(access_key=Secret("AKIA-TEST"), secret_key=Secret(SECRET))
KEY = "core.tfstate"
INFO = json.dumps({"ID": "b1f6", "Operation": "OperationTypeApply", "Who": "ops@runner-7", "Created": "2026-11-30T14:00:00Z"})
OTHER = INFO.replace("b1f6", "c2a7")


@pytest.fixture
def table() -> Iterator[FakeTable]:
    with serving(FakeTable()) as served:
        served.put("acme-tf/core.tfstate", Info=INFO)
        served.put("acme-tf/core.tfstate-md5", Digest="0cc175b9c0f1b6a831c399e269772661")
        served.put("another-bucket/core.tfstate", Info=OTHER)
        yield served


@pytest.fixture
async def keeper(table: FakeTable) -> AsyncIterator[DynamoTable]:
    opened = DynamoTable("tf-locks", STORAGE, CREDENTIALS, endpoint=table.url)
    yield opened
    await opened.aclose()


async def test_a_row_is_a_lock_and_the_digest_beside_it_is_none(keeper: DynamoTable) -> None:
    found = await keeper.look(KEY)
    assert found is not None
    assert found.document.lock is not None
    assert (found.document.lock.id, found.document.lock.holder, found.raw) == ("b1f6", "ops@runner-7", INFO.encode())
    assert found.where == "the row acme-tf/core.tfstate of the table tf-locks"
    assert await keeper.digest(KEY) == "0cc175b9c0f1b6a831c399e269772661"
    assert (await keeper.look("other.tfstate"), await keeper.digest("other.tfstate")) == (None, None)


async def test_every_lock_of_this_bucket_is_found_over_as_many_pages_as_there_are(keeper: DynamoTable, table: FakeTable) -> None:
    table.page = 1
    table.put("acme-tf/env:/stage/core.tfstate", Info="no JSON")
    table.put("acme-tf/by-hand")
    table.put("acme-tf/odd-md5", Info=OTHER)
    found = await keeper.held()
    assert [(one.key, one.document.reason) for one in found] == [
        ("by-hand", "table items without a lock"),
        ("core.tfstate", ""),
        ("env:/stage/core.tfstate", "the table's Info is not JSON"),
        ("odd-md5", ""),
    ]
    assert found[3].document.lock is not None


async def test_the_row_that_was_seen_is_removed_and_the_digest_stays(keeper: DynamoTable, table: FakeTable) -> None:
    found = await keeper.look(KEY)
    assert found is not None
    assert await keeper.remove(found) is None
    assert sorted(table.rows) == ["acme-tf/core.tfstate-md5", "another-bucket/core.tfstate"]
    with pytest.raises(Refused) as refused:
        await keeper.remove(found)
    assert refused.value.code == "lock.gone"


async def test_a_row_that_another_run_has_written_meanwhile_stays(keeper: DynamoTable, table: FakeTable) -> None:
    found = await keeper.look(KEY)
    assert found is not None
    table.put("acme-tf/core.tfstate", Info=OTHER)
    with pytest.raises(Refused) as refused:
        await keeper.remove(found)
    assert refused.value.code == "lock.changed"
    assert table.rows["acme-tf/core.tfstate"]["Info"]["S"] == OTHER


async def test_a_row_without_a_document_is_removed_only_while_it_has_none(keeper: DynamoTable, table: FakeTable) -> None:
    table.put("acme-tf/core.tfstate")
    found = await keeper.look(KEY)
    assert found is not None
    table.put("acme-tf/core.tfstate", Info=OTHER)
    with pytest.raises(Refused):
        await keeper.remove(found)
    table.put("acme-tf/core.tfstate")
    await keeper.remove(found)
    assert "acme-tf/core.tfstate" not in table.rows


@pytest.mark.parametrize(
    ("refusal", "code", "said"),
    [
        ("ResourceNotFoundException", "locks.table_missing", "there is no lock table tf-locks in DynamoDB in eu-west-1"),
        ("AccessDeniedException", "locks.access_denied", "DynamoDB in eu-west-1 refused us access to the lock table tf-locks"),
        ("UnrecognizedClientException", "locks.credentials", "DynamoDB in eu-west-1 does not take our credentials"),
        ("ProvisionedThroughputExceededException", "locks.throttled", "the lock table tf-locks asks us to slow down"),
        ("ValidationException", "locks.fault", "the lock table tf-locks could not be asked"),
    ],
)
async def test_a_refusal_says_what_to_do_and_no_secret(
    keeper: DynamoTable, table: FakeTable, refusal: str, code: str, said: str
) -> None:
    table.refuse = refusal
    with pytest.raises(ConsoleError) as refused:
        await keeper.look(KEY)
    assert (refused.value.code, refused.value.title) == (code, said)
    assert refused.value.hint
    assert SECRET not in str(refused.value)


async def test_a_table_that_nobody_answers_for_is_unreachable_and_not_unlocked(table: FakeTable) -> None:
    gone = DynamoTable("tf-locks", STORAGE, CREDENTIALS, endpoint="http://127.0.0.1:9")
    with pytest.raises(ConsoleError) as refused:
        await gone.look(KEY)
    assert refused.value.code == "store.unreachable"
    await gone.aclose()


async def test_a_deletion_is_sent_once_and_a_dropped_answer_is_no_word_about_the_row(table: FakeTable) -> None:
    patient = DynamoTable("tf-locks", replace(STORAGE, max_attempts=3), CREDENTIALS, endpoint=table.url)
    seen = await patient.look(KEY)
    assert seen is not None
    table.dropped = frozenset({"DeleteItem"})
    with pytest.raises(ServiceError) as caught:
        await patient.remove(seen)
    assert caught.value.code == "store.unreachable"
    assert table.calls.count("DeleteItem") == 1
    assert await patient.look(KEY) is None
    await patient.aclose()
