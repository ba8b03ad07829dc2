"""The chain on the bundled service with a real engine and a real store: nothing in between is pretended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.config import LoadedConfig
from kumoss_console.errors import Refused
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import SidecarEndpoint
from kumoss_console.model.chain import ChainEvent, ChainRequest, ChainState, Step, StepStatus
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, JobKind, PlanRequest
from kumoss_console.model.job import Verdict
from kumoss_console.model.storage import StorageSettings
from kumoss_console.services.build import Services
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.stack import RealStore
from tests.waiting import wait_until

UNMANAGED = StorageSettings(terraform_state_bucket="")
REPO = "https://github.com/acme/infra"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "net"
    folder.mkdir()
    write(folder, "one", "two")
    return folder


def write(folder: Path, *names: str) -> None:
    text = "".join(f'resource "terraform_data" "{name}" {{\n  input = "{name}"\n}}\n' for name in names)
    (folder / "main.tf").write_text(text, encoding="utf-8")


def services(endpoint: SidecarEndpoint, folder: Path, context: Context) -> Services:
    adapters = GivenAdapters(
        sidecar=SidecarClient(endpoint.url, endpoint.token, timeout=30.0),
        store=None,
        journal=Journal.open(folder / "jobs.sqlite3"),
    )
    return Services(config=LoadedConfig(contexts=(context,), default=context.name), context=context, adapters=adapters)


@pytest.fixture
async def desk(real_sidecar: SidecarEndpoint, tmp_path: Path) -> AsyncIterator[Services]:
    opened = services(real_sidecar, tmp_path, Context(name="local", storage=UNMANAGED))
    yield opened
    await opened.aclose()


async def yes(state: ChainState) -> bool:
    return True


def request(workspace: Path, **changes: object) -> ChainRequest:
    asked = {"workspace": str(workspace), "scope": "s", "provider": CloudProvider.AWS} | changes
    return ChainRequest(**asked)  # type: ignore[arg-type]  # each test names fields of ChainRequest


async def last(desk: Services, asked: ChainRequest, approve: object = yes) -> ChainState:
    events: list[ChainEvent] = [event async for event in desk.chain.run(asked, approve)]  # type: ignore[arg-type]
    assert events[-1].state.ended
    return events[-1].state


async def kinds(desk: Services) -> list[JobKind | None]:
    return [job.kind for job in reversed(await desk.jobs.list())]


async def test_a_workspace_is_taken_from_init_to_apply(desk: Services, workspace: Path) -> None:
    state = await last(desk, request(workspace))
    assert [one.status for one in state.steps] == [StepStatus.DONE] * 6
    assert state.verdict is Verdict.GOOD
    assert state.review is not None
    assert state.review.plan.headline == "Plan: 2 to add, 0 to change, 0 to destroy."
    assert state.review.destroyed == ()
    assert (workspace / "terraform.tfstate").exists()
    assert [kind and kind.value for kind in await kinds(desk)] == ["init", "validate", "plan", "show", "show", "apply"]


async def test_what_is_destroyed_is_named_at_the_review_and_a_no_applies_nothing(desk: Services, workspace: Path) -> None:
    await last(desk, request(workspace))
    write(workspace, "two")
    asked: list[ChainState] = []

    async def no(state: ChainState) -> bool:
        asked.append(state)
        return False

    state = await last(desk, request(workspace), no)
    assert asked[0].review is not None
    assert asked[0].review.destroyed == ("terraform_data.one",)
    assert (state.of(Step.REVIEW).status, state.of(Step.APPLY).status) == (StepStatus.STOPPED, StepStatus.WAITING)
    assert (await kinds(desk))[-1] is JobKind.SHOW
    assert '"one"' in (workspace / "terraform.tfstate").read_text()

    done = await last(desk, request(workspace, first=Step.APPLY, plan_file=state.plan_file))
    assert done.verdict is Verdict.GOOD
    assert '"one"' not in (workspace / "terraform.tfstate").read_text()


async def test_a_plan_that_was_overwritten_during_the_review_is_not_applied(desk: Services, workspace: Path) -> None:
    async def meanwhile(state: ChainState) -> bool:
        write(workspace, "other")
        job = await desk.jobs.submit(
            PlanRequest(
                workspace_path=str(workspace), scope_id="s", terraform_provider=CloudProvider.AWS, plan_file=state.plan_file
            )
        )
        async for _ in desk.jobs.watch(str(job.job_id)):
            pass
        return True

    with pytest.raises(Refused) as caught:
        await last(desk, request(workspace), meanwhile)
    assert caught.value.code == "chain.plan_changed"
    assert not (workspace / "terraform.tfstate").exists()
    assert JobKind.APPLY not in await kinds(desk)


async def test_a_failing_init_stops_the_chain_with_the_engines_words(desk: Services, workspace: Path) -> None:
    (workspace / "versions.tf").write_text('terraform {\n  required_version = ">= 99"\n}\n', encoding="utf-8")
    state = await last(desk, request(workspace))
    broken = state.broken
    assert broken is not None
    assert (broken.step, broken.status, state.verdict) == (Step.INIT, StepStatus.FAILED, Verdict.BAD)
    assert broken.job is not None
    assert "99" in broken.job.stderr + broken.job.stdout
    assert await kinds(desk) == [JobKind.INIT]


async def test_an_invalid_workspace_stops_at_validate(desk: Services, workspace: Path) -> None:
    (workspace / "broken.tf").write_text('output "x" { value = terraform_data.absent }\n', encoding="utf-8")
    state = await last(desk, request(workspace))
    assert state.broken is not None
    assert state.broken.step is Step.VALIDATE


async def test_init_is_run_once_more_where_the_engine_asks_for_it(desk: Services, workspace: Path) -> None:
    (workspace / "modules").mkdir()
    (workspace / "modules" / "m.tf").write_text('resource "terraform_data" "in" {}\n', encoding="utf-8")
    (workspace / "use.tf").write_text('module "m" {\n  source = "./modules"\n}\n', encoding="utf-8")
    state = await last(desk, request(workspace, first=Step.VALIDATE, until=Step.PLAN))
    assert state.reinitialised
    assert state.verdict is Verdict.GOOD
    assert [kind and kind.value for kind in await kinds(desk)] == ["validate", "init", "validate", "plan"]


async def test_a_plan_that_changes_nothing_is_not_applied(desk: Services, workspace: Path) -> None:
    await last(desk, request(workspace))
    state = await last(desk, request(workspace))
    if state.review is not None and state.review.plan.applyable is None:
        pytest.skip("this engine does not say whether a plan is worth applying")
    assert (state.verdict, state.of(Step.APPLY).status) == (Verdict.GOOD, StepStatus.SKIPPED)


async def test_a_held_lock_stops_the_plan_and_is_named(desk: Services, workspace: Path) -> None:
    gate = workspace / "gate"
    provisioner = 'provisioner "local-exec" {\n    command = "touch begun; while [ ! -e gate ]; do sleep 0.1; done"\n  }'
    (workspace / "slow.tf").write_text(f'resource "terraform_data" "slow" {{\n  {provisioner}\n}}\n', encoding="utf-8")
    twin = workspace.with_name("twin")
    holding = asyncio.create_task(last(desk, request(workspace)))
    try:
        # A plan locks as well, for a moment; the lock that is meant is that of the apply.
        await wait_until((workspace / "begun").exists, timeout=60)
        # Another checkout of the project on the same state: its jobs stand in a line of their own.
        twin.mkdir()
        write(twin, "two")
        backend = f'terraform {{\n  backend "local" {{\n    path = "{workspace}/terraform.tfstate"\n  }}\n}}\n'
        (twin / "backend.tf").write_text(backend, encoding="utf-8")
        state = await last(desk, request(twin))
    finally:
        gate.touch()
    assert (await holding).verdict is Verdict.GOOD
    assert state.broken is not None
    assert state.broken.step is Step.PLAN
    assert state.broken.job is not None
    assert "Error acquiring the state lock" in state.broken.job.stderr + state.broken.job.stdout


async def test_the_override_is_written_first_and_the_state_lands_under_its_key(
    real_sidecar: SidecarEndpoint, real_store: RealStore, workspace: Path, tmp_path: Path
) -> None:
    context = Context(name="prod", storage=real_store.settings, credentials=real_store.credentials, backend_config="")
    desk = services(real_sidecar, tmp_path, context)
    state = await last(desk, request(workspace, repo=REPO))
    await desk.aclose()
    assert state.placed is not None
    assert state.placed.status == "written"
    assert state.verdict is Verdict.GOOD
    [found] = real_store.client.list_objects_v2(Bucket=real_store.bucket)["Contents"]
    assert found["Key"] in state.placed.why
    assert not (workspace / "terraform.tfstate").exists()
