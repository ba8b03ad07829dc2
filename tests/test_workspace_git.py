"""Tracked and ignored are read as git itself has them, or said to be unknown."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.backend.gitignore import IgnoreFile, ignored
from kumoss_console.model.backend.gitindex import tracked
from kumoss_console.model.backend.gitstanding import GitStanding
from kumoss_console.model.context import Context
from kumoss_console.model.finding import Finding, Severity
from kumoss_console.services.backend.effective import WorkspaceBackendService
from kumoss_console.workspace import read_workspace
from kumoss_console.workspace_git import git_standing
from tests.model.backends import s3

NAME = "backend_override.tf"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def _git(folder: Path, *words: str) -> int:
    quiet = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    return subprocess.run(["git", *identity, *words], cwd=folder, env=quiet, capture_output=True, check=False).returncode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "live" / "prod").mkdir(parents=True)
    _git(folder, "init", "-q")
    return folder


@needs_git
@pytest.mark.parametrize(
    "rules",
    [
        NAME,
        f"/{NAME}",
        f"{NAME}/",
        f"live/prod/{NAME}",
        f"/live/*/{NAME}",
        f"*/{NAME}",
        f"**/{NAME}",
        f"live/**/{NAME}",
        f"live/prod/**/{NAME}",
        "live/**",
        "live/prod/**",
        "live/prod/backend_override.tf/**",
        "**",
        "*",
        "live",
        "live/",
        "/prod",
        "prod/",
        "*_override.tf",
        "*_override.t?",
        "*_override.t??",
        "b*_*e*.tf",
        "[a-c]ackend_override.tf",
        "[!a-c]ackend_override.tf",
        "[^x]ackend_override.tf",
        "[]a]ackend_override.tf",
        "[]b]ackend_override.tf",
        "backend\\_override.tf",
        f"# {NAME}",
        f"\\#{NAME}",
        f"{NAME}  ",
        f"{NAME}\\ ",
        f"{NAME}\r\n",
        f"\ufeff{NAME}",
        f"{NAME}\n!{NAME}",
        f"!{NAME}\n{NAME}",
        f"live\n!live/prod/{NAME}",
        "*\n!*/",
        f"*\n!*/\n!{NAME}",
        "BACKEND_override.tf",
        f" {NAME}",
        "live/pro",
        "liv*/pr**d/*.tf",
        f"live/prod/../prod/{NAME}",
        "",
        "/",
        "!",
    ],
)
def test_patterns_are_read_as_git_reads_them(root: Path, rules: str) -> None:
    (root / ".gitignore").write_bytes(rules.encode() + b"\n")
    folder = root / "live" / "prod"
    (folder / NAME).touch()
    standing = git_standing(folder, NAME)

    assert standing is not None
    assert standing.ignored is (_git(root, "check-ignore", "-q", f"live/prod/{NAME}") == 0)


@pytest.mark.parametrize("rules", ["[[:alpha:]]*", "[a\\]]*", "a" * 2000, "x\\", "[!]a]*", "[a"])
def test_an_unusual_pattern_is_a_doubt_and_no_guess(rules: str) -> None:
    assert ignored(NAME, [IgnoreFile(base="", raw=rules.encode())]) is None
    assert ignored(NAME, [IgnoreFile(base="", raw=f"{rules}\n{NAME}".encode())]) is True


def test_a_pattern_that_could_explode_takes_no_time() -> None:
    assert ignored("a" * 250, [IgnoreFile(base="", raw=b"*a" * 400 + b"b")]) is False
    assert ignored("a/" * 30 + "a", [IgnoreFile(base="", raw=b"**/a/" * 150 + b"b")]) is False
    assert ignored("a", [IgnoreFile(base="", raw=b"*a*\n" * 20_000)]) is None


@needs_git
def test_rules_nearer_to_the_file_win_and_those_of_the_clone_count(root: Path) -> None:
    folder = root / "live" / "prod"
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text(f"{NAME}\n")
    assert git_standing(folder, NAME) == GitStanding(tracked=False, ignored=True)
    (folder / ".gitignore").write_text(f"!{NAME}\n")
    assert git_standing(folder, NAME) == GitStanding(tracked=False, ignored=False)


@needs_git
@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_a_tracked_file_is_found_in_every_version_of_the_index(root: Path, version: str) -> None:
    for name in ("a.tf", "live/a.tf", f"live/prod/{NAME}", "live/prod/x.tf", "z" * 200):
        (root / name).touch()
    _git(root, "add", ".")
    if version == "3":
        # A mark that needs the longer form of an entry.
        _git(root, "rm", "-q", "--cached", f"live/prod/{NAME}")
        _git(root, "add", "-N", f"live/prod/{NAME}")
    _git(root, "update-index", "--index-version", version)
    assert (root / ".git" / "index").read_bytes()[7] == int(version)

    standing = git_standing(root / "live" / "prod", NAME)
    assert standing is not None
    assert standing.tracked is True
    for path, expected in (("live/a.tf", True), (f"prod/{NAME}", False), (NAME, False), ("z" * 200, True), ("z" * 199, False)):
        assert tracked((root / ".git" / "index").read_bytes(), path.encode()) is expected


@pytest.mark.parametrize("raw", [b"", b"DIRC", b"DIRC\0\0\0\x09\0\0\0\0", b"DIRC\0\0\0\x04\xff\xff\xff\xff" + b"\xff" * 200])
def test_an_index_of_another_kind_is_unknown(raw: bytes) -> None:
    assert tracked(raw, b"a") is None


@needs_git
def test_a_worktree_is_followed_to_its_own_index(root: Path, tmp_path: Path) -> None:
    (root / NAME).touch()
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "a")
    _git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("*.tf\n")
    assert git_standing(tmp_path / "tree", NAME) == GitStanding(tracked=True, ignored=True)


def test_without_a_repository_there_is_nothing_to_say_and_a_fifo_is_a_doubt(tmp_path: Path) -> None:
    assert git_standing(tmp_path, NAME) is None
    (tmp_path / ".git").mkdir()
    assert git_standing(tmp_path, NAME) is None
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    os.mkfifo(tmp_path / ".gitignore")
    os.mkfifo(tmp_path / ".git" / "index")
    assert git_standing(tmp_path, NAME) == GitStanding(tracked=None, ignored=None)


@needs_git
async def test_backend_tells_of_an_override_that_would_get_into_a_pull_request(root: Path) -> None:
    async def found() -> list[Finding]:
        service = WorkspaceBackendService(Context(name="test", backend_config=""), read_workspace, {}, run_blocking)
        return [one for one in (await service.inspect(root)).findings if one.code.startswith("backend.override_")]

    (root / ".gitignore").write_text("")
    assert [(one.code, one.severity) for one in await found() if "written" not in one.code] == [
        ("backend.override_not_ignored", Severity.INFO)
    ]
    (root / NAME).write_text(s3())
    assert [(one.code, one.severity) for one in await found()] == [("backend.override_not_ignored", Severity.WARNING)]
    _git(root, "add", NAME)
    assert [(one.code, one.severity, bool(one.remedy)) for one in await found()] == [
        ("backend.override_tracked", Severity.WARNING, True)
    ]
    _git(root, "rm", "-q", "--cached", NAME)
    (root / ".gitignore").write_text(f"{NAME}\n")
    assert await found() == []
