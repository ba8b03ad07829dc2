"""The last init of a workspace, as the journal knows it: what it said about the backend, and for which scope."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from posixpath import normpath

from kumoss_console.errors import Refused
from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, Verdict
from kumoss_console.model.trace import InitJob
from kumoss_console.ports import JobJournal

NEWEST = 500
"""Jobs of the journal that are looked through."""

_CONFIGURED = re.compile(r'configured the backend\s+"([a-z0-9_]{1,32})"')
_MISSING = re.compile(r"Missing backend configuration")


async def last_init(journal: Callable[[], JobJournal], context: str, folder: Path) -> InitJob | None:
    """The newest init of ``folder``; ``None`` where the journal has none or cannot be read. Asks no service."""
    wanted = {normpath(str(folder))}
    try:
        opened = journal()
        jobs = await opened.jobs(context, NEWEST)
        row = next((job for job in jobs if job.kind is JobKind.INIT and normpath(job.workspace) in wanted), None)
        whole = await opened.by_entry(row.entry) if row is not None else None
    except Refused:
        return None  # the journal is one witness among several
    job = whole or row
    return None if job is None else _told(job)


def _told(job: Job) -> InitJob:
    said = f"{job.stdout}\n{job.stderr}"
    backend = _CONFIGURED.search(said)
    scope = dict(job.fields).get("scope_id")
    return InitJob(
        name=(job.job_id or f"#{job.entry}")[:8],
        at=job.finished or job.started or job.created or job.submitted,
        good={Verdict.GOOD: True, Verdict.BAD: False}.get(job.verdict),
        summary=job.summary,
        backend=backend[1] if backend else None,
        missing_block=bool(_MISSING.search(said)),
        scope=scope if isinstance(scope, str) else "",
    )
