"""Jobs from the click to their end, on the real journal and a service in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from kumoss_console.errors import AccessDenied, BadAnswer, ExitCode, GaveUp, InputError, NotFound, Refused, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context
from kumoss_console.model.contract import (
    ApplyRequest,
    CloudProvider,
    InitRequest,
    JobKind,
    ShowRequest,
    StateResourceIdsRequest,
    SubmitRequest,
    ValidateRequest,
)
from kumoss_console.model.diagnosis import Diagnosis
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.ports.sidecar import Busy, SubmissionUnclear
from kumoss_console.services.jobs.service import BAD_ANSWERS, JobService, as_data
from tests.fakes.clock import START, FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.waiting import AT_ONCE, wait_until

REQUEST = ValidateRequest(workspace_path="/workspaces/net")
APPLY = ApplyRequest(workspace_path="/workspaces/net", scope_id="s", terraform_provider=CloudProvider.AWS, plan_file="p")
INIT = InitRequest(workspace_path="/workspaces/net", scope_id="s", terraform_provider=CloudProvider.AWS)
DEAD = Unreachable("the IaC service at iac:8082 refused the connection", code="sidecar.unreachable")


@dataclass
class World:
    """One console with its journal. ``then`` are events of the service, one before each wait of a watch."""

    journal: Journal
    context: Context = field(default_factory=lambda: Context(name="prod"))
    clock: FakeClock = field(default_factory=FakeClock)
    then: list[object] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.sidecar = FakeSidecar(self.clock)
        self.jobs = self.console()

    def console(self, **changes: object) -> JobService:
        """Another console on the same journal."""
        context = replace(self.context, **changes)  # type: ignore[arg-type]  # each test names fields of Context
        return JobService(context, self.sidecar, self.journal, self.clock, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        await self.clock.sleep(seconds)
        if self.then and callable(event := self.then.pop(0)):
            event()

    def fail(self, error: Exception | None) -> None:
        self.sidecar.errors.pop("job", None)
        if error is not None:
            self.sidecar.errors["job"] = error  # type: ignore[assignment]  # every error of these tests is a ConsoleError


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    yield World(journal)
    journal.close()


async def watched(jobs: JobService, job_id: str | None) -> list[Job]:
    assert job_id is not None
    return [job async for job in jobs.watch(job_id)]


def uuid_of(job: Job) -> UUID:
    assert job.job_id is not None
    return UUID(job.job_id)


async def test_a_submitted_job_is_queued_and_its_id_is_in_the_journal(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    assert (job.service, job.kind, job.workspace, job.context) == (
        ServicePlane.QUEUED,
        JobKind.VALIDATE,
        "/workspaces/net",
        "prod",
    )
    assert await world.journal.by_id("prod", uuid_of(job)) == job
    assert world.sidecar.requests == [REQUEST]


async def test_a_submission_is_recorded_before_it_is_sent(world: World) -> None:
    world.sidecar.hang.shut()
    sending = asyncio.create_task(world.jobs.submit(REQUEST))
    await wait_until(lambda: world.sidecar.hang.waiting == 1)
    [recorded] = await world.journal.jobs("prod", 10)
    assert (recorded.job_id, recorded.summary) == (None, "sent, no answer")
    [listed] = await world.jobs.list()
    assert listed.summary == "being sent"
    world.sidecar.hang.open()
    await sending
    [listed] = await world.jobs.list()
    assert listed.summary == "waiting in line"


async def test_a_caller_that_goes_away_does_not_take_the_id_along(world: World) -> None:
    world.sidecar.hang.shut()
    sending = asyncio.create_task(world.jobs.submit(REQUEST))
    await wait_until(lambda: world.sidecar.hang.waiting == 1)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    world.sidecar.hang.open()
    async with asyncio.timeout(AT_ONCE):
        while (await world.jobs.list())[0].job_id is None:
            continue
    assert len(world.sidecar.requests) == 1


async def test_a_submission_without_an_answer_says_so_and_is_never_sent_again(world: World) -> None:
    world.sidecar.errors["submit"] = SubmissionUnclear("sent, no answer: the IaC service did not answer within 30 s")
    with pytest.raises(SubmissionUnclear):
        await world.jobs.submit(APPLY)
    for jobs in (await world.jobs.list(), await world.jobs.refresh()):
        [job] = jobs
        assert (job.service, job.verdict, job.summary) == (ServicePlane.UNKNOWN, Verdict.UNKNOWN, "sent, no answer")
    assert world.sidecar.calls == ["submit"]


async def test_an_answer_that_does_not_tell_is_told_apart_from_none(world: World) -> None:
    world.sidecar.errors["submit"] = SubmissionUnclear("it failed on our request (500)", code="sidecar.server_error")
    with pytest.raises(SubmissionUnclear):
        await world.jobs.submit(REQUEST)
    [job] = await world.jobs.list()
    assert (job.service, job.summary) == (ServicePlane.UNKNOWN, "sent, no clear answer: it failed on our request (500)")


async def test_an_id_named_by_an_unclear_answer_is_followed(world: World) -> None:
    known = world.sidecar.add(JobKind.VALIDATE)
    world.sidecar.errors["submit"] = SubmissionUnclear("200 and not 202", code="sidecar.bad_answer", job_id=known.job_id)
    with pytest.raises(SubmissionUnclear):
        await world.jobs.submit(REQUEST)
    world.sidecar.answer(known.job_id, 0)
    [job] = await world.jobs.refresh()
    assert (job.job_id, job.verdict) == (str(known.job_id), Verdict.GOOD)


async def test_a_refused_submission_is_over_and_says_why(world: World) -> None:
    world.sidecar.errors["submit"] = NotFound("the workspace does not exist there", code="sidecar.workspace_missing")
    with pytest.raises(NotFound):
        await world.jobs.submit(REQUEST)
    [job] = await world.jobs.refresh()
    assert (job.service, job.job_id, job.summary) == (
        ServicePlane.FAULTED,
        None,
        "not accepted: the workspace does not exist there",
    )


async def test_a_submission_that_never_left_is_not_called_refused(world: World) -> None:
    world.sidecar.errors["submit"] = Unreachable("nobody answers")
    with pytest.raises(Unreachable):
        await world.jobs.submit(REQUEST)
    [job] = await world.jobs.list()
    assert job.summary == "not sent: nobody answers"


async def test_a_restart_that_one_job_tells_of_ends_the_hour_of_those_that_had_ended(world: World) -> None:
    ended, running = [await world.jobs.submit(REQUEST) for _ in range(2)]
    world.sidecar.answer(uuid_of(ended), 0)
    await world.jobs.refresh()
    world.sidecar.forget()
    world.clock.advance(60)
    rows = {job.job_id: job for job in await world.jobs.refresh()}
    assert rows[running.job_id].service is ServicePlane.LOST
    for job in (rows[ended.job_id], await world.jobs.find(str(ended.job_id))):
        assert job.service is ServicePlane.ANSWERED
        assert job.expires is not None
        assert job.expires < world.clock()


async def test_the_words_of_a_refusal_reach_the_operator_even_where_the_journal_fails(world: World) -> None:
    world.sidecar.errors["submit"] = NotFound("the workspace does not exist there", code="sidecar.workspace_missing")
    world.sidecar.hang.shut()
    sending = asyncio.create_task(world.jobs.submit(REQUEST))
    await wait_until(lambda: world.sidecar.hang.waiting == 1)
    world.journal.close()
    world.sidecar.hang.open()
    with pytest.raises(NotFound) as caught:
        await sending
    assert "sent, no answer" in caught.value.detail


async def test_nothing_is_sent_that_cannot_be_recorded(world: World) -> None:
    world.journal.close()
    with pytest.raises(Refused):
        await world.jobs.submit(REQUEST)
    assert world.sidecar.calls == []


async def test_an_id_that_the_journal_cannot_keep_goes_to_the_operator(world: World) -> None:
    world.sidecar.hang.shut()
    sending = asyncio.create_task(world.jobs.submit(REQUEST))
    await wait_until(lambda: world.sidecar.hang.waiting == 1)
    world.journal.close()
    world.sidecar.hang.open()
    with pytest.raises(Refused) as caught:
        await sending
    [job_id] = world.sidecar.documents
    assert caught.value.code == "journal.id_not_kept"
    assert str(job_id) in caught.value.title


@pytest.mark.parametrize(
    "request_",
    [APPLY, InitRequest(workspace_path="/w", scope_id="s", terraform_provider=CloudProvider.AWS)],
    ids=["apply", "init"],
)
async def test_read_only_sends_nothing_that_changes_something(world: World, request_: SubmitRequest) -> None:
    with pytest.raises(Refused) as caught:
        await world.console(read_only=True).submit(request_)
    assert caught.value.exit_code is ExitCode.REFUSED
    assert world.sidecar.calls == []
    assert await world.jobs.list() == ()


@pytest.mark.parametrize(
    "request_",
    [REQUEST, ShowRequest(workspace_path="/w", plan_file="p"), StateResourceIdsRequest(workspace_path="/w")],
    ids=["validate", "show", "ids"],
)
async def test_read_only_lets_reading_through(world: World, request_: SubmitRequest) -> None:
    assert (await world.console(read_only=True).submit(request_)).service is ServicePlane.QUEUED


async def test_one_look_tells_both_planes_and_keeps_the_output(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.sidecar.answer(uuid_of(job), 1, "out", "err")
    seen = await world.jobs.poll(str(job.job_id))
    assert (seen.service, seen.exit_code, seen.verdict) == (ServicePlane.ANSWERED, 1, Verdict.BAD)
    assert await world.jobs.find(str(job.job_id)) == seen


async def test_a_known_end_is_not_asked_for_again(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.sidecar.answer(uuid_of(job), 0, "out")
    first = await world.jobs.poll(str(job.job_id))
    world.sidecar.forget()
    assert await world.jobs.poll(str(job.job_id)) == first
    assert world.sidecar.calls == ["submit", "job"]


async def test_a_forgotten_job_is_lost_and_not_failed(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.sidecar.start(uuid_of(job))
    await world.jobs.poll(str(job.job_id))
    world.sidecar.forget()
    world.clock.advance(60)
    lost = await world.jobs.poll(str(job.job_id))
    assert (lost.service, lost.verdict) == (ServicePlane.LOST, Verdict.UNKNOWN)
    assert lost.summary.startswith("the service does not know this job any more: it restarted, or another one answers there")
    assert lost.summary.endswith("; it was running when last seen")


async def test_a_job_lost_here_but_seen_to_its_end_by_another_console_is_not_lost(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.sidecar.hang.shut()
    looking = asyncio.create_task(world.jobs.poll(str(job.job_id)))
    await wait_until(lambda: world.sidecar.hang.waiting == 1)
    await world.journal.save(replace(job, service=ServicePlane.ANSWERED, exit_code=0))
    world.sidecar.forget()
    world.sidecar.hang.open()
    assert (await looking).service is ServicePlane.ANSWERED


async def test_a_service_that_cannot_be_asked_raises_and_the_row_says_since_when(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.fail(DEAD)
    world.clock.advance(10)
    for _ in range(2):
        with pytest.raises(Unreachable):
            await world.jobs.poll(str(job.job_id))
        world.clock.advance(10)
    [row] = await world.jobs.list()
    assert row.service is ServicePlane.UNKNOWN
    said, _, seen = row.summary.partition("; ")
    assert said == "the IaC service at iac:8082 refused the connection, asked in vain since 03:04:15 UTC"
    assert seen == "last seen queued at 03:04:05 UTC"
    world.fail(None)
    [row] = await world.jobs.refresh()
    assert row.service is ServicePlane.QUEUED


async def test_the_journal_keeps_the_last_state_while_the_service_is_dead(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.fail(DEAD)
    await world.jobs.refresh()
    stored = await world.journal.by_id("prod", uuid_of(job))
    assert stored is not None
    assert stored.service is ServicePlane.QUEUED


async def test_a_dead_service_is_asked_once_and_not_once_for_each_job(world: World) -> None:
    for _ in range(20):
        await world.jobs.submit(REQUEST)
    world.fail(DEAD)
    rows = await world.jobs.refresh()
    assert {row.service for row in rows} == {ServicePlane.UNKNOWN}
    assert world.sidecar.calls.count("job") == 1


async def test_nonsense_about_one_job_says_nothing_of_the_others(world: World) -> None:
    odd = await world.jobs.submit(REQUEST)
    even = await world.jobs.submit(REQUEST)
    world.fail(BadAnswer("not a job"))
    with pytest.raises(BadAnswer):
        await world.jobs.poll(str(odd.job_id))
    services = {job.job_id: job.service for job in await world.jobs.list()}
    assert services == {odd.job_id: ServicePlane.UNKNOWN, even.job_id: ServicePlane.QUEUED}


async def test_refreshing_looks_at_every_unfinished_job_and_at_no_other(world: World) -> None:
    done, lost, running = [await world.jobs.submit(REQUEST) for _ in range(3)]
    world.sidecar.answer(uuid_of(done), 0)
    world.sidecar.forget(uuid_of(lost))
    world.sidecar.start(uuid_of(running))
    planes = [ServicePlane.RUNNING, ServicePlane.LOST, ServicePlane.ANSWERED]
    assert [job.service for job in await world.jobs.refresh()] == planes
    world.sidecar.calls.clear()
    world.clock.advance(10)
    assert [job.service for job in await world.jobs.refresh()] == planes
    assert world.sidecar.calls == ["job"]


async def test_a_job_that_another_console_has_just_looked_at_is_not_asked_about_again(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.clock.advance(3600)
    await world.console().refresh()
    world.clock.advance(2)
    await world.jobs.refresh()
    assert world.sidecar.calls.count("job") == 1
    world.clock.advance(5)
    await world.jobs.refresh()
    assert world.sidecar.calls.count("job") == 2
    assert (await world.jobs.find(str(job.job_id))).service is ServicePlane.QUEUED


async def test_a_service_that_is_back_is_asked_again_at_once(world: World) -> None:
    await world.jobs.submit(REQUEST)
    world.clock.advance(3600)
    world.fail(DEAD)
    await world.jobs.refresh()
    world.fail(None)
    [row] = await world.jobs.refresh()
    assert row.service is ServicePlane.QUEUED


async def test_an_unfinished_job_beyond_the_end_of_the_list_is_refreshed_too(world: World) -> None:
    old = await world.jobs.submit(REQUEST)
    await world.jobs.submit(REQUEST)
    world.sidecar.answer(uuid_of(old), 0)
    await world.jobs.refresh(limit=1)
    assert (await world.jobs.find(str(old.job_id))).verdict is Verdict.GOOD


async def test_a_queued_job_says_behind_which_it_waits(world: World) -> None:
    first = await world.jobs.submit(APPLY)
    world.clock.advance(1)
    await world.jobs.submit(REQUEST)
    world.sidecar.start(uuid_of(first))
    newest, _ = await world.jobs.refresh()
    assert newest.summary == f"second in line behind apply {str(first.job_id)[:8]}, running 0 s"


async def test_a_job_submitted_elsewhere_is_adopted_by_its_id(world: World) -> None:
    document = world.sidecar.add(JobKind.PLAN, created=START - timedelta(minutes=5))
    found = await world.jobs.find(str(document.job_id).upper())
    assert (found.kind, found.service, found.workspace) == (JobKind.PLAN, ServicePlane.QUEUED, "")
    assert found.submitted == START - timedelta(minutes=5)
    assert [job.job_id for job in await world.jobs.list()] == [str(document.job_id)]


async def test_an_id_that_nobody_knows_is_not_put_into_the_journal(world: World) -> None:
    with pytest.raises(InputError) as caught:
        await world.jobs.find(str(uuid4()))
    assert caught.value.code == "job.unknown"
    lost = await world.jobs.poll(str(uuid4()))
    assert (lost.service, lost.entry) == (ServicePlane.LOST, 0)
    assert await world.jobs.list() == ()


async def test_a_job_is_found_by_the_beginning_of_its_id_or_by_its_entry(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    assert await world.jobs.find(str(job.job_id)[:6].upper()) == job
    assert await world.jobs.find(f"#{job.entry}") == job


async def test_a_beginning_that_fits_several_is_refused_with_their_names(world: World) -> None:
    ids = [UUID(int=(0xABCD << 112) | number) for number in range(7)]
    for job_id in ids:
        await world.journal.adopt("prod", job_id, START)
    with pytest.raises(InputError) as caught:
        await world.jobs.find("abcd")
    assert caught.value.code == "job.ambiguous"
    assert str(ids[6]) in caught.value.detail
    assert caught.value.detail.endswith(", …")


@pytest.mark.parametrize("typed", ["", "zzz", "%", "#99", "#", "#-1", "\x1b[2J", "a" * 5000, "#" + "9" * 30, "12345678-"])
async def test_what_names_no_job_is_refused_in_printable_words(world: World, typed: str) -> None:
    with pytest.raises(InputError) as caught:
        await world.jobs.find(typed)
    assert caught.value.code == "job.unknown"
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("typed", ["", "7f3a", "\x1b[2J"])
async def test_a_look_needs_a_whole_id(world: World, typed: str) -> None:
    with pytest.raises(InputError):
        await world.jobs.poll(typed)
    with pytest.raises(InputError):
        await watched(world.jobs, typed)


async def test_a_watch_looks_at_once_and_tells_each_change_once(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    ident = uuid_of(job)
    world.then = [None, lambda: world.sidecar.start(ident), None, None, lambda: world.sidecar.answer(ident, 1, "", "no")]
    seen = await watched(world.jobs, job.job_id)
    assert [one.service for one in seen] == [ServicePlane.QUEUED, ServicePlane.RUNNING, ServicePlane.ANSWERED]
    assert seen[-1].exit_code == 1
    assert world.clock.slept == [0.25] * 5


async def test_a_watch_of_an_ended_job_asks_nobody_and_waits_for_nothing(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.sidecar.answer(uuid_of(job), 0)
    await world.jobs.refresh()
    world.fail(DEAD)
    assert [one.verdict for one in await watched(world.jobs, job.job_id)] == [Verdict.GOOD]
    assert world.clock.slept == []


async def test_a_service_that_restarts_in_the_middle_ends_the_watch_with_a_lost_job(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.then = [lambda: world.sidecar.start(uuid_of(job)), world.sidecar.forget]
    seen = await watched(world.jobs, job.job_id)
    assert [one.service for one in seen] == [ServicePlane.QUEUED, ServicePlane.RUNNING, ServicePlane.LOST]


async def test_a_service_that_is_away_for_a_while_is_waited_for(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    ident = uuid_of(job)

    def back() -> None:
        world.fail(None)
        world.sidecar.answer(ident, 0)

    world.then = [lambda: world.fail(DEAD), None, None, back]
    seen = await watched(world.jobs, job.job_id)
    assert [one.service for one in seen] == [ServicePlane.QUEUED, ServicePlane.UNKNOWN, ServicePlane.ANSWERED]
    assert "refused the connection, asked in vain since" in seen[1].summary
    assert world.clock.slept == [0.25, 1.0, 2.0, 4.0]


async def test_a_busy_service_is_left_alone_for_as_long_as_it_asks(world: World) -> None:
    job = await world.jobs.submit(REQUEST)

    def done() -> None:
        world.fail(None)
        world.sidecar.answer(uuid_of(job), 0)

    world.fail(Busy("slow down", code="sidecar.throttled", retry_after=17.0))
    world.then = [done]
    await watched(world.jobs, job.job_id)
    assert world.clock.slept == [17.0]


async def test_a_watch_gives_up_after_the_job_timeout_and_says_that_the_job_goes_on(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.sidecar.start(uuid_of(job))
    with pytest.raises(GaveUp) as caught:
        await watched(world.jobs, job.job_id)
    assert caught.value.exit_code is ExitCode.GAVE_UP
    assert sum(world.clock.slept) == pytest.approx(3600)
    assert f"validate {job.job_id}" in caught.value.title
    assert "the job goes on" in caught.value.detail
    assert f"jobs watch {job.job_id}" in caught.value.hint


async def test_a_watch_that_ends_in_silence_does_not_claim_that_the_job_goes_on(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.fail(DEAD)
    with pytest.raises(GaveUp) as caught:
        await watched(world.jobs, job.job_id)
    assert "refused the connection" in caught.value.detail
    assert "only the service can tell" in caught.value.detail


async def test_a_job_that_ends_just_before_the_deadline_is_still_seen(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    jobs = world.console(iac=replace(world.context.iac, job_timeout=0.3))
    world.then = [None, lambda: world.sidecar.answer(uuid_of(job), 0)]
    assert (await watched(jobs, job.job_id))[-1].verdict is Verdict.GOOD


async def test_a_token_that_is_refused_ends_the_watch_at_once(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.fail(AccessDenied("no", code="sidecar.unauthorized"))
    with pytest.raises(AccessDenied):
        await watched(world.jobs, job.job_id)
    assert world.clock.slept == []


async def test_nonsense_is_forgiven_a_few_times_and_then_told(world: World) -> None:
    job = await world.jobs.submit(REQUEST)
    world.fail(BadAnswer("not a job"))
    with pytest.raises(BadAnswer):
        await watched(world.jobs, job.job_id)
    assert len(world.clock.slept) == BAD_ANSWERS - 1


async def test_a_watch_of_a_stranger_adopts_it(world: World) -> None:
    document = world.sidecar.add(JobKind.PLAN)
    world.then = [lambda: world.sidecar.answer(document.job_id, 0)]
    assert [one.service for one in await watched(world.jobs, str(document.job_id))] == [
        ServicePlane.QUEUED,
        ServicePlane.ANSWERED,
    ]
    assert [one.verdict for one in await world.jobs.list()] == [Verdict.GOOD]


async def test_a_job_as_data_has_the_keys_of_the_command_line_in_their_order(world: World) -> None:
    job = await world.jobs.submit(APPLY)
    world.sidecar.answer(uuid_of(job), -9, "out", "err")
    data = as_data(await world.jobs.poll(str(job.job_id)), output=True)
    assert list(data.items())[:13] == [
        ("job_id", job.job_id),
        ("context", "prod"),
        ("kind", "apply"),
        ("workspace", "/workspaces/net"),
        ("service", "answered"),
        ("exit_code", -9),
        ("verdict", "bad"),
        ("summary", "the command was killed by signal 9 (often for want of memory)"),
        ("created", "2026-01-02T03:04:05Z"),
        ("started", "2026-01-02T03:04:05Z"),
        ("finished", "2026-01-02T03:04:05Z"),
        ("expires", "2026-01-02T04:04:05Z"),
        ("diagnosis", None),
    ]
    assert (data["stdout"], data["stderr"], data["problem"]) == ("out", "err", None)


async def test_a_failure_is_without_a_diagnosis_until_somebody_looks_and_what_did_well_needs_none(world: World) -> None:
    bad, good = await world.jobs.submit(APPLY), await world.jobs.submit(INIT)
    world.sidecar.answer(uuid_of(bad), 1, "", "Error: no such thing")
    world.sidecar.answer(uuid_of(good), 0)
    failed = await world.jobs.poll(str(bad.job_id))
    looked = Diagnosis(findings=(), text_lines=1, unknown=True)
    assert as_data(failed)["diagnosis"] is None
    assert as_data(failed, diagnosis=looked)["diagnosis"] == []
    assert as_data(await world.jobs.poll(str(good.job_id)))["diagnosis"] == []


async def test_a_job_without_an_answer_has_nulls_and_no_invented_times(world: World) -> None:
    world.sidecar.errors["submit"] = SubmissionUnclear("sent, no answer")
    with pytest.raises(SubmissionUnclear):
        await world.jobs.submit(APPLY)
    data = as_data((await world.jobs.list())[0])
    assert [data[name] for name in ("job_id", "exit_code", "created", "started", "finished", "expires")] == [None] * 6
    assert (data["service"], data["verdict"], data["submitted"]) == ("unknown", "unknown", "2026-01-02T03:04:05Z")
    assert "stdout" not in data


async def test_a_fault_as_data_has_its_problem(world: World) -> None:
    job = await world.jobs.submit(APPLY)
    world.sidecar.fault(uuid_of(job), 503, "Service Unavailable", "shut down")
    data = as_data(await world.jobs.poll(str(job.job_id)), output=True)
    assert (data["service"], data["verdict"], data["exit_code"]) == ("faulted", "bad", None)
    assert data["problem"] == {"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": "shut down"}
