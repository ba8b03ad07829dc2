"""Every job followed to its end: across restarts, by several consoles, through silences."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.errors import AccessDenied, BadAnswer, ConsoleError, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import JobDocument, ValidateRequest
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.ports.sidecar import Busy
from kumoss_console.services.follow.follower import TIDY_EVERY, TURN, Followed, Follower
from kumoss_console.services.jobs.service import JobService
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar

DEAD = Unreachable("the IaC service at iac:8082 refused the connection", code="sidecar.unreachable")


class Console:
    """One console on a shared journal and service, turned by hand: each turn is :data:`TURN` seconds of the shared clock."""

    def __init__(self, path: Path, sidecar: FakeSidecar, clock: FakeClock, *, name: str = "prod") -> None:
        self.journal = Journal.open(path)
        self.clock = clock
        self.jobs = JobService(Context(name=name), sidecar, self.journal, clock)
        self.follow = Follower(Context(name=name), self.jobs, self.journal, clock, sleep=self._sleep)
        self._turned = asyncio.Event()
        self._go = asyncio.Event()
        self.task = asyncio.create_task(self.follow.run())

    async def _sleep(self, seconds: float) -> None:
        self._turned.set()
        await self._go.wait()
        self._go.clear()

    async def turn(self) -> None:
        """One whole turn, and whatever the looks that it sent out take."""
        await self._to_the_end()
        self._turned.clear()
        self._go.set()
        await self._to_the_end()
        for _ in range(10):
            await asyncio.sleep(0)

    async def _to_the_end(self) -> None:
        turned = asyncio.create_task(self._turned.wait())
        await asyncio.wait([turned, self.task], return_when=asyncio.FIRST_COMPLETED)
        if self.task.done():
            turned.cancel()
            self.task.result()

    @property
    def latest(self) -> Followed:
        assert self.follow.latest is not None
        return self.follow.latest

    def services(self) -> list[ServicePlane]:
        return [job.service for job in self.latest.jobs]

    async def close(self) -> None:
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task
        self.journal.close()


class World:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "jobs.sqlite3"
        self.clock = FakeClock()
        self.sidecar = FakeSidecar(self.clock)

    @asynccontextmanager
    async def console(self, *, name: str = "prod") -> AsyncIterator[Console]:
        console = Console(self.path, self.sidecar, self.clock, name=name)
        try:
            yield console
        finally:
            await console.close()

    async def pass_time(self, seconds: float, *consoles: Console) -> None:
        for _ in range(round(seconds / TURN)):
            self.clock.advance(TURN)
            for console in consoles:
                await console.turn()

    def looks(self) -> int:
        return self.sidecar.calls.count("job")

    def fail(self, error: ConsoleError | None) -> None:
        self.sidecar.errors = {"job": error} if error else {}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def submitted(console: Console, count: int = 1) -> list[Job]:
    return [await console.jobs.submit(ValidateRequest(workspace_path=f"/w/{number}")) for number in range(count)]


def uuid_of(job: Job) -> UUID:
    return UUID(job.job_id or "")


async def test_a_job_is_followed_to_its_end_and_its_output_is_kept(world: World) -> None:
    async with world.console() as console:
        [job] = await submitted(console)
        await world.pass_time(1, console)
        assert console.services() == [ServicePlane.QUEUED]
        world.sidecar.answer(uuid_of(job), 1, "out", "err")
        await world.pass_time(5, console)
        [row] = console.latest.jobs
        kept = await console.journal.by_entry(job.entry)
    assert (row.service, row.exit_code, row.stdout, row.output_bytes) == (ServicePlane.ANSWERED, 1, "", 6)
    assert kept is not None
    assert (kept.stdout, kept.stderr) == ("out", "err")
    assert console.latest.live == 0


async def test_an_ended_job_is_not_asked_about_again(world: World) -> None:
    async with world.console() as console:
        [job] = await submitted(console)
        world.sidecar.answer(uuid_of(job), 0)
        await world.pass_time(5, console)
        looks = world.looks()
        await world.pass_time(20, console)
        assert world.looks() == looks


async def test_the_next_console_goes_on_where_a_killed_one_stopped(world: World) -> None:
    async with world.console() as first:
        [job] = await submitted(first)
        await world.pass_time(1, first)
        # Killed while a look was out: its claim is never given back.
        world.sidecar.hang.shut()
        await world.pass_time(5, first)
    world.sidecar.hang.open()
    world.sidecar.answer(uuid_of(job), 0, "out")
    async with world.console() as second:
        await world.pass_time(20, second)
        kept = await second.journal.by_entry(job.entry)
    assert kept is not None
    assert (kept.service, kept.stdout) == (ServicePlane.ANSWERED, "out")


async def test_several_consoles_ask_no_more_than_one_and_all_see_everything(world: World) -> None:
    async with world.console() as alone:
        await submitted(alone, 30)
        world.clock.advance(600)
        await world.pass_time(5, alone)
        before = world.looks()
        await world.pass_time(30, alone)
        for_one = world.looks() - before
    async with world.console() as a, world.console() as b, world.console() as c:
        await world.pass_time(10, a, b, c)
        before = world.looks()
        await world.pass_time(30, a, b, c)
        for_three = world.looks() - before
        [first, *_] = a.latest.jobs
        world.sidecar.answer(uuid_of(first), 0)
        await world.pass_time(6, a, b, c)
        seen = [console.latest.jobs[0].service for console in (a, b, c)]
    assert for_three <= for_one * 1.1
    assert seen == [ServicePlane.ANSWERED] * 3


async def test_a_watch_beside_a_console_asks_hardly_more_than_the_console_alone(world: World) -> None:
    async with world.console() as console:
        await submitted(console)
        await world.pass_time(30, console)
        alone = world.looks()
        world.sidecar.documents.clear()
        await world.pass_time(5, console)

        [job] = await submitted(console)
        world.sidecar.calls.clear()
        began = world.clock()

        async def sleep(seconds: float) -> None:
            await world.pass_time(max(seconds, TURN), console)
            if (world.clock() - began).total_seconds() >= 30:
                world.sidecar.answer(uuid_of(job), 0, "out")

        beside = JobService(Context(name="prod"), world.sidecar, console.journal, world.clock, sleep=sleep)
        seen = [told async for told in beside.watch(job.job_id or "")]
    assert (seen[-1].service, seen[-1].stdout) == (ServicePlane.ANSWERED, "out")
    assert world.looks() <= alone * 1.5


async def test_what_another_console_submits_appears_here(world: World) -> None:
    async with world.console() as here, world.console() as there:
        await world.pass_time(1, here)
        [job] = await submitted(there)
        await world.pass_time(1, here)
        assert [row.job_id for row in here.latest.jobs] == [job.job_id]


async def test_another_contexts_jobs_are_left_alone(world: World) -> None:
    async with world.console() as prod, world.console(name="test") as test:
        await submitted(prod)
        await world.pass_time(10, test)
        assert (test.latest.jobs, world.looks()) == ((), 0)


async def test_no_job_waits_longer_than_five_seconds_and_one_on_the_screen_hardly_more_than_one(world: World) -> None:
    async with world.console() as console:
        jobs = await submitted(console, 40)
        world.clock.advance(3600)
        console.follow.show([jobs[0].entry])
        await world.pass_time(6, console)
        world.sidecar.calls.clear()
        await world.pass_time(30, console)
    # 39 looked at each 4.2 s at least, and one each second.
    assert 39 * 6 + 20 <= world.looks() <= 39 * 8 + 31


async def test_a_dead_service_is_asked_ever_more_rarely_and_the_rows_say_since_when(world: World) -> None:
    async with world.console() as console:
        await submitted(console, 20)
        await world.pass_time(2, console)
        world.fail(DEAD)
        await world.pass_time(5, console)
        world.sidecar.calls.clear()
        await world.pass_time(120, console)
        assert console.latest.error is DEAD
        assert set(console.services()) == {ServicePlane.UNKNOWN}
        assert "refused the connection, asked in vain since 03:04:0" in console.latest.jobs[0].summary
        assert world.looks() <= 6

        world.fail(None)
        await world.pass_time(35, console)
        followed = console.latest
        assert followed.error is None
        assert {job.service for job in followed.jobs} == {ServicePlane.QUEUED}


async def test_a_token_that_is_refused_is_told_and_does_not_end_the_following(world: World) -> None:
    denied = AccessDenied("no", code="sidecar.unauthorized")
    async with world.console() as console:
        await submitted(console)
        world.fail(denied)
        await world.pass_time(5, console)
        assert console.latest.error is denied
        world.fail(None)
        await world.pass_time(35, console)
        assert console.latest.error is None


async def test_the_time_the_service_asks_for_is_given_to_it(world: World) -> None:
    async with world.console() as console:
        await submitted(console)
        world.fail(Busy("slow down", code="sidecar.throttled", retry_after=60.0))
        await world.pass_time(2, console)
        looks = world.looks()
        await world.pass_time(55, console)
        assert world.looks() == looks
        await world.pass_time(10, console)
        assert world.looks() > looks


async def test_nonsense_about_one_job_leaves_the_others_fresh(world: World) -> None:
    class Odd(FakeSidecar):
        odd: UUID | None = None

        async def job(self, job_id: UUID) -> JobDocument:
            if job_id == self.odd:
                raise BadAnswer("not a job")
            return await super().job(job_id)

    world.sidecar = sidecar = Odd(world.clock)
    async with world.console() as console:
        odd, even = await submitted(console, 2)
        sidecar.odd = uuid_of(odd)
        await world.pass_time(2, console)
        sidecar.start(uuid_of(even))
        await world.pass_time(5, console)
        assert {row.entry: row.service for row in console.latest.jobs} == {
            odd.entry: ServicePlane.UNKNOWN,
            even.entry: ServicePlane.RUNNING,
        }
        assert console.latest.error is None


async def test_a_forgotten_job_is_lost_and_followed_no_further(world: World) -> None:
    async with world.console() as console:
        [job] = await submitted(console)
        await world.pass_time(1, console)
        world.sidecar.forget(uuid_of(job))
        await world.pass_time(5, console)
        looks = world.looks()
        await world.pass_time(10, console)
        assert console.services() == [ServicePlane.LOST]
        assert "restarted" in console.latest.jobs[0].summary
        assert world.looks() == looks


async def test_an_end_seen_elsewhere_is_not_overwritten_by_older_news_from_here(world: World) -> None:
    async with world.console() as console:
        [job] = await submitted(console)
        await world.pass_time(1, console)
        world.sidecar.start(uuid_of(job))
        await console.journal.save(replace(job, service=ServicePlane.ANSWERED, exit_code=0))
        await world.pass_time(5, console)
        assert console.services() == [ServicePlane.ANSWERED]


async def test_a_subscriber_gets_what_is_known_at_once_and_then_each_change(world: World) -> None:
    async with world.console() as console:
        [job] = await submitted(console)
        await world.pass_time(1, console)
        told: list[Followed] = []

        async def listen() -> None:
            async for followed in console.follow.subscribe():
                told.append(followed)  # noqa: PERF401 - it never ends

        listening = asyncio.create_task(listen())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        first = len(told)
        world.sidecar.start(uuid_of(job))
        await world.pass_time(2, console)
        listening.cancel()
    assert first == 1
    assert [one.jobs[0].service for one in told] == [ServicePlane.QUEUED, ServicePlane.RUNNING]


async def test_a_journal_that_cannot_be_written_is_told_and_may_come_back(world: World, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("in the way")
    world.path = blocked / "jobs.sqlite3"
    async with world.console() as console:
        await world.pass_time(1, console)
        assert console.latest.error is not None
        assert console.latest.error.code == "journal.unavailable"
        blocked.unlink()
        await submitted(console)
        await world.pass_time(1, console)
        followed = console.latest
        assert followed.error is None
        assert len(followed.jobs) == 1


async def test_what_is_too_old_goes_when_the_following_begins_and_while_it_goes_on(world: World) -> None:
    async with world.console() as console:
        [old] = await submitted(console)
        world.sidecar.answer(uuid_of(old), 0)
        await world.pass_time(10, console)
        assert console.services() == [ServicePlane.ANSWERED]
    world.clock.advance(timedelta(days=181).total_seconds())
    async with world.console() as console:
        await console.turn()
        await console.turn()
        assert console.services() == []
        [second] = await submitted(console)
        world.sidecar.answer(uuid_of(second), 0)
        await world.pass_time(10, console)
        assert console.services() == [ServicePlane.ANSWERED]
        world.clock.advance(timedelta(days=181).total_seconds())
        await console.turn()
        await console.turn()
        assert console.services() == []
        assert timedelta(minutes=10) >= TIDY_EVERY
