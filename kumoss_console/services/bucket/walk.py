"""A listing as it is asked for: many ranges at once where the store can start anywhere, else one page after another."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from kumoss_console.errors import ServiceError
from kumoss_console.ports.objects import ListingPage, ObjectInfo
from kumoss_console.ports.store import ObjectStore
from kumoss_console.services.bucket.spans import PIECES, WHOLE, OtherOrder, Span, share_behind, take

THROTTLED = "store.throttled"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A range that is asked for; ``alone`` is whether nothing else is."""

    span: Span
    alone: bool


class Walk:
    """One listing under ``prefix``. ``share`` is how much of it is done, from 0 to 1, ``None`` where that cannot be told.

    ``one_by_one`` is set where the store's order does not allow for ranges. Pages come in any order then; every object that is
    there from beginning to end comes at least once, and more than once only where the ranges had to be given up.
    """

    def __init__(self, store: ObjectStore, prefix: str = "", *, at_once: int = PIECES, one_by_one: bool = False) -> None:
        self._store = store
        self._prefix = prefix
        self._at_once = at_once
        self.one_by_one = one_by_one
        self.share: float | None = 0.0

    async def pages(self) -> AsyncGenerator[tuple[ObjectInfo, ...], None]:
        """Pages as they arrive. Raises what the store raises, when nothing of the listing is under way any more."""
        if self._store.seeks and not self.one_by_one:
            try:
                async with aclosing(self._ranges()) as pages:
                    async for page in pages:
                        yield page
            except OtherOrder:
                self.one_by_one = True
            else:
                return
        self.share = None if self.one_by_one else 0.0
        async with aclosing(self._sequence()) as pages:
            async for page in pages:
                yield page

    async def _sequence(self) -> AsyncGenerator[tuple[ObjectInfo, ...], None]:
        pages = self._store.pages(self._prefix)
        try:
            async for page in pages:
                if page and self.share is not None:
                    self.share = max(self.share, share_behind(page[-1].key))
                yield page
        finally:
            if isinstance(pages, AsyncGenerator):
                await pages.aclose()
        self.share = 1.0

    async def _ranges(self) -> AsyncGenerator[tuple[ObjectInfo, ...], None]:
        waiting = deque([WHOLE])
        asked: dict[asyncio.Task[ListingPage], _Asked] = {}
        try:
            while waiting or asked:
                while waiting and len(asked) < self._at_once:
                    span = waiting.popleft()
                    asked[asyncio.create_task(self._page(span))] = _Asked(span, alone=self._at_once == 1)
                done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                refused = False
                # What came is handed on before what failed ends it all.
                for task in sorted(done, key=lambda task: task.exception() is not None):
                    was = asked.pop(task)
                    page = _answer(task, was)
                    if page is None:
                        refused = True
                        waiting.append(was.span)
                        continue
                    objects, rest = take(was.span, page)
                    waiting.extend(rest)
                    self.share = 1.0 - sum(span.weight for span in (*waiting, *(each.span for each in asked.values())))
                    yield objects
                if refused:
                    self._at_once = max(1, self._at_once // 2)
        finally:
            for task in asked:
                task.cancel()
            # Their outcome is of no interest, and must not be called one that nobody asked for.
            await asyncio.gather(*asked, return_exceptions=True)

    async def _page(self, span: Span) -> ListingPage:
        return await self._store.page(self._prefix, cursor=span.cursor, after=span.after, limit=span.limit)


def _answer(task: asyncio.Task[ListingPage], was: _Asked) -> ListingPage | None:
    """The page, or ``None`` where the store asks for less at once, and less can be asked for."""
    try:
        return task.result()
    except ServiceError as error:
        if error.code != THROTTLED or was.alone:
            raise
        return None
