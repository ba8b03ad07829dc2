"""The card's service: what a session remembers, and what becomes of a trial that nobody listens to any more."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from itertools import count

import pytest

from kumoss_console.errors import AccessDenied, ConsoleError, ServiceError, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.endpoint import Aspect
from kumoss_console.ports.objects import ObjectInfo, ObjectVersion
from kumoss_console.ports.store import StoreExaminer
from kumoss_console.services.endpoint.service import SCRATCH, EndpointService
from tests.fakes.clock import START, FakeClock
from tests.fakes.examiner import FakeExaminer, MadeTrial
from tests.fakes.store import FakeStore
from tests.waiting import wait_until

ACCESS = Aspect(name="access", standing="good", said="listing works", evidence="listed the bucket")
IGNORED = Aspect(name="conditional_create", standing="bad", said="ignored", evidence="a second PUT wrote over the first")


class _TryingExaminer(FakeExaminer):
    """Reads as it was told to, and tries as on a real store."""

    def __init__(self, store: FakeStore) -> None:
        super().__init__(store)
        self._tried_on = store

    def try_writes(self, key: str):  # type: ignore[no-untyped-def]  # the annotation stands in the class above
        return MadeTrial(self._tried_on, key).run()


class _TryingStore(FakeStore):
    """Hangs once something was written, where ``hangs`` says so."""

    hangs = False

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        written = await super().put(key, content, if_absent=if_absent)
        if self.hangs:
            self.hang.shut()
        return written

    @property
    def examiner(self) -> StoreExaminer:  # type: ignore[override]  # a fake examiner, too
        return _TryingExaminer(self)


def service_over(store: FakeStore, clock: FakeClock) -> EndpointService:
    numbers = count()
    return EndpointService(Context(name="prod"), store, clock, lambda: str(next(numbers)))


async def test_what_a_trial_found_is_remembered_with_its_time_when_the_card_is_read_again() -> None:
    store, clock = FakeStore(), FakeClock()
    store.aspects, store.tried = [ACCESS], [IGNORED]
    service = service_over(store, clock)
    async for _ in service.try_writes(service.scratch_key()):
        pass
    tried = clock()
    clock.advance(300)

    async for card in service.examine():
        last = card

    found = last.aspect("conditional_create")
    assert found is not None
    assert (found.standing, last.tried_at, last.at - tried) == ("bad", tried, timedelta(seconds=300))
    assert "endpoint.no_mutual_exclusion" in {finding.code for finding in last.findings}


async def test_a_glance_asks_once_in_a_session_and_a_silent_store_is_not_asked_again() -> None:
    store, clock = FakeStore(), FakeClock()
    store.aspects = [ACCESS]
    service = service_over(store, clock)
    first, second = await service.glance(), await service.glance()
    assert first is second is not None
    assert [call for call in store.calls if call[0] == "examine"] == [("examine", "glance")]

    class Silent(FakeExaminer):
        def examine(self, *, thorough: bool = True):  # type: ignore[no-untyped-def]  # as above
            raise Unreachable("nobody answers")

    class SilentStore(FakeStore):
        @property
        def examiner(self) -> FakeExaminer:
            self.calls.append(("examiner", ""))
            return Silent(self)

    silent = SilentStore()
    service = service_over(silent, clock)
    assert await service.glance() is None
    assert await service.glance() is None
    assert silent.calls == [("examiner", "")]


async def test_a_trial_nobody_listens_to_any_more_ends_its_step_and_removes_the_scratch_key() -> None:
    store, clock = _TryingStore(), FakeClock()
    service = service_over(store, clock)
    key, store.hangs = service.scratch_key(), True

    async def listen() -> None:
        async for _ in service.try_writes(key):
            pass

    listening = asyncio.create_task(listen())
    await wait_until(lambda: key in store.objects)
    listening.cancel()
    await asyncio.wait({listening})
    assert key in store.objects
    store.hangs = False
    store.hang.open()
    await service.aclose()
    assert store.objects == {}


async def test_the_end_of_the_program_does_not_wait_for_a_store_and_the_next_card_tells_what_was_left() -> None:
    store, clock = _TryingStore(), FakeClock()
    store.aspects = [ACCESS]
    service = service_over(store, clock)
    key, store.hangs = service.scratch_key(), True

    async def listen() -> None:
        async for _ in service.try_writes(key):
            pass

    before = asyncio.all_tasks()
    listening = asyncio.create_task(listen())
    await wait_until(lambda: key in store.objects)
    await asyncio.sleep(0)
    for task in asyncio.all_tasks() - before:  # what asyncio.run does at its end
        task.cancel()
    await asyncio.wait({listening, *(asyncio.all_tasks() - before)})
    store.hang.open()
    assert key in store.objects

    async for card in service.examine():
        young = card
    clock.advance(600)
    async for card in service.examine():
        old = card
    assert (young.leftovers, old.leftovers) == ((), (key,))
    assert [finding.code for finding in old.findings if SCRATCH in finding.message] == ["endpoint.scratch_left"]


async def test_a_scratch_key_that_cannot_be_removed_is_named() -> None:
    store, clock = _TryingStore(), FakeClock()
    service = service_over(store, clock)
    store.errors["delete"] = ServiceError("the store failed", code="store.fault")
    key = service.scratch_key()
    with pytest.raises(ConsoleError) as caught:
        async for _ in service.try_writes(key):
            pass
    assert caught.value.code == "store.scratch_left"
    assert key in caught.value.title


async def test_a_store_that_takes_nothing_is_not_said_to_keep_a_scratch_key() -> None:
    store = _TryingStore()
    refused = AccessDenied("the store refused us", detail="403 AccessDenied", code="store.access_denied")
    store.errors.update(put=refused, delete=refused)
    service = service_over(store, FakeClock())
    cards = [card async for card in service.try_writes(service.scratch_key())]
    (finding,) = cards[-1].findings
    assert "s3:PutObject" in finding.remedy
    assert not [call for call in store.calls if call[0] == "delete"]


async def test_after_a_write_nobody_knows_the_end_of_the_words_do_not_claim_one() -> None:
    store = _TryingStore()
    store.errors.update(put=Unreachable("no answer"), delete=Unreachable("no answer"))
    service = service_over(store, FakeClock())
    with pytest.raises(ConsoleError) as caught:
        async for _ in service.try_writes(service.scratch_key()):
            pass
    assert caught.value.title.startswith("It is not known whether")


async def test_a_delete_marker_that_stays_is_told_after_its_version_was_tried() -> None:
    """As some stores do where versioning is suspended."""

    class Suspended(_TryingStore):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            await super().delete(key, etag=etag)
            self.calls.append(("removed", version or ""))
            marker = ObjectVersion(
                key=key, version_id="null", kind="delete_marker", latest=True, size=None, modified=START, etag=None
            )
            self.history[key] = [(marker, None)]

    store = Suspended()
    service = service_over(store, FakeClock())
    with pytest.raises(ConsoleError) as caught:
        async for _ in service.try_writes(service.scratch_key()):
            pass
    assert "1 delete marker stayed" in caught.value.title
    assert ("removed", "null") in store.calls
