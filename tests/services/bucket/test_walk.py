"""A listing in ranges: few requests, every key exactly once whatever the keys are, and right where the order is another."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest

from kumoss_console.errors import AccessDenied, ServiceError, Unreachable
from kumoss_console.ports.objects import ListingPage
from kumoss_console.services.bucket.walk import Walk
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE
from tests.waiting import wait_until


def digests(count: int, start: int = 0) -> list[str]:
    return [f"{hashlib.sha256(str(n).encode()).hexdigest()}/terraform.tfstate" for n in range(start, start + count)]


def store_of(keys: Iterable[str], *, page_size: int = 1000) -> FakeStore:
    return FakeStore(dict.fromkeys(keys, b""), page_size=page_size)


async def listed(walk: Walk) -> list[str]:
    return [info.key async for page in walk.pages() for info in page]


def requests(store: FakeStore) -> int:
    return sum(method in {"page", "pages"} for method, _ in store.calls)


class TreeStore(FakeStore):
    """Keeps keys as paths: what lies below ``a`` comes before ``a-b``, as in stores over directories."""

    strict = False
    """Whether it compares ``after`` with the whole key, and so leaves out what its own order has behind it."""

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        self.calls.append(("page", prefix))
        await asyncio.sleep(0)
        behind = (cursor if cursor is not None else after).split("/")
        keys = sorted((key for key in self.objects if key.split("/") > behind), key=lambda key: key.split("/"))
        size = min(limit, self.page_size)
        return ListingPage(
            objects=tuple(self._info(key) for key in keys[:size]), cursor=keys[size - 1] if len(keys) > size else None
        )


class DeafStore(FakeStore):
    """Begins at the beginning, wherever it is asked to begin."""

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        return await super().page(prefix, cursor=cursor, limit=limit)


class CaselessStore(FakeStore):
    """Sorts without regard to letter case."""

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        self.calls.append(("page", prefix))
        behind = cursor if cursor is not None else after
        keys = sorted((key for key in self.objects if key.casefold() > behind.casefold()), key=str.casefold)
        size = min(limit, self.page_size)
        return ListingPage(
            objects=tuple(self._info(key) for key in keys[:size]), cursor=keys[size - 1] if len(keys) > size else None
        )


@pytest.mark.parametrize("count", [0, 1, 999, 1000])
async def test_a_bucket_that_fits_on_a_page_costs_one_request(count: int) -> None:
    store = store_of(digests(count))
    walk = Walk(store)
    assert sorted(await listed(walk)) == sorted(store.objects)
    assert requests(store) == 1
    assert walk.share == 1.0


async def test_twenty_thousand_states_cost_few_more_requests_than_pages_and_most_are_asked_at_once() -> None:
    store = store_of(digests(20_000))
    pages = Walk(store).pages()
    found = [info.key for info in await anext(pages)]
    store.hang.shut()
    rest = asyncio.create_task(anext(pages))
    await wait_until(lambda: store.hang.waiting >= 18)
    store.hang.open()
    found += [info.key for info in await rest]
    found += [info.key async for page in pages for info in page]
    assert Counter(found) == Counter(list(store.objects))
    assert requests(store) <= 30


async def test_a_bucket_of_another_layout_is_cut_behind_what_its_keys_have_in_common() -> None:
    store = store_of(f"team/states/{key}" for key in digests(5000))
    assert Counter(await listed(Walk(store))) == Counter(list(store.objects))
    assert requests(store) <= 12


def _mixtures() -> dict[str, list[str]]:
    chance = random.Random(7)
    some = digests(300)
    clump = f"{'7' * 64}/terraform.tfstate"
    return {
        "digests": some,
        "workspaces beside their base": some + [f"env:/{name}/{key}" for name in ("prod", "dev") for key in some[:100]],
        "azure workspaces": some + [f"{some[0]}env:{number}" for number in range(200)],
        "one digest with very many": [clump, *(f"{clump}env:w{number}" for number in range(400)), *some[:30]],
        "numbered names": [f"team-{number:04d}/net.tfstate" for number in range(500)],
        "letters only": ["".join(chance.choices("mnopqrstuvwxyz", k=12)) for _ in range(400)],
        "before, between and behind the digits": [
            *some,
            "!",
            "-",
            "9",
            "9z",
            ":",
            "A",
            "Z",
            "_",
            "`",
            "f",
            "fz",
            "g",
            "~",
            "é",
            "世界",
        ],
        "single digits and their bounds": [*"0123456789abcdefg", *(f"{digit}{'0' * 5}" for digit in "0123456789abcdef"), *some],
        "digits of other lengths": ["".join(chance.choices("0123456789abcdef", k=chance.randint(1, 9))) for _ in range(600)],
        "capitals": [key.upper() for key in some] + some[:50],
        "hostile": [f"{text}{number}" for number in range(8) for text in HOSTILE] + [f"{some[0]}{text}" for text in HOSTILE],
        "beyond the first plane": [f"{chr(0x1F600 + n)}/x" for n in range(80)]
        + [f"{chr(0xE000 + n)}/x" for n in range(80)]
        + some,
        "one key inside the other": ["a" * length for length in range(1, 300)],
        "random bytes": ["".join(chr(chance.randint(1, 0x2FF)) for _ in range(chance.randint(1, 6))) for _ in range(700)],
    }


@pytest.mark.parametrize("keys", _mixtures().values(), ids=_mixtures().keys())
@pytest.mark.parametrize("page_size", [1, 7, 50])
@pytest.mark.parametrize("at_once", [1, 32])
async def test_no_key_is_lost_and_none_comes_twice(keys: Sequence[str], page_size: int, at_once: int) -> None:
    store = store_of(keys, page_size=page_size)
    walk = Walk(store, at_once=at_once)
    assert Counter(await listed(walk)) == Counter(list(store.objects))
    assert not walk.one_by_one
    assert walk.share == pytest.approx(1.0)


@pytest.mark.parametrize("page_size", [7, 50])
async def test_a_key_equal_to_any_bound_comes_once(page_size: int) -> None:
    store = store_of(digests(400), page_size=page_size)
    asked: list[str] = []

    class Noting(FakeStore):
        async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
            asked.append(after)
            return await super().page(prefix, cursor=cursor, after=after, limit=limit)

    noting = Noting(dict(store.objects), page_size=page_size)
    await listed(Walk(noting))
    bounds = {bound for bound in asked if bound}
    assert bounds
    again = store_of([*store.objects, *bounds, *(f"{bound}\x00" for bound in bounds)], page_size=page_size)
    assert Counter(await listed(Walk(again))) == Counter(list(again.objects))


@pytest.mark.parametrize("kind", [TreeStore, DeafStore, CaselessStore])
async def test_a_store_that_keeps_another_order_is_listed_one_page_after_another_and_completely(kind: type[FakeStore]) -> None:
    some = digests(300)
    keys = [
        *some,
        *(f"{key.partition('/')[0]}-copy" for key in some),
        *(key.upper() for key in some[:40]),
        "d/x",
        "d-x",
        "README",
    ]
    store = kind(dict.fromkeys(keys, b""), page_size=20)
    walk = Walk(store)
    assert set(await listed(walk)) == set(keys)
    assert walk.one_by_one
    calls = len(store.calls)
    assert Counter(await listed(Walk(store, one_by_one=walk.one_by_one))) == Counter(keys)
    assert [call for call in store.calls[calls:] if call[0] == "page"] == []


async def test_a_store_over_directories_needs_no_more_than_ranges_where_its_order_shows_nowhere() -> None:
    store = TreeStore(dict.fromkeys([*digests(500), *(f"{key}.tflock" for key in digests(50))], b""), page_size=20)
    walk = Walk(store)
    assert Counter(await listed(walk)) == Counter(list(store.objects))
    assert not walk.one_by_one


async def test_a_store_that_starts_nowhere_else_is_listed_one_page_after_another() -> None:
    store = store_of(digests(300), page_size=20)
    store.seeks = False
    shares: list[float | None] = []
    walk = Walk(store)
    found: list[str] = []
    async for page in walk.pages():
        found += [info.key for info in page]
        shares.append(walk.share)
    assert Counter(found) == Counter(list(store.objects))
    assert [method for method, _ in store.calls] == ["pages"]
    assert shares == sorted(share for share in shares if share is not None)
    assert walk.share == 1.0


async def test_what_is_there_from_beginning_to_end_is_found_though_others_come_and_go() -> None:
    stays, goes = digests(400), digests(100, 10_000)
    chance = random.Random(3)

    class Changing(FakeStore):
        async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
            page = await super().page(prefix, cursor=cursor, after=after, limit=limit)
            for key in chance.sample(goes, 20):
                if self.objects.pop(key, None) is None:
                    self.objects[key] = b""
            return page

    store = Changing(dict.fromkeys([*stays, *goes], b""), page_size=10)
    found = Counter(await listed(Walk(store)))
    assert set(stays) <= set(found)
    assert set(found.values()) == {1}


async def test_the_share_that_is_done_only_grows() -> None:
    store = store_of([*digests(900), *(f"zz/{number}" for number in range(200))], page_size=20)
    walk = Walk(store, at_once=3)
    shares = [walk.share or 0.0]
    shares += [walk.share or 0.0 async for _ in walk.pages()]
    assert all(later >= former - 1e-9 for former, later in pairwise(shares))
    assert 0.02 < shares[len(shares) // 3] < 0.98


async def test_no_more_is_asked_for_at_once_than_allowed() -> None:
    store = store_of(digests(2000), page_size=50)
    most = 0

    class Counting(FakeStore):
        now = 0

        async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
            nonlocal most
            self.now += 1
            most = max(most, self.now)
            await asyncio.sleep(0)
            try:
                return await super().page(prefix, cursor=cursor, after=after, limit=limit)
            finally:
                self.now -= 1

    await listed(Walk(Counting(store.objects, page_size=50), at_once=5))
    assert most == 5


async def test_an_error_ends_everything_that_is_under_way() -> None:
    store = store_of(digests(500), page_size=20)
    store.errors["pages"] = Unreachable("gone")
    store.fail_after_pages = 3
    walk = Walk(store)
    with pytest.raises(Unreachable):
        await listed(walk)
    calls = len(store.calls)
    await asyncio.sleep(0)
    assert len(store.calls) == calls


async def test_leaving_a_listing_ends_everything_that_is_under_way() -> None:
    store = store_of(digests(500), page_size=20)
    pages = Walk(store).pages()
    await anext(pages)
    await anext(pages)
    store.hang.shut()
    await pages.aclose()
    assert store.hang.waiting == 0


class Slowing(FakeStore):
    """Asks for less as soon as more than ``bears`` are under way."""

    bears = 3
    now = 0

    async def page(self, prefix: str = "", *, cursor: str | None = None, after: str = "", limit: int = 1000) -> ListingPage:
        self.now += 1
        try:
            if self.now > self.bears:
                raise ServiceError("slow down", code="store.throttled")
            await asyncio.sleep(0)
            return await super().page(prefix, cursor=cursor, after=after, limit=limit)
        finally:
            self.now -= 1


async def test_a_store_that_asks_for_less_at_once_gets_less_and_the_listing_is_whole() -> None:
    store = Slowing(dict.fromkeys(digests(600), b""), page_size=20)
    assert Counter(await listed(Walk(store))) == Counter(list(store.objects))


async def test_a_store_that_takes_not_even_one_request_is_an_error() -> None:
    store = Slowing(dict.fromkeys(digests(600), b""), page_size=20)
    store.bears = 0
    with pytest.raises(ServiceError) as caught:
        await listed(Walk(store))
    assert caught.value.code == "store.throttled"


async def test_a_refusal_is_never_asked_again() -> None:
    store = store_of(digests(10))
    store.errors["page"] = AccessDenied("no", code="store.access_denied")
    with pytest.raises(AccessDenied):
        await listed(Walk(store))
    assert len(store.calls) == 1
