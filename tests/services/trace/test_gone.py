"""A state that is gone is told where only a project is given, and where another workspace of the same key wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kumoss_console.errors import ServiceError
from tests.screens.objects import state
from tests.services.trace.test_keys import clone, version
from tests.services.trace.test_lost import applied
from tests.services.trace.test_service import ASKED, KEY, REPO, Desk, desk, key_of

__all__ = ["desk"]


async def test_a_deleted_state_is_told_where_only_the_project_is_given(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.history[KEY] = [(version(KEY, 1, days=2), b"")]
    trace = await desk.trace(project=ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "state_deleted"), trace.summary
    assert "the core writes bucket" in trace.summary
    assert "core and engine mean" not in trace.summary
    assert "nothing is stored there now, of which the store keeps 1 earlier version" in trace.summary


@pytest.mark.parametrize("root", [True, False])
async def test_an_apply_of_another_workspace_of_the_key_makes_it_lost_where_only_the_project_is_given(
    desk: Desk, root: bool
) -> None:
    desk.context = replace(desk.context, workspaces_root=str(desk.folder / "root") if root else None)
    await applied(desk, desk.workspace(name="root/infra_1"))
    trace = await desk.trace(project=ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "state_lost"), trace.summary
    assert "though an apply of workspace infra_1, which is bound to the same key, succeeded (job " in trace.summary


async def test_a_fresh_clone_of_an_applied_project_has_lost_its_state(desk: Desk) -> None:
    await applied(desk, desk.workspace(name="infra_1/envs/eu"))
    fresh = desk.unbound(name="infra_2/envs/eu")
    clone(desk.folder / "infra_2", REPO)
    trace = await desk.trace(fresh, ASKED)

    assert (trace.verdict, trace.cause) == ("disagree", "state_lost"), trace.summary


async def test_an_apply_of_a_workspace_of_another_key_or_of_before_its_init_proves_nothing(desk: Desk) -> None:
    await applied(desk, desk.workspace(bound=KEY.replace("a", "b"), name="infra_0"))
    await applied(desk, desk.workspace(name="infra_1", hours=-1))
    trace = await desk.trace(project=ASKED)

    assert (trace.verdict, trace.cause) == ("unknown", ""), trace.summary


async def test_a_project_alone_is_not_told_of_files_that_nobody_gave(desk: Desk) -> None:
    desk.objects[key_of("eu")] = state(41)
    trace = await desk.trace(project=ASKED)

    assert (trace.cause, trace.steps) == ("left_behind", ()), trace.summary
    assert "files of the workspace" not in trace.summary
    assert "No workspace was given" in trace.summary


async def test_what_a_store_says_ends_in_one_full_stop(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["head"] = ServiceError("the store failed", detail="We encountered an internal error. Please try again.")
    trace = await desk.trace(desk.workspace())

    assert trace.summary.endswith("the store failed (We encountered an internal error. Please try again).")
    assert ".." not in trace.summary
