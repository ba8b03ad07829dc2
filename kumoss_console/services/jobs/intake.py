"""The one gate through which outputs of jobs enter the console: what is secret in them stays outside.

Journal, screens, ``--json``, exports and copies all show what came through here, so none of them has to know what to hide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import msgspec

from kumoss_console.model.context import Context
from kumoss_console.model.contract import JobDocument, JobKind, JobResult, Problem
from kumoss_console.model.job import Job
from kumoss_console.model.masking import mask_shown
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.sidecar import Sidecar
from kumoss_console.text import Secret, conceal

LARGE = 100_000
"""Characters beyond which looking for our own secrets leaves the event loop."""
_SHOWN = '{"format_version"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What the service said, fit to be kept. ``note`` says what was done to an output that could not be read whole."""

    document: JobDocument
    note: str = ""


def secrets_of(context: Context) -> tuple[Secret, ...]:
    """What this console knows and no output may repeat: the service's token, the store's keys."""
    keys = context.credentials
    found = (context.token, keys.access_key, keys.secret_key, keys.account_key, keys.sas)
    return tuple(secret for secret in found if secret)


class Intake:
    """Of one service. Raises what the service's client raises."""

    def __init__(self, sidecar: Sidecar, secrets: Iterable[Secret], off_loop: OffLoop) -> None:
        self._sidecar = sidecar
        self._secrets = tuple(secrets)
        self._off_loop = off_loop

    async def document(self, identifier: UUID) -> Admitted:
        document = await self._sidecar.job(identifier)
        result = document.result
        if result is None:
            return _problem_only(document, self._secrets)
        clean = partial(_clean, document.kind, result, self._secrets)
        if _is_shown(document.kind, result.stdout) or len(result.stdout) + len(result.stderr) > LARGE:
            cleaned, note = await self._off_loop(clean)
        else:
            cleaned, note = clean()
        return Admitted(document=msgspec.structs.replace(document, result=cleaned), note=note)


def admitted(job: Job, secrets: Iterable[Secret]) -> Job:
    """A job that comes from another console's export, fit to be kept. CPU work in the size of its output."""
    known = tuple(secrets)
    result = JobResult(exit_code=job.exit_code or 0, stdout=job.stdout, stderr=job.stderr)
    cleaned, note = _clean(job.kind, result, known)
    if (cleaned.stdout, cleaned.stderr) == (job.stdout, job.stderr):
        return job
    return replace(
        job,
        stdout=cleaned.stdout,
        stderr=cleaned.stderr,
        output_bytes=len(cleaned.stdout.encode()) + len(cleaned.stderr.encode()),
        note="; ".join(filter(None, (job.note, note))),
    )


def _is_shown(kind: JobKind | None, stdout: str) -> bool:
    """Whether an output may be a plan or a state as JSON: the only ones in which engines print sensitive values."""
    return bool(stdout) and (kind is JobKind.SHOW or stdout[:200].lstrip("\ufeff \t\r\n").startswith(_SHOWN))


def _clean(kind: JobKind | None, result: JobResult, secrets: tuple[Secret, ...]) -> tuple[JobResult, str]:
    stdout, note = result.stdout, ""
    # What a failing show says is for people, unless it got as far as the document.
    if _is_shown(kind, stdout) and (result.exit_code == 0 or "{" in stdout):
        shown = mask_shown(stdout)
        stdout, note = shown.text, f"of its output: {shown.note}" if shown.note else ""
    cleaned = JobResult(exit_code=result.exit_code, stdout=conceal(stdout, secrets), stderr=conceal(result.stderr, secrets))
    return cleaned, note


def _problem_only(document: JobDocument, secrets: tuple[Secret, ...]) -> Admitted:
    error = document.error
    if error is None:
        return Admitted(document=document)
    said = Problem(
        title=conceal(error.title, secrets),
        status=error.status,
        type=error.type,
        detail=None if error.detail is None else conceal(error.detail, secrets),
        instance=error.instance,
    )
    return Admitted(document=msgspec.structs.replace(document, error=said))
