"""Many clients at once: 200 jobs over 20 workspaces from 50 of them, undisturbed and with a stop in the middle."""

from __future__ import annotations

import asyncio
import re
import signal
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sidecar.running import Running, close, start
from tests.waiting import wait_until

WORKSPACES, CLIENTS, EACH = 20, 50, 4
STOP_AFTER = 60

# Writes down the name of its job, which is that of its plan, then takes a moment: `show -json -no-color ./NAME`.
ENGINE = '#!/bin/sh\necho "${4#./}" >> ran\nexec /bin/sleep 0.05\n'
ENDING = re.compile(r"job ([0-9a-f-]{36}) (succeeded|failed: 503 Service shut down before the job finished\.)")

pytestmark = pytest.mark.stack


@dataclass(frozen=True)
class Submitted:
    name: str
    location: str

    @property
    def job_id(self) -> str:
        return self.location.rpartition("/")[2]


@pytest.fixture
async def sidecar(tmp_path: Path) -> AsyncIterator[Running]:
    engine = tmp_path / "engine"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    for number in range(WORKSPACES):
        (tmp_path / f"workspace-{number}").mkdir()
    running = start({"IAC_BINARY": str(engine)}, tmp_path / "sidecar.log")
    yield running
    await close(running)


async def submit(sidecar: Running, folder: Path, number: int, taken: list[Submitted]) -> None:
    """One client: its jobs one after the other, all for one workspace, until the service takes no more."""
    workspace = folder / f"workspace-{number % WORKSPACES}"
    async with httpx.AsyncClient(base_url=sidecar.url, timeout=60) as client:
        for turn in range(EACH):
            name = f"{number}-{turn}"
            try:
                answer = await client.post("/v1/show", json={"workspace_path": str(workspace), "plan_file": name})
            except httpx.TransportError:
                return
            if answer.status_code == 503:
                return
            assert answer.status_code == 202, answer.text
            taken.append(Submitted(name, answer.headers["location"]))


async def follow(sidecar: Running, submitted: list[Submitted]) -> dict[str, dict[str, Any]]:
    """The last that was heard of each job, by its name; every job ends, or the service does."""
    heard: dict[str, dict[str, Any]] = {}
    async with httpx.AsyncClient(base_url=sidecar.url, timeout=60) as client:
        left = list(submitted)
        while left:
            for each in list(left):
                try:
                    heard[each.name] = (await client.get(each.location)).json()
                except httpx.TransportError:
                    return heard
                if heard[each.name]["finished_at"] is not None:
                    left.remove(each)
            await asyncio.sleep(0.05)
    return heard


def ran(folder: Path) -> dict[int, list[str]]:
    """What the engine was started with, by workspace, in order."""
    records = {number: folder / f"workspace-{number}" / "ran" for number in range(WORKSPACES)}
    return {number: record.read_text().split() if record.exists() else [] for number, record in records.items()}


async def test_all_run_once_and_each_workspace_in_the_order_of_submission(sidecar: Running, tmp_path: Path) -> None:
    taken: list[Submitted] = []
    await asyncio.gather(*(submit(sidecar, tmp_path, number, taken) for number in range(CLIENTS)))
    assert len({each.job_id for each in taken}) == CLIENTS * EACH
    heard = await follow(sidecar, taken)
    assert Counter(job["status"] for job in heard.values()) == {"succeeded": CLIENTS * EACH}

    for number, names in ran(tmp_path).items():
        assert sorted(names) == sorted(each.name for each in taken if int(each.name.split("-")[0]) % WORKSPACES == number)
        in_order = sorted(names, key=lambda name: heard[name]["created_at"])
        assert names == in_order
        for earlier, later in pairwise(names):
            assert heard[earlier]["finished_at"] <= heard[later]["started_at"]
        by_client = defaultdict(list)
        for name in names:
            by_client[name.split("-")[0]].append(name)
        assert all(turns == sorted(turns) for turns in by_client.values())


async def test_a_stop_in_the_middle_gives_every_job_one_end_and_runs_none_after_it(sidecar: Running, tmp_path: Path) -> None:
    taken: list[Submitted] = []
    submitting = asyncio.gather(*(submit(sidecar, tmp_path, number, taken) for number in range(CLIENTS)))
    await submitting
    following = asyncio.get_running_loop().create_task(follow(sidecar, taken))
    await wait_until(lambda: sidecar.log.read_text().count(" succeeded") >= STOP_AFTER)
    sidecar.process.send_signal(signal.SIGTERM)
    heard = await following
    assert await asyncio.to_thread(sidecar.process.wait, 60) == 0

    ends: dict[str, list[str]] = defaultdict(list)
    for job_id, end in ENDING.findall(sidecar.log.read_text()):
        ends[job_id].append(end.split(":")[0])
    started = [name for names in ran(tmp_path).values() for name in names]
    assert len(started) == len(set(started))
    outcome = {each.name: ends[each.job_id] for each in taken}
    assert all(len(end) == 1 for end in outcome.values())
    succeeded = {name for name, (end,) in outcome.items() if end == "succeeded"}
    assert STOP_AFTER <= len(succeeded) < len(taken)
    assert succeeded <= set(started)
    # What ran and did not succeed was running at the stop: one for each workspace at most.
    assert len(set(started) - succeeded) <= WORKSPACES
    for name, job in heard.items():
        if job["finished_at"] is None:
            continue
        assert job["status"] == outcome[name][0]
        if job["status"] == "failed":
            assert (job["error"]["status"], job["result"]) == (503, None)
    # While it stopped, whoever followed a job was told how it ended.
    assert {name for name, job in heard.items() if job["finished_at"] is not None} == set(outcome)
