"""The service as an operator runs it: a process of its own on loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import httpx

_PATIENCE = 100.0
COMMAND = (sys.executable, "-m", "kumoss_console.sidecar")


@dataclass
class Running:
    process: subprocess.Popen[str]
    url: str
    client: httpx.AsyncClient
    log: Path

    async def submit(self, path: str, /, **fields: Any) -> str:
        """The job's place."""
        accepted = await self.client.post(path, json=fields)
        assert accepted.status_code == 202, accepted.text
        return accepted.headers["location"]

    async def outcome(self, path: str, /, **fields: Any) -> dict[str, Any]:
        """The job's document once it has ended."""
        return await self.job_at(await self.submit(path, **fields))

    async def job_at(self, location: str) -> dict[str, Any]:
        """The document of the job at this place once it has ended."""
        deadline = monotonic() + _PATIENCE
        while monotonic() < deadline:
            job: dict[str, Any] = (await self.client.get(location)).json()
            if job["finished_at"] is not None:
                return job
            await asyncio.sleep(0.02)
        raise AssertionError(f"{location} did not end within {_PATIENCE} s")

    def stop(self, wish: signal.Signals = signal.SIGTERM) -> float:
        """Ask it to end; the seconds it took."""
        began = monotonic()
        self.process.send_signal(wish)
        self.process.wait(timeout=20)
        return monotonic() - began


def start(
    environ: Mapping[str, str], log: Path, *arguments: str, cwd: Path | None = None, command: tuple[str, ...] = COMMAND
) -> Running:
    """Returns once the service has said that it listens."""
    with log.open("w") as stderr:
        process = subprocess.Popen(
            (*command, "--port", "0", *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={"PATH": os.defpath, **environ},
            cwd=cwd,
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("listening on http://"), log.read_text()
    url = line.removeprefix("listening on ").strip()
    return Running(process, url, httpx.AsyncClient(base_url=url, timeout=10), log)


async def close(running: Running) -> None:
    await running.client.aclose()
    if running.process.poll() is None:
        running.process.kill()
    running.process.communicate()
