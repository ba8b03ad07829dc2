"""The locks of a bucket, whoever keeps them: who holds which, since when, for which job, and what is odd about it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence

from kumoss_console.errors import ConsoleError, NotFound, ServiceError
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding
from kumoss_console.model.job import Job
from kumoss_console.model.lock import LOCK_SUFFIX, Removal
from kumoss_console.model.lock.awkward import awkward, digest_differs, digest_without_state, left_without_a_lease, released
from kumoss_console.model.lock.document import is_plain
from kumoss_console.model.lock.holder import Reaches
from kumoss_console.model.lock.release import ReleaseCommand, release_commands
from kumoss_console.model.lock.word import unlock_word
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockKeeper, LockSighting, is_finder, is_table
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.bucket.service import BucketService, BucketSnapshot, HeldLock, StateRow
from kumoss_console.services.locks.joining import KnownJobs, LockJoin
from kumoss_console.services.locks.report import KeyLocks, LockReport, LockSurvey, rank, taken_of
from kumoss_console.services.locks.settling import settle
from kumoss_console.services.workspaces.places import Places

_AT_ONCE = 8
"""Locks that are read at the same time."""
_AT = " at "
"""What stands between a bucket and its address in a store's label."""
_LARGEST_DIGESTED = 128 * 1024 * 1024
"""Bytes of a state that is read to compare its MD5 with the lock table's."""


class LockService:
    """``keepers`` are those of this context. ``places`` tells which workspaces that can be seen from here are bound to what,
    ``reaches`` what is known of the jobs of each configured context.

    ``store`` is ``None`` where there is none to read: every call then raises :class:`~kumoss_console.errors.ConfigError`.
    """

    def __init__(
        self,
        context: Context,
        *,
        store: ObjectStore | None,
        keepers: Sequence[LockKeeper],
        bucket: BucketService,
        journal: Callable[[], JobJournal],
        places: Callable[[], Awaitable[Places]],
        clock: Clock,
        reaches: Reaches | None = None,
        off_loop: OffLoop = asyncio.to_thread,
    ) -> None:
        self._context = context
        self._given = store
        self.keepers = tuple(keepers)
        self._bucket = bucket
        self._journal = journal
        self._clock = clock
        self._off_loop = off_loop
        self._join = LockJoin(context.name, journal, places, reaches, self.commands)

    async def survey(self, snapshot: BucketSnapshot | None = None) -> LockSurvey:
        """Every lock, read eight at a time; lock objects from ``snapshot`` where one is at hand, else from a new listing.

        One that cannot be fetched stays, with its error. Raises what the listing raises where it gave nothing; one that broke
        off, and a table that cannot be asked, are told in ``unlooked``; leases that cannot be asked are raised.
        """
        self._must_have_a_store()
        rows, broken_off = await self._rows(snapshot)
        unlooked: list[ConsoleError] = []
        found: list[LockReport] = []
        for keeper in self.keepers:
            if keeper.mechanism == "object":
                found += await self._objects(keeper, rows, complete=broken_off is None)
            elif is_finder(keeper):
                try:
                    sightings = await keeper.held()
                except ConsoleError as error:
                    unlooked.append(error)
                    continue
                there = _present(rows, {sighting.key for sighting in sightings})
                # What a listing that broke off does not have may be there all the same.
                missing = {seen.key for seen in sightings if seen.mechanism == "table" and seen.key not in there}
                found += [self._report(seen, stateless=broken_off is None and seen.key in missing) for seen in sightings]
        if unlooked and len(unlooked) == len(self.keepers):
            raise unlooked[0]
        # Looking through workspaces is worth it for a lock only.
        known = await self.known() if found else KnownJobs()
        now = self._clock()
        reports = sorted(await self._join.joined(found, known, now), key=lambda report: rank(report, now))
        return LockSurvey(
            locks=tuple(reports),
            at=now,
            unlooked=(*unlooked, *([broken_off] if broken_off is not None else [])),
            broken_off=broken_off,
            journal_error=known.error,
        )

    async def on(self, key: str) -> KeyLocks:
        """The locks on one state, each keeper asked; removals of them whose end was not known are settled in the journal. Raises
        where none of them can be asked."""
        self._must_have_a_store()
        known, there = await asyncio.gather(self.known(), self.state_is_there(key))
        looks = await asyncio.gather(*(self._look(keeper, key) for keeper in self.keepers))
        errors = [look for look in looks if isinstance(look, ConsoleError)]
        if errors and len(errors) == len(looks):
            raise errors[0]
        now = self._clock()
        by_keeper = {keeper.mechanism: look for keeper, look in zip(self.keepers, looks, strict=True)}
        await settle(self._journal, self._context.name, key, by_keeper, store=self._store.label, now=now)
        sightings = [look for look in looks if isinstance(look, LockSighting)]
        found = [self._report(seen, stateless=there is False) for seen in sightings]
        reports = tuple(await self._join.joined(found, known, now))
        findings = [finding for report in reports for finding in report.findings]
        if not any(report.mechanism == "object" for report in reports):
            findings += await self._released(key)
        findings += await self._digest(key, errors)
        return KeyLocks(key=key, locks=reports, findings=tuple(findings), at=now, state=there, unlooked=tuple(errors))

    async def removals(self, limit: int = 200) -> tuple[Removal, ...]:
        """The locks that were removed with this console in this context, and in any other one from a bucket of the same name:
        it may be the same one at another address. Newest first. Asks no service."""
        bucket = self._given.label.partition(_AT)[0] + _AT if self._given is not None else ""
        return await self._journal().removals(self._context.name, limit, store=bucket)

    async def known(self, jobs: Iterable[Job] | None = None) -> KnownJobs:
        """What locks are joined with, as :meth:`LockJoin.known`."""
        return await self._join.known(jobs)

    async def _rows(self, snapshot: BucketSnapshot | None) -> tuple[Sequence[StateRow], ConsoleError | None]:
        """The listing, and why it is not all. A lease is on the state itself: for those none is needed."""
        if all(keeper.mechanism == "lease" for keeper in self.keepers):
            return (), None
        if snapshot is not None:
            return snapshot.rows, None
        found, error = await self._bucket.gathered()
        return found.rows, error

    async def _objects(self, keeper: LockKeeper, rows: Sequence[StateRow], *, complete: bool) -> list[LockReport]:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def read(row: StateRow) -> LockReport | None:
            key, stateless = row.lock_key.removesuffix(LOCK_SUFFIX), row.kind == "lock" and complete
            async with gate:
                look = await self._look(keeper, key)
            if isinstance(look, LockSighting):
                return self._report(look, stateless=stateless)
            if look is None:
                return None  # released meanwhile
            held = HeldLock(key=key, owner=row.owner, lock=None, since=row.locked_at, error=look, stateless=stateless)
            return LockReport(held=held, mechanism=keeper.mechanism)

        found = await asyncio.gather(*(read(row) for row in rows if row.locked))
        return [report for report in found if report is not None]

    async def _look(self, keeper: LockKeeper, key: str) -> LockSighting | ConsoleError | None:
        try:
            return await keeper.look(key)
        except ConsoleError as error:
            return error

    def _report(self, seen: LockSighting, *, stateless: bool) -> LockReport:
        when = taken_of(seen)
        held = HeldLock(
            key=seen.key,
            owner=self._bucket.owner_of(seen.key),
            lock=seen.document.lock,
            since=when.since,
            document=seen.document,
            stateless=stateless,
        )
        bucket = self._context.storage.terraform_state_bucket
        return LockReport(
            held=held,
            mechanism=seen.mechanism,
            sighting=seen,
            word=unlock_word(seen.document, seen.raw, seen.proof),
            findings=awkward(seen.key, seen.document, bucket=bucket, taken=when, now=self._clock(), stateless=stateless),
        )

    def commands(self, seen: LockSighting, folder: str) -> tuple[ReleaseCommand, ...]:
        """How engine and store remove that lock; ``folder`` as in :func:`release_commands`. The engine's way only where the
        lock is known to be the one that is held."""
        storage, table = self._context.storage, self._context.locks
        ways = release_commands(seen.key, seen.mechanism, seen.document, storage, folder=folder, proof=seen.proof, table=table)
        return tuple(way for way in ways if way.by != "engine") if seen.document.unasked else ways

    async def is_held(self, key: str) -> bool:
        """Whether there is a lock on the state ``key``. Raises where a keeper cannot be asked."""
        self._must_have_a_store()
        return any([await keeper.look(key) is not None for keeper in self.keepers])

    async def is_listed(self, seen: LockSighting) -> bool:
        """Whether the store has exactly the key at which that lock was found; a store may answer to other spellings of it, too.
        Raises where the listing cannot be asked for."""
        if seen.mechanism == "table" or is_plain(seen.key):
            return True
        name = f"{seen.key}{LOCK_SUFFIX}" if seen.mechanism == "object" else seen.key
        return any(info.key == name for info in (await self._store.page(name, limit=100)).objects)

    async def state_is_there(self, key: str) -> bool | None:
        """Whether a state lies at ``key``; ``None`` where that cannot be told."""
        try:
            await self._store.head(key)
        except NotFound:
            return False
        except ServiceError:
            return None
        return True

    async def _released(self, key: str) -> list[Finding]:
        """What is left of a lock, and locks nothing: a deleted lock object under its versions, metadata without a lease."""
        if not any(keeper.mechanism == "object" for keeper in self.keepers):
            return await self._left_on_it(key)
        try:
            versions = await self._store.versions(f"{key}{LOCK_SUFFIX}")
        except ConsoleError:
            return []  # a store that lists no versions has no markers to be misled by
        if not versions or versions[0].kind != "delete_marker":
            return []
        older = sum(version.kind == "version" for version in versions)
        return [released(key, versions[0].modified, older)] if older else []

    async def _left_on_it(self, key: str) -> list[Finding]:
        try:
            info = await self._store.head(key)
        except ConsoleError:
            return []  # what could not be looked at is told of the lock itself
        return [left_without_a_lease(key, info.lock.lock)] if info.leased is False and info.lock is not None else []

    async def _digest(self, key: str, errors: list[ConsoleError]) -> list[Finding]:
        table = next((keeper for keeper in self.keepers if is_table(keeper)), None)
        if table is None:
            return []
        try:
            told = await table.digest(key)
            if not told:
                return []
            info = await self._store.head(key)
            if (info.etag or "").strip('"').lower() == told.lower() or info.size > _LARGEST_DIGESTED:
                return []
            raw = await self._store.get(key)
        except NotFound:
            return [digest_without_state(key)]
        except ConsoleError as error:
            # The same table has been asked for its lock.
            errors += [error] if error.title not in {known.title for known in errors} else []
            return []
        found = await self._off_loop(lambda: hashlib.md5(raw, usedforsecurity=False).hexdigest())
        return [] if found == told.lower() else [digest_differs(key, told, found)]

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    def _must_have_a_store(self) -> None:
        if self._given is None:
            raise no_store(self._context)


def _present(rows: Iterable[StateRow], wanted: set[str]) -> set[str]:
    return {row.key for row in rows if row.key in wanted}
