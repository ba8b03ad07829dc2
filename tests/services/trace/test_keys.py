"""Whose a key is, and why another one is bound: proven from the key itself, likely where only signs speak for it."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kumoss_console.errors import AccessDenied, ServiceError, Unreachable
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.contract import CloudProvider, InitRequest
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace.wording import short
from kumoss_console.ports.objects import ObjectVersion, VersionKind
from kumoss_console.services.trace.project import Asked
from kumoss_console.services.trace.shape import trace_shape
from tests.fakes.clock import FakeClock
from tests.screens.objects import resource, state
from tests.screens.workspaces import bound_workspace
from tests.services.trace.test_service import ASKED, KEY, REPO, Desk, codes, key_of

RENAMED = "https://github.com/acme/platform"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Without any known project: nobody names what a key was made of."""
    made = Desk(tmp_path)
    made.context = replace(made.context, projects=())
    return made


def clone(folder: Path, remote: str, *, log: str = "") -> None:
    git = folder / ".git"
    (git / "logs").mkdir(parents=True)
    (git / "config").write_text(f'[remote "origin"]\n\turl = {remote}.git\n')
    if log:
        (git / "logs" / "HEAD").write_text(f"{'0' * 40} {'1' * 40} ops <ops@a> 1 +0000\tclone: from {log}.git\n")


async def test_another_projects_key_is_a_project_that_changed_whoever_it_was(desk: Desk) -> None:
    old = key_of("somewhere/else", repo="https://git.acme.example/a/b")
    desk.objects[old] = state(41)
    trace = await desk.trace(desk.workspace(bound=old, written=KEY), ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed")
    assert "its repository, scope or module path changed, since a key is made of these three alone" in trace.summary
    assert "the old state (serial 41" in trace.summary
    assert "kumoss-console key --owner" in trace.summary


async def test_the_journal_says_that_it_was_likely_not_the_scope(desk: Desk) -> None:
    folder = desk.workspace(bound=key_of("x", repo="https://git.acme.example/a/b"), written=KEY)
    request = InitRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS)
    await desk.services.jobs.submit(request)
    trace = await desk.trace(folder, ASKED)

    assert "likely not the scope, since the last init in the journal ran for the same one (prod)" in trace.summary


async def test_both_keys_of_unknown_projects_still_say_that_the_project_changed(desk: Desk) -> None:
    trace = await desk.trace(desk.workspace(bound=key_of("a"), written=key_of("b", scope="other")))

    assert trace.cause == "project_changed"
    assert trace.evidence.project is None


@pytest.mark.parametrize("bound", [True, False])
async def test_agreeing_on_a_key_that_nobody_can_compute_is_not_known_to_be_right(desk: Desk, bound: bool) -> None:
    old = key_of("where/nobody/looks", repo="https://git.acme.example/a/b")
    desk.objects[old] = state(41)
    folder = desk.workspace(bound=old, written=old, name="infra_1/live/eu")
    if not bound:
        (folder / ".terraform" / "terraform.tfstate").unlink()
    clone(desk.folder / "infra_1", REPO)
    nothing_known = await desk.trace(folder)
    desk.context = replace(desk.context, scopes=("prod",))
    trace = await desk.trace(folder)
    await desk.services.jobs.submit(
        InitRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS)
    )
    told = await desk.trace(folder)

    assert nothing_known.verdict == "agree"
    assert "Whose key that is is not known here" in nothing_known.summary
    assert (trace.verdict, trace.cause) == ("unknown", "unknown_project"), trace.summary
    assert f"key {short(old)} (serial 41, 0 resources), which is the key of no project known here" in trace.summary
    assert "the clone's remote (github.com/acme/infra) and the folder in it (live/eu) give for scope prod" in trace.summary
    assert ("override and engine agree on" if bound else "the override on disk names") in trace.summary
    assert f"which the last init in the journal ran for, that is {short(key_of('live/eu')).partition('/')[0]}" in told.summary
    assert trace.steps == ()


async def test_the_own_key_agrees_in_its_clone_and_a_strange_one_outside_of_any_is_said_to_be_strange(desk: Desk) -> None:
    desk.context = replace(desk.context, scopes=("prod",))
    own = desk.workspace(name="infra_1/envs/eu")
    clone(desk.folder / "infra_1", REPO)
    strange = key_of("where/nobody/looks", repo="https://git.acme.example/a/b")
    outside = desk.workspace(bound=strange, written=strange, name="alone")
    desk.objects.update({KEY: state(41), strange: state(5)})
    plain, alone = await desk.trace(own), await desk.trace(outside)
    assert (plain.verdict, alone.verdict) == ("agree", "agree")
    assert "Whose key that is is not known here" in alone.summary
    assert "Whose key" not in plain.summary


async def test_a_renamed_repository_is_named_by_what_the_clone_was_made_from(desk: Desk) -> None:
    old, new = key_of("prod"), key_of("prod", repo=RENAMED)
    desk.objects[old] = state(41)
    folder = desk.workspace(bound=old, written=new, name="infra_1/prod")
    clone(desk.folder / "infra_1", RENAMED, log=REPO)
    trace = await desk.trace(folder, Asked(repo=RENAMED, scope="prod", path="prod"))

    assert trace.cause == "project_changed"
    assert "the repository was renamed from github.com/acme/infra to github.com/acme/platform" in trace.summary


async def test_a_fresh_clone_finds_the_state_under_the_address_it_was_made_from(desk: Desk) -> None:
    desk.objects[key_of("prod")] = state(41)
    folder = desk.unbound(written=key_of("prod", repo=RENAMED), name="infra_1/prod")
    clone(desk.folder / "infra_1", RENAMED, log=REPO)
    trace = await desk.trace(folder, Asked(repo=RENAMED, scope="prod", path="prod"))

    assert (trace.verdict, trace.cause) == ("disagree", "left_behind"), trace.summary
    assert "github.com/acme/infra, from which this clone was made" in trace.summary


async def test_a_module_that_got_another_name_is_found_by_another_workspace_of_its_repository(desk: Desk) -> None:
    desk.context = replace(desk.context, workspaces_root=str(desk.folder))
    old = key_of("live/network")
    earlier = desk.workspace(bound=old, written=old, name="infra_0/live/network")
    (earlier / "main.tf").write_text("")
    clone(desk.folder / "infra_0", REPO)
    trace = await desk.trace(desk.workspace(bound=old, written=KEY, name="infra_1"), ASKED)

    assert trace.cause == "project_changed"
    assert "the module path changed from live/network to envs/eu" in trace.summary


async def test_a_module_that_got_another_name_is_found_by_the_jobs_of_its_old_folder(desk: Desk) -> None:
    old = key_of("live/network")
    request = InitRequest(
        workspace_path="/workspaces/infra_0/live/network", scope_id="prod", terraform_provider=CloudProvider.AWS
    )
    await desk.services.jobs.submit(request)
    trace = await desk.trace(desk.workspace(bound=old, written=KEY), ASKED)

    assert "the module path changed from live/network to envs/eu" in trace.summary


async def test_another_file_name_of_the_same_project_is_a_changed_configuration(desk: Desk) -> None:
    other = KEY.replace("terraform.tfstate", "state.json")
    trace = await desk.trace(desk.workspace(bound=other, written=KEY), ASKED)

    assert trace.cause == "configuration_changed"
    assert "another storage.terraform_state_filename" in trace.summary


@pytest.mark.parametrize(("setting", "said"), [(None, "IAC_BACKEND_CONFIG, not known here"), ("", "does not know of")])
async def test_a_key_that_init_bound_over_the_override_was_laid_over_it(desk: Desk, setting: str | None, said: str) -> None:
    desk.context = replace(desk.context, backend_config=setting)
    desk.objects["shared/terraform.tfstate"] = state(9)
    folder = desk.workspace(bound="shared/terraform.tfstate", written=KEY)
    long_ago = desk.clock().timestamp() - 36_000
    os.utime(folder / "backend_override.tf", (long_ago, long_ago))
    trace = await desk.trace(folder, ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "unseen_file")
    assert "a key was laid over it" in trace.summary
    assert said in trace.summary
    assert "it holds serial 9" in trace.summary


OFF = StorageSettings(terraform_state_bucket="")


class Shared:
    """Managed state off, and a mounted file that sets ``key``."""

    def __init__(self, desk: Desk, *, own: str) -> None:
        self.mounted = desk.folder / "backend.hcl"
        self.mounted.write_text('key = "shared/terraform.tfstate"\n')
        self.own = own
        desk.context = replace(
            desk.context, storage=OFF, backend_config=str(self.mounted), workspaces_root=str(desk.folder / "root")
        )
        self.desk = desk

    def workspace(self, name: str) -> Path:
        made = replace(self.desk.context, storage=Context(name="x").storage)
        folder = self.desk.folder / "root" / name
        bound_workspace(folder, made, self.desk.clock(), bound="shared/terraform.tfstate")
        key = f'    key = "{self.own}"\n' if self.own else ""
        values = f'    bucket = "kumoss-terraform-state"\n    endpoints = {{ s3 = "{made.storage.endpoint_url}" }}\n'
        region = '    region = "us-east-1"\n'
        block = f'terraform {{\n  backend "s3" {{\n{values}{region}{key}  }}\n}}\n'
        (folder / "main.tf").write_text(block)
        return folder


async def test_with_managed_state_off_the_file_that_beats_the_repositorys_key_is_named(desk: Desk) -> None:
    trace = await desk.trace(Shared(desk, own="envs/prod.tfstate").workspace("infra_1"))

    assert (trace.verdict, trace.cause) == ("disagree", "key_in_shared_file"), trace.summary
    assert f"the sidecar's file sets key ({desk.folder}/backend.hcl:1)" in trace.summary
    assert "bound to shared/terraform.tfstate and not envs/prod.tfstate (main.tf:6), which the repository names" in trace.summary


async def test_with_managed_state_off_the_workspace_that_has_the_same_state_is_named(desk: Desk) -> None:
    world = Shared(desk, own="")
    world.workspace("infra_1")
    trace = await desk.trace(world.workspace("net_2"))

    assert (trace.verdict, trace.cause) == ("disagree", "key_in_shared_file"), trace.summary
    assert "infra_1 has the same state" in trace.summary


async def test_with_managed_state_off_one_workspace_alone_is_warned_and_not_said_to_disagree(desk: Desk) -> None:
    trace = await desk.trace(Shared(desk, own="").workspace("infra_1"))

    assert (trace.verdict, trace.cause) == ("unknown", "key_in_shared_file"), trace.summary
    assert "every workspace that is initialised with this file has this one state" in trace.summary
    assert "trace.key_in_shared_file" in codes(trace)


async def test_with_managed_state_off_a_file_that_is_not_here_is_named_where_something_else_is_bound(desk: Desk) -> None:
    world = Shared(desk, own="envs/prod.tfstate")
    world.mounted.unlink()
    trace = await desk.trace(world.workspace("infra_1"))

    assert (trace.verdict, trace.cause) == ("unknown", "unseen_file"), trace.summary
    assert f"the sidecar lays {world.mounted} over them" in trace.summary
    assert "likely it sets key" in trace.summary


async def test_what_the_engine_bound_as_written_it_cannot_have_refused(desk: Desk) -> None:
    """The region may come from the sidecar's environment, which nobody here knows."""
    world = Shared(desk, own="shared/terraform.tfstate")
    desk.context = replace(desk.context, backend_config="")
    folder = world.workspace("infra_1")
    main = folder / "main.tf"
    main.write_text(main.read_text().replace('    region = "us-east-1"\n', ""))
    trace = await desk.trace(folder)

    assert trace.layers[0].place == trace.layers[1].place
    assert "refuses" not in trace.summary


def version(key: str, number: int, *, kind: VersionKind = "version", latest: bool = False, days: int = 0) -> ObjectVersion:
    at = FakeClock()() - timedelta(days=days)
    return ObjectVersion(key=key, version_id=str(number), kind=kind, latest=latest, size=1, modified=at, etag=None)


async def test_earlier_versions_are_counted_and_could_not_look_is_another_answer(desk: Desk) -> None:
    assert desk.store is not None
    desk.objects[KEY] = state(41)
    desk.store.history[KEY] = [(version(KEY, 3, latest=True), b""), (version(KEY, 2, days=2), b""), (version(KEY, 1), b"")]
    known = await desk.trace(desk.workspace(), ASKED)
    desk.store.errors["versions"] = Unreachable("store.acme cannot be reached")
    silent = await desk.trace(desk.folder / "ws", ASKED)
    desk.store.errors["versions"] = ServiceError("no versions", code="store.versions_unsupported")
    unable = await desk.trace(desk.folder / "ws", ASKED)

    assert "2 earlier versions, the newest 2 d old" in known.layers[2].detail
    assert "earlier versions: could not look (store.acme cannot be reached)" in silent.layers[2].detail
    assert "earlier versions: this store lists none" in unable.layers[2].detail
    assert {known.verdict, silent.verdict, unable.verdict} == {"agree"}
    assert trace_shape(known)["layers"][2]["objects"][0]["versions"]["earlier"] == 2
    assert trace_shape(silent)["layers"][2]["objects"][0]["versions"]["earlier"] is None


async def test_a_state_that_was_deleted_is_not_one_before_its_first_apply(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.history[KEY] = [(version(KEY, 2, kind="delete_marker", days=1), b""), (version(KEY, 1, days=2), b"")]
    trace = await desk.trace(desk.workspace(), ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "state_deleted"), trace.summary
    assert "deleted 1 d ago; 1 earlier version" in trace.summary


async def test_a_store_out_of_reach_says_once_that_this_says_nothing_of_the_sidecar(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["head"] = Unreachable("store.acme:9000 cannot be reached")
    trace = await desk.trace(desk.workspace(written=key_of("x")), ASKED)
    told = [one for one in trace.findings if one.code == "backend.endpoint_unreachable"]
    desk.store.errors["head"] = AccessDenied("the key may not read there")
    refused = await desk.trace(desk.folder / "ws", ASKED)

    assert len(told) == 1
    assert "whether the sidecar reaches it is another question" in told[0].message
    assert "backend.endpoint_unreachable" not in codes(refused)


async def test_a_local_state_beside_the_binding_is_told_with_what_is_in_it(desk: Desk) -> None:
    desk.objects[KEY] = state(41)
    folder = desk.workspace()
    (folder / "terraform.tfstate").write_bytes(state(3, resources=[resource("a")]))
    full = await desk.trace(folder, ASKED)
    (folder / "terraform.tfstate").write_bytes(b"not a state")
    other = await desk.trace(folder, ASKED)

    told = next(one for one in full.findings if one.code == "trace.local_beside")
    assert (told.severity.value, full.verdict) == ("warning", "agree")
    assert "a local state (serial 3, 1 resource) lies in the workspace, while the engine is bound elsewhere" in told.message
    assert "is no state" in next(one.message for one in other.findings if one.code == "trace.local_beside")


async def test_a_workspace_of_another_project_is_no_project_that_changed_all_its_names(desk: Desk) -> None:
    other = KnownProject(repo="https://github.com/acme/dns", scope="dns-prod", path="")
    desk.context = replace(desk.context, projects=(other,))
    key = key_of("", repo=other.repo, scope=other.scope)
    trace = await desk.trace(desk.workspace(bound=key, written=key), ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "other_project"), trace.summary
    assert "bound to the key of another project than the one given" in trace.summary
    assert "repository github.com/acme/dns and not github.com/acme/infra, scope dns-prod and not prod" in trace.summary
    assert "Trace the workspace alone" in trace.summary
    assert trace.steps == ()
