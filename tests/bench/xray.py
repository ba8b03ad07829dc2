"""An X-ray of a thousand states against reading each of them, on the same running store, side by side in one run.

The states are as Terraform writes them. Nine of ten have 2 to 250 KB (median 60 KB), one of twenty 1 to 5 MB; the figures say
what came out. Each way of reading is measured twice: as the store answers on this machine, and with time added to each
round trip, as a store in another data centre has it. An X-ray asks for many ranges at once, and each costs SeaweedFS a
millisecond of computing: so it is measured with a store on cores of its own, too (:mod:`tests.bench.far_store`).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.s3 import S3Store
from kumoss_console.local.objectstore import ObjectStoreEndpoint, object_store
from kumoss_console.model.context import Context
from kumoss_console.model.state import parse_state
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.ports.objects import ObjectInfo
from kumoss_console.services.states.xray import XrayService
from kumoss_console.text import Secret
from tests.bench.far_store import asked, far_store
from tests.bench.slow_wire import slow_wire

STATES = int(os.environ.get("KUMOSS_BENCH_STATES", "1000"))
ROUND_TRIP = 0.02
"""Seconds added to each round trip in the second half: a store some hundred kilometres away."""

RUNS = 3
BUCKET = "bench-xray"
_SEED = 5


def _sizes() -> list[int]:
    chance = random.Random(_SEED)
    sizes = [min(250_000, max(2_000, int(chance.lognormvariate(11.0, 0.9)))) for _ in range(STATES - STATES // 20)]
    return sizes + [int(chance.uniform(1e6, 5e6)) for _ in range(STATES // 20)]


def _state(number: int, size: int) -> bytes:
    chance = random.Random(number)
    one = {
        "mode": "managed",
        "type": "aws_subnet",
        "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
        "instances": [{"schema_version": 1, "attributes": {"id": "", "arn": "", "tags": {}, "cidr_block": "10.0.0.0/16"}}],
    }
    each = len(json.dumps(one, indent=2)) + 420
    resources = []
    for place in range(max(1, size // each)):
        digest = f"{chance.getrandbits(512):0128x}"
        attributes = {"id": f"subnet-{digest[:17]}", "arn": f"arn:aws:ec2:eu-1:1:subnet/{digest}", "tags": {"Name": digest}}
        resources.append(one | {"name": f"n{place}", "instances": [{"schema_version": 1, "attributes": attributes}]})
    document = {
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": number,
        "lineage": str(uuid4()),
        "outputs": {},
        "resources": resources,
        "check_results": None,
    }
    return json.dumps(document, indent=2).encode() + b"\n"


def _store(endpoint: ObjectStoreEndpoint, url: str) -> S3Store:
    settings = StorageSettings(
        provider=StorageProvider.RUSTFS, terraform_state_bucket=BUCKET, endpoint_url=url, region=endpoint.region
    )
    credentials = StorageCredentials(
        access_key=Secret(endpoint.access_key), secret_key=endpoint.secret_key, source="the local stack"
    )
    return S3Store(settings, credentials)


def _read_each(endpoint: ObjectStoreEndpoint, url: str, keys: Sequence[str]) -> int:
    """One GET after another with the SDK, each parsed as far as serial and lineage need: what a script does."""
    client = ObjectStoreEndpoint(
        url=url, access_key=endpoint.access_key, secret_key=endpoint.secret_key, region=endpoint.region
    ).client()
    found = 0
    for key in keys:
        document = json.loads(client.get_object(Bucket=BUCKET, Key=key)["Body"].read())
        found += document["serial"] is not None and document["lineage"] is not None
    client.close()
    return found


async def _read_together(store: S3Store, keys: Sequence[str]) -> int:
    gate = asyncio.Semaphore(16)

    async def read(key: str) -> bool:
        async with gate:
            raw = await store.get(key)
            return (await run_blocking(lambda: parse_state(raw, name=key))).lineage is not None

    return sum(await asyncio.gather(*map(read, keys)))


async def _xray(store: S3Store, infos: Sequence[ObjectInfo], *, ends: bool = False) -> int:
    service = XrayService(Context(name="bench"), store, off_loop=run_blocking)
    return sum([head.lineage is not None async for head in service.heads(infos, ends=ends)])


async def _timed(what: Callable[[], Awaitable[int]]) -> float:
    began = time.perf_counter()
    found = await what()
    took = time.perf_counter() - began
    assert found == STATES, f"{found} of {STATES} states were told"
    return took


async def _measured(endpoint: ObjectStoreEndpoint, url: str, where: str, *, runs: int) -> tuple[float, list[tuple[str, str]]]:
    """Each way ``runs`` times in turn, the best of each: others use this machine as well. With the sequence's seconds."""
    store = _store(endpoint, url)
    infos = [info async for page in store.pages() for info in page]
    keys = [info.key for info in infos]
    await store.get_range(keys[0], 0, 10)  # the client is made, and connected, before any way is measured
    ways: dict[str, Callable[[], Awaitable[int]]] = {
        "each": lambda: run_blocking(_read_each, endpoint, url, keys),
        "together": lambda: _read_together(store, keys),
        "xray": lambda: _xray(store, infos),
        "ends": lambda: _xray(store, infos, ends=True),
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            took[name].append(await _timed(way))
    await store.aclose()
    best = {name: min(times) for name, times in took.items()}
    each, together = best["each"], best["together"]
    return each, [
        (f"{STATES} states, one GET each in sequence, {where}", f"{each:.2f} s"),
        (f"{STATES} states, 16 whole GETs at once, {where}", f"{together:.2f} s"),
        *(
            (
                f"{STATES} states, {what}, {where}",
                f"{best[way]:.2f} s: {each / best[way]:.1f}x sequence, {together / best[way]:.1f}x at once",
            )
            for what, way in (("X-ray", "xray"), ("X-ray with their ends", "ends"))
        ),
    ]


async def _on_its_own_cores(endpoint: ObjectStoreEndpoint, port: int, each: float) -> list[tuple[str, str]]:
    """The X-ray of a store that computes elsewhere, beside the sequence at the store itself."""
    store = _store(endpoint, f"http://127.0.0.1:{port}")
    infos = [info async for page in store.pages() for info in page]
    rows = []
    for what, ends in (("X-ray", False), ("X-ray with their ends", True)):
        await _xray(store, infos, ends=ends)
        heard = await run_blocking(asked, port)
        best = min([await _timed(partial(_xray, store, infos, ends=ends)) for _ in range(RUNS)])
        assert await run_blocking(asked, port) == heard, "the store itself was measured"
        rows.append((f"{STATES} states, {what}, store on its own cores", f"{best:.2f} s: {each / best:.1f}x sequence"))
    await store.aclose()
    return rows


async def main() -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        async with object_store(Path(folder)) as endpoint:
            sizes = await run_blocking(_fill, endpoint)
            rows = [("sizes", _distribution(sizes))]
            each, measured = await _measured(endpoint, endpoint.url, "this machine", runs=RUNS)
            rows += measured
            port = urlsplit(endpoint.url).port
            assert port is not None
            async with far_store(port, 0.0) as own:
                rows += await _on_its_own_cores(endpoint, own, each)
            async with slow_wire(port, ROUND_TRIP) as far:
                rows += (await _measured(endpoint, f"http://127.0.0.1:{far}", f"{ROUND_TRIP * 1000:.0f} ms away", runs=1))[1]
    return rows


def _fill(endpoint: ObjectStoreEndpoint) -> list[int]:
    client = endpoint.client()
    client.create_bucket(Bucket=BUCKET)
    sizes = []
    for number, size in enumerate(_sizes()):
        body = _state(number, size)
        sizes.append(len(body))
        client.put_object(Bucket=BUCKET, Key=f"{number:064x}/terraform.tfstate", Body=body)
    client.close()
    return sizes


def _distribution(sizes: Sequence[int]) -> str:
    cuts = statistics.quantiles(sizes, n=20)
    large = sum(size > 1_000_000 for size in sizes)
    return (
        f"median {statistics.median(sizes) / 1000:.0f} KB, 90 % below {cuts[17] / 1000:.0f} KB, {large} beyond 1 MB, "
        f"largest {max(sizes) / 1e6:.1f} MB, {sum(sizes) / 1e6:.0f} MB in all"
    )
