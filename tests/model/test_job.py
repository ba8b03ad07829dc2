"""Two planes, one verdict."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from kumoss_console.model.contract import JobKind, Problem
from kumoss_console.model.job import (
    Job,
    ServicePlane,
    Verdict,
    exit_code_meaning,
    with_document,
    with_loss,
    with_places,
    with_restarts,
    with_silence,
)
from tests.fakes.clock import START
from tests.fakes.sidecar import FakeSidecar

ID = "7f3a2b1c-0000-4000-8000-000000000001"


def a_job(**changes: object) -> Job:
    plain = Job(
        entry=1,
        job_id=ID,
        context="prod",
        kind=JobKind.APPLY,
        workspace="/workspaces/net",
        service=ServicePlane.RUNNING,
        submitted=START,
        created=START,
        started=START + timedelta(seconds=10),
        seen=START + timedelta(seconds=20),
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # each test names fields of Job


def test_an_answered_job_is_good_only_with_exit_code_zero() -> None:
    assert a_job(service=ServicePlane.ANSWERED, exit_code=0).verdict is Verdict.GOOD
    assert a_job(service=ServicePlane.ANSWERED, exit_code=1).verdict is Verdict.BAD
    assert a_job(service=ServicePlane.ANSWERED, exit_code=-9).verdict is Verdict.BAD


@pytest.mark.parametrize(
    ("service", "verdict"),
    [
        (ServicePlane.QUEUED, Verdict.PENDING),
        (ServicePlane.RUNNING, Verdict.PENDING),
        (ServicePlane.FAULTED, Verdict.BAD),
        (ServicePlane.LOST, Verdict.UNKNOWN),
        (ServicePlane.UNKNOWN, Verdict.UNKNOWN),
    ],
)
def test_a_job_without_an_answer_is_never_called_failed_or_done(service: ServicePlane, verdict: Verdict) -> None:
    assert a_job(service=service).verdict is verdict


@pytest.mark.parametrize(
    ("kind", "code", "words"),
    [
        (JobKind.APPLY, 0, "the command succeeded"),
        (JobKind.APPLY, 1, "the command failed with exit code 1"),
        (JobKind.PLAN, -15, "the command was killed by signal 15 (asked to end)"),
        (JobKind.SCOPE_RESOURCE_IDS, 2, "this cloud provider cannot be listed"),
        (JobKind.SCOPE_RESOURCE_IDS, 1, "the cloud could not be listed"),
        (None, 3, "the command failed with exit code 3"),
    ],
)
def test_an_exit_code_means_what_it_means_for_its_kind(kind: JobKind | None, code: int, words: str) -> None:
    assert exit_code_meaning(kind, code) == words


def test_a_fault_tells_the_detail_or_else_the_title() -> None:
    problem = Problem(title="Service Unavailable", status=503, detail="Service shut down before the job finished.")
    faulted = a_job(service=ServicePlane.FAULTED, problem=problem)
    assert faulted.summary == "the service faulted (503): Service shut down before the job finished."
    bare = a_job(service=ServicePlane.FAULTED, problem=Problem(title="Internal Server Error", status=500))
    assert bare.summary == "the service faulted (500): Internal Server Error"


def test_a_submission_that_was_refused_says_so_and_speaks_of_no_fault() -> None:
    refused = a_job(job_id=None, service=ServicePlane.FAULTED, note="not accepted: the workspace does not exist there")
    assert refused.summary == "not accepted: the workspace does not exist there"
    assert (refused.refused, refused.standing) == (True, "refused")
    assert replace(refused, note="").summary == "not accepted: the service did not take the request"
    faulted = a_job(service=ServicePlane.FAULTED)
    assert (faulted.refused, faulted.standing) == (False, "faulted")


def test_the_document_of_the_service_replaces_what_was_known_and_keeps_what_is_ours() -> None:
    service = FakeSidecar()
    document = service.add(JobKind.PLAN, job_id=UUID(ID))
    service.start(document.job_id)
    document = service.answer(document.job_id, 1, stdout="é", stderr="no")
    before = a_job(kind=None, note="second in line", fields=(("workspace_path", "/workspaces/net"),))
    after = with_document(before, document, START)
    assert (after.kind, after.service, after.exit_code, after.stdout, after.stderr) == (
        JobKind.PLAN,
        ServicePlane.ANSWERED,
        1,
        "é",
        "no",
    )
    assert after.output_bytes == 4
    assert (after.entry, after.context, after.fields, after.workspace) == (1, "prod", before.fields, "/workspaces/net")
    assert after.note == ""


def test_an_ended_job_expires_an_hour_after_its_end() -> None:
    ended = a_job(service=ServicePlane.ANSWERED, exit_code=0, finished=START)
    assert ended.expires == START + timedelta(hours=1)
    assert a_job().expires is None
    assert with_loss(ended, START).expires is None


def test_a_job_seen_running_minutes_ago_was_lost_to_a_restart() -> None:
    lost = with_loss(a_job(), START + timedelta(minutes=5))
    assert lost.service is ServicePlane.LOST
    assert lost.summary.startswith("the service does not know this job any more: it restarted, or another one answers there")
    assert lost.summary.endswith("; it was running when last seen")


@pytest.mark.parametrize("changes", [{"seen": None}, {"seen": START - timedelta(hours=2)}, {"service": ServicePlane.UNKNOWN}])
def test_otherwise_a_loss_has_two_possible_causes_and_both_are_named(changes: dict[str, object]) -> None:
    lost = with_loss(a_job(**changes), START + timedelta(minutes=5))
    assert lost.summary == "the service does not know this job: it restarted, or the job expired"


def test_a_service_that_cannot_be_asked_leaves_what_was_known() -> None:
    silent = with_silence(a_job(), START, "the service cannot be reached")
    assert silent.service is ServicePlane.UNKNOWN
    assert silent.started == a_job().started
    assert silent.summary == "the service cannot be reached, asked in vain since 03:04:05 UTC; last seen running at 03:04:25 UTC"


def test_a_job_last_seen_on_another_day_says_which() -> None:
    silent = with_silence(a_job(seen=START - timedelta(days=1)), START, "no answer")
    assert silent.summary.endswith("; last seen running at 2026-01-01 03:04:05 UTC")


def test_one_job_lost_to_a_restart_tells_that_the_ended_ones_before_it_are_forgotten_too() -> None:
    now = START + timedelta(minutes=5)
    ended = a_job(entry=2, service=ServicePlane.ANSWERED, exit_code=0, finished=START + timedelta(seconds=15))
    later = replace(ended, entry=3, submitted=now, created=now, finished=now)
    lost = with_loss(a_job(), now)

    told = {job.entry: job.expires for job in with_restarts((later, ended, lost), now)}

    assert told[2] == lost.seen
    assert told[3] == now + timedelta(hours=1), "it may have come after the restart"


def test_a_loss_that_a_late_look_explains_tells_nothing_of_the_others() -> None:
    now = START + timedelta(hours=3)
    ended = a_job(entry=2, service=ServicePlane.ANSWERED, exit_code=0, finished=now - timedelta(minutes=5))
    jobs = (ended, with_loss(a_job(), now))
    assert with_restarts(jobs, now) == jobs


def test_waiting_and_running_are_timed_apart() -> None:
    now = START + timedelta(seconds=60)
    queued = a_job(service=ServicePlane.QUEUED, started=None)
    assert (queued.queue_wait(now), queued.run_time(now)) == (timedelta(seconds=60), None)
    running = a_job()
    assert (running.queue_wait(now), running.run_time(now)) == (timedelta(seconds=10), timedelta(seconds=50))
    ended = a_job(service=ServicePlane.ANSWERED, finished=START + timedelta(seconds=12))
    assert (ended.queue_wait(now), ended.run_time(now)) == (timedelta(seconds=10), timedelta(seconds=2))


def queued(entry: int, **changes: object) -> Job:
    created = START + timedelta(seconds=entry)
    return a_job(entry=entry, job_id=f"{entry:08d}-x", kind=JobKind.PLAN, service=ServicePlane.QUEUED, created=created, **changes)


def summaries(*jobs: Job) -> list[str]:
    return [job.summary for job in with_places(jobs)]


def test_a_queued_job_knows_whom_it_waits_for() -> None:
    assert summaries(queued(3), queued(2), a_job(entry=0)) == [
        "third in line behind apply 7f3a2b1c",
        "second in line behind apply 7f3a2b1c",
        "running",
    ]


def test_the_wait_is_explained_by_what_the_one_ahead_is_doing() -> None:
    running = a_job(entry=0, started=START)
    told = with_places((queued(2), running), START + timedelta(minutes=12))
    assert told[0].summary == "second in line behind apply 7f3a2b1c, running 12 min"


def test_two_spellings_of_a_workspace_are_one_line() -> None:
    first = a_job(entry=0, workspace="/workspaces/net")
    assert summaries(queued(2, workspace="/workspaces//dns/../net/"), first)[0].startswith("second in line")


def test_the_line_is_that_of_one_workspace_and_holds_no_ended_jobs() -> None:
    others = [
        a_job(entry=0, workspace="/workspaces/dns"),
        a_job(entry=1, service=ServicePlane.ANSWERED, exit_code=0),
        queued(9),
    ]
    assert summaries(queued(2), *others)[0] == "waiting in line"


def test_jobs_of_unknown_workspaces_are_not_thought_to_share_one() -> None:
    assert summaries(queued(2, workspace=""), a_job(entry=0, workspace="")) == ["waiting in line", "running"]


@pytest.mark.parametrize(("ahead", "word"), [(5, "6th"), (10, "11th"), (20, "21st"), (21, "22nd"), (22, "23rd"), (111, "112th")])
def test_long_lines_are_counted(ahead: int, word: str) -> None:
    assert summaries(*(queued(number) for number in range(ahead + 1)))[-1].startswith(f"{word} in line behind plan ")
