"""A job as a row, and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, overload

import msgspec

from kumoss_console.model.contract import JobKind, Problem, SubmitRequest
from kumoss_console.model.job import Job, ServicePlane

COLUMNS = (
    "entry, context, job_id, kind, workspace, fields, service, submitted, created, started, finished, seen, exit_code, "
    "output_bytes, problem, note"
)

STREAM_CAP = 64 * 2**20
"""Bytes of one stream that are kept: its end, where engines say what went wrong. What is dropped is noted on the job."""

_Fields = tuple[tuple[str, str | tuple[str, ...]], ...]


def fields_of(request: SubmitRequest) -> _Fields:
    """The request as it goes over the wire, field by field."""
    plain: dict[str, Any] = msgspec.to_builtins(request)
    return tuple((name, tuple(value) if isinstance(value, (list, tuple)) else value) for name, value in plain.items())


def new_values(job: Job) -> dict[str, Any]:
    """Everything of a job but its entry and its output, by column."""
    return {
        "context": job.context,
        "job_id": job.job_id,
        "kind": job.kind.value if job.kind else None,
        "workspace": job.workspace,
        "fields": msgspec.json.encode(job.fields).decode(),
        "service": job.service.value,
        "submitted": time_text(job.submitted),
        "created": time_text(job.created),
        "started": time_text(job.started),
        "finished": time_text(job.finished),
        "seen": time_text(job.seen),
        "exit_code": job.exit_code,
        "output_bytes": job.output_bytes,
        "problem": msgspec.json.encode(job.problem).decode() if job.problem else None,
        "note": job.note,
    }


def job_of(row: sqlite3.Row, output: tuple[bytes, bytes] | None = None) -> Job:
    """The job of a row that has :data:`COLUMNS`; without ``output`` its streams are empty and ``output_bytes`` tells."""
    stdout, stderr = output or (b"", b"")
    return Job(
        entry=row["entry"],
        job_id=row["job_id"],
        context=row["context"],
        kind=JobKind(row["kind"]) if row["kind"] else None,
        workspace=row["workspace"],
        service=ServicePlane(row["service"]),
        submitted=_moment(row["submitted"]),
        fields=msgspec.json.decode(row["fields"], type=_Fields),
        created=_moment(row["created"]),
        started=_moment(row["started"]),
        finished=_moment(row["finished"]),
        seen=_moment(row["seen"]),
        exit_code=row["exit_code"],
        # A stream cut at its cap may begin within a character.
        stdout=stdout.decode("utf-8", "ignore"),
        stderr=stderr.decode("utf-8", "ignore"),
        output_bytes=row["output_bytes"],
        problem=msgspec.json.decode(row["problem"], type=Problem) if row["problem"] else None,
        note=row["note"],
    )


def insert(connection: sqlite3.Connection, values: dict[str, Any]) -> int:
    """A new row. Returns its entry."""
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    entry = connection.execute(f"INSERT INTO jobs ({names}) VALUES ({marks})", values).lastrowid  # noqa: S608 - our own names
    if entry is None:
        raise sqlite3.DatabaseError("no row was written")
    return entry


def ends(connection: sqlite3.Connection, entries: Sequence[int], size: int) -> dict[int, tuple[str, str]]:
    """Of the outputs that are kept: at most ``size`` bytes of each stream, the last of stdout and the first of stderr."""
    marks = ", ".join("?" for _ in entries)
    parts = "coalesce(substr(stdout, -?), x''), coalesce(substr(stderr, 1, ?), x'')"  # substr() of an empty blob is NULL
    sql = f"SELECT entry, {parts} FROM outputs WHERE entry IN ({marks})"  # noqa: S608 - our own words
    found = connection.execute(sql, (size, size, *entries))
    return {entry: (stdout.decode("utf-8", "ignore"), stderr.decode("utf-8", "ignore")) for entry, stdout, stderr in found}


def kept_output(job: Job, cap: int = STREAM_CAP) -> tuple[bytes, bytes, str]:
    """Both streams as they are kept, and what to say of the rest."""
    kept: list[bytes] = []
    dropped: list[str] = []
    for name, text in (("stdout", job.stdout), ("stderr", job.stderr)):
        raw = text.encode("utf-8", "replace")
        kept.append(raw[-cap:])
        if len(raw) > cap:
            dropped.append(f"the first {len(raw) - cap:,} bytes of {name} were not kept")
    return kept[0], kept[1], "; ".join(dropped)


@overload
def time_text(moment: datetime) -> str: ...
@overload
def time_text(moment: None) -> None: ...
def time_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds")


@overload
def _moment(text: str) -> datetime: ...
@overload
def _moment(text: None) -> None: ...
def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
