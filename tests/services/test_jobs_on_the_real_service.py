"""Jobs on the bundled service with a real engine: nothing in between is pretended."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import AccessDenied, NotFound
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.context import Context
from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    InitRequest,
    PlanRequest,
    ScopeResourceIdsRequest,
    ShowRequest,
    StateResourceIdsRequest,
    SubmitRequest,
    ValidateRequest,
)
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.services.build import utc_now
from kumoss_console.services.jobs import JobService
from kumoss_console.text import Secret

AWS = CloudProvider.AWS


@pytest.fixture
def workspace(tmp_path: Path) -> str:
    folder = tmp_path / "net"
    folder.mkdir()
    (folder / "main.tf").write_text('resource "terraform_data" "one" {\n  input = "é"\n}\n', encoding="utf-8")
    return str(folder)


@pytest.fixture
async def client(real_sidecar: SidecarEndpoint) -> AsyncIterator[SidecarClient]:
    opened = SidecarClient(real_sidecar.url, real_sidecar.token, timeout=30.0)
    yield opened
    await opened.aclose()


@pytest.fixture
async def jobs(client: SidecarClient, tmp_path: Path) -> AsyncIterator[JobService]:
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    yield JobService(Context(name="local"), client, journal, utc_now)
    journal.close()


async def outcome(jobs: JobService, request: SubmitRequest) -> Job:
    job = await jobs.submit(request)
    return [seen async for seen in jobs.watch(str(job.job_id))][-1]


async def test_a_workspace_goes_from_init_to_apply_and_its_resources_are_listed(jobs: JobService, workspace: str) -> None:
    chain: tuple[SubmitRequest, ...] = (
        InitRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS),
        ValidateRequest(workspace_path=workspace),
        PlanRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS, plan_file="session.plan"),
        ShowRequest(workspace_path=workspace, plan_file="session.plan"),
        ApplyRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS, plan_file="session.plan"),
        StateResourceIdsRequest(workspace_path=workspace),
    )
    ends = [await outcome(jobs, request) for request in chain]
    assert [(job.verdict, job.kind) for job in ends] == [(Verdict.GOOD, request.kind) for request in chain]
    assert '"format_version"' in ends[3].stdout
    assert ends[5].stdout.startswith('["')
    assert [job.kind for job in await jobs.list()] == [request.kind for request in reversed(chain)]


async def test_a_command_that_fails_is_answered_and_bad(jobs: JobService, workspace: str) -> None:
    job = await outcome(jobs, ShowRequest(workspace_path=workspace, plan_file="absent.plan"))
    assert (job.service, job.exit_code, job.verdict) == (ServicePlane.ANSWERED, 1, Verdict.BAD)
    assert job.stderr


async def test_a_cloud_that_cannot_be_listed_says_so(jobs: JobService, workspace: str) -> None:
    request = ScopeResourceIdsRequest(workspace_path=workspace, scope_id="s", terraform_provider=CloudProvider.OCI)
    job = await outcome(jobs, request)
    assert (job.exit_code, job.summary) == (2, "this cloud provider cannot be listed")


async def test_a_workspace_that_the_service_does_not_see_is_not_accepted(jobs: JobService) -> None:
    with pytest.raises(NotFound) as caught:
        await jobs.submit(ValidateRequest(workspace_path="/no/such/workspace"))
    assert caught.value.code == "sidecar.workspace_missing"
    assert "/no/such/workspace" in caught.value.detail


async def test_the_service_is_well_and_takes_our_token_and_no_other(client: SidecarClient, real_sidecar: SidecarEndpoint) -> None:
    assert await client.health() < 5
    assert await client.token_accepted() is True
    stranger = SidecarClient(real_sidecar.url, Secret("another-token"), timeout=30.0)
    assert await stranger.token_accepted() is False
    with pytest.raises(AccessDenied):
        await stranger.submit(ValidateRequest(workspace_path="/"))
    await stranger.aclose()
