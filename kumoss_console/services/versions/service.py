"""The history of one key: its versions, what differs between two of them, and the way back to one.

Reads only. What a restore would push is given to whoever asks, and never written to a store from here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime

from kumoss_console.errors import InputError, NotFound
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding
from kumoss_console.model.statediff import RecordedState, RestorePlan, StateDiff, diff, plan_restore, recorded
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockKeeper
from kumoss_console.ports.objects import ObjectContent, ObjectVersion
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.lock_status import lock_on
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.versions.choice import NEWEST, PREVIOUS, chosen, holds_nothing
from kumoss_console.services.versions.remarks import before_a_restore
from kumoss_console.services.versions.restore_base import about_damage, base_of
from kumoss_console.services.versions.restore_pin import Expected, must_be_on_top, must_have_serial
from kumoss_console.services.versions.restore_removal import removal_of
from kumoss_console.services.versions.timelines import HEADS, Timeline, TimelineReader
from kumoss_console.services.workspaces.places import Places
from kumoss_console.text import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """A planned restore of ``key``. ``locked`` is ``None`` where it is not known whether a lock is held; ``folders`` are the
    workspaces that can be seen from here and are bound to the key."""

    context: str
    key: str
    version: ObjectVersion
    newest: ObjectVersion
    plan: RestorePlan = field(repr=False)
    locked: bool | None
    findings: tuple[Finding, ...]
    at: datetime
    folders: tuple[str, ...] = ()
    deleted: bool = False
    """Whether the key holds nothing now."""
    damaged: bool = False
    """Whether it holds what no engine reads: the plan then goes on from the newest version that one does."""
    top: str = ""
    """The id of what was on top of the history when this was planned, a delete marker included."""
    removal: tuple[tuple[str, str], ...] = ()
    """What clears a damaged object out of the way of a push: commands of the store's own tool, each with its purpose."""


class VersionService:
    """History of the keys of one context. ``store`` is ``None`` where there is none to read."""

    def __init__(
        self,
        context: Context,
        store: ObjectStore | None,
        journal: Callable[[], JobJournal],
        clock: Clock,
        *,
        places: Callable[[], Awaitable[Places]],
        keepers: Sequence[LockKeeper],
        off_loop: OffLoop,
    ) -> None:
        """``places`` tells which workspaces that can be seen from here are bound to what, ``keepers`` keep the locks."""
        self._context = context
        self._given = store
        self._clock = clock
        self._places = places
        self._keepers = keepers
        self._off_loop = off_loop
        self._reader = TimelineReader(context, journal, places, clock, off_loop=off_loop)

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    async def versions(self, key: str) -> tuple[ObjectVersion, ...]:
        """Every version of exactly ``key``, newest first; :class:`~kumoss_console.errors.NotFound` where there is none."""
        found = await self._store.versions(key)
        if not found:
            raise NotFound(
                f"{self._store.label} has no version of {printable(key)}",
                hint="state list shows the keys; a key that never held anything has no history",
                code="store.object_missing",
            )
        return found

    async def timeline(self, key: str, *, heads: int | None = HEADS) -> Timeline:
        """The history, the newest ``heads`` versions read as far as they tell their serials (all for ``None``). A version that
        cannot be read stays, with its error."""
        async with aclosing(self.stream(key, heads=heads)) as timelines:
            return [timeline async for timeline in timelines][-1]

    async def stream(self, key: str, *, heads: int | None = HEADS) -> AsyncGenerator[Timeline, None]:
        """:meth:`timeline` as it fills: what is listed first, without a serial."""
        found = await self.versions(key)
        async with aclosing(self._reader.stream(self._store, key, found, heads)) as timelines:
            async for timeline in timelines:
                yield timeline

    async def diff(self, key: str, before: str | None = None, after: str | None = None, *, other: str | None = None) -> StateDiff:
        """``before`` against ``after``, each named as :func:`chosen` takes it: by default the one before the newest, and the
        newest. With ``other`` the newest of ``key`` against the newest of ``other``, or the versions named of each.

        Raises :class:`~kumoss_console.errors.ConsoleError` (``state.not_comparable``) for what is no state.
        """
        if other is not None:
            one, two = await asyncio.gather(self._at(key, before), self._at(other, after))
        else:
            found = await self.versions(key)
            if before is None and after is None and holds_nothing(found):
                raise _deleted(key)
            old, new = (
                chosen(found, PREVIOUS if before is None else before, key),
                chosen(found, NEWEST if after is None else after, key),
            )
            one, two = await asyncio.gather(self._exactly(old), self._exactly(new))
        return await self._off_loop(lambda: diff(_read(*one), _read(*two)))

    async def restore_plan(self, key: str, version: str, *, expected: Expected | None = None) -> Restore:
        """What going back to ``version`` takes, and what it would leave unmanaged. Nothing is written anywhere.

        With ``expected``, :class:`~kumoss_console.errors.Refused` (``restore.changed``) where the newest is another one by now.
        """
        found = await self.versions(key)
        if expected is not None:
            must_be_on_top(found, expected, key)
        wanted = chosen(found, version, key)
        newest = chosen(found, NEWEST, key)
        deleted = holds_nothing(found)
        if wanted == newest and not deleted:
            raise InputError(
                f"{printable(wanted.version_id)} is the newest version of {printable(key)} already",
                hint="state versions lists the older ones",
                code="input.nothing_to_restore",
            )
        kept = [one for one in found if one.kind != "delete_marker"]
        one, base, locked, places = await asyncio.gather(
            self._exactly(wanted), base_of(kept, self._exactly, self._off_loop), self._locked(key), self._places()
        )
        two = base.label, base.content
        plan = await self._off_loop(lambda: plan_restore(one[1].content, _read(*one), _read(*two), highest=base.highest))
        if expected is not None:
            must_have_serial(found, expected, plan.newest.document.serial, key)
        damage = (about_damage(key, base),) if base.damaged is not None else ()
        # Where nothing is active that could be read, being equal to what the plan goes on from is no reason to stay.
        told = [one for one in plan.findings if one.code != "restore.no_difference" or not (deleted or damage)]
        return Restore(
            context=self._context.name,
            key=key,
            version=wanted,
            newest=newest,
            plan=plan,
            locked=locked,
            findings=(*before_a_restore(key, locked, deleted=deleted), *damage, *told),
            at=self._clock(),
            deleted=deleted,
            damaged=base.damaged is not None,
            top=found[0].version_id,
            removal=removal_of(newest, self._context.storage) if base.must_go and not deleted else (),
            folders=tuple(sorted(folder for folder, keys in places.items() if key in keys)),
        )

    async def _at(self, key: str, version: str | None) -> tuple[str, ObjectContent]:
        if version is None:
            return key, await self._store.fetch(key)
        return await self._exactly(chosen(await self.versions(key), version, key))

    async def _exactly(self, version: ObjectVersion) -> tuple[str, ObjectContent]:
        return f"{version.key} @ {version.version_id}", await self._store.fetch(version.key, version=version.version_id)

    async def _locked(self, key: str) -> bool | None:
        """Asked of everybody who may keep its lock: an object, a lease, a row of a table."""
        status, _, _ = await lock_on(self._keepers, key)
        return None if status == "unknown" else status == "locked"


def _deleted(key: str) -> NotFound:
    return NotFound(
        f"{printable(key)} was deleted: it holds nothing to compare",
        hint="state restore-plan KEY previous is the way back; state versions counts what was there before, and "
        "state diff KEY #3 #2 compares two of those",
        code="store.object_missing",
    )


def compare_documents(before: bytes, after: bytes, *, names: tuple[str, str]) -> StateDiff:
    """Two documents at hand, ``names`` in the operator's words. CPU work in their size.

    Raises :class:`~kumoss_console.errors.ConsoleError` (``state.not_comparable``).
    """
    return diff(recorded(before, label=names[0]), recorded(after, label=names[1]))


def _read(label: str, content: ObjectContent) -> RecordedState:
    return recorded(content.content, label=label)
