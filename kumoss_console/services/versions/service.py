"""The history of one key: its versions, what differs between two of them, and the way back to one.

Reads only. What a restore would push is given to whoever asks, and never written to a store from here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

from kumoss_console.errors import InputError, NotFound
from kumoss_console.model.context import Context
from kumoss_console.model.statediff import RecordedState, StateDiff, diff, recorded
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.journal import JobJournal
from kumoss_console.ports.locks import LockKeeper
from kumoss_console.ports.objects import ObjectContent, ObjectVersion, VersionsCut
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.services.versions.choice import NEWEST, PREVIOUS, chosen, holds_nothing
from kumoss_console.services.versions.restore.pin import Expected
from kumoss_console.services.versions.restore.planner import RestorePlanner
from kumoss_console.services.versions.restore.value import Restore
from kumoss_console.services.versions.timelines import HEADS, Timeline, TimelineReader
from kumoss_console.services.workspaces.places import Binding, Places
from kumoss_console.text import printable


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
        bindings: Callable[[], Awaitable[Sequence[Binding]]],
        config: str = "",
    ) -> None:
        """``places`` and ``bindings`` tell which workspaces that can be seen from here are bound to what, ``keepers`` keep the
        locks; ``config`` is the console's file that ``--config`` named, empty for none."""
        self._context = context
        self._given = store
        self._off_loop = off_loop
        self._planner = RestorePlanner(context, clock, bindings=bindings, keepers=keepers, off_loop=off_loop, config=config)
        self._reader = TimelineReader(context, journal, places, clock, off_loop=off_loop)

    @property
    def _store(self) -> ObjectStore:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    async def _listed(self, key: str) -> tuple[tuple[ObjectVersion, ...], VersionsCut | None]:
        """Every version of exactly ``key`` that the store lists, newest first; and why there are older ones that it does not.

        Raises :class:`~kumoss_console.errors.NotFound` where there is none.
        """
        try:
            found = await self._store.versions(key)
        except VersionsCut as cut:
            return cut.found, cut
        if not found:
            raise NotFound(
                f"{self._store.label} has no version of {printable(key)}",
                hint="state list shows the keys; a key that never held anything has no history",
                code="store.object_missing",
            )
        return found, None

    async def timeline(self, key: str, *, heads: int | None = HEADS) -> Timeline:
        """The history, the newest ``heads`` versions read as far as they tell their serials (all for ``None``). A version that
        cannot be read stays, with its error."""
        async with aclosing(self.stream(key, heads=heads)) as timelines:
            return [timeline async for timeline in timelines][-1]

    async def stream(self, key: str, *, heads: int | None = HEADS) -> AsyncGenerator[Timeline, None]:
        """:meth:`timeline` as it fills: what is listed first, without a serial."""
        found, cut = await self._listed(key)
        async with aclosing(self._reader.stream(self._store, key, found, heads, cut)) as timelines:
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
            found, cut = await self._listed(key)
            if before is None and after is None and holds_nothing(found):
                raise _deleted(key)
            old, new = (
                _picked(found, PREVIOUS if before is None else before, key, cut),
                _picked(found, NEWEST if after is None else after, key, cut),
            )
            one, two = await asyncio.gather(self._exactly(old), self._exactly(new))
        return await self._off_loop(lambda: diff(_read(*one), _read(*two)))

    async def restore_plan(self, key: str, version: str, *, expected: Expected | None = None) -> Restore:
        """What going back to ``version`` takes, and what it would leave unmanaged. Nothing is written anywhere.

        With ``expected``, :class:`~kumoss_console.errors.Refused` (``restore.changed``) where the newest is another one by now.
        """
        found, cut = await self._listed(key)
        wanted = _picked(found, version, key, cut)
        return await self._planner.plan(found, wanted, self._exactly, expected or Expected())

    async def _at(self, key: str, version: str | None) -> tuple[str, ObjectContent]:
        if version is None:
            return key, await self._store.fetch(key)
        found, cut = await self._listed(key)
        return await self._exactly(_picked(found, version, key, cut))

    async def _exactly(self, version: ObjectVersion) -> tuple[str, ObjectContent]:
        return f"{version.key} @ {version.version_id}", await self._store.fetch(version.key, version=version.version_id)


def _picked(found: Sequence[ObjectVersion], asked: str, key: str, cut: VersionsCut | None) -> ObjectVersion:
    """:func:`chosen`, which cannot tell that there is no such version where the store does not list all of them."""
    try:
        return chosen(found, asked, key)
    except InputError as error:
        if cut is not None and error.code == "input.unknown_version":
            raise cut from error
        raise


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
