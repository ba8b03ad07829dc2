"""Jobs on the bundled service with a real engine: nothing in between is pretended."""

# ruff: noqa: ASYNC240 - a test may wait for its own small files
from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import AccessDenied, NotFound, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint, engine_environ
from kumoss_console.model.context import Context
from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    ImportRequest,
    InitRequest,
    JobKind,
    PlanRequest,
    ScopeResourceIdsRequest,
    ShowRequest,
    StateResourceIdsRequest,
    SubmitRequest,
    ValidateRequest,
)
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.services.jobs.resubmission import may_be_running
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.wiring.ground import utc_now
from kumoss_console.sidecar.engine import Engine
from kumoss_console.text import Secret
from tests.fakes.scripted_service import closed_port
from tests.waiting import wait_until

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


async def test_an_import_brings_what_exists_under_the_engines_care(jobs: JobService, workspace: str) -> None:
    await outcome(jobs, InitRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS))
    wanted = ImportRequest(
        workspace_path=workspace, scope_id="s", terraform_provider=AWS, address="terraform_data.one", resource_id="an-id"
    )
    imported = await outcome(jobs, wanted)
    assert (imported.kind, imported.verdict) == (JobKind.IMPORT, Verdict.GOOD)
    ids = await outcome(jobs, StateResourceIdsRequest(workspace_path=workspace))
    assert ids.stdout == '["an-id"]'

    again = await outcome(jobs, wanted)
    assert (again.verdict, again.exit_code) == (Verdict.BAD, 1)
    assert "already managed" in again.stderr


@asynccontextmanager
async def restartable(folder: Path, port: int) -> AsyncIterator[None]:
    """The bundled service on a port of our choosing, killed with ``kill -9`` when the block ends."""
    environ = engine_environ(os.environ, folder) | {"KUMOSS_IAC_TOKEN": "a-token"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "kumoss_console.sidecar", "--host", "127.0.0.1", "--port", str(port)),
        cwd=folder,
        env=environ,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        assert b"listening" in await process.stdout.readline()
        yield
    finally:
        process.kill()
        await process.wait()


async def test_a_job_that_a_restart_forgets_is_lost_and_not_failed(engine: Engine, workspace: str, tmp_path: Path) -> None:
    port = closed_port()
    folder = tmp_path / "service"
    folder.mkdir()
    gate = Path(workspace, "gate")
    waits = 'provisioner "local-exec" {\n    command = "touch begun; while [ ! -e gate ]; do sleep 0.1; done"\n  }'
    Path(workspace, "slow.tf").write_text(f'resource "terraform_data" "slow" {{\n  {waits}\n}}\n', encoding="utf-8")
    client = SidecarClient(f"http://127.0.0.1:{port}", Secret("a-token"), timeout=30.0)
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    jobs = JobService(Context(name="local"), client, journal, utc_now)
    try:
        async with restartable(folder, port):
            await outcome(jobs, InitRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS))
            await outcome(jobs, PlanRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS, plan_file="p"))
            applying = await jobs.submit(
                ApplyRequest(workspace_path=workspace, scope_id="s", terraform_provider=AWS, plan_file="p")
            )
            await wait_until(Path(workspace, "begun").exists, timeout=60)
            assert (await jobs.poll(str(applying.job_id))).service is ServicePlane.RUNNING
        with pytest.raises(Unreachable):
            await jobs.poll(str(applying.job_id))
        [row, *_] = await jobs.list()
        assert (row.service, row.verdict) == (ServicePlane.UNKNOWN, Verdict.UNKNOWN)
        async with restartable(folder, port):
            lost = await jobs.poll(str(applying.job_id))
    finally:
        gate.touch()
        await client.aclose()
        journal.close()
    assert (lost.service, lost.verdict) == (ServicePlane.LOST, Verdict.UNKNOWN)
    assert lost.summary.startswith("the service does not know this job any more: it restarted, or another one answers there")
    assert lost.summary.endswith("; it was running when last seen")
    assert "may have done part of its work" in may_be_running(lost)
