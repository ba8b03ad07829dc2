"""Local clones, made by a real git where there is one: remotes and root modules without running it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kumoss_console.clones import clones_below
from kumoss_console.model.clone import Clone

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git on PATH")


def git(folder: Path, *argv: str) -> None:
    options = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main")
    subprocess.run(["git", *options, *argv], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, remote: str, *files: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", remote)
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("# x\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def clones(*folders: Path) -> dict[str, Clone]:
    unreadable: list[str] = []
    found = {clone.folder: clone for clone in clones_below(folders, unreadable) if clone is not None}
    assert unreadable == []
    return found


@needs_git
def test_a_clone_tells_its_remotes_and_its_root_modules(tmp_path: Path) -> None:
    infra = repository(tmp_path / "src" / "infra", "git@github.com:acme/infra.git", "envs/prod/main.tf", "modules/x/main.tf")
    (found,) = clones(tmp_path).values()
    assert (found.folder, found.modules, found.readable) == (str(infra), ("envs/prod",), True)
    assert [(remote.name, remote.repo) for remote in found.remotes] == [("origin", "github.com/acme/infra")]


@needs_git
def test_a_worktree_has_the_remotes_of_its_repository_and_files_of_its_own(tmp_path: Path) -> None:
    infra = repository(tmp_path / "infra", "https://github.com/acme/infra", "main.tf")
    git(infra, "worktree", "add", "-q", str(tmp_path / "next"), "-b", "next")
    (tmp_path / "next" / "envs").mkdir()
    (tmp_path / "next" / "envs" / "main.tf").write_text("")
    found = clones(tmp_path)
    assert found[str(tmp_path / "next")].remotes == found[str(infra)].remotes
    assert found[str(tmp_path / "next")].modules == (".", "envs")
    assert found[str(infra)].modules == (".",)


@needs_git
def test_a_submodule_is_a_repository_of_its_own_and_lends_its_parent_no_module(tmp_path: Path) -> None:
    shared = repository(tmp_path / "elsewhere" / "shared", "https://github.com/acme/shared", "net/main.tf")
    infra = repository(tmp_path / "here" / "infra", "https://github.com/acme/infra", "main.tf")
    git(infra, "submodule", "add", "-q", str(shared), "vendor/shared")
    git(infra / "vendor" / "shared", "remote", "set-url", "origin", "ssh://git@git.acme:2222/team/shared.git")
    found = clones(tmp_path / "here")
    assert found[str(infra)].modules == (".",)
    inner = found[str(infra / "vendor" / "shared")]
    assert [remote.repo for remote in inner.remotes] == ["git.acme/team/shared"]
    assert inner.modules == ("net",)


def test_links_are_not_followed_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "infra" / ".git").mkdir(parents=True)
    os.mkfifo(tmp_path / "infra" / ".git" / "config")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").write_text("gitdir: /nowhere/at/all\n")
    (tmp_path / "third").mkdir()
    os.mkfifo(tmp_path / "third" / ".git")
    unreadable: list[str] = []
    found = [clone for clone in clones_below([tmp_path, tmp_path / "absent"], unreadable) if clone is not None]
    assert sorted(Path(clone.folder).name for clone in found) == ["infra", "other", "third"]
    assert not any(clone.readable or clone.remotes for clone in found)
    assert unreadable == [str(tmp_path / "absent")]


def test_a_walk_pauses_after_every_folder(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / "work" / f"folder-{number}" / "deeper").mkdir(parents=True)
    assert list(clones_below([tmp_path / "work"], [])).count(None) == 41
