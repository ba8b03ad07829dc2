"""One run of a chain."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from kumoss_console.errors import ConsoleError
from kumoss_console.model.chain import (
    ChainEvent,
    ChainRequest,
    ChainState,
    Placed,
    Review,
    Step,
    StepStatus,
    asks_for_init,
    digest,
    job_request,
)
from kumoss_console.model.job import Job, Verdict
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.chain.review import cannot_apply, changed, nothing_shown, reviewed
from kumoss_console.services.jobs.service import JobService

Approve = Callable[[ChainState], Awaitable[bool]]
"""A person's word on ``state.review``. ``False`` ends the chain with nothing applied."""

_REINIT = frozenset({Step.VALIDATE, Step.PLAN, Step.SHOW})
_STATUS = {Verdict.GOOD: StepStatus.DONE, Verdict.BAD: StepStatus.FAILED}


@dataclass(kw_only=True)
class ChainRun:
    """``state`` is how it stands; every change of it is an event."""

    state: ChainState
    jobs: JobService
    clock: Clock
    place: Callable[[ChainRequest], Awaitable[Placed]]
    off_loop: OffLoop
    approve: Approve

    async def run(self) -> AsyncIterator[ChainEvent]:
        for step in self.state.request.steps:
            async for event in self._step(step):
                yield event
            if self.state.of(step).status is not StepStatus.DONE:
                break
        self.state = replace(self.state, ended=True)
        yield self._event(self._last_words())

    def _step(self, step: Step) -> AsyncIterator[ChainEvent]:
        special = {Step.INIT: self._init, Step.SHOW: self._show, Step.REVIEW: self._review, Step.APPLY: self._apply}
        return special[step]() if step in special else self._job(step)

    async def _init(self) -> AsyncIterator[ChainEvent]:
        placed = await self.place(self.state.request)
        self.state = replace(self.state, placed=placed)
        yield self._event(placed.words, Step.INIT)
        async for event in self._one_job(Step.INIT):
            yield event

    async def _show(self) -> AsyncIterator[ChainEvent]:
        async for event in self._job(Step.SHOW):
            yield event
        shown = self.state.of(Step.SHOW)
        if shown.status is not StepStatus.DONE or shown.job is None:
            return
        try:
            review = await self.off_loop(partial(reviewed, shown.job.stdout, self.state.plan_file))
        except ConsoleError as error:
            yield self._fault(Step.SHOW, StepStatus.FAILED, error, job=shown.job)
            raise
        self.state = replace(self.state, review=review)
        yield self._event(review.plan.headline, Step.SHOW)

    async def _review(self) -> AsyncIterator[ChainEvent]:
        review = self._plan()
        if review.nothing_to_apply:
            self.state = self.state.at(Step.REVIEW, StepStatus.SKIPPED).at(Step.APPLY, StepStatus.SKIPPED)
            yield self._event("there is nothing to apply: the plan changes nothing", Step.REVIEW)
            return
        error = cannot_apply(review, self.state.request.reviewed)
        if error is not None:
            yield self._fault(Step.REVIEW, StepStatus.FAILED, error)
            raise error
        self.state = self.state.at(Step.REVIEW, StepStatus.RUNNING)
        yield self._event("waiting for the review", Step.REVIEW)
        approved = await self.approve(self.state)
        note = "" if approved else "not approved: nothing was applied"
        self.state = self.state.at(Step.REVIEW, StepStatus.DONE if approved else StepStatus.STOPPED, note=note)
        yield self._event(note or "approved", Step.REVIEW)

    async def _apply(self) -> AsyncIterator[ChainEvent]:
        review = self._plan()
        self.state = self.state.at(Step.APPLY, StepStatus.RUNNING, note="is the plan still the one that was reviewed?")
        yield self._event("apply: showing the plan once more, to apply the one that was reviewed and no other", Step.APPLY)
        try:
            again = await self.jobs.submit(job_request(Step.SHOW, self.state))
            async for seen in self.jobs.watch(again.job_id or ""):
                again = seen
            if again.verdict is not Verdict.GOOD:
                raise nothing_shown(self.state.plan_file, again)
            if digest(again.stdout) != review.digest:
                raise changed(self.state.plan_file)
        except ConsoleError as error:
            yield self._fault(Step.APPLY, StepStatus.FAILED, error)
            raise
        async for event in self._one_job(Step.APPLY):
            yield event

    async def _job(self, step: Step) -> AsyncIterator[ChainEvent]:
        """The step's job to its end; once more after another init where the engine asks for one, as the core does, once."""
        async for event in self._one_job(step):
            yield event
        job = self.state.of(step).job
        if step not in _REINIT or self.state.reinitialised or job is None or job.verdict is not Verdict.BAD:
            return
        if not asks_for_init((job.stderr, job.stdout)):
            return
        self.state = replace(self.state, reinitialised=True).at(step, StepStatus.WAITING, job=job)
        yield self._event(f"{step.value}: the engine asks for init, which is run once more", step)
        init: Job | None = None
        async for event in self._init():
            init = event.job or init
            yield event
        if init is not None and init.verdict is Verdict.GOOD:
            async for event in self._one_job(step):
                yield event
        else:
            self.state = self.state.at(step, StepStatus.FAILED, job=job, note="init was run once more, and did not succeed")

    async def _one_job(self, step: Step) -> AsyncIterator[ChainEvent]:
        self.state = self.state.at(step, StepStatus.RUNNING)
        yield self._event(f"{step.value}: submitting", step)
        job: Job | None = None
        try:
            job = await self.jobs.submit(job_request(step, self.state))
            async for seen in self.jobs.watch(job.job_id or ""):
                job = seen
                if not job.service.final:
                    self.state = self.state.at(step, StepStatus.RUNNING, job=job)
                    yield self._event(f"{step.value}: {job.summary}", step, job)
        except ConsoleError as error:
            unknown = job is not None or getattr(error, "may_have_been_accepted", False)
            yield self._fault(step, StepStatus.UNKNOWN if unknown else StepStatus.FAILED, error, job=job)
            raise
        status = _STATUS.get(job.verdict, StepStatus.UNKNOWN)
        self.state = self.state.at(step, status, job=job, note="" if status is StepStatus.DONE else job.summary)
        yield self._event(f"{step.value}: {job.summary}", step, job)

    def _plan(self) -> Review:
        if self.state.review is None:
            raise TypeError("a review or an apply before the plan was shown")
        return self.state.review

    def _fault(self, step: Step, status: StepStatus, error: ConsoleError, *, job: Job | None = None) -> ChainEvent:
        self.state = replace(self.state.at(step, status, job=job, note=error.title), ended=True)
        return self._event(f"{step.value}: {error.title}", step, job)

    def _event(self, text: str, step: Step | None = None, job: Job | None = None) -> ChainEvent:
        return ChainEvent(at=self.clock(), text=text, state=self.state, step=step, job=job)

    def _last_words(self) -> str:
        broken = self.state.broken
        return "done" if broken is None else f"stopped at {broken.step.value}: {broken.note}"
