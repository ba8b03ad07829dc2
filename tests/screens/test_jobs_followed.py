"""Jobs that are followed while the console is open: by itself, from any view, and without holding the exit."""

from __future__ import annotations

from functools import partial
from time import monotonic

from kumoss_console.model.contract import ValidateRequest
from tests.screens.test_jobs import APPLY, PLAN, jobs_screen, row_of, settle_but_watching, submitted
from tests.screens.world import World, console_of, painted
from tests.waiting import wait_until


async def test_what_changes_is_shown_without_a_key_and_an_end_is_told(world: World) -> None:
    (job,) = await submitted(world, PLAN)
    async with world.console(view="jobs") as pilot:
        await settle_but_watching(pilot)
        assert "◷ queued" in painted(pilot)
        world.sidecar.start(job)
        world.clock.advance(5)
        await wait_until(lambda: "● running" in painted(pilot))
        world.sidecar.answer(job, 0, stdout="Plan: 3 to add, 0 to change, 0 to destroy.")
        world.clock.advance(5)
        await wait_until(lambda: "plan on acme-net_a1b2: Plan: 3 to add, 0 to change" in painted(pilot))
        assert "✓ answered 0" in painted(pilot)


async def test_the_timeline_says_when_a_job_that_only_runs_on_was_last_seen(world: World) -> None:
    (job,) = await submitted(world, PLAN)
    world.sidecar.start(job)
    async with world.console(view="jobs") as pilot:
        await wait_until(lambda: "last seen" in painted(pilot))
        for _ in range(3):
            world.clock.advance(10)
            line = f"last seen   {world.clock():%Y-%m-%d %H:%M:%S}"
            await wait_until(partial(lambda line: line in painted(pilot), line))


async def test_what_another_console_submits_appears_by_itself(world: World) -> None:
    async with world.console(view="jobs") as pilot:
        await settle_but_watching(pilot)
        assert "No job is known here" in painted(pilot)
        await submitted(world, PLAN)
        await wait_until(lambda: "◷ queued" in painted(pilot))


async def test_many_ends_at_once_are_told_in_one_sentence(world: World) -> None:
    jobs = await submitted(world, *(ValidateRequest(workspace_path=f"/w/{number}") for number in range(12)))
    async with world.console(view="jobs") as pilot:
        await settle_but_watching(pilot)
        for number, job in enumerate(jobs):
            world.sidecar.answer(job, int(number == 3))
        world.clock.advance(30)
        await wait_until(lambda: any("jobs ended" in flash.text for flash in console_of(pilot).flashes))
        await wait_until(lambda: all(job.service.final for job in jobs_screen(pilot).jobs))
        assert len(list(console_of(pilot).flashes)) < len(jobs)


async def test_a_job_in_line_says_how_long_the_one_ahead_has_been_running(world: World) -> None:
    running, _queued = await submitted(world, APPLY, PLAN)
    world.sidecar.start(running)
    async with world.console(view="jobs", size=(200, 45)) as pilot:
        await settle_but_watching(pilot)
        world.clock.advance(12 * 60)
        await wait_until(lambda: "running 12 min" in row_of(pilot, "◷ queued"))


async def test_jobs_are_followed_whichever_view_is_open_and_no_longer_than_the_console(world: World) -> None:
    jobs = await submitted(world, *(ValidateRequest(workspace_path=f"/w/{number}") for number in range(20)))
    async with world.console() as pilot:
        await wait_until(lambda: world.sidecar.calls.count("job") >= len(jobs))
        world.sidecar.hang.shut()
        world.clock.advance(30)
        before = world.sidecar.calls.count("job")
        await wait_until(lambda: world.sidecar.calls.count("job") > before)
        began = monotonic()
        console_of(pilot).exit()
        await wait_until(lambda: all(worker.is_finished for worker in pilot.app.workers))
        assert monotonic() - began < 1
