"""The overview: each part as it lands, a hung part holding back no other, and what deserves an eye."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kumoss_console.errors import AccessDenied, ConsoleError, NotFound, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import ValidateRequest
from kumoss_console.model.finding import Severity
from kumoss_console.model.storage import StorageSettings
from kumoss_console.ports.sidecar import SubmissionUnclear
from kumoss_console.services.bucket.service import BucketService
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.overview.attention import JobCounts
from kumoss_console.services.overview.service import OverviewService, OverviewSnapshot
from kumoss_console.services.overview.words import job_words
from kumoss_console.text import Secret, printable
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore
from tests.hostile import HOSTILE

PROJECT = "ab" * 32
KEY = f"{PROJECT}/terraform.tfstate"


class Desk:
    """Fakes, and the overview over them."""

    def __init__(self, folder: Path) -> None:
        self.context = Context(name="prod", backend_config="", token=Secret("t0ken"))
        self.clock = FakeClock()
        self.sidecar = FakeSidecar(self.clock)
        self.store: FakeStore | None = FakeStore()
        self.journal_file = folder / "jobs.sqlite3"
        self.journal = Journal.open(self.journal_file)
        self.owners = {PROJECT: KnownProject(repo="https://github.com/acme/net", scope="s", name="acme/net")}

    @property
    def jobs(self) -> JobService:
        return JobService(self.context, self.sidecar, self.journal, self.clock, sleep=self.clock.sleep)

    @property
    def overview(self) -> OverviewService:
        bucket = BucketService(self.context, self.store, lambda: self.owners, self.clock)
        return OverviewService(self.context, self.sidecar, self.store, self.jobs, bucket, self.clock)

    def lock(self, *, held: timedelta, who: str = "ci@runner-7", key: str = KEY) -> None:
        assert self.store is not None
        created = (self.clock() - held).isoformat()
        lock = {
            "ID": "1",
            "Operation": "OperationTypeApply",
            "Info": "",
            "Who": who,
            "Version": "1.9.0",
            "Created": created,
            "Path": key,
        }
        self.store.objects |= {key: b"{}", f"{key}.tflock": json.dumps(lock).encode()}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.journal.close()


async def test_a_sound_context_needs_no_attention(desk: Desk) -> None:
    snapshot = await desk.overview.snapshot()

    assert snapshot.complete
    assert (snapshot.sidecar.status, snapshot.token.status, snapshot.store.status) == ("ok", "ok", "ok")
    assert snapshot.sidecar.seconds == 0.004
    assert snapshot.ownership.model == "managed"
    assert snapshot.locks == ()
    assert snapshot.attention == ()


async def test_the_first_snapshot_needs_no_network(desk: Desk) -> None:
    desk.sidecar.hang.shut()

    async with aclosing(desk.overview.stream()) as stream:
        first = await anext(stream)

    assert first.sidecar.status == "unknown"
    assert not first.complete
    assert desk.sidecar.calls == []


async def test_a_store_that_hangs_holds_back_no_answer_of_the_sidecar(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.hang.shut()
    seen: list[OverviewSnapshot] = []

    async with aclosing(desk.overview.stream()) as stream:
        async for snapshot in stream:
            seen.append(snapshot)
            if snapshot.sidecar.status == snapshot.token.status == "ok":
                break

    assert seen[-1].store.status == "unknown"
    assert desk.store.hang.waiting == 0


async def test_leaving_the_stream_leaves_no_task_behind(desk: Desk) -> None:
    desk.sidecar.hang.shut()
    before = asyncio.all_tasks()

    async with aclosing(desk.overview.stream()) as stream:
        await anext(stream)
        following = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    assert asyncio.all_tasks() == before
    assert desk.sidecar.hang.waiting == 0


async def test_a_dead_sidecar_is_one_line_and_its_token_is_not_known(desk: Desk) -> None:
    desk.sidecar.errors["health"] = desk.sidecar.errors["token_accepted"] = Unreachable("nobody answers")

    snapshot = await desk.overview.snapshot()

    assert snapshot.sidecar.status == "bad"
    assert snapshot.token.status == "unknown"
    assert [(line.severity, line.text, line.view) for line in snapshot.attention] == [(Severity.ERROR, "nobody answers", "jobs")]


async def test_a_token_that_is_not_taken_is_bad(desk: Desk) -> None:
    desk.sidecar.token_ok = False

    snapshot = await desk.overview.snapshot()

    assert snapshot.token.status == "bad"
    assert isinstance(snapshot.token.error, AccessDenied)
    assert "does not accept the token" in snapshot.attention[0].text


async def test_a_sidecar_that_asks_for_no_token_is_told_once_it_was_asked_without(desk: Desk) -> None:
    desk.sidecar.open = True
    overview = desk.overview

    snapshots = [await overview.snapshot(), await overview.snapshot()]

    for snapshot in snapshots:
        assert snapshot.token.status == "ok"
        assert "asks for no token" in snapshot.token.note
        assert [(line.severity, line.view) for line in snapshot.attention] == [(Severity.WARNING, "jobs")]
    assert desk.sidecar.calls.count("open_to_all") == 1


async def test_a_store_that_is_silent_is_not_asked_for_its_locks(desk: Desk) -> None:
    assert desk.store is not None
    desk.context = replace(desk.context, storage=StorageSettings(connect_timeout=-1.9))
    desk.store.hang.shut()

    snapshot = await desk.overview.snapshot()

    assert snapshot.store.status == "bad"
    assert snapshot.locks_error is snapshot.store.error
    assert [call for call in desk.store.calls if "pages" in str(call)] == []
    assert len(snapshot.attention) == 1


async def test_a_dead_store_is_one_line_and_its_locks_are_not_known(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["check"] = desk.store.errors["pages"] = AccessDenied("the store said no")

    snapshot = await desk.overview.snapshot()

    assert snapshot.locks is None
    assert [line.text for line in snapshot.attention] == ["the store said no"]


async def test_a_bucket_that_cannot_be_listed_is_told_though_the_store_answers(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["pages"] = AccessDenied("listing is denied")

    snapshot = await desk.overview.snapshot()

    assert snapshot.store.status == "ok"
    assert snapshot.locks is None
    assert [line.text for line in snapshot.attention] == ["listing is denied"]


async def test_without_a_bucket_the_store_is_unknown_with_its_reason(desk: Desk) -> None:
    desk.store = None
    desk.context = replace(desk.context, storage=StorageSettings(terraform_state_bucket=""))

    snapshot = await desk.overview.snapshot()

    assert snapshot.complete
    assert snapshot.store.status == "unknown"
    assert isinstance(snapshot.store.error, ConsoleError)
    assert [(line.severity, line.view) for line in snapshot.attention] == [(Severity.WARNING, "backend")]


async def test_a_lock_is_named_by_its_owner_and_is_grave_once_it_outlived_every_job(desk: Desk) -> None:
    desk.lock(held=timedelta(hours=3, minutes=12))
    grave = (await desk.overview.snapshot()).attention
    desk.lock(held=timedelta(minutes=12))
    fresh = (await desk.overview.snapshot()).attention

    assert [(line.severity, line.text, line.subject) for line in grave] == [
        (Severity.ERROR, "lock on acme/net held 3 h 12 min by ci@runner-7 (apply)", KEY)
    ]
    assert [line.severity for line in fresh] == [Severity.INFO]


async def test_a_lock_that_cannot_be_read_is_still_told(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.objects |= {KEY: b"{}", f"{KEY}.tflock": b"not a lock"}

    snapshot = await desk.overview.snapshot()

    assert snapshot.attention[0].text.startswith("lock on acme/net held")


async def test_what_is_known_needs_attention_while_the_store_still_hangs(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.hang.shut()
    desk.sidecar.errors["health"] = desk.sidecar.errors["token_accepted"] = Unreachable("nobody answers")

    async with aclosing(desk.overview.stream()) as stream:
        async for snapshot in stream:
            if snapshot.unheard == ("store", "locks"):
                break

    assert not snapshot.complete
    assert [line.text for line in snapshot.attention] == ["nobody answers"]


async def test_a_second_look_begins_with_what_the_first_one_found(desk: Desk) -> None:
    desk.lock(held=timedelta(hours=2))
    overview = desk.overview
    before = await overview.snapshot()
    desk.clock.advance(3600)

    async with aclosing(overview.stream(before)) as stream:
        first = await anext(stream)

    assert (first.unheard, first.complete) == ((), False)
    assert first.sidecar is before.sidecar
    assert [line.text for line in first.attention] == ["lock on acme/net held 3 h by ci@runner-7 (apply)"]


async def test_a_bucket_that_is_listed_no_more_takes_its_locks_along(desk: Desk) -> None:
    assert desk.store is not None
    desk.lock(held=timedelta(hours=2))
    overview = desk.overview
    before = await overview.snapshot()
    desk.store.errors["pages"] = AccessDenied("listing is denied")

    *_, last = [snapshot async for snapshot in overview.stream(before)]

    assert last.locks is None
    assert [line.text for line in last.attention] == ["listing is denied"]


async def test_a_token_that_is_not_taken_is_one_line_with_the_jobs_it_hides(desk: Desk) -> None:
    await desk.jobs.submit(ValidateRequest(workspace_path="/w/a"))
    desk.sidecar.token_ok = False
    desk.sidecar.errors["job"] = AccessDenied("the token is not taken")

    (line,) = (await desk.overview.snapshot()).attention

    assert line.text.endswith("does not accept the token; 1 job cannot be asked about")


async def test_requests_that_were_not_taken_are_one_line_for_each_reason_and_no_failures(desk: Desk) -> None:
    desk.sidecar.errors["submit"] = NotFound("the workspace does not exist there")
    for path in ("/w/a", "/w/b"):
        with pytest.raises(NotFound):
            await desk.jobs.submit(ValidateRequest(workspace_path=path))

    snapshot = await desk.overview.snapshot()

    assert (snapshot.jobs.failed, snapshot.jobs.refused) == (0, 2)
    assert [(line.severity, line.text, line.subject) for line in snapshot.attention] == [
        (Severity.WARNING, "validate on w/b and 1 more: not accepted: the workspace does not exist there", "#2")
    ]


async def test_jobs_are_counted_and_failures_told_for_an_hour(desk: Desk) -> None:
    jobs = desk.jobs
    failed, queued = [await jobs.submit(ValidateRequest(workspace_path=path)) for path in ("/w/a", "/w/b")]
    ids = list(desk.sidecar.documents)
    desk.sidecar.answer(ids[0], 1)

    now = await desk.overview.snapshot()
    desk.clock.advance(3601)
    later = await desk.overview.snapshot()

    assert (now.jobs.failed, now.jobs.queued) == (1, 1)
    assert [job.job_id for job in now.recent_failures] == [failed.job_id]
    assert now.attention[0].text == "validate on w/a: the command failed with exit code 1"
    assert now.attention[0].subject == failed.job_id
    assert (later.jobs.failed, later.jobs.queued) == (0, 1)
    assert later.recent_failures == ()
    assert queued.job_id


async def test_a_failure_is_told_in_the_words_of_the_command(desk: Desk) -> None:
    desk.context = replace(desk.context, workspaces_root="/workspaces/")
    jobs = desk.jobs
    for path in ("/workspaces/payments_dde4e90a/infra", "/elsewhere/deep/payments_dde4e90a/infra"):
        await jobs.submit(ValidateRequest(workspace_path=path))
    for job_id in desk.sidecar.documents:
        desk.sidecar.answer(
            job_id, 1, stderr="\x1b[31m╷\n│ \x1b[1mError: \x1b[0mResource precondition failed\n│ password=hunter2\n"
        )

    overview = desk.overview
    lines = {line.text for line in (await overview.snapshot()).attention}
    desk.sidecar.errors["job"] = Unreachable("nobody answers")
    again = {line.text for line in (await overview.snapshot()).attention}
    await jobs.submit(ValidateRequest(workspace_path="/workspaces/net"))
    other = await desk.overview.snapshot()

    assert lines == {"validate on payments_dde4e90a/infra: Resource precondition failed"}
    assert again == lines
    assert lines < {line.text for line in other.attention}, "of one that never met the sidecar: the journal has the words"
    assert set(other.said.values()) == {"Resource precondition failed"}


async def test_a_secret_in_an_error_stays_out_of_the_line(desk: Desk) -> None:
    await desk.jobs.submit(ValidateRequest(workspace_path="/w/a"))
    (job_id,) = desk.sidecar.documents
    desk.sidecar.answer(job_id, 1, stderr="Error: dial https://ci:hunter2@git.acme/x password=hunter2")

    (line,) = (await desk.overview.snapshot()).attention

    assert "hunter2" not in line.text
    assert "Error" not in line.text


async def test_what_cannot_be_asked_is_not_what_may_never_have_been_taken(desk: Desk) -> None:
    jobs = desk.jobs
    await jobs.submit(ValidateRequest(workspace_path="/w/a"))
    desk.sidecar.errors["submit"] = SubmissionUnclear("no answer")
    with pytest.raises(SubmissionUnclear):
        await jobs.submit(ValidateRequest(workspace_path="/w/b"))
    desk.sidecar.errors["job"] = Unreachable("nobody answers")

    snapshot = await desk.overview.snapshot()
    desk.clock.advance(7200)
    later = await desk.overview.snapshot()

    assert (snapshot.jobs.unknown, snapshot.jobs.unclear) == (2, 1)
    assert [line.text for line in snapshot.attention] == [
        "1 job sent, no answer: whether the sidecar took the submission is not known",
        "1 job cannot be asked about: the sidecar gives no answer",
    ]
    assert [line.text for line in later.attention] == ["1 job cannot be asked about: the sidecar gives no answer"]


async def test_lost_jobs_are_counted_in_one_line(desk: Desk) -> None:
    jobs = desk.jobs
    for path in ("/w/a", "/w/b"):
        await jobs.submit(ValidateRequest(workspace_path=path))
    desk.sidecar.forget()

    snapshot = await desk.overview.snapshot()

    assert snapshot.jobs.lost == 2
    assert [(line.severity, line.text) for line in snapshot.attention] == [
        (Severity.WARNING, "2 jobs lost: the sidecar restarted or forgot the outcome")
    ]


async def test_a_journal_that_cannot_be_read_does_not_hide_the_services(desk: Desk) -> None:
    desk.journal_file.mkdir()

    snapshot = await desk.overview.snapshot()

    assert snapshot.jobs_error is not None
    assert snapshot.sidecar.status == "ok"
    assert [line.view for line in snapshot.attention] == ["jobs"]


async def test_mixed_ownership_is_an_error_of_the_backend(desk: Desk) -> None:
    desk.context = replace(desk.context, backend_config="/etc/backend.hcl")

    lines = (await desk.overview.snapshot()).attention

    assert [(line.severity, line.view) for line in lines] == [(Severity.ERROR, "backend")]


@pytest.mark.parametrize("text", HOSTILE)
async def test_what_strangers_wrote_is_printable_in_every_line(desk: Desk, text: str) -> None:
    desk.lock(held=timedelta(hours=2), who=text, key=f"{text}/terraform.tfstate")
    desk.sidecar.errors["health"] = Unreachable(text)

    for line in (await desk.overview.snapshot()).attention:
        assert printable(line.text) == line.text


def test_the_line_of_jobs_leaves_nothing_out_that_there_is() -> None:
    nothing = job_words(JobCounts(running=1))
    everything = job_words(JobCounts(queued=2, failed=3, lost=4, unknown=11, unclear=5, refused=6))

    assert nothing.line == "1 running · 0 queued"
    assert everything.line == (
        "0 running · 2 queued · 6 cannot be asked about · 3 failed · 6 not accepted · 4 lost · 5 sent, no answer in the last hour"
    )
