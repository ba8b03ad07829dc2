"""Removing a lock: on its name typed, on the condition that it is still the one that was looked at, and never in silence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kumoss_console.errors import AccessDenied, ConsoleError, InputError, NotFound, Refused, ServiceError
from kumoss_console.model.context import Context
from kumoss_console.model.job import Job
from kumoss_console.model.lock import Removal
from kumoss_console.model.lock.holder import blockers
from kumoss_console.model.lock.refusals import AGAIN, lock_gone
from kumoss_console.model.lock.word import unlock_word
from kumoss_console.model.names import operation_name
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockKeeper, LockSighting
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.locks.service import LockService
from kumoss_console.text import printable

_NOT_DONE = (Refused, AccessDenied, NotFound, InputError)
"""Answers after which a lock is where it was: somebody looked at what we asked, and said no."""
_NOT_NOTED = "the journal could not take down that it was removed: {why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlocked:
    """A lock that was removed. ``entry`` is the journal's number for it; ``caveats`` are what could not be made sure of."""

    sighting: LockSighting
    entry: int
    caveats: tuple[str, ...] = ()
    despite: tuple[str, ...] = ()
    incomplete: bool = False
    """The same lock is still kept in another place: a caveat says why."""


class RemovalUnclear(ServiceError):
    """No answer came to a removal: it may have been done. ``entry`` is the journal's number for it."""

    default_code = "lock.unclear"

    def __init__(self, seen: LockSighting, entry: int, error: ConsoleError) -> None:
        key = printable(seen.key)
        super().__init__(
            f"whether the lock on {key} was removed is not known: no answer came, and it may have been",
            detail=f"{error.title}\n{error.detail}".strip(),
            hint=f"look again (state locks {key}), which also settles it in the journal, where it stays as not known until then "
            "(state locks --removed)",
        )
        self.sighting = seen
        self.entry = entry


class UnlockService:
    """``store`` is the store's label, ``by`` who works here (``user@host``): both go into the journal."""

    def __init__(
        self,
        context: Context,
        locks: LockService,
        jobs: JobService,
        journal: Callable[[], JobJournal],
        clock: Clock,
        *,
        store: str,
        by: str,
    ) -> None:
        self._context = context
        self._locks = locks
        self._jobs = jobs
        self._journal = journal
        self._clock = clock
        self._store = store
        self._by = by

    async def unlock(
        self, key: str, word: str, *, despite: Sequence[str] = (), shown: LockSighting | None = None
    ) -> tuple[Unlocked, ...]:
        """Remove the lock on the state ``key`` whose id (or fingerprint) is ``word``; both where two keepers hold the same lock.

        ``shown`` is the very lock that a person was looking at: then that one is removed or none. ``despite`` are the running
        jobs that a person named to override. Raises :class:`~kumoss_console.errors.Refused`: ``read_only``; ``lock.gone``;
        ``lock.changed``; ``lock.other_id`` where ``word`` is not that of the lock there; ``lock.job_running`` where a job that
        may hold it has not ended; the journal's own where it cannot be read or written, before anything is removed. Raises
        :class:`RemovalUnclear` where no answer came to the removal.
        """
        if self._context.read_only:
            raise Refused(
                "Removing a lock is not possible in read-only mode",
                hint="Choose a context that may be changed.",
                code="read_only",
            )
        chosen = await self._chosen(key, word, shown)
        overridden = await self._overridden(chosen, despite)
        done: list[Unlocked] = []
        for keeper, seen in chosen:
            try:
                done.append(await self._remove(keeper, seen, overridden))
            except ConsoleError as error:
                if not done:
                    raise
                # One of the two is gone: to say that nothing was removed would be wrong.
                unclear = isinstance(error, RemovalUnclear)
                left = f"{seen.where}: {error.title}" if unclear else f"{seen.where} was not removed: {error.title}"
                done[-1] = replace(done[-1], caveats=(*done[-1].caveats, left), incomplete=True)
        return tuple(done)

    async def running(self, seen: LockSighting) -> tuple[Job, ...]:
        """The jobs that have not ended as far as is known, and may hold that lock. Asks the sidecar where it answers."""
        newest = await self._jobs.refresh()
        # A job that has not ended may be older than the newest ones; one without an id is not among the unfinished.
        every = {job.entry: job for job in (*await self._journal().unfinished(self._context.name), *newest)}
        known = await self._locks.known(every.values())
        lock = seen.document.lock
        since = (lock.since if lock else None) or seen.modified
        return blockers(known.jobs, lock, since, seen.key, known.places)

    async def _chosen(self, key: str, word: str, shown: LockSighting | None) -> list[tuple[LockKeeper, LockSighting]]:
        looks: list[tuple[LockKeeper, LockSighting]] = []
        for keeper in self._locks.keepers:
            if shown is not None:
                looks += [(keeper, shown)] if keeper.mechanism == shown.mechanism else []
            elif (seen := await keeper.look(key)) is not None:
                looks.append((keeper, seen))
        if not looks:
            raise lock_gone(key)
        chosen = [(keeper, seen) for keeper, seen in looks if _word(seen) == word]
        if not chosen:
            raise _other_id(key, word, looks[0][1])
        return chosen

    async def _overridden(self, chosen: Sequence[tuple[LockKeeper, LockSighting]], despite: Sequence[str]) -> tuple[str, ...]:
        """The running jobs that were named. Raises where one was not."""
        running = {job.entry: job for _, seen in chosen for job in await self.running(seen)}
        unnamed = [job for job in running.values() if job_name(job) not in despite]
        if unnamed:
            raise _running(chosen[0][1].key, unnamed)
        return tuple(job_name(job) for job in running.values())

    async def _remove(self, keeper: LockKeeper, seen: LockSighting, despite: tuple[str, ...]) -> Unlocked:
        journal = self._journal()
        entry = await journal.removing(self._removal(seen, despite))
        try:
            caveat = await keeper.remove(seen)
        except _NOT_DONE as error:
            await journal.removed(entry, "kept", error.title)
            raise
        except ConsoleError as error:
            # The answer did not come: whether it was removed is not known, and that is what stays written.
            await journal.removed(entry, "begun", error.title)
            raise RemovalUnclear(seen, entry, error) from error
        caveats = [caveat] if caveat else []
        try:
            await journal.removed(entry, "removed", caveat or "")
        except Refused as error:
            caveats.append(_NOT_NOTED.format(why=error.title))
        return Unlocked(sighting=seen, entry=entry, caveats=tuple(caveats), despite=despite)

    def _removal(self, seen: LockSighting, despite: tuple[str, ...]) -> Removal:
        return Removal(
            context=self._context.name,
            store=self._store,
            key=seen.key,
            mechanism=seen.mechanism,
            where=seen.where,
            # Also one that nobody can type: what was removed is known by it.
            lock_id=(seen.document.lock.id if seen.document.lock is not None else "") or seen.document.id_hint or "",
            document=seen.raw,
            proof=seen.proof,
            by=self._by,
            at=self._clock(),
            despite=despite,
        )


def _word(seen: LockSighting) -> str:
    return unlock_word(seen.document, seen.raw, seen.proof)


def job_name(job: Job) -> str:
    """How a job is named on the command line."""
    return job.job_id or f"#{job.entry}"


def _other_id(key: str, word: str, seen: LockSighting) -> Refused | InputError:
    lock = seen.document.lock
    who = f" of {printable(lock.holder)}" if lock is not None and lock.holder else ""
    what = f" ({printable(operation_name(lock.operation))})" if lock is not None and lock.operation else ""
    return Refused(
        f"{printable(key)} is not locked by {printable(word) or 'a lock without a name'}: nothing was removed",
        detail=f"the lock that is there now is {_word(seen)}{who}{what}",
        hint=AGAIN,
        code="lock.other_id",
    )


def in_words(job: Job) -> str:
    """``apply 7f3a… on /workspaces/net is running``."""
    kind = job.kind.value if job.kind else "job"
    return f"{kind} {job_name(job)} on {printable(job.workspace) or 'an unknown workspace'} is {job.service}"


def _running(key: str, jobs: Sequence[Job]) -> Refused:
    named = "; ".join(map(in_words, jobs))
    options = " ".join(f"--despite-running-job {job_name(job)}" for job in jobs)
    return Refused(
        f"{printable(key)} may be locked by a job that has not ended: nothing was removed",
        detail=named,
        hint=f"wait for it; to remove the lock of a job that is known to be dead, name it: {options}",
        code="lock.job_running",
    )
