"""The verdict on three layers: who is wrong and why, and nothing claimed that was not looked at."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.config import LoadedConfig
from kumoss_console.errors import InputError, Unreachable
from kumoss_console.journal import Journal
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import CloudProvider, InitRequest
from kumoss_console.model.project import derive
from kumoss_console.model.storage import StorageProvider, StorageSettings
from kumoss_console.model.trace import Trace
from kumoss_console.services.build import Services
from kumoss_console.services.trace.project import Asked
from kumoss_console.services.wiring.adapters import GivenAdapters
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar
from tests.fakes.store import FakeStore
from tests.screens.objects import resource, state
from tests.screens.workspaces import bound_workspace

REPO = "https://github.com/acme/infra"
MANAGED = StorageSettings(endpoint_url="https://store.acme:9000")
PROJECT = KnownProject(repo=REPO, scope="prod", path="envs/eu", name="infra eu")
STRANGE = f"{'9f' * 32}/terraform.tfstate"


def key_of(path: str = "envs/eu", *, repo: str = REPO, scope: str = "prod") -> str:
    return derive(repo, scope, path).object_key()


KEY = key_of()
ASKED = Asked(repo=REPO, scope="prod", path="envs/eu")


class Desk:
    """Services on fakes. Change ``context`` and ``store`` before asking."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.context = Context(name="prod", storage=MANAGED, backend_config="", projects=(PROJECT,))
        self.clock = FakeClock()
        self.sidecar = FakeSidecar(self.clock)
        self.store: FakeStore | None = FakeStore()
        self.journal = Journal.open(folder / "jobs.sqlite3")

    @property
    def objects(self) -> dict[str, bytes]:
        assert self.store is not None
        return self.store.objects

    @property
    def services(self) -> Services:
        return Services(
            config=LoadedConfig(contexts=(self.context,), default="prod"),
            context=self.context,
            adapters=GivenAdapters(sidecar=self.sidecar, store=self.store, journal=self.journal),
            clock=self.clock,
            environ={},
        )

    def workspace(self, *, bound: str = KEY, written: str = KEY, name: str = "ws", **options: float) -> Path:
        return bound_workspace(self.folder / name, self.context, self.clock(), bound=bound, written=written, **options)

    def unbound(self, *, written: str = KEY, name: str = "ws") -> Path:
        folder = self.workspace(written=written, name=name)
        (folder / ".terraform" / "terraform.tfstate").unlink()
        return folder

    async def trace(self, folder: Path | None = None, project: Asked | None = None, log: str | None = None) -> Trace:
        return await self.services.trace.trace(folder=folder, project=project, log=log)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def codes(trace: Trace) -> set[str]:
    return {finding.code for finding in trace.findings}


async def test_all_three_agree_and_the_evidence_has_its_age(desk: Desk) -> None:
    desk.objects[KEY] = state(41, resources=[resource("a")])
    trace = await desk.trace(desk.workspace())
    assert trace.verdict == "agree"
    assert trace.summary == (
        f"They agree: bucket kumoss-terraform-state key {KEY[:4]}…{KEY[60:]}; the store holds serial 41, 1 resource."
    )
    core, engine, store = trace.layers
    assert (core.evidence, engine.evidence) == ("backend_override.tf on disk, 2 min old", ".terraform/terraform.tfstate, 3 h old")
    assert "unlocked" in store.detail
    assert "no earlier version is kept" in store.detail


async def test_nothing_to_trace_is_an_input_error(desk: Desk) -> None:
    with pytest.raises(InputError, match="nothing to trace"):
        await desk.trace()


async def test_a_folder_that_is_not_here_still_leaves_the_project_and_the_journal(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    with pytest.raises(InputError, match="is not a folder"):
        await desk.trace(Path("/workspaces/elsewhere"))
    job = await desk.services.jobs.submit(
        InitRequest(workspace_path="/workspaces/elsewhere", scope_id="prod", terraform_provider=CloudProvider.AWS)
    )
    desk.sidecar.answer(UUID(job.job_id), 1, stderr="Error: no")
    await desk.services.jobs.poll(str(job.job_id))
    trace = await desk.trace(Path("/workspaces/elsewhere"), ASKED)
    assert trace.verdict == "unknown"
    assert "on this machine" in trace.summary
    assert "the command failed with exit code 1" in trace.layers[1].detail
    assert "trace.init_failed" in codes(trace)


async def test_a_project_alone_is_unknown_since_nobody_saw_what_the_engine_bound(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    trace = await desk.trace(project=ASKED)
    assert (trace.verdict, trace.layers[1].status) == ("unknown", "unknown")
    assert "no workspace was given" in trace.summary
    assert "the store holds serial 41" in trace.summary


@pytest.mark.parametrize("status", ["absent", "unknown"])
async def test_absent_and_could_not_look_are_two_answers(desk: Desk, status: str) -> None:
    if status == "unknown":
        assert desk.store is not None
        desk.store.errors["head"] = Unreachable("store.acme:9000 cannot be reached")
    trace = await desk.trace(desk.workspace())
    assert trace.layers[2].status == status
    assert trace.verdict == ("agree" if status == "absent" else "unknown")
    assert trace.unanswered is (status == "unknown")
    assert ("nothing is stored there yet" in trace.summary) is (status == "absent")


async def test_what_contradicts_without_the_store_disagrees_without_it(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["head"] = Unreachable("store.acme:9000 cannot be reached")
    trace = await desk.trace(desk.workspace(bound=key_of("eu")))
    assert (trace.verdict, trace.cause) == ("disagree", "project_changed")
    assert "what is there is not known" in trace.summary


async def test_another_bucket_is_not_looked_at_and_never_absent(desk: Desk) -> None:
    folder = desk.workspace()
    for path in (folder / "backend_override.tf", folder / ".terraform" / "terraform.tfstate"):
        path.write_text(path.read_text().replace("kumoss-terraform-state", "old-bucket"))
    trace = await desk.trace(folder)
    assert trace.layers[2].status == "unknown"
    assert "this context reads bucket kumoss-terraform-state" in trace.layers[2].detail
    assert (trace.verdict, trace.cause) == ("disagree", "configuration_changed")
    assert "the override on disk and the engine both name bucket old-bucket" in trace.summary


async def test_another_endpoint_that_may_be_the_same_store_is_unknown_and_no_disagreement(desk: Desk) -> None:
    folder = desk.workspace()
    for path in (folder / "backend_override.tf", folder / ".terraform" / "terraform.tfstate"):
        path.write_text(path.read_text().replace("store.acme:9000", "object-storage:9000"))
    trace = await desk.trace(folder)
    assert trace.verdict == "unknown"
    assert trace.cause == "configuration_changed"
    assert "both name the store at object-storage:9000, and this context's configuration names store.acme:9000" in trace.summary
    assert "in this context's store the key holds nothing" in trace.summary


def pointed(folder: Path, old: str, new: str) -> Path:
    for path in (folder / "backend_override.tf", folder / ".terraform" / "terraform.tfstate"):
        path.write_text(path.read_text().replace(old, new))
    return folder


async def test_another_endpoint_that_cannot_be_the_same_store_is_a_changed_configuration(desk: Desk) -> None:
    trace = await desk.trace(pointed(desk.workspace(), "store.acme:9000", "store.other:9000"), ASKED)
    assert (trace.verdict, trace.cause) == ("disagree", "configuration_changed"), trace.summary
    assert "at store.other:9000" in trace.summary
    assert "at store.acme:9000" in trace.summary
    assert trace.steps == ()


async def test_two_names_of_this_machine_are_one_store_and_two_ports_are_two(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    desk.context = replace(desk.context, storage=StorageSettings(endpoint_url="http://127.0.0.1:9000"))
    folder = pointed(desk.workspace(), "127.0.0.1:9000", "localhost:9000")
    same = await desk.trace(folder, ASKED)
    assert same.verdict == "agree", same.summary
    assert "trace.store_alias" in codes(same)
    other = await desk.trace(pointed(folder, "localhost:9000", "localhost:9999"), ASKED)
    assert (other.verdict, other.cause) == ("disagree", "configuration_changed"), other.summary


async def test_the_public_name_of_the_contexts_store_is_the_same_store(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    public = StorageSettings(endpoint_url="http://store:9000", public_endpoint_url="https://store.public:9000")
    desk.context = replace(desk.context, storage=public)
    trace = await desk.trace(pointed(desk.workspace(), "http://store:9000", "https://store.public:9000"), ASKED)
    assert trace.verdict == "agree", trace.summary


async def test_another_region_is_a_finding(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    desk.context = replace(desk.context, storage=StorageSettings(provider=StorageProvider.S3, region="us-east-1"))
    folder = pointed(desk.workspace(), "us-east-1", "eu-west-1")
    trace = await desk.trace(folder, ASKED)
    assert "trace.region_differs" in codes(trace)


async def test_where_no_store_is_given_none_is_said_to_have_been_read(desk: Desk) -> None:
    desk.context = replace(
        desk.context,
        storage=StorageSettings(provider=StorageProvider.STORAGE_ACCOUNT, endpoint_url="https://acct.blob.core.windows.net"),
    )
    desk.store = None
    trace = await desk.trace(project=ASKED)
    assert trace.verdict == "unknown"
    assert "names no store that could be read" in trace.summary


async def test_a_later_override_file_is_named_as_the_winner(desk: Desk) -> None:
    folder = desk.workspace(bound="mine.tfstate")
    text = (folder / "backend_override.tf").read_text()
    (folder / "zz_override.tf").write_text(text.replace(KEY, "mine.tfstate"))
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "override_beaten")
    assert "zz_override.tf sorts after backend_override.tf and replaces what the core wrote" in trace.summary


async def test_the_sidecars_file_is_blamed_only_where_it_was_read(desk: Desk, tmp_path: Path) -> None:
    mounted = tmp_path / "shared.hcl"
    desk.context = replace(desk.context, backend_config=str(mounted))
    unseen = await desk.trace(desk.workspace(bound="shared", hours=0))
    assert (unseen.verdict, unseen.cause) == ("disagree", "unseen_file")
    assert "this console cannot read that file" in unseen.summary
    mounted.write_text('key = "shared"\n')
    seen = await desk.trace(tmp_path / "ws")
    assert seen.cause == "key_in_shared_file"
    assert f"{mounted}:1" in seen.summary


async def test_before_the_first_init_the_next_one_is_told(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    trace = await desk.trace(desk.unbound())
    assert (trace.verdict, trace.layers[1].status) == ("agree", "unbound")
    assert trace.summary.startswith("Nothing is bound yet; the next init binds what the core writes")


async def test_before_the_first_init_an_unknown_sidecar_setting_leaves_it_unknown(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    desk.context = replace(desk.context, backend_config=None)
    trace = await desk.trace(desk.unbound())
    assert trace.verdict == "unknown"
    assert "what the sidecar lays over" in trace.summary


async def test_a_workspace_of_no_known_project_is_still_traced_by_its_files(desk: Desk) -> None:
    desk.objects[STRANGE] = state(7)
    trace = await desk.trace(desk.workspace(bound=STRANGE, written=STRANGE))
    assert trace.verdict == "agree"
    assert trace.evidence.project is None
    only_bound = await desk.trace(desk.workspace(bound=STRANGE, written="", name="bare"))
    assert only_bound.verdict == "unknown"
    assert "belongs to no known project" in only_bound.summary
    assert "holds serial 7" in only_bound.summary


async def test_the_project_is_found_by_the_clone_around_and_the_scope_of_the_last_init(desk: Desk) -> None:
    desk.context = replace(desk.context, projects=())
    folder = desk.folder / "clone" / "envs" / "eu"
    bound_workspace(folder, desk.context, desk.clock(), bound=KEY, written=KEY)
    git = desk.folder / "clone" / ".git"
    git.mkdir()
    (git / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/infra.git\n')
    await desk.services.jobs.submit(
        InitRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS)
    )
    trace = await desk.trace(folder)
    assert trace.evidence.project is not None
    assert trace.evidence.project.words == "github.com/acme/infra · prod · envs/eu"


async def test_a_module_that_moved_in_its_clone_is_found_where_only_the_pointer_tells(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    folder = desk.folder / "clone" / "live" / "envs" / "eu"
    bound_workspace(folder, desk.context, desk.clock(), bound=KEY)
    (desk.folder / "clone" / ".git").mkdir()
    (desk.folder / "clone" / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {REPO}.git\n')
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "project_changed")
    assert "the module path changed from envs/eu to live/envs/eu" in trace.summary


@pytest.mark.parametrize("written", [KEY, ""])
async def test_a_workspace_that_lies_in_somebody_elses_clone_is_not_taken_for_a_renamed_repository(
    desk: Desk, written: str
) -> None:
    desk.objects[KEY] = state(41)
    folder = desk.folder / "clone" / "workspaces" / "infra_1"
    bound_workspace(folder, desk.context, desk.clock(), bound=KEY, written=written)
    (desk.folder / "clone" / ".git").mkdir()
    (desk.folder / "clone" / ".git" / "config").write_text('[remote "origin"]\n\turl = https://github.com/me/dotfiles\n')
    trace = await desk.trace(folder)
    assert trace.verdict == "agree", trace.summary
    assert trace.evidence.project is not None
    assert trace.evidence.project.repo == "github.com/acme/infra"


async def test_a_state_under_the_other_spelling_of_the_root_explains_an_empty_plan(desk: Desk) -> None:
    desk.objects[key_of(".")] = state(41)
    trace = await desk.trace(desk.workspace(bound=key_of(""), written=key_of("")), Asked(repo=REPO, scope="prod"))
    assert (trace.verdict, trace.cause) == ("disagree", "left_behind")
    assert "the root spelled ." in trace.summary


async def test_two_known_projects_side_by_side_are_no_near_misses_of_each_other(desk: Desk) -> None:
    other = replace(PROJECT, path="eu")
    desk.context = replace(desk.context, projects=(PROJECT, other))
    desk.objects[key_of("eu")] = state(41)
    trace = await desk.trace(desk.workspace())
    assert trace.verdict == "agree"
    assert trace.evidence.candidates == ()


async def test_a_state_under_another_known_repository_is_a_hint_and_no_verdict(desk: Desk) -> None:
    renamed = "https://github.com/acme/platform"
    desk.objects[KEY] = state(41)
    desk.context = replace(desk.context, projects=(PROJECT,))
    key = key_of(repo=renamed)
    trace = await desk.trace(desk.workspace(bound=key, written=key), Asked(repo=renamed, scope="prod", path="envs/eu"))
    assert trace.verdict == "agree"
    assert "trace.near_miss" in codes(trace)
    assert any("github.com/acme/infra, if the repository changed" in finding.message for finding in trace.findings)


async def test_two_states_at_both_keys_are_told_from_a_copy(desk: Desk) -> None:
    old = key_of("eu")
    desk.objects.update({KEY: state(3), old: state(41)})
    copied = await desk.trace(desk.workspace(bound=old))
    assert "trace.copied" in codes(copied)
    assert "keep the one with the higher serial" in copied.summary
    desk.objects[KEY] = state(3).replace(b"7d1e0000", b"aaaa0000")
    two = await desk.trace(desk.folder / "ws")
    assert "trace.two_states" in codes(two)
    assert "compare their resources" in two.summary


async def test_a_workspace_of_the_engine_other_than_default_is_looked_for_where_it_lies(desk: Desk) -> None:
    folder = desk.workspace()
    (folder / ".terraform" / "environment").write_text("blue")
    desk.objects[f"env:/blue/{KEY}"] = state(5)
    trace = await desk.trace(folder, ASKED)
    assert trace.verdict == "agree"
    assert trace.place is not None
    assert trace.place.key == f"env:/blue/{KEY}"


@pytest.mark.parametrize("wrap", [str, lambda line: json.dumps({"log": line + "\n"})])
async def test_the_cores_log_alone_is_traced_where_it_names_one_key(desk: Desk, wrap: Callable[[str], str]) -> None:
    desk.objects[KEY] = state(41)
    trace = await desk.trace(log=wrap(f"Terraform state: rustfs bucket=kumoss-terraform-state key={KEY}"))
    assert trace.evidence.project is not None
    assert "the core logged key" in trace.layers[0].detail
    assert "the store holds serial 41" in trace.summary
    stranger = await desk.trace(log=f"Terraform state: rustfs bucket=kumoss-terraform-state key={STRANGE}")
    assert (stranger.layers[0].status, stranger.verdict) == ("wrote", "unknown")
    assert "nothing is stored there" in stranger.summary


async def test_a_log_without_lines_locates_nothing_and_one_of_another_bucket_is_said(desk: Desk) -> None:
    folder = desk.workspace()
    silent = await desk.trace(folder, log="nothing here")
    assert "trace.log_silent" in codes(silent)
    assert silent.verdict == "agree"
    other = await desk.trace(folder, log=f"Terraform state: rustfs bucket=elsewhere key={KEY}")
    assert "trace.log_other_bucket" in codes(other)


async def test_managed_off_without_a_backend_is_kept_by_nobody(desk: Desk) -> None:
    desk.context = replace(desk.context, storage=StorageSettings(terraform_state_bucket=""), projects=())
    desk.store = None
    folder = desk.folder / "ws"
    folder.mkdir()
    (folder / "main.tf").write_text('resource "terraform_data" "one" {}\n')
    trace = await desk.trace(folder)
    assert trace.summary.startswith("Nobody keeps this state")
    assert (trace.verdict, trace.cause) == ("disagree", "nobody_keeps_it")
    assert "backend.none" in codes(trace)


async def test_managed_off_with_the_repositorys_bucket_is_unknown_here_since_no_store_is_named(desk: Desk) -> None:
    desk.context = replace(desk.context, storage=StorageSettings(terraform_state_bucket=""), projects=())
    desk.store = None
    folder = desk.folder / "ws"
    (folder / ".terraform").mkdir(parents=True)
    block = 'terraform {\n  backend "s3" {\n    bucket = "team"\n    key = "k"\n    region = "eu-west-1"\n  }\n}\n'
    (folder / "main.tf").write_text(block)
    pointer = {"version": 3, "backend": {"type": "s3", "config": {"bucket": "team", "key": "k", "region": "eu-west-1"}}}
    (folder / ".terraform" / "terraform.tfstate").write_text(json.dumps(pointer))
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.layers[0].status, trace.layers[2].status) == ("unknown", "off", "unknown")
    assert "this context names no store" in trace.summary
    assert trace.place is not None
    assert (trace.place.bucket, trace.place.key) == ("team", "k")


async def test_an_unreadable_pointer_is_unknown(desk: Desk) -> None:
    folder = desk.workspace()
    (folder / ".terraform" / "terraform.tfstate").write_bytes(b"\x00")
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.layers[1].status) == ("unknown", "unreadable")


async def test_no_credential_of_override_or_pointer_is_in_anything_that_is_told(desk: Desk) -> None:
    from kumoss_console.services.trace.shape import trace_shape

    trace = await desk.trace(desk.workspace(bound=key_of("eu")))
    assert "wJalrXUtnFEMI" not in repr(trace)
    assert "wJalrXUtnFEMI" not in json.dumps(trace_shape(trace))


async def test_hostile_workspaces_end_in_an_answer(desk: Desk) -> None:
    folder = desk.workspace()
    os.mkfifo(folder / "x.tf")
    (folder / "loop.tf").symlink_to("loop.tf")
    (folder / "deep_override.tf").write_text("{" * 10_000)
    (folder / ".git").symlink_to(folder)
    assert (await desk.trace(folder)).layers[1].status == "bound"
