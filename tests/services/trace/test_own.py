"""A project that was given beside a workspace: its own, a near relative of it, or what it has become."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumoss_console.model.contract import CloudProvider, InitRequest
from kumoss_console.services.trace.project import Asked
from tests.screens.objects import resource, state
from tests.services.trace.test_keys import RENAMED, clone
from tests.services.trace.test_service import PROJECT, REPO, Desk, desk, key_of

__all__ = ["desk"]

OWN = key_of("stacks/Prod")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Asked(repo=REPO, scope="prod", path="stacks/prod"), "module path stacks/Prod and not stacks/prod"),
        (Asked(repo=REPO, scope="other", path="stacks/Prod"), "prod"),
        (Asked(repo=RENAMED, scope="prod", path="stacks/Prod"), "the clone's remote is github.com/acme/infra"),
    ],
)
@pytest.mark.parametrize("engine_bound", [True, False])
async def test_a_near_relative_of_the_right_project_is_the_wrong_one_and_nothing_is_to_be_carried(
    desk: Desk, asked: Asked, said: str, engine_bound: bool
) -> None:
    desk.objects[OWN] = state(41, resources=[resource("a")])
    folder = desk.workspace(bound=OWN, written=OWN, name="infra_1/stacks/Prod")
    if not engine_bound:
        (folder / ".terraform" / "terraform.tfstate").unlink()
    clone(desk.folder / "infra_1", REPO)
    trace = await desk.trace(folder, asked)

    assert (trace.verdict, trace.cause) == ("disagree", "other_project"), trace.summary
    assert said in trace.summary
    assert OWN[:4] in trace.summary
    assert "Wrong: the project that was given" in trace.summary
    assert "override first" not in trace.summary
    assert trace.steps == ()
    core = trace.layers[0].place
    assert core is not None
    assert core.key == OWN, "the core never wrote the key of the project that was given"
    assert (await desk.trace(folder)).verdict == "agree"


async def test_the_folder_disproves_a_path_that_no_module_of_its_clone_has(desk: Desk) -> None:
    folder = desk.workspace(bound=OWN, written=OWN, name="infra_1/stacks/Prod")
    clone(desk.folder / "infra_1", REPO)
    trace = await desk.trace(folder, Asked(repo=REPO, scope="prod", path="stacks/prod"))
    assert "the folder lies at stacks/Prod of its clone, and no module stacks/prod is in it" in trace.summary
    desk.context = replace(desk.context, projects=(replace(PROJECT, path="stacks/Prod"),))
    alone = desk.workspace(bound=OWN, written=OWN, name="infra_2/stacks/Prod")
    trace = await desk.trace(alone, Asked(repo=REPO, scope="prod", path="stacks/prod"))
    assert "the folder's own path ends in stacks/Prod" in trace.summary


async def test_the_scope_of_the_last_init_disproves_another_one(desk: Desk) -> None:
    folder = desk.workspace(bound=OWN, written=OWN, name="infra_1/stacks/Prod")
    request = InitRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS)
    await desk.services.jobs.submit(request)
    trace = await desk.trace(folder, Asked(repo=REPO, scope="staging", path="stacks/Prod"))
    assert trace.cause == "other_project"
    assert "the last init in the journal ran for scope prod" in trace.summary


async def test_a_folder_that_moved_in_its_clone_has_become_the_given_project_though_its_override_is_from_before(
    desk: Desk,
) -> None:
    desk.objects[OWN] = state(41)
    folder = desk.workspace(bound=OWN, written=OWN, name="infra_1/live/Prod")
    clone(desk.folder / "infra_1", REPO)
    trace = await desk.trace(folder, Asked(repo=REPO, scope="prod", path="live/Prod"))
    assert (trace.verdict, trace.cause) == ("disagree", "project_changed"), trace.summary
    assert "the module path changed from stacks/Prod to live/Prod" in trace.summary


async def test_an_override_with_the_path_in_another_case_than_the_folders_gets_no_commands(desk: Desk) -> None:
    desk.objects[OWN] = state(41)
    folder = desk.workspace(bound=OWN, written=key_of("stacks/prod"), name="infra_1/stacks/Prod")
    trace = await desk.trace(folder, Asked(repo=REPO, scope="prod", path="stacks/prod"))
    assert (trace.verdict, trace.steps) == ("disagree", ())
    assert "the folder's own path ends in stacks/Prod" in trace.summary


async def test_an_override_that_names_a_module_which_its_clone_does_not_have_gets_no_commands(desk: Desk) -> None:
    desk.objects[OWN] = state(41)
    folder = desk.workspace(bound=OWN, written=key_of("stacks/live"), name="infra_1/stacks/Prod")
    clone(desk.folder / "infra_1", REPO)
    trace = await desk.trace(folder, Asked(repo=REPO, scope="prod", path="stacks/live"))
    assert trace.verdict == "disagree"
    assert trace.steps == ()
    assert "still lies at stacks/Prod of its clone, in which there is no module stacks/live" in trace.summary


async def test_without_an_override_the_folder_says_whose_the_binding_is(desk: Desk) -> None:
    folder = desk.workspace(bound=OWN, written="", name="infra_1/stacks/Prod")
    clone(desk.folder / "infra_1", REPO)
    trace = await desk.trace(folder, Asked(repo=REPO, scope="prod", path="stacks/prod"))
    assert (trace.verdict, trace.cause) == ("disagree", "other_project"), trace.summary


async def test_a_key_of_nobody_known_is_still_the_workspaces_own(desk: Desk) -> None:
    desk.context = replace(desk.context, projects=())
    key = key_of("x/y", repo="https://git.acme.example/a/b", scope="elsewhere")
    folder = desk.workspace(bound=key, written=key)
    trace = await desk.trace(folder, Asked(repo=REPO, scope="prod", path="envs/eu"))
    assert (trace.verdict, trace.cause) == ("disagree", "other_project"), trace.summary
    assert "no project that is known here" in trace.summary
