"""A trial on a store that loses answers, forbids looking, or takes no conditions: what is there is found out, nothing stays."""

from __future__ import annotations

import pytest

from kumoss_console.errors import AccessDenied, ConsoleError, Refused, ServiceError, Unreachable
from kumoss_console.model.endpoint import Aspect, AspectName
from kumoss_console.ports.objects import ListingPage, ObjectInfo
from tests.fakes.examiner import MadeTrial
from tests.fakes.store import FakeStore

KEY = "kumoss-console-scratch/trial"
DENIED = AccessDenied(
    "the store refused us", detail="403 AccessDenied: msg\nthe object may not be there", code="store.access_denied"
)
ALL_GOOD = {"conditional_create": "good", "conditional_delete": "good", "checksums": "good", "delete": "good"}


async def tried_on(store: FakeStore, found: dict[AspectName, Aspect] | None = None) -> dict[AspectName, Aspect]:
    told = {} if found is None else found
    async for aspect in MadeTrial(store, KEY).run():
        told[aspect.name] = aspect
    return told


def standings(found: dict[AspectName, Aspect]) -> dict[str, str]:
    return {name: aspect.standing for name, aspect in found.items()}


class LostAnswer(FakeStore):
    """Does the first write, and its answer is ``lost``."""

    def __init__(self, lost: ConsoleError) -> None:
        super().__init__()
        self._lost: ConsoleError | None = lost

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        written = await super().put(key, content, if_absent=if_absent)
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost
        return written


EXISTS = Refused("the store has an object of that key already", code="store.exists")


@pytest.mark.parametrize("lost", [EXISTS, ServiceError("the store failed", code="store.fault")])
async def test_a_first_write_whose_answer_was_lost_is_seen_and_the_trial_goes_on(lost: ConsoleError) -> None:
    store = LostAnswer(lost)
    assert standings(await tried_on(store)) == ALL_GOOD
    assert store.objects == {}


async def test_a_first_write_that_ended_in_silence_is_not_waited_for_and_is_removed() -> None:
    store = LostAnswer(Unreachable("no answer", code="store.unreachable"))
    found = await tried_on(store)
    assert list(found) == ["conditional_create"]
    assert found["conditional_create"].doubt == "failed"
    assert store.objects == {}


async def test_a_first_write_that_may_have_been_done_is_named_where_nobody_may_look_and_remove() -> None:
    class Blind(LostAnswer):
        async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
            if self.objects:
                raise DENIED
            return await super().page(prefix, cursor=cursor, after=after, limit=limit)

    store = Blind(EXISTS)
    store.errors["delete"] = DENIED
    with pytest.raises(ServiceError) as caught:
        await tried_on(store)
    assert caught.value.code == "store.scratch_left"
    assert KEY in caught.value.title


async def test_a_condition_that_is_said_not_to_hold_on_an_empty_key_is_the_stores_refusal() -> None:
    store = FakeStore()
    store.errors["put"] = EXISTS
    found = await tried_on(store)
    error = found["conditional_create"].error
    assert isinstance(error, ServiceError)
    assert "an empty key" in error.title
    assert [call for call in store.calls if call[0] == "delete"] == []


async def test_who_may_delete_and_not_read_is_not_said_to_hold_locks_for_ever() -> None:
    store = FakeStore()
    store.errors.update(head=DENIED, get=DENIED)
    found = await tried_on(store)
    assert found["delete"].standing == "good"
    assert store.objects == {}


async def test_a_delete_that_was_answered_with_success_is_judged_by_looking() -> None:
    class Keeps(FakeStore):
        async def delete(self, key: str, *, etag: str | None = None, version: str | None = None) -> None:
            self.calls.append(("delete", key))

    found: dict[AspectName, Aspect] = {}
    with pytest.raises(ServiceError, match=f"{KEY} is still there") as caught:
        await tried_on(Keeps(), found)
    assert (found["delete"].standing, found["delete"].fault) == ("bad", "without_effect")
    assert caught.value.code == "store.scratch_left"


async def test_after_a_delete_that_nobody_may_look_behind_it_is_not_known_what_is_left() -> None:
    class Blind(FakeStore):
        looks = 0

        async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
            self.looks += 1
            if self.looks > 1:
                raise DENIED
            return await super().page(prefix, cursor=cursor, after=after, limit=limit)

    found = await tried_on(Blind())
    assert (found["delete"].standing, found["delete"].doubt) == ("unknown", "forbidden")
    assert "answered with success" in found["delete"].said


async def test_credentials_that_expire_before_the_delete_are_no_delete_that_is_refused() -> None:
    store = FakeStore()
    store.errors["delete"] = AccessDenied("the credentials have expired", code="store.expired_token")
    found: dict[AspectName, Aspect] = {}
    with pytest.raises(ServiceError):
        await tried_on(store, found)
    assert found["delete"].standing == "unknown"


class NoConditions(FakeStore):
    """Takes no write on a condition, and says so."""

    async def put(self, key: str, content: bytes, *, if_absent: bool = False) -> ObjectInfo:
        if if_absent:
            raise ServiceError("no conditions", detail="501 NotImplemented", code="store.conditions_unsupported")
        return await super().put(key, content)


async def test_a_store_that_takes_no_condition_is_told_as_that_and_the_rest_is_tried() -> None:
    store = NoConditions()
    found = await tried_on(store)
    assert standings(found) == {**ALL_GOOD, "conditional_create": "bad"}
    assert found["conditional_create"].fault == "never_taken"
    assert "501 NotImplemented" in found["conditional_create"].evidence
    assert store.objects == {}


async def test_a_store_that_takes_no_write_at_all_says_nothing_of_conditions() -> None:
    store = NoConditions()
    store.errors["put"] = DENIED
    found = await tried_on(store)
    assert (found["conditional_create"].standing, found["conditional_create"].doubt) == ("unknown", "forbidden")
    assert list(found) == ["conditional_create"]


async def test_evidence_of_a_trial_is_one_line() -> None:
    store = FakeStore()
    store.errors["put"] = DENIED
    found = await tried_on(store)
    assert found["conditional_create"].evidence == "403 AccessDenied: msg; the object may not be there"


@pytest.mark.parametrize(
    ("failed", "standing", "doubt"),
    [
        (Refused("no such header", detail="400 InvalidRequest", code="store.checksums_refused"), "bad", ""),
        (ServiceError("slow down", detail="503 SlowDown", code="store.throttled"), "unknown", "failed"),
        (Unreachable("no answer"), "unknown", "failed"),
        (DENIED, "unknown", "forbidden"),
    ],
)
async def test_only_a_refusal_of_the_header_is_one(failed: ConsoleError, standing: str, doubt: str) -> None:
    class Trial(MadeTrial):
        async def _put_with_checksum(self) -> None:
            raise failed

    store = FakeStore()
    found = {aspect.name: aspect async for aspect in Trial(store, KEY).run()}
    assert (found["checksums"].standing, found["checksums"].doubt) == (standing, doubt)
    assert store.objects == {}


async def test_where_versions_may_not_be_listed_nobody_says_that_none_is_left() -> None:
    store = FakeStore()
    store.errors["versions"] = DENIED
    assert "could not be seen: 403 AccessDenied" in (await tried_on(store))["delete"].remark
    store.errors["versions"] = ServiceError("no such listing", code="store.versions_unsupported")
    assert (await tried_on(store))["delete"].remark == ""
