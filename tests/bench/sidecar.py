"""The bundled sidecar on one core with a thousand clients that submit and poll, and what a job adds to its command."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from kumoss_console.sidecar.engine import find_engine
from tests.bench.raw_http import Connection

CLIENTS = 1000
SECONDS = 10.0
ROUNDS = 30
PAUSE = 0.2  # seconds: a poll in the middle of a command would cost a share of the core that it runs on

CONFIGURATION = 'resource "terraform_data" "probe" {\n  input = "hello"\n}\n'
SCOPE = {"scope_id": "bench", "terraform_provider": "aws"}


@asynccontextmanager
async def _service(folder: Path, environ: Mapping[str, str], *, alone: bool = False) -> AsyncIterator[tuple[str, int]]:
    """The program on a free port: its URL and its process. ``alone`` gives it one core, which nobody else here uses."""
    with (folder / "sidecar.log").open("w") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kumoss_console.sidecar", "--port", "0"),
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "CHECKPOINT_DISABLE": "1", **environ},
            stdout=subprocess.PIPE,
            stderr=log,
        )
    try:
        assert process.stdout is not None
        url = (await process.stdout.readline()).decode().removeprefix("listening on ").strip()
        if alone:
            first, *others = sorted(os.sched_getaffinity(0))
            for thread in os.listdir(f"/proc/{process.pid}/task"):
                os.sched_setaffinity(int(thread), {first})
            os.sched_setaffinity(0, set(others) or {first})
        yield url, process.pid
    finally:
        process.terminate()
        await process.wait()


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process has used, its children not counted."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


async def _thousand_clients(folder: Path, seconds: float) -> list[tuple[str, str]]:
    """One job runs, the others wait behind it: what is measured is the service, not its engines."""
    engine, workspace = folder / "engine", folder / "workspace"
    engine.write_text("#!/bin/sh\nexec sleep 1000\n")
    engine.chmod(0o755)
    workspace.mkdir()
    before = os.sched_getaffinity(0)
    try:
        async with _service(folder, {"IAC_BINARY": str(engine)}, alone=True) as (url, pid):
            port = int(url.rpartition(":")[2])
            clients = await asyncio.gather(*(Connection.open(port) for _ in range(CLIENTS)))
            body = b'{"workspace_path": "%s"}' % os.fsencode(workspace)

            async def submit(client: Connection) -> tuple[str, float]:
                began = time.perf_counter()
                head, _ = await client.ask(b"POST", b"/v1/validate", body)
                location = next(line for line in head.decode().splitlines() if line.lower().startswith("location:"))
                return location.partition(":")[2].strip(), time.perf_counter() - began

            began = time.perf_counter()
            submitted = await asyncio.gather(*map(submit, clients))
            submitting = time.perf_counter() - began

            took: list[float] = []
            late: list[float] = []

            async def poll(number: int, start: float) -> None:
                location = submitted[number][0].encode()
                due = start + number / CLIENTS
                while due < start + seconds:
                    await asyncio.sleep(max(0.0, due - time.perf_counter()))
                    asked = time.perf_counter()
                    await clients[number].ask(b"GET", location)
                    took.append(time.perf_counter() - asked)
                    late.append(time.perf_counter() - due)
                    due += 1.0

            start, cpu = time.perf_counter(), _cpu(pid)
            await asyncio.gather(*(poll(number, start) for number in range(CLIENTS)))
            elapsed, used = time.perf_counter() - start, _cpu(pid) - cpu

            async def hurry(number: int) -> None:
                for _ in range(10):
                    await clients[number].ask(b"GET", submitted[number][0].encode())

            began = time.perf_counter()
            await asyncio.gather(*map(hurry, range(CLIENTS)))
            full = CLIENTS * 10 / (time.perf_counter() - began)
            for client in clients:
                client.close()
    finally:
        os.sched_setaffinity(0, before)
    worst = statistics.quantiles(took, n=100)[-1]
    return [
        (f"{CLIENTS} clients submit at once", f"all taken after {_ms(submitting)}, {CLIENTS / submitting:.0f} a second"),
        (f"{CLIENTS} clients poll once a second", f"{len(took) / elapsed:.0f} polls a second, {used / elapsed:.0%} of one core"),
        ("  how long a poll takes", f"{_ms(statistics.median(took))} in the median, {_ms(worst)} for the slowest of a hundred"),
        ("  how late the latest answer was", _ms(max(late))),
        (f"{CLIENTS} clients poll without a pause", f"{full:.0f} polls a second"),
    ]


async def _overhead(folder: Path) -> list[tuple[str, str]]:
    """The same command by hand and as a job, turn by turn: from the submission to the end, as the service dates them."""
    engine = find_engine(os.environ)
    workspace = folder / "configuration"
    workspace.mkdir()
    (workspace / "main.tf").write_text(CONFIGURATION)
    environ = {**os.environ, "HOME": str(folder), "CHECKPOINT_DISABLE": "1"}
    rows = []

    def by_hand(*argv: str) -> float:
        began = time.perf_counter()
        # In a session of its own, as in a terminal of its own and as the service starts it: a loaded kernel shares its time
        # between sessions, which on two busy cores is a difference of a quarter.
        subprocess.run(
            (*engine.argv0, *argv),
            cwd=workspace,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            start_new_session=True,
        )
        return time.perf_counter() - began

    async with (
        _service(folder, environ) as (url, _),
        httpx.AsyncClient(base_url=url, timeout=60) as client,
    ):

        async def as_job(path: str, **fields: Any) -> float:
            accepted = await client.post(path, json={"workspace_path": str(workspace), **fields})
            while True:
                job = (await client.get(accepted.headers["location"])).json()
                if job["finished_at"] is not None:
                    assert job["result"]["exit_code"] == 0, job
                    return (
                        datetime.fromisoformat(job["finished_at"]) - datetime.fromisoformat(job["created_at"])
                    ).total_seconds()
                await asyncio.sleep(PAUSE)

        await as_job("/v1/init", **SCOPE)
        for name, argv, path, fields in (
            ("validate", ("validate", "-no-color"), "/v1/validate", {}),
            ("plan", ("plan", "-no-color", "-input=false", "-out", "./p"), "/v1/plan", {**SCOPE, "plan_file": "p"}),
        ):
            hand, job = [], []
            for _ in range(ROUNDS):
                hand.append(await asyncio.to_thread(by_hand, *argv))
                job.append(await as_job(path, **fields))
            more = statistics.median(job) / statistics.median(hand) - 1
            shown = f"{_ms(statistics.median(job))}, by hand {_ms(statistics.median(hand))}: {more:+.1%}"
            rows.append((f"{name} as a job, median of {ROUNDS}", shown))
    return rows


async def main() -> list[tuple[str, str]]:
    """Real HTTP to the real program. ``KUMOSS_BENCH_SECONDS`` polls for longer."""
    seconds = float(os.environ.get("KUMOSS_BENCH_SECONDS", SECONDS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [*await _thousand_clients(folder, seconds), *await _overhead(folder)]
