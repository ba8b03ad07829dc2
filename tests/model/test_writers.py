"""Which job likely wrote a version: times alone tell, and where they tell of two, nobody is named."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kumoss_console.model.contract import JobKind
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.model.statediff.writers import likely_writers

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = "k/terraform.tfstate"
PLACES = {"/w/ours": frozenset({KEY}), "/w/theirs": frozenset({"other"}), "/w/elsewhere": frozenset[str]()}


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def job(entry: int, start: float, end: float | None, *, kind: JobKind = JobKind.APPLY, **more: object) -> Job:
    fields = {
        "job_id": f"job-{entry}",
        "context": "prod",
        "workspace": "",
        "service": ServicePlane.ANSWERED if end is not None else ServicePlane.RUNNING,
        **more,
    }
    finished = None if end is None else at(end)
    return Job(entry=entry, kind=kind, submitted=at(start), started=at(start), finished=finished, **fields)  # type: ignore[arg-type]  # a builder of tests


def named(jobs: list[Job], *minutes: float | None) -> list[int | None]:
    moments = [None if minute is None else at(minute) for minute in minutes]
    return [found.entry if found else None for found in likely_writers(moments, jobs, KEY, PLACES)]


def test_each_moment_has_the_one_job_that_ran_then_in_whatever_order_they_are_asked_for() -> None:
    jobs = [job(1, 0, 5), job(2, 10, 15), job(3, 12, 20)]
    assert named(jobs, 18, 4, None, 13, 7, 5.02, 11) == [3, 1, None, None, None, 1, 2]


@pytest.mark.parametrize("kind", [JobKind.INIT, JobKind.VALIDATE, JobKind.SHOW])
def test_a_job_that_writes_no_state_is_never_named(kind: JobKind) -> None:
    assert named([job(1, 0, 5, kind=kind)], 3) == [None]


def test_a_job_that_runs_still_may_have_written_and_one_that_was_lost_only_until_it_was_last_heard_of() -> None:
    running, lost = job(1, 0, None), job(2, 0, None, service=ServicePlane.LOST, seen=at(2))
    assert named([running], 900) == [1]
    assert named([lost], 1, 900) == [2, None]


def test_the_workspace_that_is_bound_to_the_key_decides_between_two_and_one_that_is_not_is_out() -> None:
    ours, unknown = job(1, 0, 5, workspace="/w/ours/"), job(2, 0, 5, workspace="/w/who-knows")
    theirs, elsewhere = job(3, 0, 5, workspace="/w/theirs"), job(4, 0, 5, workspace="/w/elsewhere")
    assert named([ours, unknown, theirs, elsewhere], 3) == [1]
    assert named([unknown, theirs, elsewhere], 3) == [2]
    assert named([theirs], 3) == [None]


def test_ten_thousand_versions_and_two_thousand_jobs_are_laid_beside_each_other_in_one_walk() -> None:
    jobs = [job(number, number * 5, number * 5 + 4) for number in range(2_000)]
    found = named(jobs, *(float(minute) for minute in range(10_000)))
    assert found[2] == 0
    assert found[9_997] == 1_999
    assert found.count(None) == 0
