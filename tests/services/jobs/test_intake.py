"""Nothing secret gets past the gate: not into the journal's bytes, not onto a list, not out of an export."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.config import LoadedConfig
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.chain import ChainRequest, ChainState, Step
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, JobKind, ShowRequest, ValidateRequest
from kumoss_console.model.journal import JournalSettings
from kumoss_console.model.plan import parse_plan
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.build import Services
from kumoss_console.services.jobs.service import JobService
from kumoss_console.services.jobs.shape import as_data
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.text import Secret
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.model.plan_worlds import FIXTURES

TOKEN, KEY = "t0ken-nobody-may-see", "wJalrXUtnFEMI-nobody-may-see"
CONTEXT = Context(
    name="prod",
    token=Secret(TOKEN),
    credentials=StorageCredentials(access_key=Secret("AKIDEXAMPLE"), secret_key=Secret(KEY), source="env"),
)
PLAN = (FIXTURES / "mixed.json").read_text(encoding="utf-8")
SHOW = ShowRequest(workspace_path="/w/net", plan_file="p")


class Desk:
    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.sidecar = FakeSidecar(self.clock)
        self.folder = folder
        self.journal = Journal.open(folder / "jobs.sqlite3")
        self.jobs = JobService(CONTEXT, self.sidecar, self.journal, self.clock, sleep=self.clock.sleep)

    def on_disk(self) -> bytes:
        return b"".join(path.read_bytes() for path in self.folder.rglob("*") if path.is_file())


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_a_shown_plan_is_kept_without_its_sensitive_values_and_stays_a_plan(desk: Desk) -> None:
    job_id = (await desk.jobs.submit(SHOW)).job_id or ""
    desk.sidecar.answer(UUID(job_id), 0, stdout=PLAN)
    told = [job async for job in desk.jobs.watch(job_id)][-1]
    kept = await desk.jobs.find(job_id)
    desk.journal.close()
    for text in (told.stdout, kept.stdout, str(as_data(kept, output=True)), desk.on_disk().decode("latin-1")):
        assert "hunter2" not in text
    assert parse_plan(kept.stdout).headline == parse_plan(PLAN).headline
    assert (told.output_bytes, told.note) == (len(kept.stdout.encode()), "")


async def test_what_a_follower_sees_is_masked_too(desk: Desk) -> None:
    job = await desk.jobs.submit(SHOW)
    desk.sidecar.answer(UUID(job.job_id), 0, stdout=PLAN)
    assert "hunter2" not in (await desk.jobs.ask(job)).stdout


async def test_an_output_that_the_journal_does_not_keep_is_masked_when_it_is_read_again(desk: Desk) -> None:
    journal = Journal.open(desk.folder / "other.sqlite3", JournalSettings(store_output=False))
    jobs = JobService(CONTEXT, desk.sidecar, journal, desk.clock)
    job_id = (await jobs.submit(SHOW)).job_id or ""
    desk.sidecar.answer(UUID(job_id), 0, stdout=PLAN)
    await jobs.poll(job_id)
    again = await jobs.find(job_id)
    journal.close()
    assert again.stdout
    assert "hunter2" not in again.stdout


async def test_a_plan_that_is_longer_than_the_journal_keeps_is_read_again_whole(desk: Desk) -> None:
    journal = Journal(desk.folder / "small.sqlite3", stream_cap=1_000)
    jobs = JobService(CONTEXT, desk.sidecar, journal, desk.clock)
    job_id = (await jobs.submit(SHOW)).job_id or ""
    desk.sidecar.answer(UUID(job_id), 0, stdout=PLAN)
    await jobs.poll(job_id)
    again = await jobs.poll(job_id)
    assert again.note == ""
    desk.sidecar.forget()
    cut = await jobs.poll(job_id)
    journal.close()
    assert parse_plan(again.stdout).headline == parse_plan(PLAN).headline
    assert (len(cut.stdout), "were not kept" in cut.note) == (1_000, True)


async def test_a_damaged_plan_says_what_was_done_to_it(desk: Desk) -> None:
    job_id = (await desk.jobs.submit(SHOW)).job_id or ""
    desk.sidecar.answer(UUID(job_id), 0, stdout=PLAN[:9_000])
    assert (await desk.jobs.poll(job_id)).note == "of its output: its JSON is damaged: every quoted value in it was masked"


@pytest.mark.parametrize("large", [False, True])
async def test_no_output_repeats_what_this_console_keeps_secret(desk: Desk, large: bool) -> None:
    job_id = (await desk.jobs.submit(ValidateRequest(workspace_path="/w/net"))).job_id or ""
    desk.sidecar.answer(UUID(job_id), 1, stdout="." * (200_000 if large else 1) + TOKEN, stderr=f"key {KEY} refused")
    job = await desk.jobs.poll(job_id)
    assert TOKEN not in job.stdout
    assert job.stderr == "key ******** refused"


async def test_neither_does_a_problem(desk: Desk) -> None:
    job_id = (await desk.jobs.submit(ValidateRequest(workspace_path="/w/net"))).job_id or ""
    desk.sidecar.fault(UUID(job_id), 500, f"{TOKEN}?", f"bad {KEY}")
    job = await desk.jobs.poll(job_id)
    assert job.problem is not None
    assert (job.problem.title, job.problem.detail) == ("********?", "bad ********")


async def test_what_an_engine_writes_for_people_stays_as_it_is(desk: Desk) -> None:
    said = "  + password = (sensitive value)\n  + secret_key = (known after apply)\n"
    job_id = (await desk.jobs.submit(ValidateRequest(workspace_path="/w/net"))).job_id or ""
    desk.sidecar.answer(UUID(job_id), 0, stdout=said)
    assert (await desk.jobs.poll(job_id)).stdout == said


async def test_another_consoles_export_is_taken_in_without_what_it_reveals(desk: Desk) -> None:
    job_id = (await desk.jobs.submit(SHOW)).job_id or ""
    await desk.jobs.poll(job_id)
    line = as_data(await desk.jobs.find(job_id), output=True) | {"service": "answered", "exit_code": 0, "stdout": PLAN}
    services = Services(
        config=LoadedConfig(contexts=(CONTEXT,), default="prod"),
        context=CONTEXT,
        adapters=GivenAdapters(sidecar=desk.sidecar, store=None, journal=desk.journal),
        clock=desk.clock,
        environ={},
    )
    await services.transfer.take([msgspec.json.encode(line)])
    assert "hunter2" not in (await desk.jobs.find(job_id)).stdout
    desk.journal.close()
    assert b"hunter2" not in desk.on_disk()


WORKSPACE = """
variable "password" {
  default   = "hunter2-%s"
  sensitive = true
}
resource "terraform_data" "db" {
  triggers_replace = { user = "app", password = var.password }
}
resource "terraform_data" "url" {
  triggers_replace = "postgres://app:${var.password}@db"
}
output "secret" {
  value     = var.password
  sensitive = true
}
"""


@pytest.fixture
async def services(real_sidecar: SidecarEndpoint, tmp_path: Path) -> AsyncIterator[Services]:
    context = Context(name="local", storage=StorageSettings(terraform_state_bucket=""))
    adapters = GivenAdapters(
        sidecar=SidecarClient(real_sidecar.url, real_sidecar.token, timeout=30.0),
        store=None,
        journal=Journal.open(tmp_path / "journal" / "jobs.sqlite3"),
    )
    opened = Services(config=LoadedConfig(contexts=(context,), default="local"), context=context, adapters=adapters)
    yield opened
    await opened.aclose()


async def test_a_secret_of_a_real_plan_is_nowhere_in_the_journal_and_the_chain_still_applies(
    services: Services, tmp_path: Path
) -> None:
    folder = tmp_path / "net"
    folder.mkdir()
    reviewed: list[ChainState] = []

    async def yes(state: ChainState) -> bool:
        reviewed.append(state)
        return True

    asked = ChainRequest(workspace=str(folder), scope="s", provider=CloudProvider.AWS)
    for password in ("before", "after"):
        (folder / "main.tf").write_text(WORKSPACE % password, encoding="utf-8")
        events = [event async for event in services.chain.run(asked, yes)]
        assert events[-1].state.broken is None
        assert events[-1].state.of(Step.APPLY).status == "done"
    assert reviewed[1].review is not None
    assert [change.address for change in reviewed[1].review.plan.changes] == ["terraform_data.db", "terraform_data.url"]
    shows = [job for job in await services.jobs.list() if job.kind is JobKind.SHOW]
    assert len(shows) == 4
    for job in shows:
        assert "(sensitive value 1)" in (await services.jobs.find(job.job_id or "")).stdout
    await services.aclose()
    written = b"".join(path.read_bytes() for path in (tmp_path / "journal").rglob("*") if path.is_file())
    assert b"hunter2" not in written
    assert b"hunter2" in (folder / "terraform.tfstate").read_bytes()
