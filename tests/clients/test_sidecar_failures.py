"""Everything that can go wrong on a look at a job has a name of its own and a next step."""

from __future__ import annotations

import asyncio
import json
from uuid import UUID

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import AccessDenied, BadAnswer, ExitCode, NotFound, ServiceError, Unreachable
from kumoss_console.ports.sidecar import Busy
from kumoss_console.text import Secret
from tests.clients.test_sidecar import ID, JOB, TOKEN, client_of
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
from tests.hostile import HOSTILE

JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}
WHOLE = json.dumps(JOB).encode()


async def failure_of(move: Move, *, timeout: float = 5.0, body_cap: int = 10**6) -> ServiceError:
    async with scripted_service(move) as service:
        client = SidecarClient(service.endpoint, TOKEN, timeout=timeout, body_cap=body_cap)
        with pytest.raises(ServiceError) as caught:
            await client.job(ID)
        await client.aclose()
    assert caught.value.title
    assert caught.value.hint
    assert caught.value.exit_code is ExitCode.UNREACHABLE
    return caught.value


STATUSES: list[tuple[str, Move, type[ServiceError], str]] = [
    ("401", problem(401, "Invalid bearer token."), AccessDenied, "sidecar.unauthorized"),
    ("403", problem(403, "Forbidden"), AccessDenied, "sidecar.forbidden"),
    ("404 of the service", problem(404, f"Unknown or expired job: {ID}"), NotFound, "sidecar.not_found"),
    ("404 by shape", answer(404, {"title": "Not Found", "status": 404}), NotFound, "sidecar.not_found"),
    ("404 of a framework", answer(404, {"detail": "Not Found"}), BadAnswer, "sidecar.wrong_service"),
    (
        "404 of a web server",
        raw_answer(404, b"<h1>nginx</h1>", {"Content-Type": "text/html"}),
        BadAnswer,
        "sidecar.wrong_service",
    ),
    ("400", answer(400, {"detail": "unreadable"}), ServiceError, "sidecar.request_refused"),
    ("422", problem(422, "Request validation failed", "[...]"), ServiceError, "sidecar.request_refused"),
    ("429", problem(429, "Too many requests"), Busy, "sidecar.throttled"),
    ("503", problem(503, "Service Unavailable"), Busy, "sidecar.unavailable"),
    ("500", problem(500, "Internal server error", "boom"), ServiceError, "sidecar.server_error"),
    ("502", raw_answer(502, b"bad gateway", {"Content-Type": "text/plain"}), ServiceError, "sidecar.server_error"),
    ("504", raw_answer(504), ServiceError, "sidecar.server_error"),
    ("redirect", raw_answer(302, b"", {"Location": "https://login.acme/x?sig=abc"}), BadAnswer, "sidecar.redirected"),
    ("405", answer(405, {"detail": "Method Not Allowed"}), BadAnswer, "sidecar.bad_answer"),
    ("204", raw_answer(204), BadAnswer, "sidecar.bad_answer"),
    ("202", answer(202, JOB), BadAnswer, "sidecar.bad_answer"),
]


@pytest.mark.parametrize(("name", "move", "kind", "code"), STATUSES, ids=[row[0] for row in STATUSES])
async def test_each_status_is_its_own_error(name: str, move: Move, kind: type[ServiceError], code: str) -> None:
    error = await failure_of(move)
    assert type(error) is kind
    assert error.code == code


async def test_the_words_of_a_problem_are_shown_wherever_the_service_put_them() -> None:
    assert (await failure_of(problem(500, "only a title"))).detail == "only a title"
    assert (await failure_of(problem(500, "title", "and detail"))).detail == "title: and detail"
    assert (await failure_of(problem(500, "same", "same"))).detail == "same"
    assert (await failure_of(raw_answer(500, b"  plain\n words ", {"Content-Type": "text/plain"}))).detail == "plain words"


async def test_a_redirect_names_its_target_without_the_query() -> None:
    error = await failure_of(raw_answer(307, b"", {"Location": "https://u:p@login.acme/x?sig=abc"}))
    assert "login.acme/x" in error.detail
    assert "abc" not in str(error)
    assert "u:p" not in str(error)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "Fri, 02 Jan 2026 03:05:05 GMT", "Date": "Fri, 02 Jan 2026 03:04:05 GMT"}, 60.0),
        ({"Retry-After": "Fri, 02 Jan 2026 03:04:05 GMT", "Date": "Fri, 02 Jan 2026 03:05:05 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({}, None),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_service_says_when_to_come_back(status: int, headers: dict[str, str], seconds: float | None) -> None:
    error = await failure_of(problem(status, "later", headers=headers))
    assert isinstance(error, Busy)
    assert error.retry_after == seconds


NOT_A_JOB: list[tuple[str, Move, str]] = [
    ("html", raw_answer(200, b"<html>hello</html>", {"Content-Type": "text/html"}), "text/html"),
    ("right body, wrong type", raw_answer(200, WHOLE, {"Content-Type": "text/plain"}), "text/plain"),
    ("no type", raw_answer(200, WHOLE), "content type is none"),
    ("not JSON", raw_answer(200, b"hello", JSON), "begins: hello"),
    ("empty", raw_answer(200, b"", JSON), "the body is empty"),
    ("cut JSON", raw_answer(200, WHOLE[:40], JSON), "truncated"),
    ("not UTF-8", raw_answer(200, b'{"job_id": "\xff"}', JSON), ""),
    ("a list", answer(200, []), "Expected `object`, got `array`"),
    ("deep", raw_answer(200, b'{"x":' + b"[" * 50_000, JSON), "nested"),
    ("a key missing", answer(200, {key: value for key, value in JOB.items() if key != "result"}), "result"),
    ("unknown kind", answer(200, JOB | {"kind": "destroy"}), "$.kind"),
    ("unknown status", answer(200, JOB | {"status": "done"}), "$.status"),
    ("text for a number", answer(200, JOB | {"result": {"exit_code": "1", "stdout": "", "stderr": ""}}), "$.result.exit_code"),
    ("no time", answer(200, JOB | {"created_at": "yesterday"}), "$.created_at"),
    ("succeeded without result", answer(200, JOB | {"result": None}), "succeeded without 'result'"),
    ("running with result", answer(200, JOB | {"status": "running"}), "running with 'result'"),
    ("failed without error", answer(200, JOB | {"status": "failed", "result": None}), "failed without 'error'"),
    ("another job", answer(200, JOB | {"job_id": str(UUID(int=1))}), str(UUID(int=1))),
]


@pytest.mark.parametrize(("name", "move", "words"), NOT_A_JOB, ids=[row[0] for row in NOT_A_JOB])
async def test_what_is_not_a_job_is_a_bad_answer_that_says_what_was_wrong(name: str, move: Move, words: str) -> None:
    error = await failure_of(move)
    assert type(error) is BadAnswer
    assert error.code == "sidecar.bad_answer"
    assert words in error.detail


async def test_a_body_that_breaks_off_is_a_bad_answer() -> None:
    error = await failure_of(truncated(200, WHOLE))
    assert (type(error), error.code) == (BadAnswer, "sidecar.bad_answer")
    assert "without sending complete message body" in error.detail


async def test_a_refusal_whose_body_breaks_off_is_still_that_refusal() -> None:
    assert (await failure_of(truncated(401, b'{"title": "Inva'))).code == "sidecar.unauthorized"


@pytest.mark.parametrize("move", [reset, hang_up, reset_mid_body(200, b'{"job_id"')], ids=["reset", "hang up", "mid body"])
async def test_a_connection_that_ends_is_unreachable(move: Move) -> None:
    error = await failure_of(move)
    assert (type(error), error.code) == (Unreachable, "sidecar.unreachable")
    assert "closed the connection" in error.title


async def test_something_that_does_not_speak_http_is_told_apart() -> None:
    error = await failure_of(speak(b"SSH-2.0-OpenSSH_9.6 and so on\r\n\r\n"))
    assert (type(error), error.code) == (BadAnswer, "sidecar.bad_answer")


@pytest.mark.parametrize("move", [hang, drip(200, JOB), drip(200, JOB, after=120)], ids=["hang", "drip", "drip in the body"])
async def test_a_service_that_never_finishes_is_a_timeout(move: Move) -> None:
    async with asyncio.timeout(5):
        error = await failure_of(move, timeout=0.2)
    assert (type(error), error.code) == (Unreachable, "sidecar.timeout")
    assert "0.2 s" in error.title


async def test_a_body_above_the_cap_is_not_read_to_its_end() -> None:
    error = await failure_of(raw_answer(200, b" " * 2_000_000 + WHOLE, JSON), body_cap=1_000_000)
    assert error.code == "sidecar.answer_too_large"
    assert "1,000,000 bytes" in error.title


async def test_a_huge_error_page_is_read_only_in_part() -> None:
    error = await failure_of(raw_answer(500, b"x" * 5_000_000, {"Content-Type": "text/html"}))
    assert error.code == "sidecar.server_error"
    assert len(error.detail) == 200


async def test_nobody_listening_is_unreachable() -> None:
    client = SidecarClient(f"http://127.0.0.1:{closed_port()}", TOKEN, timeout=5.0)
    with pytest.raises(Unreachable, match="refused the connection") as caught:
        await client.job(ID)
    await client.aclose()
    assert caught.value.code == "sidecar.unreachable"
    assert "services.iac.endpoint" in caught.value.hint


async def test_a_name_that_does_not_resolve_is_said_to_be_one() -> None:
    client = SidecarClient("http://iac.invalid:8082", TOKEN, timeout=5.0)
    with pytest.raises(Unreachable, match=r"iac\.invalid:8082 has a name that does not resolve") as caught:
        await client.health()
    await client.aclose()
    assert caught.value.code == "sidecar.unreachable"


async def test_tls_towards_plain_http_hints_at_the_scheme() -> None:
    async with scripted_service(answer(200, JOB)) as service:
        client = SidecarClient(service.endpoint.replace("http:", "https:"), TOKEN, timeout=5.0)
        with pytest.raises(Unreachable, match="did not agree on TLS") as caught:
            await client.job(ID)
        await client.aclose()
    assert caught.value.code == "sidecar.unreachable"
    assert "http://" in caught.value.hint


async def test_a_forbidden_token_is_known_and_is_not_called_wrong() -> None:
    async with client_of(problem(403, "no")) as (client, _):
        with pytest.raises(AccessDenied) as caught:
            await client.token_accepted()
    assert caught.value.code == "sidecar.forbidden"


async def test_a_missing_token_is_told_apart_from_a_wrong_one() -> None:
    async with client_of(problem(401, "Missing Authorization header."), token=None) as (client, _):
        with pytest.raises(AccessDenied, match="this console has none"):
            await client.job(ID)


@pytest.mark.parametrize("status", ["degraded", "\x1b[2J" * 30])
async def test_an_unwell_service_is_not_reported_healthy(status: str) -> None:
    async with client_of(answer(200, {"status": status})) as (client, _):
        with pytest.raises(BadAnswer, match="not well") as caught:
            await client.health()
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_hostile_words_of_the_service_arrive_neutralised_and_clipped(text: str) -> None:
    moves = (
        problem(500, text, text + "!"),
        problem(404, text),
        raw_answer(200, text.encode(), JSON),
        answer(200, JOB | {"kind": text}),
        raw_answer(200, b"{}", {"Content-Type": "text/html"}),
    )
    for move in moves:
        error = await failure_of(move)
        shown = str(error)
        assert all(char.isprintable() or char in "\n\u200d" for char in shown)
        assert len(shown) < 1500


async def test_a_service_that_echoes_the_token_does_not_get_it_shown() -> None:
    echo = f"got Bearer {TOKEN.reveal()} and {TOKEN.reveal()}"
    for move in (problem(401, echo), problem(500, "x", echo), raw_answer(200, echo.encode(), JSON)):
        assert TOKEN.reveal() not in str(await failure_of(move))


async def test_no_error_and_no_repr_holds_the_token_or_a_request() -> None:
    client = SidecarClient(f"http://127.0.0.1:{closed_port()}", Secret("tok-abcdef"), timeout=5.0)
    with pytest.raises(Unreachable) as caught:
        await client.job(ID)
    await client.aclose()
    shown = f"{caught.value!r} {caught.value.__dict__} {caught.value.__cause__} {client!r} {vars(client)!r}"
    assert "tok-abcdef" not in shown
    assert caught.value.__suppress_context__
