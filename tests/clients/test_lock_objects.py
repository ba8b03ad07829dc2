"""Locks that are objects: what is seen, and that nothing but what was seen is ever removed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from kumoss_console.clients.lock_objects import NO_ETAG, UNCONDITIONAL, UNGUARDED, UNKNOWN_GUARD, LockObjects
from kumoss_console.errors import AccessDenied, Refused, ServiceError
from kumoss_console.ports.locks import LockSighting
from kumoss_console.ports.objects import ObjectContent, ObjectVersion
from tests.fakes.clock import START
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

KEY = "a/terraform.tfstate"
LOCK = f"{KEY}.tflock"
MINE, THEIRS = b'{"ID":"1","Who":"dead@runner"}', b'{"ID":"2","Who":"living@runner"}'


class Careless(FakeStore):
    """A store that deletes whatever is there, whatever the condition; some S3-compatible stores do."""

    async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
        await super().delete(key, version=version)


async def seen(store: FakeStore) -> LockSighting:
    found = await LockObjects(store).look(KEY)
    assert found is not None
    return found


async def test_a_lock_is_seen_with_what_tells_it_from_another_one() -> None:
    found = await seen(FakeStore({LOCK: MINE}))
    assert found.document.lock is not None
    assert (found.document.lock.id, found.raw, found.modified) == ("1", MINE, START)
    assert found.proof
    assert found.where == "the object a/terraform.tfstate.tflock in kumoss-terraform-state at store.test:9000"


async def test_no_lock_and_not_being_able_to_look_are_two_things() -> None:
    store = FakeStore()
    assert await LockObjects(store).look(KEY) is None
    store.errors["fetch"] = AccessDenied("no")
    with pytest.raises(AccessDenied):
        await LockObjects(store).look(KEY)


async def test_the_lock_that_was_seen_is_removed_and_nothing_else() -> None:
    store = FakeStore({LOCK: MINE, KEY: b"{}", f"{KEY}.tflock.bak": b"x"})
    assert await LockObjects(store).remove(await seen(store)) is None
    assert sorted(store.objects) == [KEY, f"{KEY}.tflock.bak"]


@pytest.mark.parametrize("kind", [FakeStore, Careless])
async def test_a_lock_that_another_run_has_taken_meanwhile_stays(kind: type[FakeStore]) -> None:
    store = kind({LOCK: MINE})
    old = await seen(store)
    store.objects[LOCK] = THEIRS
    with pytest.raises(Refused) as refused:
        await LockObjects(store).remove(old)
    assert refused.value.code == "lock.changed"
    assert store.objects == {LOCK: THEIRS}


async def test_a_lock_of_the_same_words_that_was_written_later_is_another_lock() -> None:
    store = FakeStore({LOCK: b"locked by hand"})
    old = await seen(store)
    store.modified[LOCK] = START + timedelta(seconds=1)
    with pytest.raises(Refused) as refused:
        await LockObjects(store).remove(old)
    assert (refused.value.code, LOCK in store.objects) == ("lock.changed", True)


async def test_a_lock_that_was_released_meanwhile_is_gone_and_no_failure_of_the_store() -> None:
    store = FakeStore({LOCK: MINE})
    old = await seen(store)
    store.objects.clear()
    with pytest.raises(Refused) as refused:
        await LockObjects(store).remove(old)
    assert refused.value.code == "lock.gone"


async def test_a_lock_that_is_taken_in_the_last_moment_is_kept_by_the_condition() -> None:
    class Racing(FakeStore):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            if key == LOCK:
                self.objects[LOCK] = THEIRS
            await super().delete(key, etag=etag, version=version)

    store = Racing({LOCK: MINE})
    with pytest.raises(Refused) as refused:
        await LockObjects(store).remove(await seen(store))
    assert (refused.value.code, store.objects) == ("lock.changed", {LOCK: THEIRS})


async def test_a_store_that_ignores_conditions_is_said_to_leave_the_last_moment_open() -> None:
    store = Careless({LOCK: MINE})
    assert await LockObjects(store).remove(await seen(store)) == UNGUARDED
    assert store.objects == {}


async def test_a_store_that_refuses_conditions_gets_none_and_that_is_said() -> None:
    class Plain(FakeStore):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            if etag is not None:
                raise ServiceError("it does not delete on a condition", code="store.conditions_unsupported")
            await super().delete(key, version=version)

    store = Plain({LOCK: MINE})
    old = await seen(store)
    assert await LockObjects(store).remove(old) == UNCONDITIONAL
    assert store.objects == {}
    store.objects[LOCK] = THEIRS
    with pytest.raises(Refused):
        await LockObjects(store).remove(old)
    assert store.objects == {LOCK: THEIRS}


async def test_asking_for_the_condition_leaves_no_trace_in_a_store_that_keeps_versions() -> None:
    class Keeping(Careless):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            if version is None and key != LOCK:
                marker = ObjectVersion(
                    key=key, version_id="v1", kind="delete_marker", latest=True, size=None, modified=START, etag=None
                )
                self.history[key] = [(marker, None)]
            await super().delete(key, etag=etag, version=version)

    store = Keeping({LOCK: MINE})
    await LockObjects(store).remove(await seen(store))
    assert {key: versions for key, versions in store.history.items() if versions} == {}


async def test_what_could_not_be_made_sure_of_is_said() -> None:
    class Shy(FakeStore):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            if key != LOCK:
                raise ServiceError("only lock objects may be deleted")
            await super().delete(key, etag=etag, version=version)

    shy = Shy({LOCK: MINE})
    assert await LockObjects(shy).remove(await seen(shy)) == UNKNOWN_GUARD

    class Nameless(FakeStore):
        async def fetch(self, key: str, *, version: str | None = None) -> ObjectContent:
            found = await super().fetch(key, version=version)
            return replace(found, info=replace(found.info, etag=None))

    nameless = Nameless({LOCK: MINE})
    assert await LockObjects(nameless).remove(await seen(nameless)) == NO_ETAG


@pytest.mark.parametrize("text", HOSTILE)
async def test_a_hostile_key_never_reaches_a_message_as_it_is(text: str) -> None:
    store = FakeStore({f"{text}.tflock": MINE})
    keeper = LockObjects(store)
    found = await keeper.look(text)
    assert found is not None
    assert found.where.isprintable() or "\u200d" in found.where
    store.objects.clear()
    with pytest.raises(Refused) as refused:
        await keeper.remove(found)
    assert "\x1b" not in str(refused.value)
