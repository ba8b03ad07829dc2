"""The document of the contract says what the wire types say, and what the service answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from kumoss_console.model.contract import REQUESTS, SubmitRequest
from kumoss_console.sidecar import openapi
from tests.sidecar.conftest import SCOPED, TOKEN, Service, Serving
from tests.sidecar.test_requests import VALID

DOCUMENT: dict[str, Any] = openapi.document()


def schema(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({**DOCUMENT, "$ref": f"#/components/schemas/{name}"})


def test_the_document_that_ships_is_the_one_that_the_wire_types_make() -> None:
    assert openapi.DOCUMENT.read_text() == openapi.as_text(), "python -m kumoss_console.sidecar.openapi writes it anew"


def test_it_has_the_ten_paths_and_no_other() -> None:
    assert set(DOCUMENT["paths"]) == {request.path for request in REQUESTS} | {"/v1/jobs/{job_id}", "/healthz"}
    assert DOCUMENT["openapi"].startswith("3.1.")
    for path, operations in DOCUMENT["paths"].items():
        (operation,) = operations.values()
        assert operation["summary"], path
        statuses = set(operation["responses"])
        match path:
            case "/healthz":
                assert statuses == {"200"}
                assert operation["security"] == []
            case "/v1/jobs/{job_id}":
                assert statuses == {"200", "401", "404", "422"}
            case _:
                assert statuses == {"202", "400", "401", "403", "404", "422", "503"}


EDGES: dict[str, list[Any]] = {
    "workspace_path": ["", "a", "a" * 4096, "a" * 4097, None, 7],
    "scope_id": ["", "a" * 1024, "a" * 1025, None],
    "terraform_provider": ["azure", "gcp", "aws", "oci", "kubernetes", "azurerm", "alibaba", "AWS"],
    "plan_file": ["", ".", "-destroy", "a" * 128, "a" * 129, "../evil", "a/b", "plan\n", "é"],
    "targets": [[], [""], ["a"], ["a" * 1024], ["a" * 1025], ["a"] * 256, ["a"] * 257, "a", None],
    "address": ["", "a" * 4096, "a" * 4097],
    "resource_id": ["", "-x", "a" * 4097],
    "surprise": ["x"],
}


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda request: request.kind.value)
def test_it_accepts_and_refuses_what_the_wire_type_does(request_type: type[SubmitRequest]) -> None:
    validator = schema(request_type.__name__)
    valid = {"workspace_path": "/w", **VALID[request_type.path]}
    assert validator.is_valid(valid)
    tried = [valid]
    for name in EDGES:
        tried.append({key: value for key, value in valid.items() if key != name})
        tried += [{**valid, name: edge} for edge in EDGES[name]]
    for body in tried:
        try:
            msgspec.convert(body, request_type, strict=True)
        except msgspec.ValidationError:
            assert not validator.is_valid(body), body
        else:
            assert validator.is_valid(body), body


async def test_what_the_service_answers_is_what_it_says(serving: Serving, workspace: Path) -> None:
    service = serving(KUMOSS_IAC_TOKEN=TOKEN, bearer=TOKEN)
    accepted = await service.post("/v1/validate", workspace_path=str(workspace))
    assert schema("Accepted").is_valid(accepted.json())
    schema("Job").validate((await service.client.get(accepted.headers["location"])).json())
    ended = await service.outcome("/v1/init", workspace_path=str(workspace), **SCOPED)
    schema("Job").validate(ended)
    for answer in (
        await service.client.get("/v1/jobs/nonsense"),
        await service.client.get("/v1/jobs/nonsense", headers={"Authorization": "Bearer wrong"}),
        await service.post("/v1/init", workspace_path=str(workspace)),
    ):
        schema("Problem").validate(answer.json())


def test_a_job_that_contradicts_itself_breaks_it() -> None:
    job: dict[str, Any] = {
        "job_id": "00000000-0000-4000-8000-000000000000",
        "kind": "plan",
        "status": "queued",
        "created_at": "2026-01-02T03:04:05Z",
        "started_at": None,
        "finished_at": None,
        "result": None,
        "error": None,
    }
    result = {"exit_code": 0, "stdout": "", "stderr": ""}
    error = {"type": "about:blank", "title": "Service Unavailable", "status": 503, "instance": None}
    times = {"started_at": job["created_at"], "finished_at": job["created_at"]}
    good = [
        job,
        {**job, "status": "running", "started_at": job["created_at"]},
        {**job, **times, "status": "succeeded", "result": result},
        {**job, **times, "status": "failed", "error": error},
        {**job, "status": "failed", "finished_at": job["created_at"], "error": error},
    ]
    bad = [
        {**job, "surprise": 1},
        {**job, "status": "cancelled"},
        {**job, "status": "running"},
        {**job, "result": result},
        {**job, **times, "status": "succeeded"},
        {**job, **times, "status": "succeeded", "result": result, "error": error},
        {**job, **times, "status": "failed"},
        {**job, **times, "status": "failed", "result": result, "error": error},
        {**job, "status": "failed", "error": error},
    ]
    assert [schema("Job").is_valid(each) for each in good] == [True] * len(good)
    assert [schema("Job").is_valid(each) for each in bad] == [False] * len(bad)


async def test_it_is_served_to_everybody(serving: Serving) -> None:
    answer = await serving(KUMOSS_IAC_TOKEN=TOKEN).client.get("/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == json.loads(openapi.as_text())


async def test_serving_it_makes_it_no_path_of_the_contract(service: Service) -> None:
    assert "/openapi.json" not in (await service.client.get("/openapi.json")).json()["paths"]
