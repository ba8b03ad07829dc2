"""Lines, time to live and shutdown, with operations that end when the test says so."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from uuid import UUID

import pytest

from kumoss_console.model.contract import JobDocument, JobKind, JobResult, JobStatus
from kumoss_console.sidecar.jobs import JobRegistry, ShuttingDown
from tests.waiting import wait_until


@dataclass
class Work:
    """An operation that notes its start and waits to be let go."""

    name: str
    log: list[str]
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self) -> JobResult:
        self.log.append(f"{self.name} begins")
        await self.gate.wait()
        self.log.append(f"{self.name} ends")
        return JobResult(0, self.name, "")


@dataclass
class Monotonic:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


async def instantly() -> JobResult:
    return JobResult(0, "", "")


def look(jobs: JobRegistry, job_id: UUID) -> JobDocument:
    document = jobs.get(job_id)
    assert document is not None
    return document


async def ended(jobs: JobRegistry, job_id: UUID) -> JobDocument:
    await wait_until(lambda: look(jobs, job_id).finished_at is not None)
    return look(jobs, job_id)


async def test_jobs_of_one_workspace_run_one_after_the_other_in_the_order_of_submission() -> None:
    jobs, log = JobRegistry(), list[str]()
    works = [Work(name, log) for name in "abc"]
    ids = [jobs.submit(JobKind.PLAN, "/w", work) for work in works]
    await wait_until(lambda: log == ["a begins"])
    assert [look(jobs, each).status for each in ids] == [JobStatus.RUNNING, JobStatus.QUEUED, JobStatus.QUEUED]
    for work in works:
        work.gate.set()
    first, second, third = [await ended(jobs, each) for each in ids]
    assert log == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]
    assert first.finished_at is not None
    assert second.started_at is not None
    assert second.started_at >= first.finished_at
    assert third.created_at <= second.started_at


async def test_all_kinds_of_job_share_the_line_of_their_workspace() -> None:
    jobs, log = JobRegistry(), list[str]()
    works = [Work(kind, log) for kind in JobKind]
    for kind, work in zip(JobKind, works, strict=True):
        work.gate.set()
        jobs.submit(kind, "/w", work)
    await wait_until(lambda: len(log) == 2 * len(works))
    assert log == [f"{kind} {what}" for kind in JobKind for what in ("begins", "ends")]


async def test_workspaces_do_not_wait_for_each_other() -> None:
    jobs, log = JobRegistry(), list[str]()
    works = [Work(str(number), log) for number in range(50)]
    for work in works:
        jobs.submit(JobKind.PLAN, f"/w/{work.name}", work)
    await wait_until(lambda: len(log) == 50)
    await jobs.aclose()


async def test_a_failed_job_does_not_hold_up_its_line() -> None:
    async def fails() -> JobResult:
        raise RuntimeError("no")

    jobs = JobRegistry()
    first, second = jobs.submit(JobKind.PLAN, "/w", fails), jobs.submit(JobKind.PLAN, "/w", instantly)
    assert (await ended(jobs, second)).status is JobStatus.SUCCEEDED
    assert look(jobs, first).status is JobStatus.FAILED


async def test_a_line_that_ran_empty_takes_new_jobs() -> None:
    jobs = JobRegistry()
    for _ in range(3):
        assert (await ended(jobs, jobs.submit(JobKind.SHOW, "/w", instantly))).status is JobStatus.SUCCEEDED


async def test_a_poller_never_sees_half_an_ending() -> None:
    jobs, seen = JobRegistry(), list[JobDocument]()
    job_id = jobs.submit(JobKind.SHOW, "/w", instantly)
    while not seen or seen[-1].finished_at is None:
        seen.append(look(jobs, job_id))
        await asyncio.sleep(0)
    for document in seen:
        terminal = document.status in {JobStatus.SUCCEEDED, JobStatus.FAILED}
        assert terminal == (document.finished_at is not None) == (document.result is not None)


async def test_an_ended_job_is_remembered_for_its_time_and_not_longer() -> None:
    clock = Monotonic()
    jobs = JobRegistry(ttl=3600, clock=clock)
    job_id = jobs.submit(JobKind.SHOW, "/w", instantly)
    await ended(jobs, job_id)
    clock.seconds = 3599.9
    assert jobs.get(job_id) is not None
    clock.seconds = 3600.0
    assert jobs.get(job_id) is None


async def test_the_time_to_live_counts_from_the_end_and_an_unfinished_job_never_expires() -> None:
    clock = Monotonic()
    jobs, work = JobRegistry(ttl=3600, clock=clock), Work("slow", [])
    job_id = jobs.submit(JobKind.APPLY, "/w", work)
    clock.seconds = 1_000_000.0
    assert look(jobs, job_id).finished_at is None
    work.gate.set()
    await ended(jobs, job_id)
    clock.seconds += 3599.0
    assert jobs.get(job_id) is not None


async def test_submitting_sweeps_what_has_expired(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    clock = Monotonic()
    jobs = JobRegistry(ttl=10, clock=clock)
    await ended(jobs, jobs.submit(JobKind.SHOW, "/w", instantly))
    clock.seconds = 11.0
    jobs.submit(JobKind.SHOW, "/w", instantly)
    assert "swept 1 expired jobs" in caplog.messages
    await jobs.aclose()


async def test_shutdown_marks_running_and_waiting_jobs_and_takes_no_more() -> None:
    jobs, log = JobRegistry(), list[str]()
    ids = [jobs.submit(JobKind.PLAN, "/w", Work(name, log)) for name in "ab"]
    ids.append(jobs.submit(JobKind.PLAN, "/other", Work("c", log)))
    await wait_until(lambda: len(log) == 2)
    await jobs.aclose()
    for job_id in ids:
        document = look(jobs, job_id)
        assert document.status is JobStatus.FAILED
        assert document.finished_at is not None
        assert document.error is not None
        assert (document.error.status, document.error.title) == (503, "Service Unavailable")
        assert document.error.detail == "Service shut down before the job finished."
    assert log == ["a begins", "c begins"]
    with pytest.raises(ShuttingDown):
        jobs.submit(JobKind.PLAN, "/w", instantly)


async def test_a_job_that_was_submitted_a_moment_before_shutdown_is_marked_too() -> None:
    jobs = JobRegistry()
    job_id = jobs.submit(JobKind.PLAN, "/w", instantly)
    await jobs.aclose()
    assert look(jobs, job_id).error is not None


async def test_shutdown_may_be_asked_for_twice_and_both_wait_for_the_end() -> None:
    jobs = JobRegistry()
    job_id = jobs.submit(JobKind.PLAN, "/w", Work("a", []))
    await wait_until(lambda: look(jobs, job_id).started_at is not None)
    await asyncio.gather(jobs.aclose(), jobs.aclose())
    assert look(jobs, job_id).finished_at is not None
