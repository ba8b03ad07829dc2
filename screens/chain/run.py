"""A chain under way. It belongs to no view: it goes on whichever is shown, and ends with the console."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from textual.worker import Worker

from kumoss_console.errors import ConsoleError
from kumoss_console.model.chain import ChainRequest, ChainState, Step, StepState, StepStatus, begun
from kumoss_console.ports.clock import Clock
from kumoss_console.services.chain.service import ChainService

_OVER = frozenset({StepStatus.DONE, StepStatus.FAILED, StepStatus.STOPPED, StepStatus.UNKNOWN})


class Run:
    """How one chain stands, and the question that it waits with. ``listeners`` are called after each change."""

    def __init__(self, request: ChainRequest, clock: Clock) -> None:
        self.request = request
        self.state: ChainState = begun(request, request.plan_file)
        self.error: ConsoleError | None = None
        """Why it could not go on, where that was no verdict of an engine."""
        self.under_way = True
        self.left = False
        """Whether it was ended from here while a job went on."""
        self.listeners: list[Callable[[], None]] = []
        self.worker: Worker[None] | None = None
        """What follows it, of the view that it was begun in."""
        self._clock = clock
        self._answer: asyncio.Future[bool] | None = None
        self._began: dict[Step, datetime] = {}
        self._ended: dict[Step, datetime] = {}

    async def follow(self, chain: ChainService) -> None:
        """Take it from step to step. Raises nothing that is an answer: see :attr:`error`."""
        try:
            async for event in chain.run(self.request, self._approve):
                self._take(event.state, event.at)
        except ConsoleError as error:
            self.error = error
        finally:
            self.under_way = False
            self.left = not self.state.ended and self.error is None
            self._tell()

    def _take(self, state: ChainState, at: datetime) -> None:
        self.state = state
        for one in state.steps:
            if one.status is StepStatus.RUNNING and one.step not in self._began:
                self._began[one.step] = at
            elif one.status is StepStatus.WAITING:
                # Sent back to wait: another init comes first.
                self._began.pop(one.step, None)
            elif one.status in _OVER:
                self._ended.setdefault(one.step, at)
            if one.status is StepStatus.RUNNING:
                self._ended.pop(one.step, None)
        self._tell()

    def _tell(self) -> None:
        for listener in tuple(self.listeners):
            listener()

    async def _approve(self, state: ChainState) -> bool:
        self._answer = asyncio.get_running_loop().create_future()
        self._take(state, self._clock())
        try:
            return await self._answer
        finally:
            self._answer = None

    # -- what is asked of it -----------------------------------------------------------------------------------------------

    @property
    def waits(self) -> bool:
        """Whether it waits for the review's answer."""
        return self._answer is not None and not self._answer.done()

    def answer(self, agreed: bool) -> None:
        """The review's outcome. One that comes too late changes nothing."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(agreed)

    def leave(self) -> None:
        """End it here: no step follows the one under way, whose job goes on."""
        if self.worker is not None:
            self.worker.cancel()

    def of(self, step: Step) -> StepState:
        return self.state.of(step)

    @property
    def current(self) -> Step:
        """The step that matters now: the one under way, the one it stopped at, else the last."""
        running = [one.step for one in self.state.steps if one.status is StepStatus.RUNNING]
        broken = self.state.broken
        if running:
            return running[-1]
        return broken.step if broken is not None else self.state.steps[-1 if self.state.ended else 0].step

    def span(self, step: Step, now: datetime) -> timedelta | None:
        """How long the step took, or has taken so far; ``None`` for one that has not begun."""
        began = self._began.get(step)
        if began is None:
            return None
        return (self._ended.get(step) or now) - began
