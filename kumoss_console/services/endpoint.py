"""The card of an endpoint: what this store really does, with the evidence for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

from kumoss_console.errors import Refused
from kumoss_console.model.context import Context
from kumoss_console.model.endpoint import Aspect, AspectName, judge
from kumoss_console.model.endpoint.aspect import READ_ONLY, TRIED, not_tried
from kumoss_console.model.finding import Finding
from kumoss_console.ports import Clock, StoreExaminer
from kumoss_console.services.storeless import no_store
from kumoss_console.text import printable

SCRATCH = "kumoss-console-scratch/"
"""Where scratch keys lie. No project's key begins so: those are hex digests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointCard:
    """Aspects in their fixed order, as far as they are known by ``at``. ``complete`` once nothing more comes."""

    store: str
    aspects: tuple[Aspect, ...]
    findings: tuple[Finding, ...]
    complete: bool
    at: datetime


class EndpointService:
    """Examines the store of one context. ``examiner`` is ``None`` where there is none to examine.

    ``label`` names the store, ``scratch`` makes a name that nobody else uses.
    """

    def __init__(
        self, context: Context, examiner: StoreExaminer | None, label: str, clock: Clock, scratch: Callable[[], str]
    ) -> None:
        self._context = context
        self._given = examiner
        self._label = label
        self._clock = clock
        self._scratch = scratch

    @property
    def _examiner(self) -> StoreExaminer:
        if self._given is None:
            raise no_store(self._context)
        return self._given

    async def examine(self) -> AsyncGenerator[EndpointCard, None]:
        """The card as it fills. Writes nothing; what only writing tells stays ``not tried``."""
        found: dict[AspectName, Aspect] = {name: not_tried(name) for name in TRIED}
        async with aclosing(self._examiner.examine()) as aspects:
            async for aspect in aspects:
                found[aspect.name] = aspect
                yield self._card(found, complete=False)
        yield self._card(found, complete=True)

    def scratch_key(self) -> str:
        """A key to try writing on, for naming it before consent is given."""
        return f"{SCRATCH}{self._scratch()}"

    async def try_writes(self, key: str, known: EndpointCard | None = None) -> AsyncGenerator[EndpointCard, None]:
        """The card with what writing to ``key`` tells, ``known`` filled up. Call it with a person's consent only.

        Raises :class:`~kumoss_console.errors.Refused` in read-only mode and for a key that is not a scratch key.
        """
        if self._context.read_only:
            raise Refused(
                "Writing to the store is not possible in read-only mode",
                hint="what only writing tells stays unknown here",
                code="read_only",
            )
        if not key.startswith(SCRATCH):
            raise Refused(f"{printable(key)} is no scratch key: nothing is tried on it", hint=f"they begin with {SCRATCH}")
        found: dict[AspectName, Aspect] = {aspect.name: aspect for aspect in known.aspects} if known is not None else {}
        async with aclosing(self._examiner.try_writes(key)) as trial:
            async for aspect in trial:
                found[aspect.name] = aspect
                yield self._card(found, complete=False)
        yield self._card(found, complete=True)

    def _card(self, found: dict[AspectName, Aspect], *, complete: bool) -> EndpointCard:
        aspects = tuple(found[name] for name in (*READ_ONLY, *TRIED) if name in found)
        return EndpointCard(
            store=self._label,
            aspects=aspects,
            findings=judge(aspects, store=self._label),
            complete=complete,
            at=self._clock(),
        )
