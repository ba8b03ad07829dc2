"""An open console holds the journal to its limits, whichever view it shows."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import uuid4

from kumoss_console.journal import Journal
from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.journal import JournalSettings
from screens.jobs.screen import JobsScreen
from tests.fakes.clock import START
from tests.screens.world import World, settle, view_of
from tests.waiting import wait_until


async def test_a_console_lets_go_of_what_is_too_old_and_too_much(world: World, tmp_path: Path) -> None:
    world.journal = Journal.open(tmp_path / "small.sqlite3", JournalSettings(max_bytes=2**20, max_age_days=1))
    jobs = [
        Job(
            entry=0,
            job_id=str(uuid4()),
            context="prod",
            kind=JobKind.VALIDATE,
            workspace="/workspaces/acme-net_a1b2",
            service=ServicePlane.ANSWERED,
            submitted=START - timedelta(days=10 if number < 5 else 0),
            exit_code=0,
            stdout="x" * 100_000,
            output_bytes=100_000,
        )
        for number in range(60)
    ]
    await world.journal.merge(jobs)
    async with world.console(view="jobs") as pilot:
        await settle(pilot)
        screen = view_of(pilot)
        assert isinstance(screen, JobsScreen)
        await wait_until(lambda: len(screen.jobs) == 55)
        kept = [job for job in [await world.journal.by_entry(job.entry) for job in screen.jobs] if job and job.stdout]
        assert 0 < len(kept) <= 10
