"""What commands said of their end, in one line each: the same words in every list, whether or not the service can be asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kumoss_console.model.error_line import error_line
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.outcome import outcome_line
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.text import clip, printable, redact

AT_MOST = 200
"""Jobs of a list whose output is looked into, the first ones: as many as ``jobs list`` has."""
_LOOKED_INTO = 32 * 1024
"""Bytes of each stream: engines begin their stderr with the error, and end their stdout with the summary."""
_LONGEST = 200


def said(job: Job) -> str:
    """What a command that failed said first, or what one that did well sums up, fit to be told: printable, redacted, short.

    Empty where its output is not known or says nothing of the kind. ``job`` comes with its output.
    """
    if job.service is not ServicePlane.ANSWERED:
        return ""
    if job.verdict is Verdict.GOOD:
        line = outcome_line(job.kind, _whole_lines(job.stdout[-_LOOKED_INTO:]))
    else:
        line = error_line(job.stderr) or error_line(job.stdout)
    return clip(redact(printable(line)), _LONGEST)


async def said_by(jobs: Iterable[Job], journal: JobJournal, off_loop: OffLoop) -> dict[int, str]:
    """:func:`said` by entry, from what the journal keeps of their outputs: nobody is asked. Others are left out."""
    answered = [job for job in jobs if job.service is ServicePlane.ANSWERED and job.output_bytes][:AT_MOST]
    if not answered:
        return {}
    ends = await journal.ends([job.entry for job in answered], _LOOKED_INTO)

    def work() -> dict[int, str]:
        found = ((job, *ends[job.entry]) for job in answered if job.entry in ends)
        told = ((job.entry, said(replace(job, stdout=stdout, stderr=stderr))) for job, stdout, stderr in found)
        return {entry: words for entry, words in told if words}

    return await off_loop(work)


def _whole_lines(end: str) -> str:
    """``end`` without the rest of a line that it may begin with, where it is only the end."""
    return end if len(end.encode()) < _LOOKED_INTO - 4 else end.partition("\n")[2]
