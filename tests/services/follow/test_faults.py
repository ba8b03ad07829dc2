"""What an operator sees while the service misbehaves: each fault its own words and next step, no job called failed for it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.services.follow.follower import Followed, Follower
from kumoss_console.services.jobs.service import JobService
from kumoss_console.text import Secret
from tests.clients.test_sidecar import ID, JOB
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_service import (
    Move,
    answer,
    drip,
    hang,
    hang_up,
    problem,
    raw_answer,
    reset,
    scripted_service,
    truncated,
)
from tests.services.jobs.test_over_http import DONE, FORGOTTEN, RUNNING
from tests.waiting import wait_until

JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}
LATEST = 0.5
"""Seconds for which the loop may be held: a key pressed meanwhile is answered within them."""


@dataclass
class Watching:
    """A console that follows one job on a scripted service."""

    follower: Follower
    entry: int
    slowest: float = 0.0
    told: list[tuple[Job, Followed]] = field(default_factory=list)

    async def listen(self) -> None:
        async for followed in self.follower.subscribe():
            self.told += [(job, followed) for job in followed.jobs if job.entry == self.entry]

    async def until(self, wanted: str) -> tuple[Job, Followed]:
        """The job once it is in that state, and all that was known then; what came before is not looked at again."""
        while True:
            await wait_until(lambda: bool(self.told), timeout=20)
            job, followed = self.told.pop(0)
            if job.service.value == wanted:
                return job, followed

    async def beat(self) -> None:
        """What the interface does: something each hundredth of a second."""
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            await asyncio.sleep(0.01)
            self.slowest = max(self.slowest, loop.time() - began)


class Watch:
    """``async with Watch(folder, moves…) as watching``."""

    def __init__(self, folder: Path, *moves: Move, endpoint: str = "") -> None:
        self._journal = Journal.open(folder / "jobs.sqlite3")
        self._service = scripted_service(*moves)
        self._endpoint = endpoint
        self._clock = FakeClock()
        self._tasks: list[asyncio.Task[None]] = []

    async def _sleep(self, seconds: float) -> None:
        self._clock.advance(seconds)
        await asyncio.sleep(0.01)

    async def __aenter__(self) -> Watching:
        service = await self._service.__aenter__()
        self._client = SidecarClient(self._endpoint or service.endpoint, Secret("a-token"), timeout=0.3)
        context = Context(name="prod")
        entry = await self._journal.record("prod", ValidateRequest(workspace_path="/w"), self._clock())
        await self._journal.accept(entry, ID, self._clock())
        jobs = JobService(context, self._client, self._journal, self._clock)
        watching = Watching(Follower(context, jobs, self._journal, self._clock, sleep=self._sleep), entry)
        self._tasks = [asyncio.create_task(work) for work in (watching.listen(), watching.follower.run(), watching.beat())]
        return watching

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await self._client.aclose()
        await self._service.__aexit__(None, None, None)
        self._journal.close()


FAULTS: list[tuple[str, Move, str, str, str]] = [
    ("401", problem(401, "Invalid bearer token."), "sidecar.unauthorized", "does not accept our token", "KUMOSS_IAC_TOKEN"),
    ("403", problem(403, "no"), "sidecar.forbidden", "does not allow this", "ask whoever runs the service"),
    ("422", problem(422, "Request validation failed"), "sidecar.request_refused", "invalid (422)", "compare the versions"),
    ("429", problem(429, "no", headers={"Retry-After": "2"}), "sidecar.throttled", "slow down", "try again in 2 s"),
    ("500", problem(500, "boom"), "sidecar.server_error", "failed on our request (500)", "log"),
    ("503", problem(503, "restarting"), "sidecar.unavailable", "not available", "try again"),
    ("504", raw_answer(504), "sidecar.server_error", "(504)", "log"),
    ("hang", hang, "sidecar.timeout", "did not answer within 0.3 s", "overloaded"),
    ("slow drip", drip(200, JOB), "sidecar.timeout", "did not answer within 0.3 s", "overloaded"),
    ("reset", reset, "sidecar.unreachable", "closed the connection", "restarted just now"),
    ("hang up", hang_up, "sidecar.unreachable", "closed the connection", "restarted just now"),
]


@pytest.mark.parametrize(("name", "fault", "code", "words", "step"), FAULTS, ids=[row[0] for row in FAULTS])
async def test_a_silent_service_leaves_its_jobs_unknown_says_why_and_what_to_do(
    tmp_path: Path, name: str, fault: Move, code: str, words: str, step: str
) -> None:
    async with Watch(tmp_path, RUNNING, fault, DONE) as watching:
        await watching.until("running")
        job, followed = await watching.until("unknown")
        end, after = await watching.until("answered")
    assert followed.error is not None
    assert (followed.error.code, job.verdict) == (code, Verdict.UNKNOWN)
    assert words in followed.error.title
    assert step in followed.error.hint
    assert words in job.summary
    assert "last seen running" in job.summary
    assert (end.verdict, after.error) == (Verdict.BAD, None)
    assert watching.slowest < LATEST


NONSENSE: list[tuple[str, Move]] = [
    ("not JSON", raw_answer(200, b"oops", JSON)),
    ("wrong content type", raw_answer(200, b"<html>", HTML)),
    ("another job", answer(200, JOB | {"job_id": str(UUID(int=1))})),
    ("404 of something else", raw_answer(404, b"<h1>nginx</h1>", HTML)),
]


@pytest.mark.parametrize(("name", "fault"), NONSENSE, ids=[row[0] for row in NONSENSE])
async def test_nonsense_about_a_job_makes_that_job_unknown(tmp_path: Path, name: str, fault: Move) -> None:
    async with Watch(tmp_path, RUNNING, fault, DONE) as watching:
        await watching.until("running")
        job, followed = await watching.until("unknown")
        end, _ = await watching.until("answered")
    assert (job.verdict, followed.error) == (Verdict.UNKNOWN, None)
    assert "last seen running" in job.summary
    assert end.exit_code == 1
    assert watching.slowest < LATEST


async def test_half_an_answer_is_none(tmp_path: Path) -> None:
    async with Watch(tmp_path, RUNNING, truncated(200, b'{"job_id"'), DONE) as watching:
        await watching.until("running")
        job, _ = await watching.until("unknown")
        await watching.until("answered")
    assert job.verdict is Verdict.UNKNOWN


async def test_a_service_that_is_not_there_is_named_with_what_to_check(tmp_path: Path) -> None:
    async with Watch(tmp_path, RUNNING, endpoint="http://127.0.0.1:9") as watching:
        job, followed = await watching.until("unknown")
    assert followed.error is not None
    assert "refused the connection" in job.summary
    assert "services.iac.endpoint" in followed.error.hint


async def test_a_restart_in_the_middle_loses_the_job_and_is_no_failure(tmp_path: Path) -> None:
    async with Watch(tmp_path, RUNNING, reset, FORGOTTEN) as watching:
        await watching.until("running")
        await watching.until("unknown")
        job, followed = await watching.until("lost")
    assert (job.service, job.verdict, followed.error) == (ServicePlane.LOST, Verdict.UNKNOWN, None)
    assert "does not know this job any more: it restarted, or another one answers there; it was running" in job.summary
