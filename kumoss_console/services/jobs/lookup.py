"""Finding a job by what an operator types: a whole id, its beginning, or an entry of the journal."""

from __future__ import annotations

import re
from uuid import UUID

from kumoss_console.errors import InputError
from kumoss_console.model.job import Job
from kumoss_console.ports.journal import JobJournal
from kumoss_console.text import clip, printable

_PREFIX = re.compile(r"[0-9a-f-]{1,36}\Z")
_ENTRY = re.compile(r"#([0-9]{1,18})\Z")
_NAMED_AT_MOST = 5


async def find(journal: JobJournal, context: str, typed: str) -> Job | UUID:
    """The job of that context, with its output; or the whole id typed, where the journal does not know it.

    Raises :class:`InputError` for a beginning that fits no job or several.
    """
    wanted = typed.strip().lower()
    job: Job | None
    if entry := _ENTRY.match(wanted):
        job = await journal.by_entry(int(entry[1]))
        if job is None or job.context != context:
            raise unknown(wanted, context)
        return job
    try:
        identifier = UUID(wanted)
    except ValueError:
        identifier = await _by_beginning(journal, context, wanted)
    return await journal.by_id(context, identifier) or identifier


async def _by_beginning(journal: JobJournal, context: str, beginning: str) -> UUID:
    found = await journal.by_prefix(context, beginning, _NAMED_AT_MOST + 1) if _PREFIX.match(beginning) else ()
    names = list(dict.fromkeys(job.job_id for job in found if job.job_id))
    if not names:
        raise unknown(beginning, context)
    if len(names) > 1:
        more = ", …" if len(names) > _NAMED_AT_MOST else ""
        raise InputError(
            f"several jobs begin with {beginning}",
            detail=", ".join(names[:_NAMED_AT_MOST]) + more,
            hint="give more of the id",
            code="job.ambiguous",
        )
    return UUID(names[0])


def unknown(wanted: str, context: str) -> InputError:
    """Nobody knows that job."""
    return InputError(
        f"no job {clip(printable(wanted), 60)} is known in context {printable(context)}",
        hint="kumoss-console jobs list shows those that are; a job submitted elsewhere needs its whole id",
        code="job.unknown",
    )


def job_uuid(job_id: str) -> UUID:
    """Raises :class:`InputError` for anything that is not a UUID."""
    try:
        return UUID(job_id.strip())
    except ValueError:
        raise InputError(
            f"{clip(printable(job_id), 60)} is not a job id",
            hint="a job id is a UUID, as jobs list shows it",
            code="job.id_invalid",
        ) from None
