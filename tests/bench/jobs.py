"""A thousand live jobs followed by one console: the share of a core it takes, and how old the oldest news gets."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import UUID, uuid4

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, JobDocument, PlanRequest
from kumoss_console.services.follow.follower import Follower
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.wiring.ground import utc_now
from kumoss_console.text import Secret

JOBS = 1000
VISIBLE = 40
SETTLING = 8.0
SECONDS = 10.0


class _Watched(SidecarClient):
    """The real client, with the time of each job's last answer."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint, Secret("bench-token"), timeout=30.0)
        self.answered: dict[UUID, float] = {}
        self.oldest: dict[UUID, float] = {}

    async def job(self, job_id: UUID) -> JobDocument:
        document = await super().job(job_id)
        now = time.monotonic()
        if job_id in self.answered:
            self.oldest[job_id] = max(self.oldest.get(job_id, 0.0), now - self.answered[job_id])
        self.answered[job_id] = now
        return document


@asynccontextmanager
async def _service() -> AsyncIterator[str]:
    program = Path(__file__).with_name("busy_service.py")
    process = await asyncio.create_subprocess_exec(sys.executable, str(program), stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        port = int(await process.stdout.readline())
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        await process.wait()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def main() -> list[tuple[str, str]]:
    """Real HTTP, the real journal on disk. ``KUMOSS_BENCH_SECONDS`` measures for longer."""
    seconds = float(os.environ.get("KUMOSS_BENCH_SECONDS", SECONDS))
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.open(Path(folder) / "jobs.sqlite3")
        async with _service() as endpoint:
            client = _Watched(endpoint)
            context = Context(name="bench")
            entries = []
            for number in range(JOBS):
                request = PlanRequest(
                    workspace_path=f"/workspaces/{number}", scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p"
                )
                entry = await journal.record("bench", request, utc_now())
                await journal.accept(entry, uuid4(), utc_now())
                entries.append(entry)
            follower = Follower(context, JobService(context, client, journal, utc_now), journal, utc_now)
            follower.show(entries[-VISIBLE:])
            running = asyncio.create_task(follower.run())
            published = 0

            async def count() -> None:
                nonlocal published
                async for _ in follower.subscribe():
                    published += 1

            counting = asyncio.create_task(count())
            await asyncio.sleep(SETTLING)
            client.oldest.clear()
            looks, began, cpu = len(client.answered), time.monotonic(), _cpu()
            await asyncio.sleep(seconds)
            share = (_cpu() - cpu) / (time.monotonic() - began)
            for task in (running, counting):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await client.aclose()
        journal.close()
    ages = sorted(client.oldest.values())
    return [
        (f"{JOBS} live jobs, share of one core", f"{share:.0%}"),
        (f"{JOBS} live jobs, oldest news", f"{ages[-1]:.1f} s ({looks} jobs known after {SETTLING:.0f} s)"),
        (f"{JOBS} live jobs, the {VISIBLE} on the screen", f"{ages[VISIBLE // 2]:.1f} s"),
    ]
