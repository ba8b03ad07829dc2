"""The checks find services that are wrong: one thing is broken at a time, and at least one check must say so."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from uuid import UUID

import pytest
import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kumoss_console.model.contract import REQUESTS, JobDocument, JobKind, JobResult, SubmitRequest
from kumoss_console.sidecar.app import Performer, create_app
from kumoss_console.sidecar.jobs import JobRegistry, Operation
from kumoss_console.sidecar.problems import Refusal, respond, unprocessable
from kumoss_console.sidecar.settings import load_settings
from kumoss_console.sidecar.submission import build_request
from tests.conformance import checks
from tests.conformance.service import Service

TOKEN = "the-token-of-the-mutants"


@dataclass
class Asked:
    """A request, as a mutant sees it before the service does."""

    path: str
    authorization: str
    body: bytes

    @property
    def is_authorised(self) -> bool:
        return self.authorization.partition(" ")[2] == TOKEN


Judge = Callable[[Asked, Path], Response | bytes | None]
"""Gives an answer of its own, another body, or nothing: then the service does what it does."""


def unauthorised() -> Response:
    refusal = Refusal(HTTPStatus.UNAUTHORIZED, "no", challenge=True)
    return respond(refusal.problem, refusal.headers)


def changes_nothing(asked: Asked, _: Path) -> None:
    return None


def refuses_the_token_first(asked: Asked, _: Path) -> Response | None:
    return None if asked.path == "/healthz" or asked.is_authorised else unauthorised()


def judges_the_fields_before_the_folder(asked: Asked, _: Path) -> Response | None:
    expected = next((request for request in REQUESTS if request.path == asked.path), None)
    if expected is not None and asked.is_authorised:
        try:
            build_request(json.loads(asked.body), expected)
        except ValueError:
            return None
        except Refusal as refusal:
            return respond(refusal.problem)
    return None


def judges_the_id_before_the_token(asked: Asked, _: Path) -> Response | None:
    return respond(unprocessable("no UUID").problem) if asked.path.endswith("no-uuid") else None


def wants_dashes(asked: Asked, _: Path) -> Response | None:
    bare = asked.path.rpartition("/")[2]
    return respond(unprocessable("no UUID").problem) if len(bare) == 32 and asked.is_authorised else None


def wants_a_capital_letter(asked: Asked, _: Path) -> Response | None:
    scheme = asked.authorization.partition(" ")[0]
    return unauthorised() if scheme and scheme != "Bearer" else None


def takes_any_folder(asked: Asked, workspace: Path) -> bytes | None:
    try:
        body = json.loads(asked.body)
    except ValueError:
        return None
    if isinstance(body, dict) and isinstance(named := body.get("workspace_path"), str) and "absent" in named:
        return json.dumps({**body, "workspace_path": str(workspace)}).encode()
    return None


def knows_another_token(asked: Asked, _: Path) -> Response | None:
    return unauthorised() if asked.path.startswith("/v1/jobs") else None


class Judged:
    """The service with a judge before it."""

    def __init__(self, app: ASGIApp, judge: Judge, workspace: Path) -> None:
        self._app, self._judge, self._workspace = app, judge, workspace

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        headers = dict(scope["headers"])
        verdict = self._judge(Asked(scope["path"], headers.get(b"authorization", b"").decode(), body), self._workspace)
        if isinstance(verdict, Response):
            await verdict(scope, receive, send)
            return
        told = body if verdict is None else verdict

        async def again() -> Message:
            return {"type": "http.request", "body": told, "more_body": False}

        await self._app(scope, again, send)


class Work:
    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult:
        await asyncio.sleep(0.02)
        return JobResult(0, "", "")


class NeverEnds:
    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult:
        await asyncio.Event().wait()
        raise AssertionError


class AlwaysFails:
    async def perform(self, request: SubmitRequest, workspace: str) -> JobResult:
        raise RuntimeError("it always does")


class OneLinePerJob(JobRegistry):
    lines = 0

    def submit(self, kind: JobKind, workspace: str, operation: Operation) -> UUID:
        self.lines += 1
        return super().submit(kind, f"{workspace}{self.lines}", operation)


class Forgets(JobRegistry):
    def get(self, job_id: UUID) -> JobDocument | None:
        return None


@dataclass(frozen=True)
class Mutant:
    found_by: Callable[[Service], None] | None = None
    performer: Performer = field(default_factory=Work)
    registry: Callable[[], JobRegistry] = JobRegistry
    judge: Judge = changes_nothing


MUTANTS = {
    "judges the fields before the folder": Mutant(
        checks.a_folder_that_is_not_there_outweighs_all_other_faults, judge=judges_the_fields_before_the_folder
    ),
    "refuses the token before it reads the body": Mutant(
        checks.a_body_is_read_before_the_token_is_asked_for, judge=refuses_the_token_first
    ),
    "judges the id before the token": Mutant(
        checks.the_token_is_asked_for_before_the_fields_are_judged, judge=judges_the_id_before_the_token
    ),
    "takes any folder": Mutant(checks.a_folder_that_is_not_there_outweighs_all_other_faults, judge=takes_any_folder),
    "wants dashes in an id": Mutant(checks.an_id_that_is_no_uuid_is_refused_and_one_without_dashes_is_one, judge=wants_dashes),
    "finds no job without dashes": Mutant(checks.a_job_is_found_by_its_id_without_dashes, judge=wants_dashes),
    "wants a capital letter": Mutant(checks.the_scheme_has_no_case, judge=wants_a_capital_letter),
    "knows another token": Mutant(checks.the_token_that_was_given_is_taken, judge=knows_another_token),
    "never ends a job": Mutant(checks.every_kind_of_job_ends_with_an_answer_of_the_command, NeverEnds()),
    "fails every job": Mutant(checks.every_kind_of_job_ends_with_an_answer_of_the_command, AlwaysFails()),
    "forgets its jobs": Mutant(checks.every_kind_of_job_ends_with_an_answer_of_the_command, registry=Forgets),
    "lets jobs of a workspace overlap": Mutant(
        checks.jobs_of_one_workspace_run_one_after_the_other_in_the_order_of_submission, registry=OneLinePerJob
    ),
}


@contextmanager
def served(mutant: Mutant, folder: Path) -> Iterator[Service]:
    settings = load_settings({"IAC_BINARY": "/bin/true", "KUMOSS_IAC_TOKEN": TOKEN})
    app = Judged(create_app(settings, jobs=mutant.registry(), operations=mutant.performer), mutant.judge, folder)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            yield Service(url=url, token=TOKEN, workspace=str(folder), patience=60)
        finally:
            server.should_exit = True
            thread.join()


def test_a_service_that_is_right_has_no_complaints(tmp_path: Path) -> None:
    with served(Mutant(), tmp_path) as service:
        for check in (*checks.ANYWHERE, *checks.IN_A_WORKSPACE):
            check(service)
        for other in (replace(service, token="another", workspace=None), replace(service, token="", workspace=None)):
            with pytest.raises(AssertionError):
                checks.the_token_that_was_given_is_taken(other)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_service_that_is_wrong_is_found_out(name: str, tmp_path: Path) -> None:
    mutant = MUTANTS[name]
    assert mutant.found_by is not None
    with served(mutant, tmp_path) as service, pytest.raises(AssertionError):
        mutant.found_by(replace(service, patience=0.5 if name == "never ends a job" else 60))
