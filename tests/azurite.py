"""A real part for tests: Azurite, the emulator of Azure Blob Storage, which ``make setup`` installs with npm.

Without node, or where npm could not install it, its tests are skipped in one line. One emulator serves a session; each test has
a container of its own. Everything it keeps is in its memory, and it ends with its process group.
"""

from __future__ import annotations

import base64
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret

if TYPE_CHECKING:
    from azure.storage.blob import BlobClient, ContainerClient

ACCOUNT = "acmekumoss"
_PROGRAM = Path(sys.prefix) / "azurite" / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
_LISTENS = "successfully listens on "
_PARTS = {"azurite", "container"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests on the emulator share one, which one worker runs."""
    for item in items:
        if _PARTS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.stack)
            item.add_marker(pytest.mark.xdist_group("azurite"))


@dataclass(frozen=True)
class Azurite:
    """A running emulator and its one account."""

    url: str
    key: Secret


@dataclass(frozen=True)
class RealContainer:
    """A container of its own, the settings that lead to it, and the SDK's client for what a test does behind our back."""

    azurite: Azurite
    name: str
    client: ContainerClient
    settings: StorageSettings
    credentials: StorageCredentials

    def blob(self, key: str) -> BlobClient:
        return self.client.get_blob_client(key)

    def write(self, key: str, content: bytes) -> None:
        self.blob(key).upload_blob(content, overwrite=True)

    def sas(self, **how: object) -> str:
        """A signature for this container, by the account's key."""
        from azure.storage.blob import generate_container_sas

        made: str = generate_container_sas(ACCOUNT, self.name, account_key=self.azurite.key.reveal(), **how)  # type: ignore[arg-type]  # the SDK's own keywords
        return made


@contextmanager
def running_azurite(folder: Path, *options: str) -> Iterator[Azurite]:
    """The emulator on a free port of loopback. Skips the test where it cannot run."""
    node = shutil.which("node")
    if node is None or not _PROGRAM.is_file():
        pytest.skip("no Azurite: node and npm, then make setup")
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    environ = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "AZURITE_ACCOUNTS": f"{ACCOUNT}:{key}"}
    argv = [node, str(_PROGRAM), "--blobPort", "0", "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]
    process = subprocess.Popen(
        [*argv, "--silent", *options],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield Azurite(url=f"{_where(process)}/{ACCOUNT}", key=Secret(key))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _where(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if _LISTENS in line:
            return line.rpartition(_LISTENS)[2].strip()
    pytest.skip(f"Azurite does not run on this node: {''.join(said).strip()[-200:]!r}")


@pytest.fixture(scope="session")
def azurite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Azurite]:
    """A running emulator."""
    with running_azurite(tmp_path_factory.mktemp("azurite")) as running:
        yield running


@pytest.fixture
def container(azurite: Azurite) -> Iterator[RealContainer]:
    """A fresh, empty container."""
    with real_container(azurite) as found:
        yield found


@contextmanager
def real_container(azurite: Azurite) -> Iterator[RealContainer]:
    """A fresh, empty container, gone when the block ends."""
    from azure.core.credentials import AzureNamedKeyCredential
    from azure.storage.blob import ContainerClient

    name = f"state-{uuid4().hex[:12]}"
    credential = AzureNamedKeyCredential(ACCOUNT, azurite.key.reveal())
    with ContainerClient(azurite.url, name, credential=credential) as client:
        client.create_container()
        yield RealContainer(
            azurite=azurite,
            name=name,
            client=client,
            settings=StorageSettings(
                provider=StorageProvider.STORAGE_ACCOUNT, terraform_state_bucket=name, endpoint_url=azurite.url
            ),
            credentials=StorageCredentials(account_key=azurite.key, source="env STORAGE_ACCOUNT_KEY"),
        )


def with_sas(container: RealContainer, sas: str) -> StorageCredentials:
    """The credentials of a console that was given that SAS alone."""
    return replace(container.credentials, account_key=None, sas=Secret(sas), source="env STORAGE_ACCOUNT_SAS")
