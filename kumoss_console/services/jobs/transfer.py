"""The journal out to other consoles and back in. Nothing is sent to any service from here."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

from kumoss_console.model.job import Job
from kumoss_console.model.journal import Merged, Pruned
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.services.jobs.intake import admitted
from kumoss_console.services.jobs.lines import as_line, read_lines
from kumoss_console.text import Secret


class TransferService:
    """Of one journal. ``secrets`` are those that are loaded: none of them leaves unless asked for."""

    def __init__(self, journal: JobJournal, clock: Clock, secrets: Iterable[Secret] = ()) -> None:
        self._journal = journal
        self._clock = clock
        self._secrets = tuple(secrets)

    async def lines(
        self, context: str | None, *, jobs: Sequence[Job] = (), reveal: bool = False, output: bool = True
    ) -> AsyncIterator[dict[str, object]]:
        """One mapping a job, oldest first: ``jobs`` where some are given, else all of a context, of all contexts for ``None``."""
        entries = [job.entry for job in jobs] or await self._journal.entries(context)
        for entry in entries:
            # One at a time, so that a gigabyte of output is never held at once.
            job = await self._journal.by_entry(entry)
            if job is not None:
                yield as_line(job, secrets=self._secrets, reveal=reveal, output=output)

    async def take(self, lines: Iterable[bytes]) -> tuple[Merged, tuple[str, ...]]:
        """Read jobs into the journal, all or none. Also the names of their contexts, in order.

        Jobs that have not ended are followed from then on where their context is open; none is submitted. An export that
        reveals sensitive values of plans, or our own secrets, is taken in without them.
        """
        jobs = [admitted(job, self._secrets) for job in read_lines(lines)]
        return await self._journal.merge(jobs), tuple(dict.fromkeys(job.context for job in jobs))

    async def let_go(self) -> Pruned:
        """Hold the journal to its limits of age and size, which an open console does by itself."""
        return await self._journal.prune(self._clock())
