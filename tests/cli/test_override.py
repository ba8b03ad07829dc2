"""``override``: the file on stdout, what there is to say about it on stderr, and nothing written without its name typed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from kumoss_console.model.project import derive
from tests.cli.conftest import DIGEST, REPO, SCOPE, SECRET_KEY
from tests.cli.harness import Console
from tests.fakes.store import FakeStore
from tests.screens.objects import state
from tests.services.trace.test_keys import clone

ARGV = ("override", "--repo", REPO, "--scope", SCOPE)


@pytest.fixture
def workspace(isolated: Path) -> Path:
    folder = isolated / "my-iac_a1b2"
    folder.mkdir()
    (folder / "main.tf").write_text('terraform {\n  backend "s3" {}\n}\n')
    return folder


def test_stdout_is_the_file_with_its_keys_masked(console: Console) -> None:
    run = console.run(*ARGV)

    assert run.out.startswith('terraform {\n  backend "s3" {\n')
    assert f'key    = "{DIGEST}/terraform.tfstate"' in run.out
    assert 'secret_key = "********"' in run.out
    assert SECRET_KEY not in run.out + run.err
    assert "--reveal" in run.err


def test_reveal_gives_the_real_file_byte_for_byte_as_it_is_written(console: Console, workspace: Path) -> None:
    shown = console.run(*ARGV, "--reveal")
    console.run(*ARGV, "--write", str(workspace), "--confirm", workspace.name)

    assert SECRET_KEY in shown.out
    assert (workspace / "backend_override.tf").read_bytes() == shown.stdout


def test_json_masks_too_and_says_so(console: Console) -> None:
    hidden, shown = console.run(*ARGV, "--json"), console.run(*ARGV, "--json", "--reveal")

    assert list(hidden.data)[:5] == ["filename", "content", "model", "masked", "findings"]
    assert (hidden.data["masked"], shown.data["masked"]) == (True, False)
    assert SECRET_KEY not in hidden.out
    assert SECRET_KEY in shown.data["content"]
    assert hidden.data["model"] == "managed"
    assert hidden.data["written"] is None


def test_writing_wants_the_folders_name_and_says_what_it_does(console: Console, workspace: Path) -> None:
    missing = console.run(*ARGV, "--write", str(workspace))
    wrong = console.run(*ARGV, "--write", str(workspace), "--confirm", "other")
    machine = console.run(*ARGV, "--write", str(workspace), "--json")

    assert (missing.code, wrong.code, machine.code) == (5, 5, 5)
    assert f"creates {workspace}/backend_override.tf" in missing.err
    assert f"--confirm {workspace.name}" in missing.err
    assert machine.error["code"] == "confirmation.missing"
    assert not (workspace / "backend_override.tf").exists()


def test_on_a_terminal_the_name_is_asked_for_and_typed(console: Console, workspace: Path) -> None:
    console.typed = workspace.name
    run = console.run(*ARGV, "--write", str(workspace))

    target = workspace / "backend_override.tf"
    assert run.code == 0
    assert f"Type {workspace.name} to go on: " in run.err
    assert f"Written: {target}" in run.err
    assert stat.S_IMODE(target.stat().st_mode) == 0o600

    console.typed = "yes"
    target.unlink()
    assert console.run(*ARGV, "--write", str(workspace)).code == 5
    assert not target.exists()


def test_the_current_folder_is_confirmed_by_its_own_name(
    console: Console, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)

    run = console.run(*ARGV, "--write", ".", "--confirm", workspace.name)

    assert run.code == 0
    assert (workspace / "backend_override.tf").exists()


def test_writing_over_another_projects_key_says_which_key_is_left_and_what_lies_there(
    console: Console, store: FakeStore, workspace: Path
) -> None:
    console.run(*ARGV, "--path", "envs/Prod", "--write", str(workspace), "--confirm", workspace.name)
    old = derive(REPO, SCOPE, "envs/Prod").object_key()
    store.objects[old] = state(41)
    again = console.run(*ARGV, "--path", "envs/Prod", "--write", str(workspace))
    other = console.run(*ARGV, "--path", "envs/prod", "--write", str(workspace))

    assert "another project's" not in again.err
    assert f"It is another project's so far: its override names {old}" in other.err
    assert "which holds serial 41" in other.err
    assert "moves no state" in other.err


def test_writing_the_key_of_another_folder_of_the_clone_wants_a_word_more(console: Console, workspace: Path) -> None:
    clone(workspace, REPO.removesuffix(".git"))
    folder = workspace / "envs" / "prod"
    folder.mkdir(parents=True)
    (folder / "main.tf").write_text("")
    own = console.run(*ARGV, "--path", "envs/prod", "--write", str(folder))
    wrong = console.run(*ARGV, "--path", "envs/dev", "--write", str(folder), "--confirm", "prod")

    assert "--confirm prod\n" in own.err
    assert "is not that of this project" not in own.err
    assert wrong.code == 5
    assert "prod=envs/dev was expected" in wrong.err
    assert not (folder / "backend_override.tf").exists()
    asked = console.run(*ARGV, "--path", "envs/dev", "--write", str(folder))
    assert "The folder is not that of this project: the folder lies at envs/prod of its clone" in asked.err
    assert console.run(*ARGV, "--path", "envs/dev", "--write", str(folder), "--confirm", "prod=envs/dev").code == 0
    assert (folder / "backend_override.tf").exists()


@pytest.mark.parametrize("later", ["z_override.tf", "zz_override.tofu"])
def test_an_override_that_another_file_would_beat_is_not_written(console: Console, workspace: Path, later: str) -> None:
    (workspace / later).write_text('terraform {\n  backend "local" {}\n}\n')
    argv = (*ARGV, "--write", str(workspace), "--confirm", workspace.name)
    run, machine = console.run(*argv), console.run(*argv, "--json")

    assert run.code == 5
    assert "it would decide nothing" in run.err
    assert f"{later}: it sorts after backend_override.tf and replaces what the core writes" in run.err
    assert machine.error["code"] == "override.beaten"
    assert not (workspace / "backend_override.tf").exists()


def test_a_file_that_the_engine_does_not_read_beats_nothing(console: Console, workspace: Path) -> None:
    (workspace / "zz_override.tofu").write_text('terraform {\n  backend "local" {}\n}\n')
    run = console.run(*ARGV, "--write", str(workspace), "--confirm", workspace.name, "--engine", "terraform")

    assert run.code == 0
    assert (workspace / "backend_override.tf").exists()


def test_what_the_repository_loses_is_said_before_the_write_and_after_it(console: Console, workspace: Path) -> None:
    (workspace / "main.tf").write_text('terraform {\n  backend "s3" {\n    dynamodb_table = "locks"\n  }\n}\n')
    asked = console.run(*ARGV, "--write", str(workspace))
    done = console.run(*ARGV, "--write", str(workspace), "--confirm", workspace.name, "--json")

    lost = "erases 1 value of the repository's block: dynamodb_table (main.tf:3)"
    assert f"It {lost}." in asked.err
    assert (done.code, done.data["proof"]["on_disk"], done.data["proof"]["beaten_by"]) == (0, "same", None)
    assert any(lost in finding["message"] for finding in done.data["findings"])


def test_a_write_that_init_refuses_all_the_same_ends_with_bad_news(console: Console, workspace: Path) -> None:
    (workspace / "main.tf").write_text('terraform {\n  backend "s3" {}\n  backend "s3" {}\n}\n')
    run = console.run(*ARGV, "--write", str(workspace), "--confirm", workspace.name)

    assert run.code == 1
    assert "Written: " in run.err
    assert "init still ends with" in run.err


def test_read_only_writes_nothing_even_when_confirmed(console: Console, workspace: Path) -> None:
    for extra in (("--read-only",), ("--context", "dev")):
        run = console.run(*ARGV, "--write", str(workspace), "--confirm", workspace.name, *extra)
        assert run.code == 5
        assert "read-only" in run.err
    assert not (workspace / "backend_override.tf").exists()


def test_a_folder_that_is_no_workspace_is_an_input_error(console: Console, isolated: Path) -> None:
    run = console.run(*ARGV, "--write", str(isolated / "absent"), "--confirm", "absent")

    assert run.code == 2
    assert "absent" in run.err


def test_a_proof_says_what_it_does_in_a_workspace_and_shows_no_secret(console: Console, workspace: Path) -> None:
    (workspace / "main.tf").write_text('terraform {\n  backend "s3" {\n    dynamodb_table = "locks"\n  }\n}\n')
    (workspace / "backend_override.tf").write_text(
        'terraform {\n  backend "s3" {\n    bucket     = "old"\n    secret_key = "an-older-one"\n  }\n}\n'
    )
    argv = (*ARGV, "--workspace", str(workspace))

    run, plain = console.run(*argv, "--json"), console.run(*argv)

    proof = run.data["proof"]
    assert (run.code, proof["reads_back"], proof["sorts_last"], proof["beaten_by"]) == (0, True, True, None)
    assert proof["erased"] == [{"name": "dynamodb_table", "value": "locks", "origin": {"file": "main.tf", "line": 3}}]
    assert proof["on_disk"] == "differs"
    assert proof["secrets_differ"] == ["secret_key"]
    assert '-    bucket     = "old"' in proof["diff"]
    assert "override.erases" in {finding["code"] for finding in run.data["findings"]}
    assert "dynamodb_table (main.tf:3)" in plain.out
    for shown in (run.out, run.err, plain.out, plain.err):
        assert "an-older-one" not in shown
        assert SECRET_KEY not in shown
    assert "old" in (workspace / "backend_override.tf").read_text(), "a proof writes nothing"


def test_an_override_that_a_later_file_beats_is_bad_news(console: Console, workspace: Path) -> None:
    (workspace / "z_override.tf").write_text('terraform {\n  backend "local" {}\n}\n')

    run = console.run(*ARGV, "--workspace", str(workspace))

    assert run.code == 1
    assert "no: z_override.tf beats it" in run.out


def test_a_proof_wants_a_folder(console: Console, workspace: Path) -> None:
    run = console.run(*ARGV, "--workspace", str(workspace / "absent"))

    assert run.code == 2
    assert "is not a folder" in run.err
