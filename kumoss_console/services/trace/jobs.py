"""What the journal knows for a trace: the last init of the workspace, and the scopes and folders of all other jobs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from posixpath import normpath

from kumoss_console.errors import Refused
from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.trace import Applied, InitJob
from kumoss_console.ports.journal import JobJournal
from kumoss_console.services.backend.lastinit import NEWEST, job_name, last_init

_MOST_PATHS = 300
_DEEPEST = 6
"""Segments of a workspace's folder that may be a module's path."""

_CONFIGURED = re.compile(r'configured the backend\s+"([a-z0-9_]{1,32})"')
_CHANGED = re.compile(r"Resources: (?:(\d{1,9}) imported, )?(\d{1,9}) added, (\d{1,9}) changed, (\d{1,9}) destroyed")
WRITING = frozenset({JobKind.APPLY, JobKind.IMPORT})
_MOST_APPLIES = 5
_MISSING = re.compile(r"Missing backend configuration")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """``init`` and ``applied`` are ``None`` where the journal has none of the folder. ``scopes`` and ``paths`` are of the newest
    jobs of all folders, and of this one: a module's path is the end of its workspace's."""

    init: InitJob | None = None
    applied: Applied | None = None
    scopes: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


async def told_by(journal: Callable[[], JobJournal], context: str, folder: Path | None) -> Told:
    """What the journal says; nothing where it cannot be read. Asks no service."""
    try:
        opened = journal()
        jobs = await opened.jobs(context, NEWEST)
        job = await last_init(opened, jobs, folder) if folder is not None else None
        applied = await last_apply(opened, jobs, folder) if folder is not None else None
    except Refused:
        return Told(paths=tuple(_ends(str(folder))) if folder is not None else ())  # the journal is one witness among several
    own = (str(folder),) if folder is not None else ()
    folders = dict.fromkeys((*own, *(job.workspace for job in jobs if job.workspace)))
    return Told(
        init=_told(job) if job is not None else None,
        applied=applied,
        scopes=tuple(dict.fromkeys(scope for job in jobs if (scope := _scope(job)))),
        paths=tuple(dict.fromkeys(path for one in folders for path in _ends(one)))[:_MOST_PATHS],
    )


def _ends(folder: str) -> Iterator[str]:
    """``envs/prod`` and ``prod`` of ``/workspaces/infra_1/envs/prod``, the longest first."""
    segments = [segment for segment in folder.split("/") if segment not in {"", "."}]
    for begin in range(max(1, len(segments) - _DEEPEST), len(segments)):
        yield "/".join(segments[begin:])


async def last_apply(opened: JobJournal, jobs: Sequence[Job], folder: Path) -> Applied | None:
    """The newest apply or import of the folder that wrote something: one that changed nothing may have written no state."""
    wanted = normpath(str(folder))
    rows = (job for job in jobs if job.kind in WRITING and normpath(job.workspace) == wanted and job.verdict is Verdict.GOOD)
    for row in islice(rows, _MOST_APPLIES):
        job = await opened.by_entry(row.entry) or row
        counts = _CHANGED.search(job.stdout)
        if counts is None or any(int(count) for count in counts.groups("0")):
            verb = "an import" if job.kind is JobKind.IMPORT else "an apply"
            return Applied(words=f"{verb} of this workspace succeeded (job {job_name(job)})", at=_moment(job))
    return None


def _moment(job: Job) -> datetime:
    return job.finished or job.started or job.created or job.submitted


def _told(job: Job) -> InitJob:
    said = f"{job.stdout}\n{job.stderr}"
    backend = _CONFIGURED.search(said)
    return InitJob(
        name=job_name(job),
        at=_moment(job),
        good={Verdict.GOOD: True, Verdict.BAD: False}.get(job.verdict),
        summary=job.summary,
        backend=backend[1] if backend else None,
        missing_block=bool(_MISSING.search(said)),
        scope=_scope(job),
    )


def _scope(job: Job) -> str:
    scope = dict(job.fields).get("scope_id")
    return scope if isinstance(scope, str) else ""
