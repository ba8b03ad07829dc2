"""What the statuses of the IaC service mean, each with its next step."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

import httpx
import msgspec

from kumoss_console.clients.exchange import Answer
from kumoss_console.errors import AccessDenied, BadAnswer, NotFound, ServiceError
from kumoss_console.ports.sidecar import Busy, SubmissionUnclear
from kumoss_console.text import Secret, clip, printable, redact

EXCERPT = 200
"""Cells of a foreign body that an error repeats."""

SAID = 600
"""Cells of a service's own explanation that an error repeats."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the answer answers. ``at`` is the host and port; ``has_token`` whether we sent one."""

    what: Literal["submission", "job", "health"]
    line: str
    at: str
    has_token: bool
    secrets: tuple[Secret, ...] = ()

    @property
    def service(self) -> str:
        return f"the IaC service at {self.at}"


def refusal(answer: Answer, asked: Asked) -> ServiceError:
    """The error that a status other than the promised one means."""
    said = explanation(answer, asked.secrets)
    status = answer.status
    match status:
        case 401:
            return _unauthorized(asked, said)
        case 403:
            return AccessDenied(
                f"{asked.service} knows our token and does not allow this",
                detail=said,
                hint="ask whoever runs the service what this token may do",
                code="sidecar.forbidden",
            )
        case 404:
            return _missing(answer, asked, said)
        case 400 | 413 | 415 | 422:
            return ServiceError(
                f"{asked.service} refused the request as invalid ({status})",
                detail=said,
                hint="our requests keep the contract this console knows: compare the versions of the two (info)",
                code="sidecar.request_refused",
            )
        case 429 | 503:
            return _busy(answer, asked, said)
        case _ if status >= 500:
            return _broken(asked, status, said)
        case _ if 300 <= status < 400:
            return _redirected(answer, asked)
        case _:
            return BadAnswer(
                f"{asked.service} answered {asked.line} with status {status}, which the contract does not have",
                detail=said,
                hint="check that services.iac.endpoint leads to the IaC service and not to something else",
                code="sidecar.bad_answer",
            )


def _unauthorized(asked: Asked, said: str) -> ServiceError:
    title = "does not accept our token" if asked.has_token else "asks for a token, and this console has none"
    return AccessDenied(
        f"{asked.service} {title}",
        detail=said,
        hint="set the variable that services.iac.token_env names (KUMOSS_IAC_TOKEN) to the value the service has",
        code="sidecar.unauthorized",
    )


def _missing(answer: Answer, asked: Asked, said: str) -> ServiceError:
    if not is_problem(answer):
        # An unknown URL gets the framework's own 404, or that of whatever else listens there: it says nothing of a job.
        return BadAnswer(
            f"nothing answers {asked.line} at {asked.at}: this may not be the IaC service",
            detail=said,
            hint="services.iac.endpoint is the base URL, without /v1: http://iac:8082",
            code="sidecar.wrong_service",
        )
    if asked.what == "submission":
        return NotFound(
            "the workspace does not exist where the IaC service runs",
            detail=said,
            hint="give the path as the service sees it, on the volume it shares with the core; it must be a directory",
            code="sidecar.workspace_missing",
        )
    return NotFound(
        f"{asked.service} does not know this job",
        detail=said,
        hint="it forgets a job an hour after its end, and all of them when it restarts",
        code="sidecar.not_found",
    )


def _busy(answer: Answer, asked: Asked, said: str) -> ServiceError:
    seconds = retry_after(answer.headers)
    wait = f"try again in {seconds:.0f} s" if seconds is not None else "try again in a moment"
    if answer.status == 429:
        title, code = f"{asked.service} asks us to slow down", "sidecar.throttled"
    else:
        title, code = f"{asked.service} is not available", "sidecar.unavailable"
        wait += "; if it stays so, look at the service's log"
    return Busy(title, detail=said, hint=wait, code=code, retry_after=seconds)


def _broken(asked: Asked, status: int, said: str) -> ServiceError:
    title = f"{asked.service} failed on our request ({status})"
    if asked.what != "submission":
        return ServiceError(title, detail=said, hint="look at the service's log", code="sidecar.server_error")
    return SubmissionUnclear(
        f"{title}, and may have taken the job all the same",
        detail=said,
        hint="look at the service's log, and at the workspace, before you submit it again",
        code="sidecar.server_error",
    )


def _redirected(answer: Answer, asked: Asked) -> ServiceError:
    target = clip(redact(printable(answer.headers.get("location", "nowhere").partition("?")[0]), asked.secrets), EXCERPT)
    return BadAnswer(
        f"{asked.at} redirects {asked.line} elsewhere ({answer.status}), and a token is not carried along",
        detail=f"to {target}",
        hint="set services.iac.endpoint to where the service itself listens",
        code="sidecar.redirected",
    )


class _Said(msgspec.Struct):
    """The members of an error's body that tell something, whoever wrote it."""

    title: object = None
    status: object = None
    detail: object = None


def _parsed(answer: Answer) -> _Said | None:
    try:
        return msgspec.json.decode(answer.body, type=_Said)
    except (msgspec.DecodeError, RecursionError):
        return None


def is_problem(answer: Answer) -> bool:
    """Whether the service itself speaks: a problem document, by its media type or at least by its shape."""
    if answer.media_type == "application/problem+json":
        return True
    said = _parsed(answer)
    return said is not None and isinstance(said.title, str) and isinstance(said.status, int)


def explanation(answer: Answer, secrets: Iterable[Secret] = ()) -> str:
    """What the body of an error says: title and detail, for the reference uses either; else the beginning of the body."""
    said = _parsed(answer)
    parts = [part for part in (said.title, said.detail) if isinstance(part, str) and part.strip()] if said else []
    if parts:
        return clip(redact(printable(": ".join(dict.fromkeys(parts))), secrets), SAID)
    return excerpt(answer.body, secrets)


def excerpt(body: bytes, secrets: Iterable[Secret] = ()) -> str:
    """The beginning of a body that is not ours to parse, in one printable line; empty for an empty one."""
    text = " ".join(body[: EXCERPT * 8].decode("utf-8", "replace").split())
    return clip(redact(printable(text), secrets), EXCERPT)


_DELTA = re.compile(r"[0-9]{1,9}\Z")


def retry_after(headers: httpx.Headers) -> float | None:
    """Seconds that ``Retry-After`` asks for, given as a number or a date; ``None`` without one or for nonsense.

    A date is measured against the answer's own ``Date``, so that the clocks of the two machines need not agree.
    """
    value = str(headers.get("retry-after", "")).strip()
    if _DELTA.match(value):
        return float(value)
    until = _date(value)
    if until is None:
        return None
    now = _date(str(headers.get("date", ""))) or datetime.now(UTC)
    return max((until - now).total_seconds(), 0.0)


def _date(value: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
