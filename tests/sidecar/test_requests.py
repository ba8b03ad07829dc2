"""What a POST must look like, and in which order it is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.answers import problem
from tests.sidecar.conftest import SCOPED, TOKEN, Service, Serving

VALID: dict[str, dict[str, Any]] = {
    "/v1/init": SCOPED,
    "/v1/validate": {},
    "/v1/plan": {**SCOPED, "plan_file": "session.plan", "targets": ["terraform_data.a"]},
    "/v1/show": {"plan_file": "session.plan"},
    "/v1/apply": {**SCOPED, "plan_file": "session.plan"},
    "/v1/import": {**SCOPED, "address": "terraform_data.a", "resource_id": "x"},
    "/v1/import/state-resource-ids": {},
    "/v1/import/scope-resource-ids": SCOPED,
}
KINDS = {path: path.removeprefix("/v1/").removeprefix("import/").replace("-", "_") for path in VALID}
SCOPED_PATHS = [path for path, fields in VALID.items() if "scope_id" in fields]
UNSCOPED_PATHS = [path for path in VALID if path not in SCOPED_PATHS]


@pytest.mark.parametrize("path", VALID)
async def test_a_valid_request_is_queued_and_says_where_to_look(path: str, service: Service, workspace: Path) -> None:
    answer = await service.post(path, workspace_path=str(workspace), **VALID[path])
    assert answer.status_code == 202
    assert answer.json().keys() == {"job_id", "status"}
    assert answer.json()["status"] == "queued"
    assert answer.headers["location"] == f"/v1/jobs/{answer.json()['job_id']}"
    assert (await service.client.get(answer.headers["location"])).json()["kind"] == KINDS[path]


@pytest.mark.parametrize("path", VALID)
async def test_a_workspace_that_is_not_there_is_a_404_that_names_it(path: str, service: Service, tmp_path: Path) -> None:
    absent = str(tmp_path / "absent")
    document = problem(await service.post(path, workspace_path=absent, **VALID[path]), 404)
    assert document["title"] == f"workspace_path does not exist or is not a directory: {absent}"


async def test_a_file_is_no_workspace(service: Service, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    problem(await service.post("/v1/validate", workspace_path=str(tmp_path / "file")), 404)
    problem(await service.post("/v1/validate", workspace_path=str(tmp_path / "file" / "below")), 404)


@pytest.mark.parametrize("path", ["/" + "a" * 256, "/tmp\0/x", "/" + "a/" * 2047])
async def test_a_path_that_the_system_refuses_is_a_404(path: str, service: Service) -> None:
    problem(await service.post("/v1/validate", workspace_path=path), 404)


@pytest.mark.parametrize("path", ["", "a" * 4097, None, 7, ["/tmp"], {"path": "/tmp"}, True])
async def test_a_workspace_path_of_the_wrong_form_is_a_422(path: object, service: Service) -> None:
    document = problem(await service.post("/v1/validate", workspace_path=path), 422)
    assert document["title"] == "Request validation failed"
    assert "workspace_path" in document["detail"]


@pytest.mark.parametrize("path", SCOPED_PATHS)
@pytest.mark.parametrize("missing", ["scope_id", "terraform_provider"])
async def test_a_scoped_request_needs_both_of_its_pair(path: str, missing: str, service: Service, workspace: Path) -> None:
    fields = {name: value for name, value in VALID[path].items() if name != missing}
    assert missing in problem(await service.post(path, workspace_path=str(workspace), **fields), 422)["detail"]


@pytest.mark.parametrize("path", UNSCOPED_PATHS)
@pytest.mark.parametrize("extra", [{"scope_id": "x"}, {"terraform_provider": "aws"}, {"surprise": 1}])
async def test_an_unscoped_request_knows_no_other_field(
    path: str, extra: dict[str, Any], service: Service, workspace: Path
) -> None:
    problem(await service.post(path, workspace_path=str(workspace), **VALID[path], **extra), 422)


@pytest.mark.parametrize(
    "wrong",
    [
        {"scope_id": ""},
        {"scope_id": None},
        {"scope_id": "x" * 1025},
        {"terraform_provider": "azurerm"},
        {"terraform_provider": "alibaba"},
        {"plan_file": "../evil"},
        {"plan_file": "a/b"},
        {"plan_file": ""},
        {"plan_file": "a" * 129},
        {"plan_file": "session.plan\n"},
        {"targets": [""]},
        {"targets": "terraform_data.a"},
        {"targets": ["x"] * 257},
        {"targets": ["x" * 1025]},
        {"targets": None},
    ],
)
async def test_a_plan_with_a_field_out_of_bounds_is_a_422(wrong: dict[str, Any], service: Service, workspace: Path) -> None:
    problem(await service.post("/v1/plan", workspace_path=str(workspace), **{**VALID["/v1/plan"], **wrong}), 422)


@pytest.mark.parametrize("plan_file", [".", "..", "-destroy", ".hidden", "a" * 128, "A-b_c.1"])
async def test_every_plan_name_of_the_contract_is_accepted(plan_file: str, service: Service, workspace: Path) -> None:
    assert (await service.post("/v1/show", workspace_path=str(workspace), plan_file=plan_file)).status_code == 202


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"workspace_path": "\xff"}', 400),
        (b'{"workspace_path": ', 422),
        (b"", 422),
        (b'{"workspace_path": "\\ud800"}', 422),
        (b"[" * 100_000, 422),
    ],
    ids=["not UTF-8", "cut off", "empty", "lone surrogate", "too deep"],
)
@pytest.mark.parametrize("bearer", ["", TOKEN])
async def test_an_unreadable_body_is_refused_before_anybody_asks_for_the_token(
    body: bytes, status: int, bearer: str, serving: Serving
) -> None:
    service = serving(bearer=bearer, KUMOSS_IAC_TOKEN=TOKEN)
    answer = await service.client.post("/v1/init", content=body, headers={"content-type": "application/json"})
    problem(answer, status)


@pytest.mark.parametrize("body", [b"null", b"[]", b"7", b'"text"', b"[1, 2]"])
async def test_a_body_that_is_no_object_is_a_422(body: bytes, service: Service) -> None:
    answer = await service.client.post("/v1/init", content=body, headers={"content-type": "application/json"})
    problem(answer, 422)


@pytest.mark.parametrize("content_type", ["text/plain", "application/octet-stream", ""])
async def test_a_body_that_is_not_called_json_is_a_422_that_says_so(content_type: str, service: Service, workspace: Path) -> None:
    body = b'{"workspace_path": "%s"}' % str(workspace).encode()
    answer = await service.client.post("/v1/validate", content=body, headers={"content-type": content_type})
    assert "application/json" in problem(answer, 422)["detail"]


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "application/vnd.api+json", "Application/JSON"])
async def test_json_is_recognised_in_its_other_spellings(content_type: str, service: Service, workspace: Path) -> None:
    body = b'{"workspace_path": "%s"}' % str(workspace).encode()
    answer = await service.client.post("/v1/validate", content=body, headers={"content-type": content_type})
    assert answer.status_code == 202


async def test_the_token_is_asked_for_before_the_fields_are_judged(serving: Serving) -> None:
    service = serving(KUMOSS_IAC_TOKEN=TOKEN)
    problem(await service.post("/v1/init", workspace_path=""), 401)


@pytest.mark.parametrize("path", VALID)
async def test_the_token_is_asked_for_before_the_disk(path: str, serving: Serving) -> None:
    service = serving(KUMOSS_IAC_TOKEN=TOKEN)
    problem(await service.post(path, workspace_path="/absent", **VALID[path]), 401)


async def test_an_absent_workspace_outweighs_other_faults(service: Service) -> None:
    problem(await service.post("/v1/init", workspace_path="/absent", surprise=1), 404)


async def test_a_request_that_is_refused_makes_no_job(service: Service, workspace: Path, engine: Any) -> None:
    problem(await service.post("/v1/apply", workspace_path=str(workspace), **SCOPED, plan_file="../x"), 422)
    await service.jobs.aclose()
    assert engine.calls == []
