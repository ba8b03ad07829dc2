"""What one console learned of a service's silence is what all consoles say, and when a job was last seen is known to all."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kumoss_console.model.context import Context, IacSettings
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.services.jobs.service import JobService
from tests.services.follow.test_follower import DEAD, Console, World, submitted, uuid_of

SHORT = 0.05
"""Seconds that a hanging service is waited for in these tests."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def running(world: World, console: Console) -> Job:
    [job] = await submitted(console)
    world.sidecar.start(uuid_of(job))
    world.clock.advance(600)
    await world.pass_time(6, console)
    return job


def command_line(world: World, console: Console) -> JobService:
    """A command that looks once, beside a console that follows."""

    async def sleep(seconds: float) -> None:
        world.clock.advance(seconds)
        await asyncio.sleep(0)

    context = Context(name="prod", iac=replace(IacSettings(), timeout=SHORT))
    return JobService(context, world.sidecar, console.journal, world.clock, sleep=sleep)


async def test_a_command_beside_a_console_that_asks_in_vain_says_so_too(world: World) -> None:
    async with world.console() as console:
        await running(world, console)
        world.fail(DEAD)
        await world.pass_time(6, console)
        asked = world.looks()
        [listed] = await command_line(world, console).refresh()
        assert world.looks() == asked, "the console has just asked"
        assert listed.service is ServicePlane.UNKNOWN
        [followed] = console.latest.jobs
        assert listed.summary.partition(", ")[2] == followed.summary.partition(", ")[2], "since when, and when last seen"
        [offline] = await command_line(world, console).list()
        assert offline.service is ServicePlane.UNKNOWN


async def test_a_command_beside_a_console_that_hangs_asks_itself_and_does_not_wait_for_long(world: World) -> None:
    async with world.console() as console:
        await running(world, console)
        world.sidecar.hang.shut()
        await world.pass_time(5, console)
        command = command_line(world, console)
        [listed] = await command.refresh()
        assert listed.service is ServicePlane.UNKNOWN
        assert "did not answer within 0.05 s" in listed.summary
        assert "last seen running at" in listed.summary
        [again] = await command_line(world, console).refresh()
        assert again.service is ServicePlane.UNKNOWN, "however often it is asked"


async def test_a_look_that_a_killed_console_never_ended_says_nothing_of_the_service(world: World) -> None:
    async with world.console() as console:
        await running(world, console)
        world.sidecar.hang.shut()
        await world.pass_time(5, console)
    world.sidecar.hang.open()
    async with world.console() as other:
        asked = world.looks()
        [listed] = await command_line(world, other).refresh()
    assert listed.service is ServicePlane.RUNNING
    assert world.looks() == asked + 1, "nobody else can tell"


async def test_a_silence_is_over_for_all_once_anybody_gets_an_answer(world: World) -> None:
    async with world.console() as console, world.console() as other:
        await running(world, console)
        world.fail(DEAD)
        await world.pass_time(6, console, other)
        assert [console.services(), other.services()] == [[ServicePlane.UNKNOWN]] * 2
        world.fail(None)
        await world.pass_time(60, console, other)
        assert [console.services(), other.services()] == [[ServicePlane.RUNNING]] * 2
        [listed] = await command_line(world, console).list()
        assert listed.service is ServicePlane.RUNNING


async def test_a_console_that_others_look_for_learns_of_their_silence(world: World) -> None:
    async with world.console() as console, world.console() as idle:
        await running(world, console)
        await world.pass_time(1, idle)
        world.fail(DEAD)
        await world.pass_time(5, console)
        asked = world.looks()
        await idle.turn()
        await idle.turn()
        assert world.looks() == asked
        assert idle.services() == [ServicePlane.UNKNOWN]


async def test_a_job_that_only_runs_on_was_last_seen_at_its_last_look(world: World) -> None:
    async with world.console() as console:
        job = await running(world, console)
        [published] = console.latest.jobs
        await world.pass_time(30, console)
        seen = console.follow.as_seen(published).seen
        assert seen is not None
        assert world.clock() - seen <= timedelta(seconds=5)
        world.fail(DEAD)
        await world.pass_time(5, console)
        kept = await console.journal.by_entry(job.entry)
        assert kept is not None
        assert kept.seen == seen, "known to all once there are no looks any more"
