"""The card of an endpoint: what this store really does, with the evidence for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from kumoss_console.errors import ConsoleError, Refused
from kumoss_console.model.context import Context
from kumoss_console.model.endpoint import Aspect, AspectName, judge
from kumoss_console.model.endpoint.aspect import READ_ONLY, TRIED, cannot_be_tried, not_tried, tried
from kumoss_console.model.endpoint.judge import about_leftovers
from kumoss_console.model.finding import Finding
from kumoss_console.model.storage import StorageProvider
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.store import ObjectStore, StoreExaminer
from kumoss_console.services.asking.storeless import no_store
from kumoss_console.text import printable

SCRATCH = "kumoss-console-scratch/"
"""Where scratch keys lie. No project's key begins so: those are hex digests."""
CLOSING_SECONDS = 0.5
"""How long the end of a program may wait for a scratch key to be removed; a console gives its services less than that."""
GLANCE_SECONDS = 10.0
"""A handful of small requests; a store that takes longer is not waited for."""
_AT_WORK = timedelta(minutes=2)
"""A scratch object that is younger may be the trial of another console."""
_LEFTOVERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointCard:
    """Aspects in their fixed order, as far as they are known by ``at``. ``complete`` once nothing more comes.

    ``tried_at`` is when this session last tried writing, ``None`` where it did not. ``leftovers`` are scratch keys that earlier
    trials did not remove.
    """

    store: str
    aspects: tuple[Aspect, ...]
    findings: tuple[Finding, ...]
    complete: bool
    at: datetime
    tried_at: datetime | None = None
    leftovers: tuple[str, ...] = ()

    def aspect(self, name: AspectName) -> Aspect | None:
        """The aspect of that name, as far as it is known."""
        return next((aspect for aspect in self.aspects if aspect.name == name), None)

    @property
    def untold(self) -> ConsoleError | None:
        """Why something that was tried is not known all the same: the store refused or failed what only writing tells."""
        tried = (aspect for aspect in self.aspects if aspect.name in TRIED and aspect.standing == "unknown")
        return next((aspect.error for aspect in tried if aspect.error is not None and aspect.doubt != "not_tried"), None)


class EndpointService:
    """Examines the store of one context, and remembers for the session what was found. ``store`` is ``None`` where there is none.

    ``scratch`` makes a name that nobody else uses.
    """

    def __init__(self, context: Context, store: ObjectStore | None, clock: Clock, scratch: Callable[[], str]) -> None:
        self._context = context
        self._store = store
        self._clock = clock
        self._scratch = scratch
        self._tried: dict[AspectName, Aspect] = {}
        self._tried_at: datetime | None = None
        self._leftovers: tuple[str, ...] = ()
        self._trials: set[asyncio.Task[None]] = set()
        self.abandoned: tuple[str, ...] = ()
        """Scratch keys of trials that were ended before what they wrote was removed."""
        self._glanced = False
        self.last: EndpointCard | None = None
        """The newest card of this session that is whole."""

    @property
    def _examiner(self) -> StoreExaminer:
        examiner = self._store.examiner if self._store is not None else None
        if examiner is None:
            raise no_store(self._context)
        return examiner

    @property
    def _to_be_tried(self) -> tuple[AspectName, ...]:
        return tried(leases=self._context.storage.provider is StorageProvider.STORAGE_ACCOUNT)

    async def examine(self) -> AsyncGenerator[EndpointCard, None]:
        """The card as it fills. Writes nothing; what only writing tells is as this session last tried it, else ``not tried``."""
        async with aclosing(self._cards(thorough=True)) as cards:
            async for card in cards:
                yield card

    async def glance(self) -> EndpointCard | None:
        """The newest card of this session, else what a few requests tell, asked once. ``None`` where nothing is known."""
        if self.last is None and not self._glanced and self._store is not None:
            self._glanced = True
            try:
                async with asyncio.timeout(GLANCE_SECONDS), aclosing(self._cards(thorough=False)) as cards:
                    async for _ in cards:
                        pass
            except (ConsoleError, TimeoutError):
                return None
        return self.last

    def scratch_key(self) -> str:
        """A key to try writing on, for naming it before consent is given."""
        return f"{SCRATCH}{self._scratch()}"

    @property
    def label(self) -> str:
        """The store, in words."""
        return self._store.label if self._store is not None else ""

    async def try_writes(self, key: str, known: EndpointCard | None = None) -> AsyncGenerator[EndpointCard, None]:
        """The card with what writing to ``key`` tells, ``known`` filled up. Call it with a person's consent only.

        Whoever stops listening stops the trial: the request under way ends, and the scratch key is removed, beside whatever
        comes next (:meth:`aclose` waits for it). Raises :class:`~kumoss_console.errors.Refused` in read-only mode and for a key
        that is not a scratch key, and an error of the store that names the key where that could not be removed.
        """
        if self._context.read_only:
            raise Refused(
                "Writing to the store is not possible in read-only mode",
                hint="what only writing tells stays unknown here",
                code="read_only",
            )
        access = known.aspect("access") if known is not None else None
        if known is not None and access is not None and access.standing == "bad":
            # Nothing is written where nobody could see it: why is said, and what the card has stays.
            shown = {aspect.name: aspect for aspect in known.aspects} | {
                name: cannot_be_tried(name, access) for name in self._to_be_tried
            }
            yield self._card(shown, complete=True)
            return
        if not key.startswith(SCRATCH):
            raise Refused(f"{printable(key)} is no scratch key: nothing is tried on it", hint=f"they begin with {SCRATCH}")
        found: dict[AspectName, Aspect] = {aspect.name: aspect for aspect in known.aspects} if known is not None else {}
        told: asyncio.Queue[Aspect | None] = asyncio.Queue()
        stopped = asyncio.Event()
        trial = asyncio.create_task(_told(self._examiner.try_writes(key), told, stopped))
        self._trials.add(trial)
        trial.add_done_callback(partial(self._ended, key))
        try:
            while (aspect := await told.get()) is not None:
                found[aspect.name] = self._tried[aspect.name] = aspect
                self._tried_at = self._clock()
                yield self._card(found, complete=False)
        finally:
            stopped.set()
        await trial
        first = self._tried.get("conditional_create")
        if first is not None and first.standing == "unknown":
            found |= {name: cannot_be_tried(name, first) for name in self._to_be_tried if name not in self._tried}
        self.last = self._card(found, complete=True)
        yield self.last

    async def aclose(self) -> None:
        """Wait a little for the scratch keys of interrupted trials to be removed. What stays is told by the next card."""
        if self._trials:
            await asyncio.wait(tuple(self._trials), timeout=CLOSING_SECONDS)

    def _ended(self, key: str, trial: asyncio.Task[None]) -> None:
        self._trials.discard(trial)
        # Who listened was told of an error; where nobody does any more, this is told, and by the next card.
        if trial.cancelled() or trial.exception() is not None:
            self.abandoned += (key,)

    async def _cards(self, *, thorough: bool) -> AsyncGenerator[EndpointCard, None]:
        found: dict[AspectName, Aspect] = {name: self._tried.get(name) or not_tried(name) for name in self._to_be_tried}
        async with aclosing(self._examiner.examine(thorough=thorough)) as aspects:
            async for aspect in aspects:
                found[aspect.name] = aspect
                yield self._card(found, complete=False)
        access = found.get("access")
        if access is not None and access.standing == "good":
            self._leftovers = await self._left()
        self.last = self._card(found, complete=True)
        yield self.last

    async def _left(self) -> tuple[str, ...]:
        """Scratch keys that nobody is at work on any more."""
        if self._store is None:
            return ()
        try:
            page = await self._store.page(SCRATCH, limit=_LEFTOVERS)
        except ConsoleError:
            return ()  # a remark less; that listing fails is told by another aspect
        now = self._clock()
        return tuple(info.key for info in page.objects if info.modified is None or now - info.modified >= _AT_WORK)

    def _card(self, found: dict[AspectName, Aspect], *, complete: bool) -> EndpointCard:
        aspects = tuple(found[name] for name in (*READ_ONLY, *TRIED) if name in found)
        return EndpointCard(
            store=self.label,
            aspects=aspects,
            findings=(*judge(aspects, store=self.label), *about_leftovers(self._leftovers, store=self.label)),
            complete=complete,
            at=self._clock(),
            tried_at=self._tried_at,
            leftovers=self._leftovers,
        )


async def _told(trial: AsyncGenerator[Aspect, None], told: asyncio.Queue[Aspect | None], stopped: asyncio.Event) -> None:
    """Run ``trial`` to its end, or until it is ``stopped`` between two aspects; ``None`` says that nothing more comes."""
    try:
        async with aclosing(trial) as aspects:
            async for aspect in aspects:
                told.put_nowait(aspect)
                if stopped.is_set():
                    break
    finally:
        told.put_nowait(None)
