"""What a clone remembers: earlier addresses and earlier folders, read from its own files without running git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clone_history import History, remembered
from kumoss_console.clones import clones_with_history
from kumoss_console.git_objects import GitObjects
from kumoss_console.model.context import Context
from kumoss_console.model.project import derive
from kumoss_console.services.keys.owner_search import OwnerSearchService
from kumoss_console.workspaces import clone_around

GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git makes the repositories")


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.email=a@b", "-c", "user.name=n", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")
    done = subprocess.run([str(GIT), *identity, *words], cwd=folder, check=True, capture_output=True, text=True, timeout=30)
    return done.stdout.strip()


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A repository in which ``prod`` became ``envs/prod``."""
    folder = tmp_path / "source"
    (folder / "prod").mkdir(parents=True)
    # Alike files over several commits: packing makes deltas of their trees.
    for number in range(40):
        (folder / f"module{number:02}").mkdir()
        (folder / f"module{number:02}" / "main.tf").write_text(f"# {number}\n")
    (folder / "prod" / "main.tf").write_text("terraform {}\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    (folder / "envs").mkdir()
    git(folder, "mv", "prod", "envs/prod")
    git(folder, "commit", "-qm", "two")
    (folder / "module39" / "more.tf").write_text("# more\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "three")
    return folder


@needs_git
def test_a_module_that_moved_is_remembered_from_loose_objects_and_from_packs(moved: Path) -> None:
    loose = remembered(moved / ".git")
    git(moved, "gc", "-q", "--aggressive")
    packed = remembered(moved / ".git")

    assert set(loose.modules) == set(packed.modules)
    assert {"prod", "envs/prod", "module00"} < set(packed.modules)


@needs_git
def test_every_object_of_a_pack_reads_as_git_reads_it(moved: Path) -> None:
    git(moved, "gc", "-q", "--aggressive")
    objects = GitObjects(moved / ".git")
    listed = [line.split() for line in git(moved, "cat-file", "--batch-all-objects", "--batch-check").splitlines()]
    read = {oid: objects.read(oid) for oid, _, _ in listed}
    objects.close()

    assert [(oid, kind, int(size)) for oid, kind, size in listed] == [
        (oid, found[0], len(found[1])) for oid, found in read.items() if found is not None
    ]


@needs_git
def test_a_clone_remembers_where_it_was_made_from_after_its_remote_was_renamed(moved: Path) -> None:
    git(moved, "remote", "add", "origin", "https://github.com/acme/platform")
    log = moved / ".git" / "logs" / "HEAD"
    first, _, rest = log.read_text().partition("\n")
    log.write_text(f"{first.partition(chr(9))[0]}\tclone: from https://ops:pw@github.com/acme/infra.git\n{rest}")
    (moved / ".git" / "FETCH_HEAD").write_text("0" * 40 + "\t\tbranch 'main' of github.com:acme/older\n")
    around = clone_around(moved / "envs" / "prod")

    assert around is not None
    clone, path = around
    assert path == "envs/prod"
    assert clone.former_repositories == ("github.com/acme/infra", "github.com/acme/older")
    assert clone.former_modules == ("prod",)


def test_a_folder_in_which_something_is_bound_still_held_a_module_once(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text('[remote "origin"]\n\turl = https://github.com/acme/infra\n')
    (tmp_path / "prod" / ".terraform").mkdir(parents=True)
    (tmp_path / "prod" / ".terraform" / "terraform.tfstate").write_text("{}")
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "main.tf").write_text("")
    around = clone_around(tmp_path / "envs")

    assert around is not None
    assert around[0].former_modules == ("prod",)


@pytest.mark.parametrize("content", [b"", b"\xfftOc\0\0\0\x02", b"\xfftOc\0\0\0\x02" + b"\xff" * 4000, b"nonsense" * 200])
def test_damaged_repositories_remember_nothing(tmp_path: Path, content: bytes) -> None:
    pack = tmp_path / "objects" / "pack"
    pack.mkdir(parents=True)
    (pack / "pack-1.idx").write_bytes(content)
    (pack / "pack-1.pack").write_bytes(content)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "HEAD").write_bytes(b"f" * 40 + b" " + b"a" * 40 + b"\tclone: from \xff://[\n")
    (tmp_path / "objects" / "aa").mkdir()
    (tmp_path / "objects" / "aa" / ("a" * 38)).write_bytes(content)

    assert remembered(tmp_path) == History()


@needs_git
def test_a_pack_that_was_cut_short_gives_what_is_left_of_it(moved: Path) -> None:
    git(moved, "gc", "-q")
    pack = next((moved / ".git" / "objects" / "pack").glob("*.pack"))
    raw = pack.read_bytes()
    pack.chmod(0o600)
    pack.write_bytes(raw[: len(raw) // 2])

    assert isinstance(remembered(moved / ".git"), History)


@needs_git
async def test_the_owner_of_an_old_key_is_found_in_the_history_of_a_clone(moved: Path) -> None:
    git(moved, "remote", "add", "origin", "https://github.com/acme/infra.git")
    service = OwnerSearchService(Context(name="x"), clones_with_history, run_blocking)
    key = derive("https://github.com/acme/infra", "prod", "prod").object_key()
    states = [state async for state in service.stream(key, (moved.parent,), ("prod",))]

    assert [(match.repo, match.path) for match in states[-1].matches] == [("github.com/acme/infra", "prod")]
