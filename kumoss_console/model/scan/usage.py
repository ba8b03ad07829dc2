"""States that nobody seems to use any more: what the store's clock and the job journal say of it, and what neither can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from kumoss_console.model.duration import in_words
from kumoss_console.model.finding import Severity
from kumoss_console.model.moment import iso
from kumoss_console.model.scan.finding import ScanFinding, Subject, about
from kumoss_console.text import printable

Witness = Literal["bound", "unbound", "unreadable"]
"""What the journal can say of a key: ``bound`` where a workspace that can be seen from here is bound to it, ``unbound`` where
none is, so that no job can be told to be of it; ``unreadable`` where the journal could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastJob:
    """The newest job in a workspace that is bound to the key. ``kind`` and ``name`` as ``jobs list`` has them."""

    kind: str
    name: str
    at: datetime


def of_usage(
    subject: Subject, *, now: datetime, stale: timedelta, witness: Witness, job: LastJob | None = None
) -> Iterator[ScanFinding]:
    """A state that was neither written for that long, nor had a job. A job reads a state without writing it where nothing
    changes, so the modified time alone does not tell."""
    if subject.modified is None:
        yield about(subject, "age_unknown", Severity.INFO, "when it was last written is not known: the store did not say")
        return
    idle = now - subject.modified
    if idle < stale or (job is not None and now - job.at < stale):
        return
    yield about(
        subject,
        "stale",
        Severity.INFO,
        f"not written for {in_words(idle)}, since {iso(subject.modified.replace(microsecond=0))}; {_journal(witness, job, now)}",
        "nobody's any more? its resources may live on: look before it is deleted (state show)",
    )


def _journal(witness: Witness, job: LastJob | None, now: datetime) -> str:
    if job is not None:
        return f"the last job of this console in its workspace was {job.kind} {printable(job.name)}, {in_words(now - job.at)} ago"
    if witness == "bound":
        return "the journal of this console knows no job in its workspace"
    if witness == "unreadable":
        return "whether a job looked at it is not known: the journal could not be read"
    return "whether a job looked at it is not known: no workspace that can be seen from here is bound to it"
