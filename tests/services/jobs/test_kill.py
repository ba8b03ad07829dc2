"""``kill -9`` in the middle of submitting: no job id is lost, and none is made up."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from kumoss_console.journal import Journal
from kumoss_console.journal.journal import SENT_NO_ANSWER
from tests.waiting import wait_until

SUBMISSIONS = 100

SUBMITTER = """
import asyncio, sys
from pathlib import Path
from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.services.wiring.ground import utc_now
from kumoss_console.services.jobs.service import JobService
from kumoss_console.text import Secret

async def main(path, endpoint, run):
    client = SidecarClient(endpoint, Secret("a-token"), timeout=10.0)
    jobs = JobService(Context(name="prod"), client, Journal.open(Path(path)), utc_now)
    number = 0
    while True:
        number += 1
        job = await jobs.submit(ValidateRequest(workspace_path=f"/w/{run}-{number}"))
        print(job.job_id, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@dataclass
class Service:
    """Takes every submission, after a moment of its own choosing. ``taken`` maps workspaces to the ids it gave."""

    taken: dict[str, str] = field(default_factory=dict)
    endpoint: str = ""
    moments: random.Random = field(default_factory=lambda: random.Random(11))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: ([0-9]+)", head)
                assert length is not None
                workspace = json.loads(await reader.readexactly(int(length[1])))["workspace_path"]
                assert workspace not in self.taken, "sent twice"
                job_id = self.taken[workspace] = str(uuid4())
                await asyncio.sleep(self.moments.uniform(0, 0.01))
                body = json.dumps({"job_id": job_id, "status": "queued"}).encode()
                writer.write(
                    b"HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n"
                    + f"Location: /v1/jobs/{job_id}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                    + body
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


@asynccontextmanager
async def service() -> AsyncIterator[Service]:
    taking = Service()
    server = await asyncio.start_server(taking.serve, "127.0.0.1", 0)
    taking.endpoint = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield taking


async def killed_run(path: Path, taking: Service, run: int, submissions: int, moment: float) -> list[str]:
    """One console, killed ``moment`` seconds after the service has taken ``submissions`` from it. The ids that it told."""
    before = len(taking.taken)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SUBMITTER, str(path), taking.endpoint, str(run), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        await wait_until(lambda: len(taking.taken) >= before + submissions, timeout=60)
        await asyncio.sleep(moment)
    finally:
        process.send_signal(signal.SIGKILL)
        told = (await process.stdout.read()).decode().split()
        await process.wait()
    return told


async def test_killing_the_console_at_random_moments_loses_no_id_and_invents_none(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite3"
    chance = random.Random(3)
    told: list[str] = []
    kills = 0
    async with service() as taking:
        while len(taking.taken) < SUBMISSIONS:
            told += await killed_run(path, taking, kills, chance.randint(1, 25), chance.uniform(0, 0.03))
            kills += 1
    journal = Journal.open(path)
    jobs = await journal.jobs("prod", 10_000)
    journal.close()

    by_workspace = {job.workspace: job for job in jobs}
    ids = {job.job_id for job in jobs if job.job_id}
    # Recorded before it was sent: nothing the service took is unknown here, and each has its own id or says that it has none.
    assert set(taking.taken) <= set(by_workspace)
    for workspace, job_id in taking.taken.items():
        job = by_workspace[workspace]
        assert job.job_id == job_id or (job.job_id is None and job.note == SENT_NO_ANSWER)
    assert ids <= set(taking.taken.values())
    assert set(told) <= ids
    assert len(jobs) - len(ids) <= kills
    assert kills >= 4
    assert journal.notices == ()
