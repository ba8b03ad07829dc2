"""A real object store for one user on one machine: SeaweedFS with its S3 gateway, on loopback, in a folder of its own."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import sysconfig
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import ConfigError, Unreachable
from kumoss_console.local.guarded import Guarded, guarded
from kumoss_console.local.ports import HOST, StorePorts
from kumoss_console.text import Secret, printable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

REGION = "us-east-1"
READY_SECONDS = 30.0
"""Two to three seconds are usual; a busy machine gets ten times that."""
ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStoreEndpoint:
    """Where the store answers and with which keys. ``process`` is what runs there, where that was started by us."""

    url: str
    access_key: str
    secret_key: Secret
    region: str = REGION
    process: Guarded | None = field(default=None, repr=False, compare=False)

    def client(self) -> S3Client:
        """A boto3 client for setting up and looking on; blocking, short timeouts, no retries."""
        from boto3.session import Session
        from botocore.config import Config
        from botocore.session import Session as CoreSession

        # The operator's own profile has no say here: AWS_PROFILE may name one that is not on this machine.
        nothing = (None, None, None, None)
        core = CoreSession({"profile": nothing, "config_file": nothing, "credentials_file": nothing, "ca_bundle": nothing})
        return Session(botocore_session=core).client(
            "s3",
            endpoint_url=self.url,
            region_name=self.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key.reveal(),
            config=Config(
                connect_timeout=2, read_timeout=15, retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}, proxies={}
            ),
        )


def find_weed(environ: Mapping[str, str]) -> str | None:
    """The ``weed`` program: the wheel's beside this interpreter, else one on PATH."""
    beside = shutil.which("weed", path=sysconfig.get_path("scripts"))
    return beside or shutil.which("weed", path=environ.get("PATH", os.defpath))


def require_weed(environ: Mapping[str, str]) -> str:
    """:func:`find_weed`, or a :class:`ConfigError` that says what to install."""
    weed = find_weed(environ)
    if weed is None:
        raise ConfigError(
            "SeaweedFS, the object store of the local stack, is not installed.",
            hint="Install it: pip install 'kumoss-console[local]' (or put SeaweedFS's weed on PATH)",
            code="local.store_missing",
        )
    return weed


@asynccontextmanager
async def object_store(folder: Path, environ: Mapping[str, str] | None = None) -> AsyncIterator[ObjectStoreEndpoint]:
    """SeaweedFS until the block ends. ``folder`` holds its data, its keys and its log, and may hold those of an earlier run.

    Raises :class:`ConfigError` where there is no ``weed``, :class:`Unreachable` where it does not come up.
    """
    weed = require_weed(os.environ if environ is None else environ)
    access_key, secret_key = _prepare(folder)
    ports = StorePorts.remembered(folder)
    with ExitStack() as running:
        for _ in range(ATTEMPTS):
            ports = ports or StorePorts.free()
            endpoint = ObjectStoreEndpoint(url=f"http://{HOST}:{ports.s3}", access_key=access_key, secret_key=secret_key)
            attempt = running.enter_context(ExitStack())
            process = attempt.enter_context(_weed(weed, folder, ports))
            if await _ready(endpoint, process, ports):
                ports.remember(folder)
                break
            attempt.close()
            ports = None
        else:
            raise Unreachable(
                "The object store found no free ports.",
                detail=f"{ATTEMPTS} sets of ports were taken by others before it could use them.",
                hint="Try again; if it stays, look at what opens ports on this machine: ss -lnt",
                code="local.store_ports",
            )
        yield replace(endpoint, process=process)


def _weed(weed: str, folder: Path, ports: StorePorts) -> AbstractContextManager[Guarded]:
    argv = [
        weed,
        "-logtostderr=true",
        "server",
        "-dir=data",
        f"-ip={HOST}",
        f"-ip.bind={HOST}",
        # A lone master: no election, which costs one second here and a missed heartbeat, five more, at the first write.
        "-master.peers=none",
        "-master.telemetry=false",
        f"-master.port={ports.master}",
        f"-master.port.grpc={ports.master_grpc}",
        "-master.volumeSizeLimitMB=64",
        "-volume.max=64",
        "-volume.minFreeSpace=64MiB",
        f"-volume.port={ports.volume}",
        f"-volume.port.grpc={ports.volume_grpc}",
        "-filer",
        f"-filer.port={ports.filer}",
        f"-filer.port.grpc={ports.filer_grpc}",
        # Relative to the folder, where it runs: by default in /tmp, and a path of ours may be too long for a socket.
        "-filer.localSocket=filer.sock",
        "-s3",
        f"-s3.port={ports.s3}",
        f"-s3.port.grpc={ports.s3_grpc}",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        "-s3.config=s3.json",
        "-s3.iam=false",
        "-s3.localSocket=s3.sock",
    ]
    return guarded(
        argv,
        cwd=folder,
        # Nothing of the operator's: HOME may hold a configuration of SeaweedFS, AWS_* keys that would become identities.
        environ={"PATH": os.defpath, "HOME": str(folder)},
        stdout=folder / "weed.out",
        stderr=folder / "weed.log",
        leftovers=(*ports.sockets(), str(folder / "filer.sock"), str(folder / "s3.sock")),
    )


async def _ready(endpoint: ObjectStoreEndpoint, process: Guarded, ports: StorePorts) -> bool:
    """Whether the store answers; ``False`` where one of its ports was taken before it could listen."""
    client = await run_blocking(endpoint.client)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + READY_SECONDS
    try:
        while not await run_blocking(_answers, client):
            said = process.said()
            if process.exit_code() is not None and "address already in use" in said:
                return False
            if process.exit_code() is not None or loop.time() > deadline:
                raise Unreachable(
                    "The object store of the local stack did not come up.",
                    detail=said or "It said nothing.",
                    hint=f"Read its log while the stack starts, or run it again with --keep: {printable(str(process.stderr))}",
                    code="local.store_failed",
                )
            await asyncio.sleep(0.05)
    finally:
        client.close()
    return True


def _answers(client: S3Client) -> bool:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        client.list_buckets()
    except (BotoCoreError, ClientError):
        return False
    return True


def _prepare(folder: Path) -> tuple[str, Secret]:
    """The store's own pair of keys, made at the first run and kept in the file that SeaweedFS reads, mode 0600."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    file = folder / "s3.json"
    with suppress(FileNotFoundError):
        known = json.loads(file.read_text())["identities"][0]["credentials"][0]
        return known["accessKey"], Secret(known["secretKey"])
    access_key, secret_key = secrets.token_hex(10), secrets.token_urlsafe(30)
    identity = {
        "name": "console",
        "credentials": [{"accessKey": access_key, "secretKey": secret_key}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        json.dump({"identities": [identity]}, out)
    return access_key, Secret(secret_key)
