"""The last init of a workspace in the journal, and the engine that its own words name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from posixpath import normpath

from kumoss_console.errors import Refused
from kumoss_console.model.backend.engine import EngineName
from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job
from kumoss_console.ports.journal import JobJournal
from kumoss_console.services.backend.engine import Ran

NEWEST = 500
"""Jobs of the journal that are looked through."""

_TITLES: dict[str, EngineName] = {"Terraform": "terraform", "OpenTofu": "tofu"}


async def engine_that_ran(journal: Callable[[], JobJournal], context: str, folder: Path) -> Ran | None:
    """What the output of the folder's last init says; ``None`` where it says nothing, or the journal cannot be read."""
    try:
        opened = journal()
        job = await last_init(opened, await opened.jobs(context, NEWEST), folder)
    except Refused:
        return None
    return None if job is None else _ran(job)


async def last_init(opened: JobJournal, jobs: Sequence[Job], folder: Path) -> Job | None:
    """The newest init of ``folder`` among ``jobs``, with its output where the journal has it."""
    wanted = normpath(str(folder))
    row = next((job for job in jobs if job.kind is JobKind.INIT and normpath(job.workspace) == wanted), None)
    return (await opened.by_entry(row.entry) if row is not None else None) or row


def job_name(job: Job) -> str:
    """The first letters of its id; the journal's number for one that has none."""
    return (job.job_id or f"#{job.entry}")[:8]


def _ran(job: Job) -> Ran | None:
    said = {name for title, name in _TITLES.items() if f"{title} has been successfully initialized" in job.stdout}
    return (said.pop(), f"the output of init {job_name(job)}") if len(said) == 1 else None
