"""A console on fakes: two contexts, a sidecar and a bucket in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumoss_console.model.context import Context, IacSettings, KnownProject
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.text import Secret
from tests.cli.harness import Console
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore

REPO = "https://github.com/acme/infra"
SCOPE = "11111111-2222-3333-4444-555555555555"
DIGEST = "cca8550712f0e65e5c95dc347a919f335222fbb6b9c0ad4966dab38ed9a8a609"
TOKEN = "t0ken-that-nobody-may-see"
SECRET_KEY = "s3cret-key-that-nobody-may-see"

STORAGE = StorageSettings(endpoint_url="http://store.test:9000")
CREDENTIALS = StorageCredentials(access_key=Secret("AKIA-TEST"), secret_key=Secret(SECRET_KEY), source="env RUSTFS_ACCESS_KEY")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def sidecar(clock: FakeClock) -> FakeSidecar:
    return FakeSidecar(clock)


@pytest.fixture
def store() -> FakeStore:
    return FakeStore()


@pytest.fixture
def console(tmp_path: Path, clock: FakeClock, sidecar: FakeSidecar, store: FakeStore) -> Console:
    """``prod`` is the default; ``dev`` is read-only and keeps state in S3."""
    return Console(
        contexts=(
            Context(
                name="prod",
                storage=STORAGE,
                credentials=CREDENTIALS,
                iac=IacSettings(endpoint="http://iac.test:8082", timeout=0.5),
                token=Secret(TOKEN),
                backend_config="",
                projects=(KnownProject(repo=REPO, scope=SCOPE, provider=CloudProvider.AZURE, name="acme/infra"),),
            ),
            Context(
                name="dev",
                storage=StorageSettings(provider=StorageProvider.S3, terraform_state_bucket="acme-dev", region="eu-west-1"),
                read_only=True,
                colour="green",
            ),
        ),
        sidecar=sidecar,
        store=store,
        clock=clock,
        journal_file=tmp_path / "journal.sqlite3",
    )
