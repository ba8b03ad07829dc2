"""The log: which request and which job a line belongs to, and what never stands in it."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.model.contract import JobDocument
from kumoss_console.sidecar.jobs import JobRegistry
from kumoss_console.sidecar.logs import REQUEST_ID, configure_logging
from kumoss_console.text import Secret
from tests.hostile import HOSTILE
from tests.sidecar.answers import problem
from tests.sidecar.conftest import SCOPED, TOKEN, Service, Serving
from tests.sidecar.recording import RecordingEngine


@pytest.fixture
def root_logger() -> Iterator[logging.Logger]:
    """Put back as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield root
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize("given", ["abc-123", "0" * 128, "A.b_c:d"])
async def test_the_callers_request_id_comes_back(given: str, service: Service, workspace: Path) -> None:
    headers = {"X-Request-ID": given}
    for answer in (
        await service.client.get("/healthz", headers=headers),
        await service.client.post("/v1/validate", json={"workspace_path": str(workspace)}, headers=headers),
        await service.client.post("/v1/validate", json={}, headers=headers),
        await service.client.get("/nowhere", headers=headers),
        await service.client.get("/v1/jobs/nonsense", headers=headers),
    ):
        assert answer.headers["x-request-id"] == given


@pytest.mark.parametrize("given", [None, "", "0" * 129, "a b", "a\tb", "é", "a;b"])
async def test_without_a_usable_one_each_request_gets_its_own(given: str | None, service: Service) -> None:
    headers = {} if given is None else {"X-Request-ID": given.encode("utf-8")}
    ids = [(await service.client.get("/healthz", headers=headers)).headers["x-request-id"] for _ in range(2)]  # type: ignore[arg-type]  # bytes are taken as well
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)
    assert ids[0] != ids[1]


async def test_what_is_logged_of_a_job_carries_the_request_that_submitted_it(
    service: Service,
    workspace: Path,
    engine: RecordingEngine,
    root_logger: logging.Logger,
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging(log_format="json")
    locations = []
    for request_id in ("first", "second"):
        accepted = await service.client.post(
            "/v1/init", json={"workspace_path": str(workspace), **SCOPED}, headers={"X-Request-ID": request_id}
        )
        locations.append(accepted.headers["location"])
    for location in locations:
        await service.ended_at(location)
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    for request_id, location in zip(("first", "second"), locations, strict=True):
        job_id = location.rpartition("/")[2]
        mine = [event["message"] for event in events if event.get("request_id") == request_id]
        assert f"job {job_id} (init) submitted" in mine
        assert f"job {job_id} succeeded" in mine
        assert [message for message in mine if message.startswith("running ")]
        assert [message for message in mine if message.startswith("POST /v1/init: 202 after ")]


async def test_polls_are_logged_only_when_everything_is(
    service: Service, workspace: Path, root_logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    for level, seen in (("info", False), ("debug", True)):
        configure_logging(level=level)
        job = await service.outcome("/v1/validate", workspace_path=str(workspace))
        await service.client.get("/v1/jobs/nonsense")
        said = capsys.readouterr().err
        assert (f"GET /v1/jobs/{job['job_id']}: 200" in said) is seen
        assert "GET /v1/jobs/nonsense: 422" in said


@pytest.mark.parametrize("log_format", ["text", "json"])
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_neither_breaks_a_line_nor_reaches_the_terminal(
    hostile: str, log_format: str, root_logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(log_format=log_format)
    token = REQUEST_ID.set("r1")
    logging.getLogger("test").warning("%s", hostile)
    REQUEST_ID.reset(token)
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert "\u202e" not in said
    assert "\x9b" not in said
    if log_format == "json":
        (line,) = said.splitlines()
        event = json.loads(line)
        assert event.keys() == {"time", "level", "logger", "message", "request_id"}
        assert (event["level"], event["logger"], event["request_id"]) == ("WARNING", "test", "r1")
    else:
        assert said.endswith(" [request r1]\n")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_secrets_stand_neither_in_messages_nor_in_tracebacks(
    log_format: str, root_logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(Secret(TOKEN), log_format=log_format)
    try:
        raise RuntimeError(f"refused {TOKEN}, password=hunter2secret, https://user:pw12345@host/")
    except RuntimeError as error:
        logging.getLogger("test").error("it failed: %s", error, exc_info=error)
    said = capsys.readouterr().err
    assert "RuntimeError" in said
    for secret in (TOKEN, "hunter2secret", "pw12345"):
        assert secret not in said


class Faulty(JobRegistry):
    """One that nobody foresaw to fail."""

    def get(self, job_id: UUID) -> JobDocument | None:
        raise RuntimeError("nobody foresaw this")


async def test_a_fault_of_the_service_is_answered_and_logged_with_its_request(
    serving: Serving, root_logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(log_format="json")
    service = serving(jobs=Faulty())
    path = "/v1/jobs/00000000-0000-4000-8000-000000000000"
    answer = await service.client.get(path, headers={"X-Request-ID": "the-fault"})
    assert problem(answer, 500)["detail"] == "nobody foresaw this"
    assert answer.headers["x-request-id"] == "the-fault"
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {"unhandled RuntimeError", f"GET {path}: 500 after"} <= {
        event["message"].partition(" after")[0] + (" after" if " after" in event["message"] else "")
        for event in events
        if event.get("request_id") == "the-fault"
    }


async def test_a_pull_that_fails_is_named_in_the_log(
    service: Service, workspace: Path, engine: RecordingEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    engine.answer(exit_code=1, stderr=b"Error: no backend")
    await service.outcome("/v1/import/state-resource-ids", workspace_path=str(workspace))
    assert any(message.startswith("state pull ended with exit code 1 after") for message in caplog.messages)


async def test_the_token_of_a_refused_request_is_not_logged(
    serving: Serving, root_logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(level="debug")
    service = serving(KUMOSS_IAC_TOKEN=TOKEN)
    await service.client.post("/v1/init", json={}, headers={"Authorization": "Bearer somebody-elses-token"})
    said = capsys.readouterr().err
    assert "POST /v1/init: 401" in said
    assert "somebody-elses-token" not in said
