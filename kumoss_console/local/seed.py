"""Making the small world real: every state of it is applied by the engine, through the sidecar, into the bucket."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import ConsoleError
from kumoss_console.local.chain import Chain
from kumoss_console.local.jobs import SeedJobs
from kumoss_console.local.layout import lay_out, set_values
from kumoss_console.local.objectstore import ObjectStoreEndpoint
from kumoss_console.local.worlds import PROJECTS, SeedProject
from kumoss_console.model.context import Context
from kumoss_console.model.job import Job
from kumoss_console.text import printable

_LOCK_SECONDS = 30.0


class Progress(Protocol):
    """``done`` of ``total`` in ``step``; ``text`` says what was just done."""

    def __call__(self, step: str, done: int, total: int, text: str) -> None: ...


@dataclass
class Seed:
    """One seeding of a bucket that may hold the world of an earlier run.

    ``root`` is the workspaces' root. ``gate`` is the named pipe that the running apply waits at: a line written to it ends
    that apply.
    """

    context: Context
    store: ObjectStoreEndpoint
    jobs: SeedJobs
    root: Path
    gate: Path
    progress: Progress
    projects: tuple[SeedProject, ...] = PROJECTS
    _done: int = field(default=0, init=False)

    async def everything(self) -> None:
        """Apply every project, leave one apply running and let one plan fail, on an engine for each core.

        Raises :class:`ConsoleError` with the engine's words where a part fails that should not.
        """
        await run_blocking(self._prepare)
        self._done = 0
        slots = asyncio.Semaphore(max(2, os.cpu_count() or 2))
        await _all_or_none(self._one(project, slots) for project in self.projects)

    async def again(self) -> None:
        """After a restart: the states are there, and the locks of engines that died with the last run are not true any more.

        The overrides are written anew, since the store may have another port, and the waiting apply is begun anew.
        """
        await run_blocking(self._prepare)
        for done, project in enumerate(self.projects, start=1):
            laid = await run_blocking(lay_out, project, self.root, self.context)
            chain = self._chain(project, laid.workspace)
            if laid.moved:
                await self.jobs.succeed(chain.init())
            if project.part == "locked":
                await self._leave_running(project, chain)
            self.progress("projects", done, len(self.projects), project.name)

    async def _one(self, project: SeedProject, slots: asyncio.Semaphore) -> None:
        async with slots:
            laid = await run_blocking(lay_out, project, self.root, self.context)
            chain = self._chain(project, laid.workspace)
            await self.jobs.succeed(chain.init())
            await self.jobs.succeed(chain.validate())
            if project.part == "failing":
                await self.jobs.run(chain.plan())
            else:
                await self.jobs.succeed(chain.plan())
                await self.jobs.succeed(chain.show())
                await self.jobs.succeed(chain.apply())
            if project.part == "locked":
                await self._leave_running(project, chain)
        self._done += 1
        self.progress("projects", self._done, len(self.projects), project.name)

    def _chain(self, project: SeedProject, workspace: Path) -> Chain:
        plan_file = self.context.paths.session_plan_filename
        return Chain(workspace=workspace, scope=project.scope, provider=project.provider, plan_file=plan_file)

    async def _leave_running(self, project: SeedProject, chain: Chain) -> Job:
        """An apply that waits at the gate. Returns once its engine holds the lock, which is when it is true to call it locked."""
        await run_blocking(set_values, project, chain.workspace, {"gate": str(self.gate)})
        await self.jobs.succeed(chain.plan())
        job = await self.jobs.begin(chain.apply())
        lock = f"{project.key.object_key(self.context.storage.terraform_state_filename)}.tflock"
        deadline = asyncio.get_running_loop().time() + _LOCK_SECONDS
        while not await run_blocking(self._exists, lock):
            if asyncio.get_running_loop().time() > deadline:
                raise ConsoleError(
                    f"The apply of {project.name} did not take its lock within {_LOCK_SECONDS:.0f} s.",
                    detail=f"{printable(lock)} is not in the bucket.",
                    hint="Try again; with --keep DIR the logs of the sidecar stay in DIR.",
                    code="local.seed_failed",
                )
            await asyncio.sleep(0.05)
        return job

    def _prepare(self) -> None:
        """The bucket without locks of engines that are gone, and the gate. The caller owns the folder: nobody else's run."""
        bucket = self.context.storage.terraform_state_bucket
        self.root.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileExistsError):
            os.mkfifo(self.gate, 0o600)
        client = self.store.client()
        try:
            if bucket not in {known["Name"] for known in client.list_buckets()["Buckets"]}:
                client.create_bucket(Bucket=bucket)
            for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket):
                for item in page.get("Contents", ()):
                    if item["Key"].endswith(".tflock"):
                        client.delete_object(Bucket=bucket, Key=item["Key"])
        finally:
            client.close()

    def _exists(self, key: str) -> bool:
        client = self.store.client()
        try:
            found = client.list_objects_v2(Bucket=self.context.storage.terraform_state_bucket, Prefix=key, MaxKeys=1)
        finally:
            client.close()
        return found["KeyCount"] > 0


async def _all_or_none(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run everything side by side; the first failure ends the rest and is raised as it is."""
    tasks = [asyncio.create_task(coroutine) for coroutine in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
