"""Jobs as lines of NDJSON, to be read by another console: each line one job, as ``jobs show --json`` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from kumoss_console.errors import InputError
from kumoss_console.model.contract import EARLIEST_YEAR, LATEST_YEAR, JobKind, Problem
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.redaction import redacted_show
from kumoss_console.services.jobs.shape import as_data
from kumoss_console.text import Secret, clip, conceal, printable, redact

_Moment = Annotated[datetime, Meta(tz=True)]


class _Line(msgspec.Struct, kw_only=True):
    """What is read of a line. Verdict, summary and the like are made anew; what a newer console adds is left alone."""

    job_id: UUID | None
    context: str
    kind: JobKind | None
    workspace: str
    service: ServicePlane
    exit_code: int | None
    submitted: _Moment
    created: _Moment | None = None
    started: _Moment | None = None
    finished: _Moment | None = None
    seen: _Moment | None = None
    note: str = ""
    fields: dict[str, str | list[str]] = {}
    stdout: str = ""
    stderr: str = ""
    output_bytes: int = 0
    problem: Problem | None = None


def as_line(job: Job, *, secrets: Iterable[Secret] = (), reveal: bool = False, output: bool = True) -> dict[str, object]:
    """One job with its output, ready for JSON. Without ``reveal`` no secret we know of is in it, nor what looks like one."""
    told = job if output else replace(job, stdout="", stderr="")
    if reveal:
        return as_data(told, output=True) | {"redacted": False}
    known = tuple(secrets)
    shown = told.stdout if told.kind is JobKind.SHOW else ""
    rest = replace(told, stdout="") if shown else told
    clean = {name: _redacted(value, known) for name, value in as_data(rest, output=True).items()}
    if shown:
        # As the document that it is: what looks for secrets in a text would take a brace for one.
        clean["stdout"] = conceal(redacted_show(shown), known)
    return clean | {"redacted": True}


def _redacted(value: Any, secrets: tuple[Secret, ...]) -> Any:
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, dict):
        return {name: _redacted(inner, secrets) for name, inner in value.items()}
    if isinstance(value, list):
        return [_redacted(inner, secrets) for inner in value]
    return value


def read_lines(lines: Iterable[bytes]) -> Iterator[Job]:
    """The jobs, in their order. Raises :class:`InputError` naming the line that is none."""
    decoder = msgspec.json.Decoder(_Line)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _job(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError, RecursionError) as error:
            raise InputError(
                f"line {number} is not a job as jobs export writes it",
                detail=clip(printable(str(error)), 300),
                hint="nothing was imported; a file that was cut off on its way ends in such a line",
                code="journal.bad_line",
            ) from None


def _job(line: _Line) -> Job:
    if (line.service is ServicePlane.ANSWERED) != (line.exit_code is not None):
        raise ValueError("a job has an exit code if and only if it was answered")
    return Job(
        entry=0,
        job_id=None if line.job_id is None else str(line.job_id),
        context=line.context,
        kind=line.kind,
        workspace=line.workspace,
        service=line.service,
        submitted=_utc(line.submitted),
        fields=tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in line.fields.items()),
        created=_utc_or_none(line.created),
        started=_utc_or_none(line.started),
        finished=_utc_or_none(line.finished),
        seen=_utc_or_none(line.seen),
        exit_code=line.exit_code,
        stdout=line.stdout,
        stderr=line.stderr,
        output_bytes=max(line.output_bytes, len(line.stdout.encode()) + len(line.stderr.encode())),
        problem=line.problem,
        note=line.note,
    )


def _utc(moment: datetime) -> datetime:
    if not EARLIEST_YEAR <= moment.year <= LATEST_YEAR:
        raise ValueError(f"a time lies in the year {moment.year}")
    return moment.astimezone(UTC)


def _utc_or_none(moment: datetime | None) -> datetime | None:
    return None if moment is None else _utc(moment)
