"""The ten paths of the IaC service, as they travel."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from uuid import UUID

import msgspec
import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    ImportRequest,
    InitRequest,
    JobKind,
    JobStatus,
    PlanRequest,
    ScopeResourceIdsRequest,
    ShowRequest,
    StateResourceIdsRequest,
    SubmitRequest,
    ValidateRequest,
)
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.text import Secret
from tests.fakes.scripted_service import Move, ScriptedService, answer, problem, scripted_service

TOKEN = Secret("tok-3f2504e0-not-for-anyone")
ID = UUID("7f3a2b1c-4f89-41d3-9a0c-0305e82c3301")
JOB = {
    "job_id": str(ID),
    "kind": "plan",
    "status": "succeeded",
    "created_at": "2026-01-02T03:04:05Z",
    "started_at": "2026-01-02T03:04:06Z",
    "finished_at": "2026-01-02T03:04:07.5Z",
    "result": {"exit_code": 1, "stdout": "out\n", "stderr": "\x1b[31mno\x1b[0m"},
    "error": None,
}
ACCEPTED = {"job_id": str(ID), "status": "queued"}

AZURE = CloudProvider.AZURE
REQUESTS: tuple[tuple[SubmitRequest, str, dict[str, object]], ...] = (
    (
        InitRequest(workspace_path="/w", scope_id="s", terraform_provider=AZURE),
        "/v1/init",
        {"workspace_path": "/w", "scope_id": "s", "terraform_provider": "azure"},
    ),
    (ValidateRequest(workspace_path="/w"), "/v1/validate", {"workspace_path": "/w"}),
    (
        PlanRequest(workspace_path="/w", scope_id="s", terraform_provider=AZURE, plan_file="p", targets=("a.b",)),
        "/v1/plan",
        {"workspace_path": "/w", "scope_id": "s", "terraform_provider": "azure", "plan_file": "p", "targets": ["a.b"]},
    ),
    (ShowRequest(workspace_path="/w", plan_file="p"), "/v1/show", {"workspace_path": "/w", "plan_file": "p"}),
    (
        ApplyRequest(workspace_path="/w", scope_id="s", terraform_provider=AZURE, plan_file="-destroy"),
        "/v1/apply",
        {"workspace_path": "/w", "scope_id": "s", "terraform_provider": "azure", "plan_file": "-destroy"},
    ),
    (
        ImportRequest(workspace_path="/é", scope_id="s", terraform_provider=AZURE, address="a.b", resource_id='r"{}'),
        "/v1/import",
        {"workspace_path": "/é", "scope_id": "s", "terraform_provider": "azure", "address": "a.b", "resource_id": 'r"{}'},
    ),
    (StateResourceIdsRequest(workspace_path="/w"), "/v1/import/state-resource-ids", {"workspace_path": "/w"}),
    (
        ScopeResourceIdsRequest(workspace_path="/w", scope_id="s", terraform_provider=CloudProvider.OCI),
        "/v1/import/scope-resource-ids",
        {"workspace_path": "/w", "scope_id": "s", "terraform_provider": "oci"},
    ),
)


@asynccontextmanager
async def client_of(*moves: Move, token: Secret | None = TOKEN) -> AsyncIterator[tuple[SidecarClient, ScriptedService]]:
    async with scripted_service(*moves) as service:
        client = SidecarClient(service.endpoint, token, timeout=5.0)
        try:
            yield client, service
        finally:
            await client.aclose()


@pytest.mark.parametrize(("request_", "path", "body"), REQUESTS, ids=[path for _, path, _ in REQUESTS])
async def test_each_kind_goes_to_its_path_with_its_fields_and_the_token(
    request_: SubmitRequest, path: str, body: dict[str, object]
) -> None:
    async with client_of(answer(202, ACCEPTED, {"Location": f"/v1/jobs/{ID}"})) as (client, service):
        accepted = await client.submit(request_)
    assert (accepted.job_id, accepted.status) == (ID, JobStatus.QUEUED)
    [seen] = service.seen
    assert (seen.method, seen.path) == ("POST", path)
    assert json.loads(seen.body) == body
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["authorization"] == f"Bearer {TOKEN.reveal()}"


def test_the_requests_above_are_all_kinds_there_are() -> None:
    assert {request.kind for request, _, _ in REQUESTS} == set(JobKind)


async def test_a_job_is_read_with_both_planes() -> None:
    async with client_of(answer(200, JOB)) as (client, service):
        document = await client.job(ID)
    assert (document.kind, document.status) == (JobKind.PLAN, JobStatus.SUCCEEDED)
    assert document.result is not None
    assert (document.result.exit_code, document.result.stderr) == (1, "\x1b[31mno\x1b[0m")
    assert document.finished_at == datetime(2026, 1, 2, 3, 4, 7, 500_000, tzinfo=UTC)
    [seen] = service.seen
    assert (seen.method, seen.path) == ("GET", f"/v1/jobs/{ID}")
    assert seen.headers["authorization"] == f"Bearer {TOKEN.reveal()}"


async def test_a_failed_job_keeps_its_problem_even_with_null_members() -> None:
    error = {"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": "shut down", "instance": None}
    async with client_of(answer(200, JOB | {"status": "failed", "result": None, "error": error})) as (client, _):
        document = await client.job(ID)
    assert document.error is not None
    assert (document.error.status, document.error.detail) == (503, "shut down")


async def test_health_is_asked_without_the_token() -> None:
    async with client_of(answer(200, {"status": "ok"})) as (client, service):
        assert 0 < await client.health() < 5
    [seen] = service.seen
    assert (seen.method, seen.path) == ("GET", "/healthz")
    assert "authorization" not in seen.headers


async def test_a_token_is_accepted_where_an_impossible_job_is_merely_unknown() -> None:
    async with client_of(problem(404, "Unknown or expired job: x")) as (client, service):
        assert await client.token_accepted() is True
    assert service.seen[0].path.startswith("/v1/jobs/")
    assert service.seen[0].headers["authorization"] == f"Bearer {TOKEN.reveal()}"


async def test_a_token_is_not_accepted_where_the_service_answers_401() -> None:
    async with client_of(problem(401, "Invalid bearer token.", headers={"WWW-Authenticate": "Bearer"})) as (client, _):
        assert await client.token_accepted() is False


@pytest.mark.parametrize(("status", "open_to_all"), [(404, True), (401, False)])
async def test_whether_everybody_is_let_in_is_asked_without_the_token(status: int, open_to_all: bool) -> None:
    async with client_of(problem(status, "Unknown or expired job: x")) as (client, service):
        assert await client.open_to_all() is open_to_all
    assert service.seen[0].path.startswith("/v1/jobs/")
    assert "authorization" not in service.seen[0].headers


@pytest.mark.parametrize("token", [None, Secret("")])
async def test_no_token_sends_no_header(token: Secret | None) -> None:
    async with client_of(answer(200, JOB), token=token) as (client, service):
        await client.job(ID)
    assert "authorization" not in service.seen[0].headers


async def test_an_endpoint_may_stand_below_a_path() -> None:
    async with scripted_service(answer(200, JOB)) as service:
        client = SidecarClient(f"{service.endpoint}/iac/", TOKEN, timeout=5.0)
        await client.job(ID)
        await client.aclose()
    assert service.seen[0].path == f"/iac/v1/jobs/{ID}"
    assert client.endpoint == f"{service.endpoint}/iac"


async def test_a_proxy_of_the_environment_never_sees_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    async with scripted_service(answer(200, JOB)) as proxy, client_of(answer(200, JOB)) as (_, service):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.endpoint)
        client = SidecarClient(service.endpoint, TOKEN, timeout=5.0)
        await client.job(ID)
        await client.aclose()
    assert (len(proxy.seen), len(service.seen)) == (0, 1)


async def test_twenty_looks_share_their_connections() -> None:
    async with client_of(answer(200, JOB)) as (client, service):
        for _ in range(20):
            await client.job(ID)
    assert service.connections == 1


def test_the_client_satisfies_its_port() -> None:
    client: Sidecar = SidecarClient("http://iac:8082", TOKEN, timeout=5.0)
    assert client.endpoint == "http://iac:8082"


async def test_a_job_with_ten_million_bytes_of_output_is_read_whole() -> None:
    stdout = "line é\n" * 1_250_000
    async with client_of(answer(200, JOB | {"result": {"exit_code": 0, "stdout": stdout, "stderr": ""}})) as (client, _):
        document = await client.job(ID)
    assert document.result is not None
    assert document.result.stdout == stdout
    assert msgspec.json.encode(document)
