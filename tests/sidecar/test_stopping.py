"""A stop in order: nothing new, time for what runs, an end for everything, and an answer for whoever follows a job."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from kumoss_console.model.contract import JobKind, JobStatus
from kumoss_console.sidecar.jobs import SHUT_DOWN, JobRegistry
from tests.sidecar.answers import problem
from tests.sidecar.running import Running, close, start
from tests.sidecar.test_registry import Monotonic, Work, ended, instantly, look
from tests.waiting import wait_until

# Far beyond what a test waits for: what ends before it does not end because of it.
LONG = 600.0


async def closing(jobs: JobRegistry, wait: float) -> asyncio.Task[None]:
    """A close that has begun."""
    task = asyncio.get_running_loop().create_task(jobs.aclose(wait))
    await asyncio.sleep(0)
    return task


async def test_what_runs_may_finish_and_what_waits_is_ended_at_once() -> None:
    jobs, log = JobRegistry(), list[str]()
    running, waiting = Work("running", log), Work("waiting", log)
    first, second = (jobs.submit(JobKind.APPLY, "/w", work) for work in (running, waiting))
    await wait_until(lambda: log == ["running begins"])
    ending = await closing(jobs, LONG)
    assert look(jobs, second).error == SHUT_DOWN
    assert look(jobs, first).status is JobStatus.RUNNING
    running.gate.set()
    await ending
    assert look(jobs, first).status is JobStatus.SUCCEEDED
    assert log == ["running begins", "running ends"]


async def test_what_does_not_finish_in_time_is_ended() -> None:
    jobs, log = JobRegistry(), list[str]()
    job_id = jobs.submit(JobKind.APPLY, "/w", Work("a", log))
    await wait_until(lambda: log == ["a begins"])
    await jobs.aclose(0.05)
    assert look(jobs, job_id).error == SHUT_DOWN


async def test_a_second_wish_ends_the_time() -> None:
    jobs, log = JobRegistry(), list[str]()
    job_id = jobs.submit(JobKind.APPLY, "/w", Work("a", log))
    await wait_until(lambda: log == ["a begins"])
    ending = await closing(jobs, LONG)
    jobs.hurry()
    await ending
    assert look(jobs, job_id).error == SHUT_DOWN


async def test_a_job_that_waits_for_a_place_is_ended_too() -> None:
    jobs, log = JobRegistry(running_limit=1), list[str]()
    running = Work("running", log)
    first, second = (jobs.submit(JobKind.APPLY, workspace, work) for workspace, work in (("/a", running), ("/b", Work("b", log))))
    await wait_until(lambda: log == ["running begins"])
    ending = await closing(jobs, LONG)
    assert look(jobs, second).error == SHUT_DOWN
    running.gate.set()
    await ending
    assert look(jobs, first).status is JobStatus.SUCCEEDED
    assert log == ["running begins", "running ends"]


async def test_whoever_submitted_a_job_has_time_to_hear_how_it_ended() -> None:
    clock, log = Monotonic(), list[str]()
    jobs = JobRegistry(ttl=10, clock=clock)
    await ended(jobs, jobs.submit(JobKind.APPLY, "/earlier", instantly))
    clock.seconds = 20  # what expires says nothing of those that are still to be told
    ids = [jobs.submit(JobKind.APPLY, workspace, Work(workspace, log)) for workspace in ("/a", "/a", "/b")]
    await wait_until(lambda: len(log) == 2)
    await jobs.aclose()
    telling = asyncio.get_running_loop().create_task(jobs.told(LONG))
    for job_id in ids:
        await asyncio.sleep(0.01)
        assert not telling.done()
        assert look(jobs, job_id).error == SHUT_DOWN
    await telling


async def test_what_ended_before_the_stop_is_no_reason_to_wait() -> None:
    jobs, log = JobRegistry(), list[str]()
    work = Work("a", log)
    work.gate.set()
    job_id = jobs.submit(JobKind.APPLY, "/w", work)
    await wait_until(lambda: look(jobs, job_id).finished_at is not None)
    await jobs.aclose()
    await jobs.told(LONG)


async def test_nobody_is_waited_for_for_ever() -> None:
    jobs, log = JobRegistry(), list[str]()
    job_id = jobs.submit(JobKind.APPLY, "/w", Work("a", log))
    await wait_until(lambda: log == ["a begins"])
    await jobs.aclose()
    await jobs.told(0.01)
    assert look(jobs, job_id).error == SHUT_DOWN


ORDERLY = "#!/bin/sh\necho $$ > begun\nwhile [ ! -e let_go ]; do sleep 0.02; done\necho it is done\n"


@pytest.fixture
async def sidecar(tmp_path: Path) -> AsyncIterator[Running]:
    engine = tmp_path / "engine"
    engine.write_text(ORDERLY)
    engine.chmod(0o755)
    running = start({"IAC_BINARY": str(engine), "IAC_STOP_WAIT": "60"}, tmp_path / "sidecar.log")
    yield running
    await close(running)


async def test_while_it_stops_the_service_answers_and_the_running_job_ends_well(sidecar: Running, workspace: Path) -> None:
    fields = {"workspace_path": str(workspace)}
    running = await sidecar.submit("/v1/validate", **fields)
    waiting = await sidecar.submit("/v1/validate", **fields)
    await wait_until((workspace / "begun").exists)
    assert (await sidecar.client.get(running)).json()["status"] == "running"
    assert (await sidecar.client.get(waiting)).json()["status"] == "queued"
    sidecar.process.send_signal(signal.SIGTERM)
    await wait_until(lambda: "waiting up to 60 s for 1 running jobs" in sidecar.log.read_text())
    problem(await sidecar.client.post("/v1/validate", json=fields), 503)
    assert (await sidecar.client.get("/healthz")).status_code == 200
    ended = (await sidecar.client.get(waiting)).json()
    assert (ended["status"], ended["started_at"], ended["error"]["status"]) == ("failed", None, 503)
    (workspace / "let_go").touch()
    job = await sidecar.job_at(running)
    assert job["result"]["stdout"] == "it is done\n"
    assert sidecar.process.wait(timeout=20) == 0
    with pytest.raises(httpx.ConnectError):
        await sidecar.client.get(running)


@pytest.mark.parametrize("wait", ["60", "0"])
async def test_a_second_signal_kills_an_engine_that_has_a_long_grace(wait: str, workspace: Path, tmp_path: Path) -> None:
    deaf = tmp_path / "deaf"
    deaf.write_text("#!/bin/sh\ntrap '' TERM INT\nsetsid sleep 1000 &\necho $! $$ > begun\nwhile :; do sleep 0.1; done\n")
    deaf.chmod(0o755)
    environ = {"IAC_BINARY": str(deaf), "IAC_STOP_WAIT": wait, "IAC_STOP_GRACE": "600"}
    sidecar = start(environ, tmp_path / "sidecar.log")
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    begun = workspace / "begun"
    await wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"))
    sidecar.process.send_signal(signal.SIGTERM)
    await wait_until(lambda: re.search("waiting up to|cancelling 1", sidecar.log.read_text()) is not None)
    seconds = sidecar.stop()
    await close(sidecar)
    log = sidecar.log.read_text()
    assert sidecar.process.returncode == 0
    assert "failed: 503 Service shut down before the job finished." in log
    assert "asyncio" not in log
    assert "Traceback" not in log
    assert seconds < 10  # not the grace; two seconds on a machine that has nothing else to do
    await wait_until(lambda: not [pid for pid in begun.read_text().split() if Path(f"/proc/{pid}").exists()])


async def test_a_second_signal_ends_the_running_job(sidecar: Running, workspace: Path) -> None:
    await sidecar.submit("/v1/validate", workspace_path=str(workspace))
    begun = workspace / "begun"
    await wait_until(lambda: begun.exists() and begun.read_text().endswith("\n"))
    sidecar.process.send_signal(signal.SIGTERM)
    await wait_until(lambda: "waiting up to 60 s" in sidecar.log.read_text())
    sidecar.stop()
    assert sidecar.process.returncode == 0
    assert "failed: 503 Service shut down before the job finished." in sidecar.log.read_text()
    await wait_until(lambda: not Path(f"/proc/{begun.read_text().strip()}").exists())
