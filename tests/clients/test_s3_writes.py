"""What writes is sent once: a second time it would be about what somebody else has written meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.clients.s3 import S3Store
from kumoss_console.errors import ConsoleError, NotFound, Refused, ServiceError
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.text import Secret
from tests.fakes.scripted_service import Move, hang_up, raw_answer, reset, scripted_service

KEYS = StorageCredentials(access_key=Secret("AKIA-OURS"), secret_key=Secret("our-secret-key"), source="test")
LOCK = b'{"ID":"b1f6"}'
OBJECT = {"ETag": '"x"', "Last-Modified": "Mon, 30 Nov 2026 14:00:00 GMT"}
FAULTS: list[Move] = [hang_up, reset, raw_answer(500), raw_answer(503)]

WRITES: dict[str, Callable[[S3Store], Awaitable[object]]] = {
    "delete": lambda store: store.delete("a.tflock", etag='"x"'),
    "delete_without_condition": lambda store: store.delete("a.tflock"),
    "put": lambda store: store.put("a", b"x", if_absent=True),
    "put_with_checksum": lambda store: store.with_client(
        lambda client, target: client.put_object(Bucket=target.bucket, Key="a", Body=b"x", ChecksumAlgorithm="CRC32"), writes=True
    ),
}


def store_at(endpoint: str) -> S3Store:
    return S3Store(StorageSettings(endpoint_url=endpoint, connect_timeout=1.0, read_timeout=1.0, max_attempts=3), KEYS)


async def test_a_write_is_sent_once_whatever_becomes_of_the_answer() -> None:
    sent: dict[str, list[int]] = {}
    async with scripted_service(hang_up) as service:
        store = store_at(service.endpoint)
        for name, write in WRITES.items():
            for fault in FAULTS:
                # The second answer is the one that a second request would get after the first was done.
                service.script(fault, raw_answer(412))
                before = len(service.seen)
                with pytest.raises(ServiceError) as caught:
                    await write(store)
                assert not isinstance(caught.value, Refused | NotFound), name
                sent.setdefault(name, []).append(len(service.seen) - before)
        await store.aclose()
    assert sent == {name: [1, 1, 1, 1] for name in WRITES}


async def test_what_only_reads_is_asked_again() -> None:
    async with scripted_service(hang_up, raw_answer(200, LOCK, OBJECT)) as service:
        store = store_at(service.endpoint)
        assert await store.get("a.tflock") == LOCK
        await store.aclose()
    assert len(service.seen) == 2


async def test_a_lock_whose_deletion_was_not_answered_is_not_said_to_be_where_it_was() -> None:
    there = raw_answer(200, LOCK, OBJECT)
    refused = raw_answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")
    # The look, the guard, the last look, the deletion; whoever asks again is told that the lock is another one.
    async with scripted_service(there, refused, there, hang_up, refused) as service:
        store = store_at(service.endpoint)
        keeper = LockObjects(store)
        seen = await keeper.look("a")
        assert seen is not None
        with pytest.raises(ConsoleError) as caught:
            await keeper.remove(seen)
        await store.aclose()
    assert caught.value.code == "store.unreachable"
    assert [request.method for request in service.seen] == ["GET", "DELETE", "GET", "DELETE"]
