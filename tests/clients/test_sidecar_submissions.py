"""A submission is sent once; whether it may have been accepted is never guessed."""

from __future__ import annotations

import asyncio
import json
from uuid import UUID

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import AccessDenied, BadAnswer, NotFound, ServiceError, Unreachable
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.ports.sidecar import Busy, SubmissionUnclear
from tests.clients.test_sidecar import ACCEPTED, ID, TOKEN, client_of
from tests.fakes.scripted_service import (
    Move,
    answer,
    closed_port,
    drip,
    hang,
    hang_up,
    problem,
    raw_answer,
    reset,
    reset_mid_body,
    scripted_service,
    speak,
    truncated,
)

REQUEST = ValidateRequest(workspace_path="/w")
HERE = {"Location": f"/v1/jobs/{ID}"}
JSON = {"Content-Type": "application/json"}


async def failure_of(move: Move, *, timeout: float = 5.0) -> ServiceError:
    async with scripted_service(move) as service:
        client = SidecarClient(service.endpoint, TOKEN, timeout=timeout)
        with pytest.raises(ServiceError) as caught:
            await client.submit(REQUEST)
        await client.aclose()
    assert len(service.seen) == 1, "a submission is never repeated"
    assert caught.value.hint
    return caught.value


REFUSED: list[tuple[Move, type[ServiceError], str]] = [
    (answer(400, {"detail": "There was an error parsing the body"}), ServiceError, "sidecar.request_refused"),
    (problem(401, "Invalid bearer token."), AccessDenied, "sidecar.unauthorized"),
    (problem(403, "Forbidden"), AccessDenied, "sidecar.forbidden"),
    (problem(404, "workspace_path does not exist or is not a directory: /w"), NotFound, "sidecar.workspace_missing"),
    (answer(404, {"detail": "Not Found"}), BadAnswer, "sidecar.wrong_service"),
    (problem(422, "Request validation failed", "[]"), ServiceError, "sidecar.request_refused"),
    (problem(429, "slow down", headers={"Retry-After": "3"}), Busy, "sidecar.throttled"),
    (problem(503, "no engine"), Busy, "sidecar.unavailable"),
    (raw_answer(301, b"", {"Location": "https://elsewhere/"}), BadAnswer, "sidecar.redirected"),
]


@pytest.mark.parametrize(("move", "kind", "code"), REFUSED, ids=[f"{row[2]}-{number}" for number, row in enumerate(REFUSED)])
async def test_a_refusal_is_certain(move: Move, kind: type[ServiceError], code: str) -> None:
    error = await failure_of(move)
    assert type(error) is kind
    assert error.code == code
    assert not getattr(error, "may_have_been_accepted", False)


async def test_a_missing_workspace_repeats_the_words_of_the_service() -> None:
    error = await failure_of(problem(404, "workspace_path does not exist or is not a directory: /w"))
    assert "/w" in error.detail
    assert "as the service sees it" in error.hint


async def test_a_service_that_refuses_the_connection_has_accepted_nothing() -> None:
    client = SidecarClient(f"http://127.0.0.1:{closed_port()}", TOKEN, timeout=5.0)
    with pytest.raises(Unreachable, match="refused the connection"):
        await client.submit(REQUEST)
    await client.aclose()


SILENT: list[tuple[str, Move]] = [
    ("hang", hang),
    ("hang up", hang_up),
    ("reset", reset),
    ("drip", drip(202, ACCEPTED)),
    ("no http", speak(b"what?\r\n\r\n")),
]


@pytest.mark.parametrize(("name", "move"), SILENT, ids=[row[0] for row in SILENT])
async def test_silence_after_sending_leaves_it_open(name: str, move: Move) -> None:
    async with asyncio.timeout(5):
        error = await failure_of(move, timeout=0.3)
    assert isinstance(error, SubmissionUnclear)
    assert error.code == "sidecar.no_answer"
    assert error.may_have_been_accepted
    assert error.title.startswith("sent, no answer")
    assert error.job_id is None


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_a_service_that_failed_on_the_request_may_have_taken_it(status: int) -> None:
    error = await failure_of(problem(status, "oops"))
    assert isinstance(error, SubmissionUnclear)
    assert error.code == "sidecar.server_error"


UNCLEAR: list[tuple[str, Move, UUID | None, str]] = [
    ("200", answer(200, ACCEPTED), ID, "its status is 200 where the contract has 202"),
    ("201 without a body", raw_answer(201), None, "content type is none"),
    ("202 not JSON", raw_answer(202, b"ok", JSON), None, "begins: ok"),
    ("202 wrong type", raw_answer(202, json.dumps(ACCEPTED).encode(), {"Content-Type": "text/html"}), None, "text/html"),
    ("202 broken off", truncated(202, b'{"job_id": "7f3a'), None, "complete message body"),
    ("202 reset", reset_mid_body(202, b'{"job_id": "7f3a'), None, "closed the connection"),
    ("202 no id", answer(202, {"status": "queued"}), None, "job_id"),
    ("202 two ids", answer(202, ACCEPTED, {"Location": f"/v1/jobs/{UUID(int=5)}"}), ID, str(UUID(int=5))),
]


@pytest.mark.parametrize(("name", "move", "job_id", "words"), UNCLEAR, ids=[row[0] for row in UNCLEAR])
async def test_an_answer_outside_the_contract_leaves_it_open_and_keeps_the_id_it_named(
    name: str, move: Move, job_id: UUID | None, words: str
) -> None:
    error = await failure_of(move)
    assert isinstance(error, SubmissionUnclear)
    assert error.code == "sidecar.bad_answer"
    assert words in error.detail
    assert error.job_id == job_id


@pytest.mark.parametrize(
    "move",
    [
        truncated(202, b'{"job_id": "7f3a', HERE),
        reset_mid_body(202, b"{", HERE),
        raw_answer(202, b"", {**JSON, **HERE}),
        raw_answer(202, b"", {"Location": f"https://iac.acme/iac/v1/jobs/{ID}"}),
    ],
)
async def test_an_id_in_the_header_is_not_lost_with_the_body(move: Move) -> None:
    async with client_of(move) as (client, _):
        assert (await client.submit(REQUEST)).job_id == ID


@pytest.mark.parametrize("location", ["/v1/jobs/", "/v1/jobs/not-a-uuid-but-32-characters-long", "/elsewhere", f"/x/{ID}"])
async def test_a_header_that_names_no_job_is_not_read_as_one(location: str) -> None:
    error = await failure_of(raw_answer(202, b"", {**JSON, "Location": location}))
    assert isinstance(error, SubmissionUnclear)
    assert error.job_id is None


async def test_a_contract_answer_without_the_header_is_enough() -> None:
    async with client_of(answer(202, ACCEPTED)) as (client, _):
        assert (await client.submit(REQUEST)).job_id == ID
