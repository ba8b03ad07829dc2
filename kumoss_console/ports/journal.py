"""What this console knows of jobs and of removed locks, kept across restarts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol
from uuid import UUID

from kumoss_console.model.contract import SubmitRequest
from kumoss_console.model.job import Job
from kumoss_console.model.journal import Changes, Claim, Merged, Pruned, SetAside

if TYPE_CHECKING:
    from kumoss_console.model.lock import Removal, RemovalOutcome


class LockJournal(Protocol):
    """The locks that were removed with this console. Raises as :class:`JobJournal` does."""

    async def removing(self, removal: Removal) -> int:
        """Before it is removed. The journal's number for it."""
        ...

    async def removed(self, entry: int, outcome: RemovalOutcome, note: str) -> None:
        """What became of it."""
        ...

    async def removals(self, context: str, limit: int, *, store: str = "") -> tuple[Removal, ...]:
        """Newest first; with ``store``, also those of other contexts in a store whose label begins so."""
        ...


class JobJournal(LockJournal, Protocol):
    """What this console knows of jobs, kept across restarts and shared by several consoles.

    An ``entry`` is the journal's own number for a job. Rows of a list come without their output (``stdout``, ``stderr``); a
    single job comes with it. Raises :class:`~kumoss_console.errors.Refused` where the journal cannot be read or written.
    """

    @property
    def notices(self) -> tuple[str, ...]:
        """What happened to the journal that an operator should know, such as a damaged file set aside."""
        ...

    async def aside(self) -> tuple[SetAside, ...]:
        """Damaged journals that were set aside and lie beside this one, newest first: what is only in them is not known here."""
        ...

    async def record(self, context: str, request: SubmitRequest, now: datetime) -> int:
        """Before it is sent. Until the answer is in, the job reads *sent, no answer*."""
        ...

    async def accept(self, entry: int, job_id: UUID, now: datetime) -> None:
        """The service took it and gave it this id."""
        ...

    async def adopt(self, context: str, job_id: UUID, now: datetime) -> int:
        """A job submitted elsewhere, known by its id. The entry that exists already where there is one."""
        ...

    async def save(self, job: Job) -> None:
        """What became of it. An end that is already recorded is never overwritten by older news."""
        ...

    async def share(
        self, saved: Sequence[Job], released: Iterable[int], claims: Sequence[Claim], now: datetime, busy: float
    ) -> frozenset[int]:
        """One transaction: save these, give these looks back, and claim those. The entries whose claim was granted.

        A look is claimed so that several consoles do not ask about one job each. A claim that is not given back within
        ``busy`` seconds lapses.
        """
        ...

    async def unclaim(self, entries: Iterable[int]) -> None:
        """Those claims came to nothing: whoever wants to look may."""
        ...

    async def changes(self, context: str, since: tuple[int, int] | None, limit: int) -> Changes:
        """What was written since that revision, by any console; the newest ``limit`` and all open ones for ``None``."""
        ...

    async def silent(self, context: str, job_id: str, now: datetime) -> datetime:
        """The service was asked in vain: since when, by any console. ``job_id`` is empty where that says nothing of one job."""
        ...

    async def answered(self, context: str, job_id: str) -> None:
        """The service answered about that job: any silence about it, and about all, is over."""
        ...

    async def silences(self, context: str) -> dict[str, datetime]:
        """What :meth:`silent` was told and nobody has ended yet: since when, by job id."""
        ...

    async def under_way(self, entries: Collection[int], now: datetime) -> dict[int, float]:
        """Of the looks that were claimed and not given back yet, by any console: when each began, in seconds since the epoch."""
        ...

    async def ends(self, entries: Sequence[int], size: int) -> dict[int, tuple[str, str]]:
        """Of the outputs that are kept, by entry: the last ``size`` bytes of stdout, and the first of stderr."""
        ...

    async def prune(self, now: datetime) -> Pruned:
        """Let go of what is too old, or too much."""
        ...

    async def merge(self, jobs: Sequence[Job]) -> Merged:
        """Jobs of another journal, all of them or none. An end known there completes a job that is open here."""
        ...

    async def open_contexts(self) -> tuple[str, ...]:
        """The contexts with jobs whose end is not known."""
        ...

    async def entries(self, context: str | None) -> tuple[int, ...]:
        """The entries of a context, of all contexts for ``None``, oldest first."""
        ...

    async def jobs(self, context: str | None, limit: int) -> tuple[Job, ...]:
        """Those of a context, of all contexts for ``None``, newest first."""
        ...

    async def unfinished(self, context: str) -> tuple[Job, ...]:
        """Those with an id whose end is not known, newest first."""
        ...

    async def at_work(self, since: datetime) -> tuple[Job, ...]:
        """Of every context, newest first: those with an id whose end is not known; those that were sent since then, and never
        answered; and those that the service does not know any more, and did since then."""
        ...

    async def by_id(self, context: str, job_id: UUID) -> Job | None: ...

    async def by_entry(self, entry: int) -> Job | None: ...

    async def by_prefix(self, context: str, prefix: str, limit: int) -> tuple[Job, ...]:
        """Jobs whose id begins so, newest first."""
        ...

    def close(self) -> None: ...
