"""At the account's own name: states and locks that a real engine wrote through its azurerm backend, identities of Entra ID."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.clients.azure import AzureStore
from kumoss_console.clients.azure_identity import EntraIdentity
from kumoss_console.clients.azure_leases import AzureLeases
from kumoss_console.errors import AccessDenied, InputError, Refused
from kumoss_console.local.sidecar import engine_environ
from kumoss_console.model.state import parse_state
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.ports.locks import LockSighting
from kumoss_console.sidecar.engine import Engine
from tests.azure_host import AccountHost, Tunnel, account_host, tunnel
from tests.azurite import ACCOUNT

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("azurite")]

CONTAINER = "state"
KEY = "net/terraform.tfstate"
_MODULE = """
terraform {{
  backend "azurerm" {{
    storage_account_name = "{account}"
    container_name       = "{container}"
    key                  = "{key}"
    access_key           = "{secret}"
  }}
}}
variable "round" {{
  default = "0"
}}
resource "terraform_data" "it" {{
  triggers_replace = var.round
  provisioner "local-exec" {{
    command = "cat gate"
  }}
}}
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccountHost]:
    with account_host(tmp_path_factory.mktemp("account")) as found:
        yield found


@pytest.fixture
async def way(host: AccountHost, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tunnel]:
    """The way to the account, in the environment of this test."""
    async with tunnel(host) as found:
        for name, value in found.variables.items():
            monkeypatch.setenv(name, value)
        yield found


def settings(host: AccountHost) -> StorageSettings:
    return StorageSettings(
        provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url=host.url, terraform_state_bucket=CONTAINER, max_attempts=1
    )


@pytest.fixture
async def store(host: AccountHost, way: Tunnel) -> AsyncIterator[AzureStore]:
    """The store, and a container for it that is made anew."""
    store = AzureStore(settings(host), StorageCredentials(account_key=host.azurite.key, source="env STORAGE_ACCOUNT_KEY"))

    def make(container: Any, _: object) -> None:
        if not container.exists():
            container.create_container()

    await store.ask(None, make)
    yield store
    await store.aclose()


@dataclass
class Workspace:
    """A workspace whose state is in the container; an apply waits at its gate, a named pipe."""

    engine: Engine
    folder: Path
    way: Tunnel
    running: list[asyncio.subprocess.Process] = field(default_factory=list)

    async def start(self, *argv: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            *self.engine.argv0,
            *argv,
            cwd=self.folder,
            env=engine_environ(os.environ, self.folder) | dict(self.way.variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self.running.append(process)
        return process

    async def run(self, *argv: str) -> str:
        process = await self.start(*argv)
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        return said.decode()

    async def apply(self, number: int) -> asyncio.subprocess.Process:
        return await self.start("apply", "-no-color", "-input=false", "-auto-approve", f"-var=round={number}")

    async def let_go(self, process: asyncio.subprocess.Process) -> str:
        await asyncio.to_thread((self.folder / "gate").write_text, "go\n")
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        return said.decode()


@asynccontextmanager
async def workspace(engine: Engine, folder: Path, host: AccountHost, way: Tunnel) -> AsyncIterator[Workspace]:
    """Initialised; what it still runs at the end is killed."""
    text = _MODULE.format(account=ACCOUNT, container=CONTAINER, key=KEY, secret=host.azurite.key.reveal())
    (folder / "main.tf").write_text(text, encoding="utf-8")
    os.mkfifo(folder / "gate")
    made = Workspace(engine, folder, way)
    try:
        await made.run("init", "-no-color", "-input=false")
        yield made
    finally:
        for process in made.running:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                await process.communicate()


async def lock_of(leases: AzureLeases, process: asyncio.subprocess.Process, *, not_this: str = "") -> LockSighting:
    """The lock that the run takes, as soon as it is there and written."""
    while process.returncode is None:
        seen = await leases.look(KEY)
        if seen is not None and seen.document.lock is not None and seen.document.lock.id != not_this:
            return seen
    raise AssertionError("the run ended without a lock")


def id_of(seen: LockSighting) -> str:
    assert seen.document.lock is not None
    return seen.document.lock.id


async def test_the_state_and_the_lock_of_an_engine_are_read_and_the_lock_of_a_living_run_outlives_a_stale_view(
    engine: Engine, host: AccountHost, way: Tunnel, store: AzureStore, tmp_path: Path
) -> None:
    leases = AzureLeases(store)
    async with workspace(engine, tmp_path, host, way) as net:
        first = await net.apply(1)
        old = await lock_of(leases, first)
        assert old.document.lock is not None
        assert (old.document.lock.operation, old.document.lock.path) == ("OperationTypeApply", f"{CONTAINER}/{KEY}")
        assert old.document.lease == "infinite"
        assert await leases.held() == (old,)
        await net.let_go(first)
        assert await leases.look(KEY) is None
        state = parse_state(await store.get(KEY), name=KEY)
        assert (state.readable, [str(resource.address) for resource in state.resources]) == (True, ["terraform_data.it"])

        second = await net.apply(2)
        living = await lock_of(leases, second, not_this=id_of(old))
        with pytest.raises(Refused) as caught:
            await leases.remove(old)
        assert caught.value.code == "lock.changed"
        assert id_of(await lock_of(leases, second)) == id_of(living)
        said = await net.let_go(second)
        assert "Error releasing" not in said

        third = await net.apply(3)
        left = await lock_of(leases, third, not_this=id_of(living))
        os.killpg(third.pid, signal.SIGKILL)
        await third.communicate()
        assert await leases.look(KEY) is not None, "nothing gives the lock of a killed run back"
        assert await leases.remove(left) is None
        # The engine finds the blob as its own force-unlock leaves it.
        await net.run("plan", "-no-color", "-input=false", "-var=round=2")

        await net.run("workspace", "new", "-no-color", "prod")
        listed = [info.key async for page in store.pages() for info in page]
        assert listed == [KEY, f"{KEY}env:prod"]
    assert all("blob.core.windows.net:443" in line for line in way.asked if "CONNECT" in line)


def token(*, expires: timedelta = timedelta(hours=1), **claims: str) -> str:
    """A token of the form that Entra ID gives; the emulator looks at all but the signature."""
    now = datetime.now(UTC)
    told = {
        "aud": "https://storage.azure.com",
        "iss": "https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/",
        "iat": int((now - timedelta(hours=2)).timestamp()),
        "nbf": int((now - timedelta(hours=2)).timestamp()),
        "exp": int((now + expires).timestamp()),
        **claims,
    }
    parts = [{"alg": "RS256", "typ": "JWT"}, told]
    return ".".join([*(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts), "c2ln"])


class GivenToken:
    """A credential as the SDK's, which has one token or none."""

    def __init__(self, text: str | None, why: str | Exception = "") -> None:
        self._text = text
        self._why = why

    def get_token(self, *_: str, **__: object) -> Any:
        from azure.core.credentials import AccessToken
        from azure.core.exceptions import ClientAuthenticationError

        if self._text is None:
            raise self._why if isinstance(self._why, Exception) else ClientAuthenticationError(self._why)
        return AccessToken(self._text, int((datetime.now(UTC) + timedelta(hours=1)).timestamp()))


def entra(host: AccountHost, *credentials: GivenToken) -> AzureStore:
    identity = EntraIdentity(lambda: credentials)
    return AzureStore(settings(host), StorageCredentials(entra=True, source="Entra ID"), identity=identity)


async def test_the_first_identity_that_has_a_token_is_used_and_told(host: AccountHost, store: AzureStore) -> None:
    await store.put("a", b"x")
    mine = entra(host, GivenToken(None, "EnvironmentCredential: not set"), GivenToken(token(upn="jo\x1b@acme.example")))
    assert mine.identity == "Entra ID, not asked yet"
    assert await mine.get("a") == b"x"
    assert mine.identity == "Entra ID: jo␛@acme.example by GivenToken"
    await mine.aclose()


async def test_an_identity_without_a_token_and_a_token_that_has_ended_are_told_apart(
    host: AccountHost, store: AzureStore
) -> None:
    from azure.identity import CredentialUnavailableError

    unset = CredentialUnavailableError("set these variables: and a page more")
    nobody = entra(host, GivenToken(None, "client_secret=hunter2 is wrong\nand a page more"), GivenToken(None, unset))
    with pytest.raises(AccessDenied) as caught:
        await nobody.check()
    await nobody.aclose()
    assert caught.value.code == "store.no_credentials"
    assert "was not asked" in caught.value.title
    assert "az login" in caught.value.hint
    assert nobody.identity == "Entra ID: no token (GivenToken)"
    assert "not set up here: GivenToken" in caught.value.detail
    assert "hunter2" not in str(caught.value)
    assert "a page more" not in str(caught.value)
    over = entra(host, GivenToken(token(expires=-timedelta(hours=1))))
    with pytest.raises(AccessDenied) as caught:
        await over.check()
    await over.aclose()
    assert caught.value.code == "store.expired_token"
    assert "eyJ" not in str(caught.value)


async def test_a_token_is_never_sent_in_clear(host: AccountHost) -> None:
    plain = AzureStore(
        StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url=f"http://127.0.0.1:1/{ACCOUNT}"),
        StorageCredentials(entra=True, source="Entra ID"),
        identity=EntraIdentity(lambda: [GivenToken(token())]),
    )
    with pytest.raises(InputError) as caught:
        await plain.check()
    assert "https" in caught.value.hint
