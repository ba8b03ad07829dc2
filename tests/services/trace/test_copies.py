"""A binding or an override that came with a copy, a project that the clone disproves, and an old place that is in use."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.model.context import KnownProject
from kumoss_console.services.trace.project import Asked
from tests.screens.objects import resource, state
from tests.services.trace.test_keys import RENAMED, clone
from tests.services.trace.test_service import REPO, Desk, desk, key_of
from tests.services.trace.test_siblings import NEW, clones

__all__ = ["clones", "desk"]

DEV, COPY = key_of("envs/dev"), key_of("envs/new")


@pytest.fixture
def live(desk: Desk) -> Desk:
    """A clone in which envs/dev is applied, and envs/new was copied from it."""
    desk.objects[DEV] = state(41, resources=[resource("a")])
    desk.workspace(bound=DEV, written=DEV, name="infra_1/envs/dev")
    clone(desk.folder / "infra_1", REPO)
    return desk


def copied(desk: Desk, *, written: str, name: str = "envs/new") -> Path:
    return desk.workspace(bound=DEV, written=written, name=f"infra_1/{name}", hours=1)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("given", [True, False])
async def test_a_copied_live_environment_has_not_moved_and_its_state_is_never_carried(
    live: Desk, known: bool, given: bool
) -> None:
    live.context = replace(live.context, projects=(), scopes=("prod",) if known else ())
    folder = copied(live, written=COPY)
    trace = await live.trace(folder, Asked(repo=REPO, scope="prod", path="envs/new") if given else None)

    assert (trace.verdict, trace.cause) == ("disagree", "copied_binding"), trace.summary
    assert "envs/dev" in trace.summary
    if not known and not given:
        assert "one of envs/new and envs/dev was copied from the other, and which is not known" in trace.summary
        assert trace.steps == ()
        return
    assert "whose folder and workspace are still there" in trace.summary
    assert "an apply here before that would change the resources of envs/dev" in trace.summary
    commands = [step.command for step in trace.steps]
    assert commands[0] == f"rm -r {folder}/.terraform"
    assert commands[1].endswith("init -input=false -reconfigure")
    assert not any("state pu" in command for command in commands)


async def test_a_module_that_moved_away_from_its_old_folder_is_still_one_that_moved(live: Desk) -> None:
    folder = copied(live, written=COPY)
    (live.folder / "infra_1/envs/dev/main.tf").unlink()
    (live.folder / "infra_1/envs/dev/backend_override.tf").unlink()
    trace = await live.trace(folder, Asked(repo=REPO, scope="prod", path="envs/new"))

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed"), trace.summary
    assert any("state push" in step.command for step in trace.steps)


async def test_an_old_key_that_another_workspace_is_bound_to_is_not_carried_away(live: Desk) -> None:
    live.context = replace(live.context, workspaces_root=str(live.folder))
    folder = copied(live, written=COPY)
    shutil.rmtree(live.folder / "infra_1/envs/dev")
    live.workspace(bound=DEV, written=DEV, name="infra_0/envs/dev")
    trace = await live.trace(folder, Asked(repo=REPO, scope="prod", path="envs/new"))

    assert trace.cause == "project_changed"
    assert trace.steps == ()
    assert "is in use: infra_0/envs/dev is bound there as well" in trace.summary


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("bound", [True, False])
async def test_the_override_of_another_folder_is_no_agreement(live: Desk, known: bool, bound: bool) -> None:
    live.context = replace(live.context, projects=(), scopes=("prod",) if known else ())
    folder = copied(live, written=DEV)
    if not bound:
        (folder / ".terraform/terraform.tfstate").unlink()
    trace = await live.trace(folder)

    assert (trace.verdict, trace.cause) == ("disagree", "copied_binding"), trace.summary
    assert "envs/dev" in trace.summary
    assert ("Wrong: backend_override.tf" in trace.summary) is known
    assert not any("state pu" in step.command or "init" in step.command for step in trace.steps)
    own = await live.trace(live.folder / "infra_1/envs/dev")
    assert own.verdict == ("agree" if known else "disagree"), own.summary
    assert own.steps == ()


async def test_the_override_of_another_folder_is_no_agreement_where_that_project_is_given(live: Desk) -> None:
    trace = await live.trace(copied(live, written=DEV), Asked(repo=REPO, scope="prod", path="envs/dev"))
    assert (trace.verdict, trace.cause) == ("disagree", "copied_binding"), trace.summary


async def test_a_module_that_moved_before_the_core_ran_is_told_whose_key_it_holds(live: Desk) -> None:
    live.context = replace(live.context, projects=(KnownProject(repo=REPO, scope="prod", path="envs/dev"),))
    (live.folder / "infra_1/envs/dev").rename(live.folder / "infra_1/envs/new")
    trace = await live.trace(live.folder / "infra_1/envs/new")

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed"), trace.summary
    assert "override and engine hold the key of github.com/acme/infra · prod · envs/dev" in trace.summary
    assert "the folder lies at envs/new of its clone, in which there is no module envs/dev any more" in trace.summary
    assert trace.steps == ()


@pytest.mark.parametrize(
    ("asked", "verdict", "said"),
    [
        (Asked(repo=REPO, scope="prod", path="envs/dev"), "disagree", "the folder lies at envs/new of its clone"),
        (Asked(repo=REPO, scope="prod", path=""), "disagree", "it has no module at the top"),
        (Asked(repo=RENAMED, scope="prod", path="envs/new"), "disagree", "the clone's remote is github.com/acme/infra"),
        (Asked(repo=RENAMED, scope="prod", path="envs/dev"), "unknown", "the clone's remote is github.com/acme/infra"),
        (Asked(repo=REPO, scope="prod", path="envs/new"), "agree", "the next init binds what the core writes"),
    ],
)
async def test_a_given_project_is_held_against_the_clone_before_anything_is_bound(
    live: Desk, asked: Asked, verdict: str, said: str
) -> None:
    folder = live.unbound(written="", name="infra_1/envs/new")
    trace = await live.trace(folder, asked)

    assert trace.verdict == verdict, trace.summary
    assert said in trace.summary
    assert (trace.cause == "other_project") is (verdict != "agree")


async def test_a_fork_beside_a_live_upstream_gets_no_commands(clones: Desk) -> None:
    trace = await clones.trace(clones.folder / "root/platform_2/prod", NEW)

    assert trace.cause == "left_behind"
    assert trace.steps == ()
    assert "may be a fork" in trace.summary
    assert "infra_1/prod" in trace.summary


async def test_a_rename_that_left_no_trace_is_not_the_wrong_project(desk: Desk) -> None:
    desk.context = replace(desk.context, projects=())
    old = key_of("prod", repo="https://git.acme.example/old/name")
    desk.objects[old] = state(41)
    folder = desk.workspace(bound=old, written=old, name="infra_1/prod")
    clone(desk.folder / "infra_1", RENAMED)
    trace = await desk.trace(folder, Asked(repo=RENAMED, scope="prod", path="prod"))

    assert (trace.verdict, trace.cause) == ("disagree", "project_changed"), trace.summary
    assert "Wrong: the project that was given" not in trace.summary
    assert "remote and folder of the clone are those of that project" in trace.summary
    assert "likely it was renamed" in trace.summary
    assert "or the scope is another one than prod" in trace.summary
    del desk.objects[old]
    empty = await desk.trace(folder, Asked(repo=RENAMED, scope="prod", path="prod"))
    assert (empty.cause, empty.steps) == ("project_changed", ()), "an init would bind the old key once more"
    desk.context = replace(
        desk.context, projects=(KnownProject(repo="https://git.acme.example/old/name", scope="prod", path="prod"),)
    )
    known = await desk.trace(folder, Asked(repo=RENAMED, scope="prod", path="prod"))
    assert "the repository was renamed from git.acme.example/old/name" in known.summary


async def test_the_project_of_another_folder_is_not_what_a_copy_becomes(live: Desk) -> None:
    trace = await live.trace(copied(live, written=COPY), Asked(repo=REPO, scope="prod", path="envs/dev"))

    assert (trace.verdict, trace.cause, trace.steps) == ("disagree", "other_project", ()), trace.summary
    assert "the folder and the override in it are those of github.com/acme/infra · prod · envs/new" in trace.summary


async def test_a_clone_without_the_remote_still_shows_whose_key_was_copied(live: Desk) -> None:
    (live.folder / "infra_1/.git/config").write_text("")
    for written in (COPY, DEV):
        trace = await live.trace(copied(live, written=written, name=f"envs/{written[:4]}"))
        assert (trace.verdict, trace.cause) == ("disagree", "copied_binding"), trace.summary
        assert "whose folder and workspace are still there" in trace.summary
