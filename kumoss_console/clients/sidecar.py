"""The client of the IaC service: ten paths, typed, each failure an error of its own with a next step.

Nothing is ever sent twice from here. A submission without an answer may have been accepted, and says so.
"""

from __future__ import annotations

import re
import time
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import msgspec

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.documents import LARGE, decoded
from kumoss_console.clients.exchange import BODY_CAP, Answer, NoAnswer, exchange
from kumoss_console.clients.failures import Failure
from kumoss_console.clients.http import Bearer, checked_endpoint, new_client
from kumoss_console.clients.refusals import Asked, excerpt, refusal
from kumoss_console.errors import AccessDenied, BadAnswer, NotFound, ServiceError, Unreachable
from kumoss_console.model.contract import Accepted, JobDocument, JobStatus, SubmitRequest
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.text import Secret, clip, printable, redact

T = TypeVar("T")

_LOCATION = re.compile(r"/v1/jobs/([0-9A-Fa-f-]{32,36})/?\Z")
_LOOK_FIRST = "look at the service's log, and at the workspace, before you submit it again"


class _Health(msgspec.Struct):
    status: str


class _Malformed(Exception):
    """Why a body is not what was promised. Stays in this module."""


class SidecarClient:
    """Satisfies :class:`kumoss_console.ports.sidecar.Sidecar` over HTTP. ``timeout`` in seconds, for one request's headers.

    Raises :class:`~kumoss_console.errors.InputError` for an unusable endpoint or token. An absent or empty token sends none.
    """

    def __init__(self, endpoint: str, token: Secret | None, *, timeout: float, body_cap: int = BODY_CAP) -> None:
        self._endpoint = checked_endpoint(endpoint)
        self._at = printable(urlsplit(self._endpoint).netloc)
        self._secrets = (token,) if token else ()
        self._auth = Bearer(token) if token else None
        self._timeout = timeout
        self._body_cap = body_cap
        self._client = new_client(self._endpoint, timeout=timeout)

    @property
    def endpoint(self) -> str:
        return self._endpoint

    def __repr__(self) -> str:
        return f"SidecarClient({printable(self._endpoint)!r})"

    async def health(self) -> float:
        began = time.perf_counter()
        asked = self._asked("health", "GET", "/healthz")
        answer = await self._get("/healthz", asked, auth=None)
        seconds = time.perf_counter() - began
        health = await self._parsed(answer, asked, _Health, "a health answer")
        if health.status != "ok":
            said = clip(redact(printable(health.status), self._secrets), 80)
            raise BadAnswer(
                f"{asked.service} says that it is not well: {said}", hint="look at its log", code="sidecar.bad_answer"
            )
        return seconds

    async def token_accepted(self) -> bool:
        return await self._lets_in(self._auth)

    async def open_to_all(self) -> bool:
        return await self._lets_in(None)

    async def _lets_in(self, auth: Bearer | None) -> bool:
        try:
            await self._job(uuid4(), auth)
        except NotFound:
            return True
        except AccessDenied as error:
            if error.code == "sidecar.unauthorized":
                return False
            raise
        return True

    async def submit(self, request: SubmitRequest) -> Accepted:
        asked = self._asked("submission", "POST", request.path)
        body = msgspec.json.encode(request)
        wire = self._client.build_request("POST", request.path, content=body, headers={"Content-Type": "application/json"})
        try:
            answer = await exchange(self._client, wire, self._auth, seconds=self._timeout, cap=self._body_cap)
        except NoAnswer as silence:
            raise self._unsent_or_unclear(silence.failure, asked) from None
        if not 200 <= answer.status < 300:
            raise refusal(answer, asked)
        return await self._accepted(answer, asked)

    async def job(self, job_id: UUID) -> JobDocument:
        return await self._job(job_id, self._auth)

    async def _job(self, job_id: UUID, auth: Bearer | None) -> JobDocument:
        path = f"/v1/jobs/{job_id}"
        asked = self._asked("job", "GET", "/v1/jobs/ID")
        answer = await self._get(path, asked, auth=auth)
        document = await self._parsed(answer, asked, JobDocument, "a job")
        if document.job_id != job_id:
            raise BadAnswer(
                f"{asked.service} answered with another job than the one asked for",
                detail=f"asked for {job_id}, got {document.job_id}",
                hint="something between may mix up answers: look past it, at the service itself",
                code="sidecar.bad_answer",
            )
        return document

    async def aclose(self) -> None:
        await self._client.aclose()

    def _asked(self, what: Any, method: str, path: str) -> Asked:
        return Asked(what, f"{method} {path}", self._at, bool(self._secrets), self._secrets)

    async def _get(self, path: str, asked: Asked, *, auth: Bearer | None) -> Answer:
        request = self._client.build_request("GET", path)
        try:
            answer = await exchange(self._client, request, auth, seconds=self._timeout, cap=self._body_cap)
        except NoAnswer as silence:
            raise _error(silence.failure, asked) from None
        if answer.status != 200:
            raise refusal(answer, asked)
        if answer.broken:
            raise _error(answer.broken, asked)
        return answer

    async def _parsed(self, answer: Answer, asked: Asked, type_: type[T], name: str) -> T:
        try:
            return await self._decoded(answer, type_)
        except _Malformed as fault:
            raise BadAnswer(
                f"{asked.service} answered {asked.line} with something that is not {name}",
                detail=str(fault),
                hint="check that services.iac.endpoint leads to the IaC service, of a version this console knows",
                code="sidecar.bad_answer",
            ) from None

    async def _decoded(self, answer: Answer, type_: type[T]) -> T:
        if not (answer.media_type == "application/json" or answer.media_type.endswith("+json")):
            kind = clip(printable(answer.media_type), 60) or "none"
            raise _Malformed(f"its content type is {kind}, not application/json{self._begins(answer)}")
        if not answer.body.strip():
            raise _Malformed("the body is empty")
        try:
            if len(answer.body) > LARGE:
                return await run_blocking(partial(decoded, answer.body, type_))
            return msgspec.json.decode(answer.body, type=type_)
        except msgspec.ValidationError as error:
            raise _Malformed(clip(redact(printable(str(error)), self._secrets), 300)) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _Malformed(f"the JSON is broken: {printable(str(error))}{self._begins(answer)}") from None
        except RecursionError:
            raise _Malformed("the JSON is nested without end") from None

    def _begins(self, answer: Answer) -> str:
        beginning = excerpt(answer.body, self._secrets)
        return f"; it begins: {beginning}" if beginning else "; the body is empty"

    async def _accepted(self, answer: Answer, asked: Asked) -> Accepted:
        """The job a 2xx tells of. An id that the header names and the body lost is an id all the same."""
        named = _named_by(answer)
        try:
            if answer.broken:
                raise _Malformed(f"{answer.broken.title} {answer.broken.detail}".strip())
            accepted = await self._decoded(answer, Accepted)
        except _Malformed as fault:
            if answer.status == 202 and named is not None:
                return Accepted(job_id=named, status=JobStatus.QUEUED)
            raise self._unclear(asked, str(fault), named) from None
        if answer.status != 202:
            raise self._unclear(asked, f"its status is {answer.status} where the contract has 202", accepted.job_id)
        if named is not None and named != accepted.job_id:
            raise self._unclear(asked, f"its body names {accepted.job_id} and its header {named}", accepted.job_id)
        return accepted

    def _unclear(self, asked: Asked, fault: str, job_id: UUID | None) -> SubmissionUnclear:
        return SubmissionUnclear(
            f"{asked.service} answered {asked.line}, but not as the contract says: the job may have been accepted",
            detail=fault,
            hint=f"look at job {job_id}" if job_id else _LOOK_FIRST,
            code="sidecar.bad_answer",
            job_id=job_id,
        )

    def _unsent_or_unclear(self, failure: Failure, asked: Asked) -> ServiceError:
        if not failure.sent:
            return _error(failure, asked)
        return SubmissionUnclear(
            f"sent, no answer: {asked.service} {failure.title}",
            detail=f"{asked.line} may have been accepted, and is not sent again. {failure.detail}".rstrip(),
            hint=_LOOK_FIRST,
        )


def _named_by(answer: Answer) -> UUID | None:
    found = _LOCATION.search(answer.headers.get("location", ""))
    if found is None:
        return None
    try:
        return UUID(found[1])
    except ValueError:
        return None


def _error(failure: Failure, asked: Asked) -> ServiceError:
    kind = Unreachable if failure.code in {"sidecar.timeout", "sidecar.unreachable"} else BadAnswer
    return kind(f"{asked.service} {failure.title}", detail=failure.detail, hint=failure.hint, code=failure.code)
