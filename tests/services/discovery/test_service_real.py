"""Discovery on the bundled service as a process of its own and on three clouds on loopback, 20,000 identifiers each."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.config import LoadedConfig
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, InitRequest
from kumoss_console.model.importdiff import Status
from kumoss_console.model.importids.worksheet import Written, worksheet
from kumoss_console.model.storage import StorageSettings
from kumoss_console.services.build import Services
from kumoss_console.services.discovery.service import Discovery, DiscoveryRequest
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.text import Secret
from tests.fakes.clouds import (
    ACCOUNT,
    PROJECT,
    SUBSCRIPTION,
    aws_arns,
    aws_cloud,
    azure_cloud,
    azure_ids,
    gcp_cloud,
    gcp_ids,
    gcp_names,
)
from tests.fakes.store import FakeStore
from tests.model.discovery.states import Resource, document
from tests.sidecar.running import close, start

COUNT = 20_000
THING = f"arn:aws:newservice:eu-central-1:{ACCOUNT}:thing/${{x}}"
HERE, ELSEWHERE = 8_000, 7_000
SCOPES = {CloudProvider.AZURE: SUBSCRIPTION, CloudProvider.GCP: PROJECT, CloudProvider.AWS: ACCOUNT}
IDS = {CloudProvider.AZURE: azure_ids, CloudProvider.GCP: gcp_ids, CloudProvider.AWS: aws_arns}
TYPES = {
    CloudProvider.AZURE: "azurerm_storage_account",
    CloudProvider.GCP: "google_pubsub_topic",
    CloudProvider.AWS: "aws_sns_topic",
}
KEY, OTHER = "aa" * 32 + "/terraform.tfstate", "bb" * 32 + "/terraform.tfstate"

pytestmark = pytest.mark.stack


def held(provider: CloudProvider, ids: list[str]) -> list[Resource]:
    """Azure's are written in lower case: a state need not spell them as the inventory does."""
    spelled = [one.lower() for one in ids] if provider is CloudProvider.AZURE else ids
    return [(TYPES[provider], f"r{n}", {"id": one, "name": "x"}) for n, one in enumerate(spelled)]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[tuple[Services, FakeStore]]:
    engine = tmp_path / "engine"
    engine.write_text('#!/bin/sh\n[ "$1 $2" = "state pull" ] && exec cat state.json\nexit 1\n')
    engine.chmod(0o755)
    store = FakeStore()
    with azure_cloud(azure_ids(COUNT)) as azure, gcp_cloud(gcp_names(COUNT)) as gcp, aws_cloud(aws_arns(COUNT)) as aws:
        environ = {"IAC_BINARY": str(engine), "KUMOSS_IAC_TOKEN": "t", **azure.environ, **gcp.environ, **aws.environ}
        running = start(environ, tmp_path / "log")
        adapters = GivenAdapters(
            sidecar=SidecarClient(running.url, Secret("t"), timeout=30.0),
            store=store,
            journal=Journal.open(tmp_path / "jobs.sqlite3"),
        )
        context = Context(name="local")
        opened = Services(config=LoadedConfig(contexts=(context,), default="local"), context=context, adapters=adapters)
        try:
            yield opened, store
        finally:
            await opened.aclose()
            await close(running)


async def test_twenty_thousand_of_each_cloud_fall_into_the_right_heaps(desk: tuple[Services, FakeStore], tmp_path: Path) -> None:
    services, store = desk
    for provider, scope in SCOPES.items():
        ids = IDS[provider](COUNT + 1)
        workspace = tmp_path / provider.value
        workspace.mkdir()
        state = document(*held(provider, [*ids[:HERE], ids[COUNT]]))
        (workspace / "state.json").write_bytes(state)
        store.objects = {KEY: state, OTHER: document(*held(provider, ids[HERE : HERE + ELSEWHERE]))}
        found = await last(services, DiscoveryRequest(workspace=str(workspace), scope=scope, provider=provider))
        assert found.comparison is not None, found.stopped
        assert found.findings == ()
        assert found.comparison.here == KEY
        by_status = {status: [item.id for item in found.comparison.items if item.status is status] for status in Status}
        assert by_status == {
            Status.MANAGED_HERE: ids[:HERE],
            Status.MANAGED_ELSEWHERE: ids[HERE : HERE + ELSEWHERE],
            Status.UNMANAGED: ids[HERE + ELSEWHERE : COUNT],
            Status.MISSING: [ids[COUNT].lower() if provider is CloudProvider.AZURE else ids[COUNT]],
            Status.AMBIGUOUS: [],
        }
        assert json.loads(found.jobs[1].stdout) == ids[:COUNT]


async def test_a_cloud_that_refuses_is_told_in_its_words(desk: tuple[Services, FakeStore], tmp_path: Path) -> None:
    (tmp_path / "state.json").write_bytes(document())
    asked = DiscoveryRequest(workspace=str(tmp_path), scope="no-account", provider=CloudProvider.AWS)
    found = await last(desk[0], asked)
    assert found.comparison is None
    assert found.stopped.endswith("'no-account' is not an AWS account id")


async def test_a_find_is_imported_by_a_real_engine_and_is_managed_afterwards(
    real_sidecar: SidecarEndpoint, tmp_path: Path
) -> None:
    """A resource of the engine's own stands in for a cloud's: it takes any identifier."""
    workspace = tmp_path / "net"
    workspace.mkdir()
    (workspace / "main.tf").write_text('resource "terraform_data" "probe" {}\n', encoding="utf-8")
    context = Context(name="local", storage=StorageSettings(terraform_state_bucket=""))
    adapters = GivenAdapters(
        sidecar=SidecarClient(real_sidecar.url, real_sidecar.token, timeout=30.0),
        store=None,
        journal=Journal.open(tmp_path / "jobs.sqlite3"),
    )
    services = Services(config=LoadedConfig(contexts=(context,), default="local"), context=context, adapters=adapters)
    where = {"workspace": str(workspace), "scope": ACCOUNT, "provider": CloudProvider.AWS}
    asked = DiscoveryRequest(**where, cloud_ids=(THING,), bucket=False, suppressions=())  # type: ignore[arg-type]  # three fields
    try:
        init = InitRequest(workspace_path=str(workspace), scope_id=ACCOUNT, terraform_provider=CloudProvider.AWS)
        async for _ in services.jobs.watch(str((await services.jobs.submit(init)).job_id)):
            pass
        before = await last(services, asked)
        assert before.comparison is not None, before.stopped
        assert before.comparison.counts["unmanaged"] == 1
        rows = worksheet(before.comparison.items, before.comparison, {THING: Written("terraform_data.probe", THING)})
        run = services.imports.run(rows, **where)  # type: ignore[arg-type]  # three fields
        done = [one async for one in run][-1]
        assert [step.outcome.value for step in done.steps] == ["imported"], done.stopped
        after = await last(services, asked)
        assert after.comparison is not None
        assert after.comparison.counts["managed_here"] == 1
    finally:
        await services.aclose()


async def last(services: Services, asked: DiscoveryRequest) -> Discovery:
    return [seen async for seen in services.discovery.discover(asked)][-1]
