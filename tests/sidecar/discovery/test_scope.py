from __future__ import annotations

import json
import logging
import tracemalloc
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx

from kumoss_console.model.contract import CloudProvider
from kumoss_console.sidecar.discovery import scope
from tests.fakes.clouds import Cloud, Row, aws_arns, aws_cloud, azure_cloud, azure_ids, gcp_cloud, gcp_ids, gcp_names
from tests.fakes.clouds import aws as aws_fake
from tests.fakes.clouds import azure as azure_fake
from tests.fakes.clouds import gcp as gcp_fake
from tests.hostile import HOSTILE
from tests.sidecar.conftest import Serving
from tests.sidecar.discovery.conftest import SCOPES, Asking
from tests.sidecar.running import close, start
from tests.test_import_hygiene import loaded_after
from tests.waiting import wait_until

AZURE, GCP, AWS = CloudProvider.AZURE, CloudProvider.GCP, CloudProvider.AWS
MAKERS: dict[CloudProvider, Callable[[Sequence[Row]], AbstractContextManager[Cloud]]] = {
    AZURE: azure_cloud,
    GCP: gcp_cloud,
    AWS: aws_cloud,
}
NAMES = {AZURE: azure_ids, GCP: gcp_names, AWS: aws_arns}
IDS = {AZURE: azure_ids, GCP: gcp_ids, AWS: aws_arns}
PAGE_OPERATION = {AZURE: "resources", GCP: "search", AWS: "ListResources"}
SECRETS = (azure_fake.TOKEN, gcp_fake.TOKEN, aws_fake.SECRET, aws_fake.SESSION_TOKEN)

every_cloud = pytest.mark.parametrize("provider", [AZURE, GCP, AWS])


@every_cloud
async def test_twenty_thousand_are_listed_whole_and_in_order_without_blocking_the_loop(
    provider: CloudProvider, asking: Asking
) -> None:
    with MAKERS[provider](NAMES[provider](20_000)) as cloud, blockbuster_ctx(["kumoss_console"]):
        assert await asking.ids(cloud, provider) == IDS[provider](20_000)


@every_cloud
async def test_the_memory_is_that_of_the_identifiers_and_not_of_the_answers(provider: CloudProvider, asking: Asking) -> None:
    size = {AZURE: 1000, GCP: 500, AWS: 500}[provider]
    await peak_of_a_listing(provider, 1, asking)  # what is imported once
    few = await peak_of_a_listing(provider, 2 * size, asking)
    many = await peak_of_a_listing(provider, 8 * size, asking)
    assert many - few < 6 * size * BALLAST / 2


BALLAST = 2000


async def peak_of_a_listing(provider: CloudProvider, count: int, asking: Asking) -> int:
    """Bytes that a listing of ``count`` rows took at most, each row with ``BALLAST`` bytes that nobody needs."""
    ballast = {"ballast": "x" * BALLAST}
    rows: list[Row]
    if provider is AZURE:
        rows = [{"id": f"/a/{n}", **ballast} for n in range(count)]
    elif provider is GCP:
        rows = [{"name": f"//h/a/{n}", "additionalAttributes": ballast} for n in range(count)]
    else:
        rows = [{**aws_fake.row(f"arn:{n}"), "Properties": [{"Name": "notes", "Data": ballast}]} for n in range(count)]
    with MAKERS[provider](rows) as cloud:
        tracemalloc.start()
        try:
            assert len(await asking.ids(cloud, provider)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


@every_cloud
async def test_hostile_names_are_listed_as_they_are(provider: CloudProvider, asking: Asking) -> None:
    names = [f"x/{name}" for name in (*HOSTILE, "\ud800alone")]
    given: list[Any] = [{"name": f"//h/{name}"} for name in names] if provider is GCP else names
    with MAKERS[provider](given) as cloud:
        result = await asking(cloud, provider)
    assert json.loads(result.stdout) == names
    assert result.stdout.isascii()


@every_cloud
async def test_nothing_there_is_an_empty_list(provider: CloudProvider, asking: Asking) -> None:
    with MAKERS[provider]([]) as cloud:
        assert await asking.ids(cloud, provider) == []


@every_cloud
async def test_the_log_tells_counts_and_reasons_and_never_a_secret_nor_what_was_found(
    provider: CloudProvider, asking: Asking, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with MAKERS[provider](NAMES[provider](3)) as cloud:
        await asking(cloud, provider)
        (summary,) = [record.getMessage() for record in caplog.records if record.name.startswith("kumoss_console")]
        assert summary.startswith(f"{provider.value} scope {SCOPES[provider]} listed: 1 pages, 3 found, 3 kept")
        caplog.clear()
        await asking(cloud, provider, "no\x1bscope")
        (reason,) = [record.getMessage() for record in caplog.records if record.name.startswith("kumoss_console")]
        assert reason.startswith(f"{provider.value} scope no␛scope was not listed: 'no␛scope' is not a")
    assert not any(secret in caplog.text for secret in SECRETS)
    assert "topic-000" not in caplog.text
    assert {record.name.partition(".")[0] for record in caplog.records} <= {"kumoss_console", "asyncio"}


async def test_clouds_that_have_no_inventory_are_not_asked(asking: Asking) -> None:
    for provider in (CloudProvider.OCI, CloudProvider.KUBERNETES):
        result = await scope.list_scope(provider, "x", {})
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == f"no scope discovery for provider '{provider}'"


HELD = [
    (AZURE, "token", 1),
    (AZURE, "resources", 2),
    (GCP, "search", 2),
    (AWS, "GetCallerIdentity", 1),
    (AWS, "ListResources", 2),
]


@pytest.mark.parametrize(("provider", "operation", "nth"), HELD)
async def test_a_listing_ends_with_its_service_though_the_cloud_is_silent(
    provider: CloudProvider, operation: str, nth: int, asking: Asking, serving: Serving, tmp_path: Path
) -> None:
    with MAKERS[provider](NAMES[provider](2500)) as cloud:
        cloud.hold(operation, nth)
        serving.environ.update(cloud.lead(asking.monkeypatch))
        service = serving()
        fields = {"scope_id": SCOPES[provider], "terraform_provider": provider.value}
        accepted = await service.post("/v1/import/scope-resource-ids", workspace_path=str(tmp_path), **fields)
        await wait_until(lambda: cloud.calls(operation) == nth)
        # The cloud answers only when it closes, which is after this.
        await service.jobs.aclose()
        job = (await service.client.get(accepted.headers["location"])).json()
        assert job["error"]["detail"] == "Service shut down before the job finished."
        asked = len(cloud.asked)
    assert len(cloud.asked) == asked


async def test_more_silent_listings_than_threads_leave_the_service_as_it_was(
    asking: Asking, serving: Serving, tmp_path: Path
) -> None:
    with aws_cloud([]) as cloud:
        for nth in range(1, 18):
            cloud.hold("GetCallerIdentity", nth)
        serving.environ.update(cloud.lead(asking.monkeypatch))
        service = serving()
        fields = {"scope_id": SCOPES[AWS], "terraform_provider": "aws"}
        for n in range(17):
            (tmp_path / str(n)).mkdir()
            await service.post("/v1/import/scope-resource-ids", workspace_path=str(tmp_path / str(n)), **fields)
        await wait_until(lambda: cloud.calls("GetCallerIdentity") >= 17)
        # Sixteen threads look at workspaces; had the silent calls taken them, this would not be answered.
        other = await service.outcome(
            "/v1/import/scope-resource-ids", workspace_path=str(tmp_path), scope_id="x", terraform_provider="oci"
        )
        assert other["result"]["exit_code"] == 2
        await service.jobs.aclose()


@pytest.mark.stack
async def test_a_service_of_its_own_lists_all_three(tmp_path: Path) -> None:
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\n")
    engine.chmod(0o755)
    with azure_cloud(azure_ids(1500)) as azure, gcp_cloud(gcp_names(700)) as gcp, aws_cloud(aws_arns(700)) as aws:
        environ = {"IAC_BINARY": str(engine), "KUMOSS_IAC_TOKEN": "", **azure.environ, **gcp.environ, **aws.environ}
        running = start(environ, tmp_path / "log")
        try:
            for provider, count in ((AZURE, 1500), (GCP, 700), (AWS, 700)):
                fields = {"scope_id": SCOPES[provider], "terraform_provider": provider.value}
                job = await running.outcome("/v1/import/scope-resource-ids", workspace_path=str(tmp_path), **fields)
                assert json.loads(job["result"]["stdout"]) == IDS[provider](count), job
            running.stop()
        finally:
            await close(running)
    log = (tmp_path / "log").read_text()
    assert "azure scope 11111111-2222-3333-4444-555555555555 listed: 2 pages, 1500 found, 1500 kept" in log
    assert not any(secret in log for secret in SECRETS)
    assert "HTTP Request" not in log


def test_a_service_that_is_asked_for_no_scope_loads_none_of_it() -> None:
    loaded = loaded_after("import kumoss_console.sidecar.app")
    assert loaded & {"boto3", "botocore", "azure", "msal", "httpx"} == set()
    loaded = loaded_after("import kumoss_console.sidecar.discovery.scope")
    assert loaded & {"boto3", "botocore", "azure", "msal", "cryptography"} == set()
