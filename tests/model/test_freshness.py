"""Who is looked at how often while a thousand are followed."""

from __future__ import annotations

from datetime import timedelta

from kumoss_console.model.contract import JobKind
from kumoss_console.model.freshness import REST, VISIBLE, VISIBLE_AT_MOST, YOUNG, YOUNG_AT_MOST, periods
from kumoss_console.model.job import Job, ServicePlane
from tests.fakes.clock import START


def running(entry: int, *, age: float = 3600) -> Job:
    return Job(
        entry=entry,
        job_id=f"{entry:08d}",
        context="prod",
        kind=JobKind.PLAN,
        workspace="/w",
        service=ServicePlane.RUNNING,
        submitted=START - timedelta(seconds=age),
    )


def test_a_job_nobody_looks_at_is_at_most_five_seconds_old() -> None:
    assert periods([running(1)], set(), START) == {1: REST}
    assert REST < 5


def test_a_young_job_is_looked_at_closely_and_less_so_with_age() -> None:
    jobs = [running(1, age=30), running(2, age=10), running(3, age=1), running(4, age=-5)]
    assert periods(jobs, set(), START) == {1: 3.0, 2: 1.0, 3: YOUNG, 4: YOUNG}


def test_a_job_on_the_screen_is_looked_at_each_second_and_a_young_one_still_more_often() -> None:
    assert periods([running(1), running(2, age=1)], {1, 2}, START) == {1: VISIBLE, 2: YOUNG}


def test_a_thousand_young_jobs_on_the_screen_do_not_multiply_the_load() -> None:
    found = list(periods([running(entry, age=0) for entry in range(1000)], set(range(1000)), START).values())
    assert found.count(YOUNG) == YOUNG_AT_MOST
    assert found.count(VISIBLE) == VISIBLE_AT_MOST
    assert sum(1 / period for period in found) < 400
