"""Jobs of contexts that nobody looks at are followed all the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.config import LoadedConfig
from kumoss_console.errors import InputError
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.services.build import Services
from kumoss_console.services.follow.everywhere import FollowAll
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.waiting import wait_until

CONTEXTS = (Context(name="prod"), Context(name="dev"), Context(name="odd"))


class World:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = FakeClock()
        self.sidecars = {context.name: FakeSidecar(self.clock) for context in CONTEXTS}
        self.journal = Journal.open(path)
        self.all = FollowAll(self.journal, ("prod", "dev", "odd"), self.build, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await asyncio.sleep(0.001)

    def build(self, name: str) -> Services:
        if name == "odd":
            raise InputError("the endpoint of the IaC service is unusable")
        [context] = [context for context in CONTEXTS if context.name == name]
        adapters = GivenAdapters(sidecar=self.sidecars[name], store=None, journal=Journal.open(self.path))
        config = LoadedConfig(contexts=CONTEXTS, default="prod")
        return Services(config=config, context=context, adapters=adapters, clock=self.clock, sleep=self.sleep)

    async def submit(self, name: str) -> UUID:
        entry = await self.journal.record(name, ValidateRequest(workspace_path="/w"), self.clock())
        document = self.sidecars[name].add(ValidateRequest.kind)
        await self.journal.accept(entry, document.job_id, self.clock())
        return document.job_id


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path / "jobs.sqlite3")
    running = asyncio.create_task(world.all.run())
    yield world
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    world.journal.close()


async def test_a_context_with_open_jobs_is_followed_until_they_have_ended(world: World) -> None:
    job_id = await world.submit("dev")
    await wait_until(lambda: "job" in world.sidecars["dev"].calls)
    assert world.all.followed == ("dev",)
    world.sidecars["dev"].answer(job_id, 0, "kept")
    await wait_until(lambda: world.all.followed == ())
    job = await world.journal.by_id("dev", job_id)
    assert job is not None
    assert job.stdout == "kept"
    assert world.sidecars["dev"].closed


async def test_the_context_on_the_screen_is_left_to_its_own_follower(world: World) -> None:
    world.all.shown = "prod"
    await world.submit("prod")
    await world.submit("dev")
    await wait_until(lambda: world.all.followed == ("dev",))
    assert world.sidecars["prod"].calls == []


async def test_a_context_that_cannot_be_built_or_is_not_configured_stops_nothing(world: World) -> None:
    await world.journal.adopt("gone", UUID(int=5), world.clock())
    await world.submit("odd")
    await world.submit("dev")
    await wait_until(lambda: "job" in world.sidecars["dev"].calls)
