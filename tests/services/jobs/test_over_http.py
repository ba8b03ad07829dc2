"""Submitting and watching over a real connection, while the service at its other end misbehaves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.errors import AccessDenied, BadAnswer, GaveUp, ServiceError
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, IacSettings
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.services.jobs.service import JobService
from kumoss_console.text import Secret
from tests.clients.test_sidecar import ACCEPTED, ID, JOB
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_service import (
    Move,
    ScriptedService,
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

REQUEST = ValidateRequest(workspace_path="/w")
UNDER_WAY: dict[str, Any] = JOB | {"finished_at": None, "result": None}
QUEUED = answer(200, UNDER_WAY | {"status": "queued", "started_at": None})
RUNNING = answer(200, UNDER_WAY | {"status": "running"})
DONE = answer(200, JOB)
FAULTED = answer(200, JOB | {"status": "failed", "result": None, "error": {"title": "Gateway Timeout", "status": 504}})
FORGOTTEN = problem(404, f"Unknown or expired job: {ID}")
TAKEN = answer(202, ACCEPTED, {"Location": f"/v1/jobs/{ID}"})
JSON = {"Content-Type": "application/json"}


@dataclass
class Wired:
    jobs: JobService
    service: ScriptedService
    clock: FakeClock

    async def watched(self) -> list[Job]:
        return [job async for job in self.jobs.watch(str(ID))]


@asynccontextmanager
async def wired(tmp_path: Path, *moves: Move, job_timeout: float = 3600.0) -> AsyncIterator[Wired]:
    clock = FakeClock()
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    async with scripted_service(*moves) as service:
        client = SidecarClient(service.endpoint, Secret("a-token"), timeout=0.3)
        context = Context(name="prod", iac=IacSettings(job_timeout=job_timeout))
        try:
            yield Wired(JobService(context, client, journal, clock, sleep=clock.sleep), service, clock)
        finally:
            await client.aclose()
            journal.close()


async def test_a_job_goes_from_its_submission_to_its_end(tmp_path: Path) -> None:
    async with wired(tmp_path, TAKEN, QUEUED, RUNNING, RUNNING, DONE) as world:
        submitted = await world.jobs.submit(REQUEST)
        seen = await world.watched()
    assert submitted.job_id == str(ID)
    assert [job.service.value for job in seen] == ["queued", "running", "answered"]
    assert (seen[-1].verdict, seen[-1].exit_code, seen[-1].workspace) == (Verdict.BAD, 1, "/w")


MISHAPS: list[tuple[str, Move]] = [
    ("429", problem(429, "slow down", headers={"Retry-After": "9"})),
    ("503", problem(503, "restarting")),
    ("500", problem(500, "boom")),
    ("504", raw_answer(504)),
    ("reset", reset),
    ("hang up", hang_up),
    ("hang", hang),
    ("drip", drip(200, JOB)),
    ("html", raw_answer(200, b"<html>", {"Content-Type": "text/html"})),
    ("not JSON", raw_answer(200, b"oops", JSON)),
    ("truncated", truncated(200, b'{"job_id"')),
]


@pytest.mark.parametrize(("name", "mishap"), MISHAPS, ids=[row[0] for row in MISHAPS])
async def test_a_mishap_in_the_middle_is_shown_as_unknown_and_waited_out(tmp_path: Path, name: str, mishap: Move) -> None:
    async with wired(tmp_path, TAKEN, RUNNING, mishap, DONE) as world:
        await world.jobs.submit(REQUEST)
        seen = await world.watched()
    assert [job.service.value for job in seen] == ["running", "unknown", "answered"]
    assert "last seen running" in seen[1].summary
    assert world.clock.slept[1] == (9.0 if name == "429" else 1.0)


async def test_a_restart_in_the_middle_loses_the_job_and_says_so(tmp_path: Path) -> None:
    async with wired(tmp_path, TAKEN, RUNNING, reset, FORGOTTEN) as world:
        await world.jobs.submit(REQUEST)
        seen = await world.watched()
    assert [job.service.value for job in seen] == ["running", "unknown", "lost"]
    assert "the service does not know this job any more" in seen[-1].summary


async def test_a_fault_of_the_service_is_not_an_exit_code(tmp_path: Path) -> None:
    async with wired(tmp_path, TAKEN, FAULTED) as world:
        await world.jobs.submit(REQUEST)
        [job] = await world.watched()
    assert (job.service, job.exit_code, job.summary) == (ServicePlane.FAULTED, None, "the service faulted (504): Gateway Timeout")


@pytest.mark.parametrize(
    ("move", "kind"),
    [
        (problem(401, "Invalid bearer token."), AccessDenied),
        (problem(403, "no"), AccessDenied),
        (answer(404, {"detail": "Not Found"}), BadAnswer),
    ],
)
async def test_what_waiting_cannot_mend_ends_the_watch(tmp_path: Path, move: Move, kind: type[ServiceError]) -> None:
    async with wired(tmp_path, TAKEN, move) as world:
        await world.jobs.submit(REQUEST)
        with pytest.raises(kind):
            await world.watched()


async def test_patience_ends_while_the_job_goes_on(tmp_path: Path) -> None:
    async with wired(tmp_path, TAKEN, RUNNING, job_timeout=30.0) as world:
        await world.jobs.submit(REQUEST)
        with pytest.raises(GaveUp, match="the job goes on"):
            await world.watched()
    assert world.clock.slept[-1] < 5


@pytest.mark.parametrize("move", [hang, reset, hang_up], ids=["hang", "reset", "hang up"])
async def test_a_submission_into_silence_is_kept_as_such_and_sent_once(tmp_path: Path, move: Move) -> None:
    async with wired(tmp_path, move) as world:
        with pytest.raises(SubmissionUnclear):
            await world.jobs.submit(REQUEST)
        [job] = await world.jobs.refresh()
    assert (job.job_id, job.service, job.summary) == (None, ServicePlane.UNKNOWN, "sent, no answer")
    assert len(world.service.seen) == 1
