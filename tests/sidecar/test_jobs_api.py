"""What a poller sees of a job, and what the service says where there is nothing to see."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from kumoss_console.model.contract import JobResult, SubmitRequest
from kumoss_console.sidecar.jobs import JobRegistry
from tests.hostile import HOSTILE
from tests.sidecar.answers import problem
from tests.sidecar.conftest import SCOPED, Service, Serving
from tests.sidecar.recording import RecordingEngine

EIGHT_KEYS = {"job_id", "kind", "status", "created_at", "started_at", "finished_at", "result", "error"}


class Faulty:
    """A service whose every operation fails in a way nobody foresaw."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult:
        raise self.error


async def test_a_job_always_has_its_eight_keys(service: Service, workspace: Path) -> None:
    accepted = await service.post("/v1/validate", workspace_path=str(workspace))
    queued = (await service.client.get(accepted.headers["location"])).json()
    assert queued.keys() == EIGHT_KEYS
    await service.ended(UUID(queued["job_id"]))
    ended = (await service.client.get(accepted.headers["location"])).json()
    assert ended.keys() == EIGHT_KEYS
    assert ended["result"].keys() == {"exit_code", "stdout", "stderr"}
    assert ended["error"] is None


async def test_times_are_utc_and_in_order(service: Service, workspace: Path) -> None:
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    times = [datetime.fromisoformat(job[name]) for name in ("created_at", "started_at", "finished_at")]
    assert times == sorted(times)
    assert {time.utcoffset() for time in times} == {timedelta(0)}


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/v1/init", SCOPED),
        ("/v1/validate", {}),
        ("/v1/plan", {**SCOPED, "plan_file": "p"}),
        ("/v1/show", {"plan_file": "p"}),
        ("/v1/apply", {**SCOPED, "plan_file": "p"}),
        ("/v1/import", {**SCOPED, "address": "a.b", "resource_id": "x"}),
    ],
)
async def test_a_failing_engine_is_an_answer_word_for_word(
    path: str, fields: dict[str, str], service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.answer(exit_code=3, stdout=b"some\n", stderr="Error: café\n".encode())
    job = await service.outcome(path, workspace_path=str(workspace), **fields)
    assert job["status"] == "succeeded"
    assert job["error"] is None
    assert job["result"] == {"exit_code": 3, "stdout": "some\n", "stderr": "Error: café\n"}


async def test_an_engine_that_a_signal_ended_has_a_negative_exit_code(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.answer(stdout=b"so far", signal=9)
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert job["result"] == {"exit_code": -9, "stdout": "so far", "stderr": ""}


async def test_bytes_that_are_no_utf8_are_replaced(service: Service, workspace: Path, engine: RecordingEngine) -> None:
    engine.answer(stdout=b"a\xffb", stderr=b"\xc3")
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert job["result"] == {"exit_code": 0, "stdout": "a\ufffdb", "stderr": "\ufffd"}


@pytest.mark.parametrize("text", HOSTILE)
async def test_output_comes_through_as_it_was_written(
    text: str, service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.answer(stdout=text.encode())
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert job["result"]["stdout"] == text


@pytest.mark.parametrize("error", [RuntimeError("the moon is full"), ValueError("not a read error")])
async def test_an_unforeseen_exception_is_a_fault_of_the_service(error: Exception, serving: Serving, workspace: Path) -> None:
    job = await serving(operations=Faulty(error)).outcome("/v1/validate", workspace_path=str(workspace))
    assert job["status"] == "failed"
    assert job["result"] is None
    assert job["error"] == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": str(error),
    }


async def test_an_engine_that_has_gone_takes_no_jobs(service: Service, workspace: Path, engine: RecordingEngine) -> None:
    engine.binary.unlink()
    for path, fields in (("/v1/validate", {}), ("/v1/init", SCOPED)):
        document = problem(await service.post(path, workspace_path=str(workspace), **fields), 503)
        assert str(engine.binary) in document["title"]


async def test_what_is_wrong_with_a_request_is_said_before_an_engine_that_has_gone(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.binary.unlink()
    problem(await service.post("/v1/validate", workspace_path=str(workspace / "absent")), 404)
    problem(await service.post("/v1/validate", workspace_path=str(workspace), surprise=1), 422)
    problem(await service.post("/v1/validate", workspace_path=str(workspace)), 503)


async def test_a_listing_of_a_cloud_needs_no_engine(service: Service, workspace: Path, engine: RecordingEngine) -> None:
    engine.binary.unlink()
    fields = {"scope_id": "x", "terraform_provider": "oci"}
    job = await service.outcome("/v1/import/scope-resource-ids", workspace_path=str(workspace), **fields)
    assert job["result"]["exit_code"] == 2


async def test_an_engine_that_breaks_while_its_job_waits_is_a_fault_of_the_service(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.binary.write_text("#!/no/such/interpreter")
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert job["error"]["status"] == 500
    assert str(engine.binary) in job["error"]["detail"]


async def test_a_job_is_found_by_its_id_in_any_spelling(service: Service, workspace: Path) -> None:
    job = await service.outcome("/v1/validate", workspace_path=str(workspace))
    for spelling in (job["job_id"].replace("-", ""), job["job_id"].upper()):
        assert (await service.client.get(f"/v1/jobs/{spelling}")).json() == job


async def test_an_unknown_job_is_a_404_that_names_it(service: Service) -> None:
    unknown = str(uuid4())
    assert problem(await service.client.get(f"/v1/jobs/{unknown}"), 404)["title"] == f"Unknown or expired job: {unknown}"


@pytest.mark.parametrize(
    "text", ["not-a-uuid", "1", "0" * 31, "0" * 33, "{00000000-0000-4000-8000-000000000000}", "%00", "٣" * 32]
)
async def test_an_id_that_is_no_uuid_is_a_422(text: str, service: Service) -> None:
    problem(await service.client.get(f"/v1/jobs/{text}"), 422)


async def test_with_a_time_to_live_of_zero_an_ended_job_is_gone_at_the_next_look(serving: Serving, workspace: Path) -> None:
    service = serving(jobs=JobRegistry(ttl=0))
    accepted = await service.post("/v1/validate", workspace_path=str(workspace))
    await service.ended(UUID(accepted.json()["job_id"]))
    problem(await service.client.get(accepted.headers["location"]), 404)


async def test_a_service_that_shuts_down_takes_no_more_jobs(service: Service, workspace: Path) -> None:
    await service.jobs.aclose()
    problem(await service.post("/v1/validate", workspace_path=str(workspace)), 503)


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/destroy", "/v1/init/", "/v1/jobs", "/v1/jobs/", "/v1/jobs/a/b", "/docs"])
async def test_an_unknown_path_is_a_problem_document(path: str, service: Service) -> None:
    assert problem(await service.client.get(path), 404)["title"] == "Not Found"


@pytest.mark.parametrize(("method", "path", "allowed"), [("GET", "/v1/init", "POST"), ("DELETE", "/healthz", "GET")])
async def test_a_method_that_is_not_allowed_is_a_problem_document(method: str, path: str, allowed: str, service: Service) -> None:
    answer = await service.client.request(method, path)
    assert problem(answer, 405)["title"] == "Method Not Allowed"
    assert answer.headers["allow"] == allowed


async def test_what_the_contract_has_no_head_of_has_none(service: Service) -> None:
    answer = await service.client.head("/healthz")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/validate%0a"),
        ("POST", "/v1/validate%0A"),
        ("POST", "/v1%2fvalidate"),
        ("POST", "/v1/%76alidate"),
        ("GET", "/healthz%0a"),
        ("GET", "/openapi.json%0a"),
    ],
)
async def test_an_escape_makes_no_other_path_one_of_the_contract(
    method: str, path: str, service: Service, workspace: Path
) -> None:
    problem(await service.client.request(method, path, json={"workspace_path": str(workspace)}), 404)


async def test_the_id_of_a_job_is_read_with_its_escapes(service: Service, workspace: Path) -> None:
    accepted = await service.post("/v1/validate", workspace_path=str(workspace))
    job_id = accepted.json()["job_id"]
    assert (await service.client.get("/v1/jobs/" + job_id.replace("-", "%2D"))).status_code == 200
    for other in (f"{job_id}%0a", f"{job_id}%2f", f"%20{job_id}"):
        problem(await service.client.get(f"/v1/jobs/{other}"), 422)
