"""A workspace taken from init to apply, step by step, as the core does it and with a person at the review.

It stops at the first step that does not succeed. What is applied is what was reviewed: the plan is shown again right before,
and refused where it is another one by then. Jobs go on when a chain is cancelled; a chain is taken up again at any step.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import uuid4

import msgspec

from kumoss_console.errors import InputError, Refused
from kumoss_console.model.chain import ChainEvent, ChainRequest, Placed, Step, begun, job_request, own_plan_file
from kumoss_console.model.context import Context
from kumoss_console.ports.clock import Clock
from kumoss_console.ports.offloop import OffLoop
from kumoss_console.services.chain.run import Approve, ChainRun
from kumoss_console.services.jobs.service import READS, JobService
from kumoss_console.text import printable

__all__ = ["Approve", "ChainService"]


class ChainService:
    """Chains of one context. ``place`` puts the override into the workspace; ``off_loop`` runs what takes the CPU."""

    def __init__(
        self,
        context: Context,
        jobs: JobService,
        clock: Clock,
        *,
        place: Callable[[ChainRequest], Awaitable[Placed]],
        off_loop: OffLoop,
    ) -> None:
        self._context = context
        self._jobs = jobs
        self._clock = clock
        self._place = place
        self._off_loop = off_loop

    async def run(self, request: ChainRequest, approve: Approve) -> AsyncIterator[ChainEvent]:
        """What happens, as it happens. The last event's state has ended, and says where and why where it did not go through.

        ``approve`` is asked for a person's word once the plan is shown. Raises, after the event that says so,
        :class:`~kumoss_console.errors.ServiceError` and :class:`~kumoss_console.errors.GaveUp` of a step whose outcome cannot
        be learned, :class:`~kumoss_console.errors.BadAnswer` for a plan that cannot be read, and
        :class:`~kumoss_console.errors.Refused` where the plan is another one than was reviewed.
        """
        self._check(request)
        plan_file = request.plan_file or own_plan_file(self._context.paths.session_plan_filename, uuid4().hex[:8])
        chain = ChainRun(
            state=begun(request, plan_file),
            jobs=self._jobs,
            clock=self._clock,
            place=self._place,
            off_loop=self._off_loop,
            approve=approve,
        )
        async for event in chain.run():
            yield event

    def _check(self, request: ChainRequest) -> None:
        if not request.steps:
            raise InputError(
                f"a chain cannot begin at {request.first.value} and end at {request.until.value}",
                hint="the order is init, validate, plan, show, apply",
                code="chain.order",
            )
        if Step.PLAN not in request.steps and Step.SHOW in request.steps and not request.plan_file:
            raise InputError(
                f"a chain that begins at {request.first.value} needs the plan that is meant",
                hint="give --plan-file, as the chain that made the plan named it",
                code="chain.no_plan",
            )
        for step in request.steps:
            if step is not Step.REVIEW:
                _require_bounds(step, request)
        reads = {kind.value for kind in READS}
        writes = [step.value for step in request.steps if step is not Step.REVIEW and step.value not in reads]
        if self._context.read_only and writes:
            raise Refused(
                f"{writes[0]} is not submitted: context {self._context.name} is read-only",
                hint="read-only lets validate and show through: --from validate --until validate",
                code="refused.read_only",
            )


def _require_bounds(step: Step, request: ChainRequest) -> None:
    """What the contract would refuse is refused before the first step, not at the third."""
    try:
        job_request(step, begun(request, request.plan_file or "p"))
    except msgspec.ValidationError as error:
        raise InputError(
            f"{step.value} cannot be submitted: {printable(str(error))}",
            hint="the service would answer 422; nothing was sent",
            code="job.out_of_bounds",
        ) from None
