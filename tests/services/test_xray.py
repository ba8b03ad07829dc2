"""Heads of many objects: what is asked of the store for them, and what they say."""

from __future__ import annotations

import json

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.headcache import HeadFiles
from kumoss_console.errors import AccessDenied, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.state.head import Head
from kumoss_console.ports import ObjectInfo
from kumoss_console.services.xray import XrayService
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
