"""When the next look at a job is due."""

from __future__ import annotations

from itertools import pairwise

import pytest

from kumoss_console.model.watch import FASTEST, Schedule

CORE = Schedule(interval=5.0, timeout=3600.0)


def looks(schedule: Schedule, until: float) -> list[float]:
    """The moments of the looks after the first, with a service that always answers."""
    moments: list[float] = []
    elapsed = 0.0
    while (wait := schedule.wait(elapsed)) is not None and elapsed + wait <= until:
        elapsed += wait
        moments.append(elapsed)
    return moments


def test_a_young_job_is_looked_at_four_times_a_second() -> None:
    assert looks(CORE, until=1.0) == [0.25, 0.5, 0.75, 1.0]


def test_news_is_late_by_at_most_a_tenth_of_the_age_and_never_by_more_than_the_interval() -> None:
    moments = looks(CORE, until=3600.0)
    for before, after in pairwise(moments):
        assert after - before <= max(FASTEST, min(5.0, before * 0.1)) + 1e-9


def test_an_hour_of_waiting_costs_few_looks() -> None:
    assert len(looks(CORE, until=3600.0)) < 760


def test_an_interval_below_the_fastest_is_kept() -> None:
    assert Schedule(interval=0.1, timeout=10).wait(9.0) == pytest.approx(0.1)


def test_an_interval_of_zero_does_not_spin() -> None:
    wait = Schedule(interval=0.0, timeout=10).wait(5.0)
    assert wait is not None
    assert wait > 0


def test_each_failure_in_a_row_doubles_the_wait_up_to_a_minute() -> None:
    waits = [CORE.wait(100.0, failures=number) for number in range(1, 12)]
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0, 60.0, 60.0]


def test_a_service_that_asks_for_more_time_gets_it() -> None:
    assert CORE.wait(100.0, failures=1, retry_after=90.0) == 90.0


def test_a_service_that_asks_for_less_time_than_the_back_off_does_not_hurry_us() -> None:
    assert CORE.wait(100.0, failures=4, retry_after=0.0) == 8.0


def test_the_last_look_falls_on_the_deadline() -> None:
    assert CORE.wait(3598.0) == 2.0
    assert CORE.wait(3000.0, failures=1, retry_after=1e12) == 600.0


@pytest.mark.parametrize("elapsed", [3600.0, 3601.0])
def test_patience_ends(elapsed: float) -> None:
    assert CORE.wait(elapsed) is None
    assert CORE.wait(elapsed, failures=3, retry_after=9.0) is None
