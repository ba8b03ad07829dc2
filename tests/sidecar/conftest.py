from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from kumoss_console.sidecar.app import Performer, create_app
from kumoss_console.sidecar.jobs import JobRegistry
from kumoss_console.sidecar.settings import SidecarSettings, load_settings
from tests.sidecar.recording import RecordingEngine
from tests.waiting import wait_until

TOKEN = "correct horse battery staple"
SCOPED = {"scope_id": "11111111-2222-3333-4444-555555555555", "terraform_provider": "azure"}


@pytest.fixture
def engine(tmp_path: Path) -> RecordingEngine:
    recording = RecordingEngine(tmp_path / "engine")
    recording.install()
    return recording


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@dataclass
class Service:
    """The application in this process, asked over ASGI."""

    client: httpx.AsyncClient
    jobs: JobRegistry

    async def post(self, path: str, /, **fields: Any) -> httpx.Response:
        return await self.client.post(path, json=fields)

    async def outcome(self, path: str, /, **fields: Any) -> dict[str, Any]:
        """Submit, wait for the end, and give the job's document."""
        accepted = await self.post(path, **fields)
        assert accepted.status_code == 202, accepted.text
        await self.ended(UUID(accepted.json()["job_id"]))
        answer = await self.client.get(accepted.headers["location"])
        document: dict[str, Any] = answer.json()
        return document

    async def ended_at(self, location: str) -> None:
        await self.ended(UUID(location.rpartition("/")[2]))

    async def ended(self, job_id: UUID) -> None:
        await wait_until(lambda: (job := self.jobs.get(job_id)) is None or job.finished_at is not None)


class Serving:
    """Makes services and closes them with the test."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self.services: list[Service] = []

    def settings(self, **environ: str) -> SidecarSettings:
        return load_settings({**self.environ, **environ})

    def __call__(
        self, *, jobs: JobRegistry | None = None, operations: Performer | None = None, bearer: str = "", **environ: str
    ) -> Service:
        jobs = jobs or JobRegistry()
        app = create_app(self.settings(**environ), jobs=jobs, operations=operations)
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False),
            base_url="http://sidecar",
            headers={"Authorization": f"Bearer {bearer}"} if bearer else {},
        )
        self.services.append(Service(client, jobs))
        return self.services[-1]


@pytest.fixture
async def serving(engine: RecordingEngine) -> AsyncIterator[Serving]:
    made = Serving({"IAC_BINARY": str(engine.binary), "PATH": "/usr/bin:/bin"})
    yield made
    for service in made.services:
        await service.jobs.aclose()
        await service.client.aclose()


@pytest.fixture
def service(serving: Serving) -> Service:
    return serving()
