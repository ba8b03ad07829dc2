"""Heads of many objects: what is asked of the store for them, and what they say."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.headcache import HeadFiles
from kumoss_console.errors import AccessDenied, ConfigError, NotFound, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.state.head import Head
from kumoss_console.model.storage import StorageSettings
from kumoss_console.ports.objects import ObjectContent, ObjectInfo
from kumoss_console.services.states.xray import XrayService
from tests.fakes.store import FakeStore


def state(serial: int, lineage: str = "7d1e", *, resources: int = 0, **more: object) -> bytes:
    """A state as Terraform writes it."""
    one = {
        "mode": "managed",
        "type": "null_resource",
        "name": "n",
        "provider": "p",
        "instances": [{"attributes": {"id": "x" * 90}}],
    }
    document = {"version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": lineage, "outputs": {}}
    document |= {"resources": [one | {"name": f"n{number}"} for number in range(resources)], **more}
    return json.dumps(document, indent=2).encode() + b"\n"


def encrypted(serial: int) -> bytes:
    """A state as OpenTofu encrypts it."""
    meta = {"key_provider.pbkdf2.main": "e" * 200}
    return json.dumps(
        {"serial": serial, "lineage": "3f0c", "meta": meta, "encrypted_data": "C" * 9000, "encryption_version": "v0"}
    ).encode()


async def listed(store: FakeStore) -> list[ObjectInfo]:
    return [info async for page in store.pages() for info in page]


def xray(store: FakeStore, cache: HeadFiles | None = None) -> XrayService:
    return XrayService(Context(name="prod"), store, off_loop=run_blocking, cache=cache)


async def looked(service: XrayService, store: FakeStore, *, ends: bool = False, whole: bool = False) -> dict[str, Head]:
    return {head.key: head async for head in service.heads(await listed(store), ends=ends, whole=whole)}


def asked(store: FakeStore) -> list[tuple[str, str]]:
    return [call for call in store.calls if call[0] != "pages"]


async def test_one_ranged_read_tells_serial_lineage_and_version_of_a_large_state() -> None:
    store = FakeStore({"big": state(41, resources=500), "tofu": encrypted(19)})
    heads = await looked(xray(store), store)
    big, tofu = heads["big"], heads["tofu"]
    assert (big.status, big.serial, big.lineage, big.engine_version, big.format_version) == ("state", 41, "7d1e", "1.11.4", 4)
    assert not big.certain
    assert (tofu.status, tofu.serial, tofu.lineage, tofu.engine_version, tofu.encrypted) == ("encrypted", 19, "3f0c", None, True)
    assert sorted(asked(store)) == [("fetch_range", "big"), ("fetch_range", "tofu")]


async def test_other_key_orders_are_read_whole() -> None:
    body = json.dumps(json.loads(state(7, resources=500)), sort_keys=True).encode()
    store = FakeStore({"sorted": body})
    head = (await looked(xray(store), store))["sorted"]
    assert (head.status, head.serial, head.certain, head.managed) == ("state", 7, True, 500)
    assert asked(store) == [("fetch_range", "sorted"), ("fetch", "sorted")]


async def test_an_object_whose_etag_is_known_is_not_asked_for_again() -> None:
    store = FakeStore({"a": state(1, resources=20), "b": state(2, resources=20)})
    service = xray(store)
    await looked(service, store)
    store.calls.clear()
    store.objects["b"] = state(3, resources=20)
    heads = await looked(service, store)
    assert (heads["a"].serial, heads["b"].serial) == (1, 3)
    assert asked(store) == [("fetch_range", "b")]


async def test_what_one_object_refuses_is_said_of_it_alone() -> None:
    store = FakeStore({"a": state(1, resources=20), "b": state(2, resources=20)})
    store.errors["b"] = AccessDenied("the store refuses to give b")
    heads = await looked(xray(store), store)
    assert heads["a"].serial == 1
    assert (heads["b"].status, heads["b"].error, heads["b"].serial) == ("unknown", store.errors["b"], None)


async def test_a_store_that_died_is_not_asked_for_each_of_the_rest() -> None:
    store = FakeStore({f"k{number:03}": state(1, resources=20) for number in range(500)})
    store.errors["fetch_range"] = Unreachable("nobody answers")
    heads = await looked(xray(store), store)
    assert len(heads) == 500
    assert all(isinstance(head.error, Unreachable) for head in heads.values())
    assert len(asked(store)) < 100


async def test_a_document_cut_short_is_known_by_its_end() -> None:
    whole = state(3, resources=50)
    store = FakeStore({"sound": whole, "cut": whole[:-300], "tofu": encrypted(5)})
    heads = await looked(xray(store), store)
    assert {head.status for head in heads.values()} == {"state", "encrypted"}
    heads = await looked(xray(store), store, ends=True)
    assert {key: (head.status, head.ended) for key, head in heads.items()} == {
        "sound": ("state", True),
        "cut": ("damaged", True),
        "tofu": ("encrypted", True),
    }
    assert heads["cut"].serial == 3
    assert ("fetch", "sound") not in store.calls


async def test_ends_that_are_known_are_not_looked_at_again() -> None:
    store = FakeStore({"a": state(1, resources=20)})
    service = xray(store)
    await looked(service, store, ends=True)
    store.calls.clear()
    await looked(service, store, ends=True)
    await looked(service, store)
    assert asked(store) == []
    await looked(service, store, whole=True)
    assert asked(store) == [("fetch", "a")]


async def test_an_object_that_is_replaced_between_listing_and_read_is_told_as_it_is_now() -> None:
    store = FakeStore({"a": state(1, resources=20)})
    infos = await listed(store)
    store.objects["a"] = state(2, "other", resources=20)
    service = xray(store)
    (head,) = [head async for head in service.heads(infos)]
    assert (head.serial, head.lineage, head.changed) == (2, "other", True)
    # Nothing is kept under the ETag of what was listed: that object was never read.
    assert service.at_hand(infos[0]) is None
    (again,) = [head async for head in service.heads(await listed(store))]
    assert (again.serial, again.changed) == (2, False)


class Replaced(FakeStore):
    """Another object after every read."""

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        found = await super().fetch_range(key, start, length, version=version)
        self.objects[key] = state(len(self.calls), resources=20 + len(self.calls))
        return found


async def test_an_object_that_never_stands_still_is_an_error_not_a_mixture() -> None:
    store = Replaced({"a": state(1, resources=20)})
    head = (await looked(xray(store), store, ends=True))["a"]
    assert (head.status, head.error and head.error.code) == ("unknown", "store.changing")


async def test_an_object_that_is_gone_meanwhile_is_missing_and_the_rest_is_read() -> None:
    store = FakeStore({f"k{number}": state(number, resources=20) for number in range(40)})
    infos = await listed(store)
    del store.objects["k7"]
    heads = {head.key: head async for head in xray(store).heads(infos)}
    assert len(heads) == 40
    assert isinstance(heads["k7"].error, NotFound)
    assert {head.serial for key, head in heads.items() if key != "k7"} == set(range(40)) - {7}


class Broken(FakeStore):
    """A store whose answer about one object trips over a bug of ours."""

    async def fetch_range(self, key: str, start: int, length: int, *, version: str | None = None) -> ObjectContent:
        if key == "k3":
            raise ValueError("password=hunter2")
        return await super().fetch_range(key, start, length, version=version)


async def test_a_bug_that_one_object_brings_up_is_that_objects_and_the_rest_is_read() -> None:
    store = Broken({f"k{number}": state(number, resources=20) for number in range(6)})
    heads = await looked(xray(store), store, ends=True)
    error = heads["k3"].error
    assert error is not None
    assert (heads["k3"].status, error.code, error.exit_code) == ("unknown", "internal.bug", 1)
    assert "k3" in error.title
    assert "ValueError in test_xray.py, line" in error.title
    assert "hunter2" not in str(error)
    assert {head.serial for key, head in heads.items() if key != "k3"} == {0, 1, 2, 4, 5}
    info = next(info for info in await listed(store) if info.key == "k3")
    assert xray(store).at_hand(info) is None, "what was not read is not remembered"


@pytest.mark.parametrize("number", ["1e400", "9" * 5000], ids=["beyond a float", "5,000 digits"])
async def test_a_number_that_no_float_holds_hides_no_other_object(number: str) -> None:
    odd = state(5, outputs={"n": {"value": "NUMBER", "type": "number"}}).replace(b'"NUMBER"', number.encode())
    store = FakeStore({"odd": odd, "one": state(1, resources=20)})
    heads = await looked(xray(store), store, whole=True)
    assert {key: (head.status, head.serial, head.error) for key, head in heads.items()} == {
        "odd": ("state", 5, None),
        "one": ("state", 1, None),
    }


async def test_an_empty_object_costs_no_request_and_a_tiny_one_one() -> None:
    store = FakeStore({"none": b"", "tiny": state(1), "lock.tflock": b'{"ID":"1"}'})
    heads = await looked(xray(store), store)
    assert {key: (head.status, head.certain) for key, head in heads.items()} == {
        "none": ("empty", True),
        "tiny": ("state", True),
        "lock.tflock": ("lock", True),
    }
    assert heads["tiny"].managed == 0
    assert sorted(asked(store)) == [("fetch_range", "lock.tflock"), ("fetch_range", "tiny")]


async def test_what_is_read_outlives_the_process_and_only_what_changed_is_asked_for(tmp_path: Path) -> None:
    store = FakeStore({"a": state(1, resources=20), "b": encrypted(2)})
    first = await looked(xray(store, HeadFiles(tmp_path)), store, ends=True)
    store.calls.clear()
    store.objects["c"] = state(3, resources=20)
    second = await looked(xray(store, HeadFiles(tmp_path)), store)
    assert {key: second[key] for key in "ab"} == first
    assert asked(store) == [("fetch_range", "c")]


async def test_a_store_that_sends_no_etags_is_asked_every_time() -> None:
    store = FakeStore({"a": state(1, resources=20)})
    infos = [replace(info, etag=None) for info in await listed(store)]
    service = xray(store)
    for _ in range(2):
        assert [head.serial async for head in service.heads(infos)] == [1]
    assert len(asked(store)) == 2


async def test_leaving_half_way_stops_asking() -> None:
    store = FakeStore({f"k{number:03}": state(1, resources=20) for number in range(300)})
    heads = xray(store).heads(await listed(store))
    await anext(heads)
    await heads.aclose()
    before = len(store.calls)
    await asyncio.sleep(0)
    assert len(store.calls) - before <= 16
    assert before < 200


async def test_without_a_store_there_is_a_next_step() -> None:
    with pytest.raises(ConfigError):
        await anext(XrayService(Context(name="prod", storage=StorageSettings(terraform_state_bucket="")), None).heads([]))
