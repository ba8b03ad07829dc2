"""A repository that was renamed and cloned afresh is known by its history, which an old clone beside it shares."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kumoss_console.model.context import KnownProject
from kumoss_console.services.trace.project import Asked
from tests.screens.objects import state
from tests.services.trace.test_keys import RENAMED
from tests.services.trace.test_service import REPO, Desk, codes, desk, key_of

__all__ = ["desk"]

NEW = Asked(repo=RENAMED, scope="prod", path="prod")


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.email=ops@acme.example", "-c", "user.name=ops", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture
def clones(desk: Desk) -> Desk:
    """An old clone whose module is bound, and a fresh one by the new name that has a commit more."""
    if shutil.which("git") is None:
        pytest.skip("git makes the repositories")
    desk.context = replace(desk.context, projects=(), workspaces_root=str(desk.folder / "root"))
    old = desk.workspace(bound=key_of("prod"), written=key_of("prod"), name="root/infra_1/prod")
    top = old.parent
    git(top, "init", "-q")
    git(top, "add", "prod/main.tf")
    git(top, "commit", "-qm", "one")
    git(top, "clone", "-q", "--no-local", top.as_uri(), str(desk.folder / "root" / "platform_2"))
    git(top, "remote", "add", "origin", REPO)
    fresh = desk.folder / "root" / "platform_2"
    git(fresh, "commit", "-qm", "two", "--allow-empty")
    git(fresh, "remote", "set-url", "origin", RENAMED)
    (fresh / ".git" / "logs" / "HEAD").unlink()
    shutil.rmtree(fresh / ".git" / "logs")
    desk.unbound(written=key_of("prod", repo=RENAMED), name="new")
    shutil.copy(desk.folder / "new" / "backend_override.tf", fresh / "prod" / "backend_override.tf")
    desk.objects[key_of("prod")] = state(41)
    return desk


async def test_a_repository_renamed_and_cloned_afresh_is_named_by_the_old_clone_beside_it(clones: Desk) -> None:
    trace = await clones.trace(clones.folder / "root" / "platform_2" / "prod", NEW)

    assert (trace.verdict, trace.cause) == ("disagree", "left_behind"), trace.summary
    assert "that of repository github.com/acme/infra, whose clone in infra_1 has the same commits" in trace.summary


async def test_a_clone_with_another_history_is_no_relative(clones: Desk) -> None:
    top = clones.folder / "root" / "infra_1"
    shutil.rmtree(top / ".git")
    git(top, "init", "-q")
    git(top, "add", "prod/main.tf")
    git(top, "commit", "-qm", "something else")
    git(top, "remote", "add", "origin", REPO)
    trace = await clones.trace(clones.folder / "root" / "platform_2" / "prod", NEW)

    assert trace.cause == "", trace.summary


async def test_a_known_project_that_lives_in_a_workspace_of_its_own_is_no_near_miss(desk: Desk) -> None:
    desk.context = replace(
        desk.context,
        projects=(KnownProject(repo=REPO, scope="prod", path="envs/eu"),),
        workspaces_root=str(desk.folder / "root"),
    )
    own, other = key_of(repo=RENAMED), key_of()
    desk.objects[other] = state(41)
    asked = Asked(repo=RENAMED, scope="prod", path="envs/eu")
    folder = desk.workspace(bound=own, written=own, name="root/platform_1/envs/eu")
    alone = await desk.trace(folder, asked)
    desk.workspace(bound=other, written=other, name="root/infra_1/envs/eu")
    lives = await desk.trace(folder, asked)

    assert "trace.near_miss" in codes(alone)
    assert "trace.near_miss" not in codes(lives)
