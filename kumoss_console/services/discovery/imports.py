"""A worksheet submitted: one import after the other, each seen through before the next is sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import msgspec

from kumoss_console.errors import ConsoleError, InputError, Refused
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, ImportRequest
from kumoss_console.model.importids.worksheet import Row
from kumoss_console.model.job import Job, Verdict
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.services.jobs.service import JobService


class Outcome(StrEnum):
    """``unknown``: it was sent, and whether it was carried out nobody here knows."""

    WAITING = "waiting"
    RUNNING = "running"
    IMPORTED = "imported"
    FAILED = "failed"
    UNKNOWN = "unknown"
    NOT_SENT = "not_sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportStep:
    """One row of the worksheet and what became of it. ``detail`` is why, where that is no success."""

    row: Row
    outcome: Outcome = Outcome.WAITING
    job: Job | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imports:
    """All rows as they stand. ``stopped`` is why the rest was not sent, empty where nothing stopped it."""

    steps: tuple[ImportStep, ...]
    complete: bool = False
    stopped: str = ""

    def count(self, outcome: Outcome) -> int:
        return sum(step.outcome is outcome for step in self.steps)


_OUTCOMES = {
    Verdict.GOOD: Outcome.IMPORTED,
    Verdict.BAD: Outcome.FAILED,
    Verdict.UNKNOWN: Outcome.UNKNOWN,
    Verdict.PENDING: Outcome.UNKNOWN,
}


class ImportService:
    """Of one context."""

    def __init__(self, context: Context, jobs: JobService) -> None:
        self._context = context
        self._jobs = jobs

    async def run(
        self, rows: Sequence[Row], *, workspace: str, scope: str, provider: CloudProvider, keep_going: bool = False
    ) -> AsyncGenerator[Imports, None]:
        """The imports as they go, the last one ``complete``. Stops at the first that is not imported, unless ``keep_going``; at
        one whose end is not known it stops in any case, for it may be at work in the state.

        Raises :class:`~kumoss_console.errors.Refused` in a read-only context and :class:`~kumoss_console.errors.InputError` for
        rows that have faults: nothing was sent then. Leaving it early sends no further import.
        """
        if self._context.read_only:
            raise Refused(
                f"nothing is imported: context {self._context.name} is read-only",
                hint="export the import blocks instead",
                code="refused.read_only",
            )
        requests = [_request(row, workspace=workspace, scope=scope, provider=provider) for row in rows]
        steps = [ImportStep(row=row) for row in rows]
        stopped = ""
        for place, request in enumerate(requests):
            steps[place] = replace(steps[place], outcome=Outcome.RUNNING)
            yield Imports(steps=tuple(steps))
            async for step in self._one(steps[place], request):
                steps[place] = step
                yield Imports(steps=tuple(steps))
            ended = steps[place]
            if ended.outcome is not Outcome.IMPORTED and (not keep_going or ended.outcome is not Outcome.FAILED):
                stopped = f"{ended.row.address} was not imported: {ended.detail}"
                break
        for place, step in enumerate(steps):
            if step.outcome is Outcome.WAITING:
                steps[place] = replace(step, outcome=Outcome.NOT_SENT)
        yield Imports(steps=tuple(steps), complete=True, stopped=stopped)

    async def _one(self, step: ImportStep, request: ImportRequest) -> AsyncGenerator[ImportStep, None]:
        try:
            job = await self._jobs.submit(request)
        except SubmissionUnclear as error:
            yield replace(step, outcome=Outcome.UNKNOWN, detail=error.title)
            return
        except ConsoleError as error:
            yield replace(step, outcome=Outcome.NOT_SENT, detail=error.title)
            return
        step = replace(step, job=job)
        yield step
        try:
            async for seen in self._jobs.watch(str(job.job_id)):
                job = seen
                yield replace(step, job=seen)
        except ConsoleError as error:
            yield replace(step, job=job, outcome=Outcome.UNKNOWN, detail=error.title)
            return
        outcome = _OUTCOMES[job.verdict]
        yield replace(step, job=job, outcome=outcome, detail="" if outcome is Outcome.IMPORTED else _why(job))


def _request(row: Row, *, workspace: str, scope: str, provider: CloudProvider) -> ImportRequest:
    if row.faults:
        raise InputError(
            f"{row.address or row.identifier} cannot be imported: {row.faults[0]}",
            hint="mend the worksheet, or leave the row out",
            code="discover.worksheet",
        )
    try:
        return ImportRequest(
            workspace_path=workspace,
            scope_id=scope,
            terraform_provider=provider,
            address=row.address,
            resource_id=row.import_id,
        )
    except msgspec.ValidationError as error:
        raise InputError(f"{row.address} cannot be imported: {error}", code="discover.worksheet") from None


def _why(job: Job) -> str:
    lines = [line.strip() for line in job.stderr.splitlines() if line.strip()]
    told = next((line for line in lines if "Error:" in line), "")
    return f"{job.summary}: {told.lstrip('│╷ ')}" if told else job.summary
