"""Removing a lock: on its name typed, on the condition that it is still the one that was looked at, and never in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kumoss_console.errors import AccessDenied, ConsoleError, InputError, NotFound, Refused, ServiceError, Unreachable
from kumoss_console.model.context import Context
from kumoss_console.model.lock import Removal
from kumoss_console.model.lock.refusals import AGAIN, lock_none, lock_otherwise
from kumoss_console.model.lock.word import legible_id, unlock_word
from kumoss_console.model.names import operation_name
from kumoss_console.model.storage import StorageProvider
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockKeeper, LockSighting
from kumoss_console.services.locks.obstacles import ObstacleLook, Obstacles, Overrides, not_in_the_way
from kumoss_console.services.locks.service import LockService
from kumoss_console.services.locks.words import Guard
from kumoss_console.text import printable

_NOT_DONE = (Refused, AccessDenied, NotFound, InputError)
"""Answers after which a lock is where it was: somebody looked at what we asked, and said no."""
_SAID_NO = frozenset({"store.refused", "store.bucket_missing", "store.redirected", "store.settings", "store.encryption_key"})
"""The same by the code of the answer: a request that was turned away (4xx)."""
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
    """No answer came to a removal, or one that leaves it open (5xx): it may have been done. ``entry`` is the journal's number."""

    default_code = "lock.unclear"

    def __init__(self, seen: LockSighting, entry: int, error: ConsoleError) -> None:
        key = printable(seen.key)
        why = "no answer came" if isinstance(error, Unreachable) else "the answer does not say whether"
        super().__init__(
            f"whether the lock on {key} was removed is not known: {why}, and it may have been",
            detail=f"{error.title}\n{error.detail}".strip(),
            hint=f"look again (state locks {key}), which also settles it in the journal, where it stays as not known until then "
            "(state locks --removed)",
        )
        self.sighting = seen
        self.entry = entry


class UnlockService:
    """``store`` is the store's label, ``by`` who works here (``user@host``): both go into the journal. ``conditions`` tells
    whether the store looks at the condition of a deletion, ``None`` where nobody has tried."""

    def __init__(
        self,
        context: Context,
        locks: LockService,
        obstacles: ObstacleLook,
        journal: Callable[[], JobJournal],
        clock: Clock,
        *,
        store: str,
        by: str,
        conditions: Callable[[], bool | None] = lambda: None,
    ) -> None:
        self._context = context
        self._locks = locks
        self._obstacles = obstacles
        self._journal = journal
        self._clock = clock
        self._store = store
        self._by = by
        self._conditions = conditions
        self.abandoned: list[RemovalUnclear] = []
        """What is to be said of removals that were cancelled before an answer came."""

    async def unlock(
        self, key: str, word: str, *, despite: Sequence[str] | Overrides = (), shown: LockSighting | None = None
    ) -> tuple[Unlocked, ...]:
        """Remove the lock on the state ``key`` whose id (or fingerprint) is ``word``; both where two keepers hold the same lock.

        ``shown`` is the very lock that a person was looking at: then that one is removed or none. ``despite`` are the jobs and
        damaged journals that a person saw and overrides, or typed (:class:`Overrides`).
        Raises :class:`~kumoss_console.errors.Refused`: ``read_only``;
        ``lock.none`` where there is none; ``lock.gone`` and ``lock.changed`` where it went, or became another one, meanwhile;
        ``lock.other_id`` where ``word`` is not that of the lock there; ``lock.other_spelling`` where the store takes ``key`` for
        another one; ``lock.job_running`` where a job that may hold it may be
        at work, ``lock.journal_damaged`` where it may have been forgotten; ``lock.override_unknown`` where
        something typed to override is not in the way; the journal's own where it cannot be read or written,
        before anything is removed. Raises :class:`RemovalUnclear` where no answer came to the removal.
        """
        if self._context.read_only:
            raise Refused(
                "Removing a lock is not possible in read-only mode",
                hint="Choose a context that may be changed.",
                code="read_only",
            )
        chosen = await self._chosen(key, word, shown)
        overridden, caveats = await self._overridden(chosen, despite)
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
        done[0] = replace(done[0], caveats=(*done[0].caveats, *caveats))
        return tuple(done)

    async def obstacles(self, seen: LockSighting) -> Obstacles:
        """What stands in the way of removing that lock."""
        return await self._obstacles.before(seen)

    def guard(self, seen: LockSighting) -> Guard:
        """How far it is known that no other lock than that one can go with it. Asks nobody: asking a store would be a write."""
        if seen.mechanism == "table":
            return "kept"
        if seen.mechanism == "lease":
            return "kept" if legible_id(seen.document) is not None else "broken"
        if seen.proof is None:
            return "ignored"
        tried = self._conditions()
        if tried is None:
            return "kept" if self._context.storage.provider is StorageProvider.S3 else "unknown"
        return "kept" if tried else "ignored"

    async def _chosen(self, key: str, word: str, shown: LockSighting | None) -> list[tuple[LockKeeper, LockSighting]]:
        looks: list[tuple[LockKeeper, LockSighting]] = []
        for keeper in self._locks.keepers:
            if shown is not None:
                looks += [(keeper, shown)] if keeper.mechanism == shown.mechanism else []
            elif (seen := await keeper.look(key)) is not None:
                looks.append((keeper, seen))
        if not looks:
            raise lock_none(key, state=await self._locks.state_is_there(key))
        chosen = [(keeper, seen) for keeper, seen in looks if _word(seen) == word]
        if not chosen:
            raise _other_id(key, word, looks[0][1])
        if not all([await self._locks.is_listed(seen) for _, seen in chosen]):
            raise lock_otherwise(key)
        return chosen

    async def _overridden(
        self, chosen: Sequence[tuple[LockKeeper, LockSighting]], despite: Sequence[str] | Overrides
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What was named of that which stands in the way, and what to say of that which does not any more.

        Raises where something was not, or names nothing that does.
        """
        typed = isinstance(despite, Overrides)
        named = despite if isinstance(despite, Overrides) else Overrides(jobs=despite, journals=despite)
        found = [await self.obstacles(seen) for _, seen in chosen]
        strange = named.strange(found) if typed else ()
        key = chosen[0][1].key
        for one in found:
            if (left := one.without(named)).names:
                raise left.refusal(key, strange)
        if strange:
            raise not_in_the_way(key, strange)
        names = dict.fromkeys(name for one in found for name in one.names)
        return tuple(names), tuple(dict.fromkeys(caveat for one in found for caveat in one.caveats))

    async def _remove(self, keeper: LockKeeper, seen: LockSighting, despite: tuple[str, ...]) -> Unlocked:
        journal = self._journal()
        entry = await journal.removing(self._removal(seen, despite))
        try:
            caveat = await keeper.remove(seen)
        except asyncio.CancelledError:
            # The request may be there already. In the journal it stays begun.
            self.abandoned.append(RemovalUnclear(seen, entry, Unreachable("interrupted before an answer came")))
            raise
        except _NOT_DONE as error:
            await journal.removed(entry, "kept", error.title)
            raise
        except ConsoleError as error:
            if error.code in _SAID_NO:
                await journal.removed(entry, "kept", error.title)
                raise
            # No answer came, or one that leaves it open: it is not known, and that is what stays written.
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
