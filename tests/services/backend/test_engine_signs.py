"""Which engine a workspace is read for where nobody names one: what lies in it tells, else the default is assumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.model.backend import Engine
from kumoss_console.model.context import Context
from kumoss_console.services.backend.effective import WorkspaceBackendService
from kumoss_console.services.backend.engine import WhichEngine
from kumoss_console.workspace import read_workspace

LOCK = '# This file is maintained automatically by "{} init".\n# Manual edits may be lost in future updates.\n'


async def engine(folder: Path, *, asked: str | None = None, binary: str = "") -> Engine:
    environ = {"IAC_BINARY": binary} if binary else {}
    service = WorkspaceBackendService(Context(name="x"), read_workspace, environ, run_blocking)
    return (await service.inspect(folder, engine=asked)).engine


async def test_nothing_tells_so_the_sidecars_default_is_assumed(tmp_path: Path) -> None:
    found = await engine(tmp_path)
    assert (found.name, found.note) == ("tofu", "assumed")


@pytest.mark.parametrize("name", ["terraform", "tofu"])
async def test_the_lock_file_names_the_engine_that_wrote_it(tmp_path: Path, name: str) -> None:
    (tmp_path / ".terraform.lock.hcl").write_text(LOCK.format(name))
    found = await engine(tmp_path)
    assert (found.name, found.note) == (name, ".terraform.lock.hcl says so, version assumed")


async def test_the_registry_that_providers_came_from_beats_the_lock_file_that_somebody_committed(tmp_path: Path) -> None:
    (tmp_path / ".terraform.lock.hcl").write_text(LOCK.format("terraform"))
    (tmp_path / ".terraform" / "providers" / "registry.opentofu.org").mkdir(parents=True)
    assert (await engine(tmp_path)).name == "tofu"


async def test_the_version_is_that_of_whoever_bound_the_workspace(tmp_path: Path) -> None:
    (tmp_path / ".terraform" / "providers" / "registry.terraform.io").mkdir(parents=True)
    (tmp_path / ".terraform" / "terraform.tfstate").write_text(json.dumps({"version": 3, "terraform_version": "1.11.4"}))
    assert (await engine(tmp_path)).label == "Terraform 1.11.4"


async def test_an_assumed_engine_has_the_version_that_bound_the_workspace_and_a_told_version_is_not_called_assumed(
    tmp_path: Path,
) -> None:
    (tmp_path / ".terraform").mkdir()
    (tmp_path / ".terraform" / "terraform.tfstate").write_text(json.dumps({"version": 3, "terraform_version": "1.11.4"}))
    assumed = await engine(tmp_path)
    (tmp_path / ".terraform.lock.hcl").write_text(LOCK.format("terraform"))
    told = await engine(tmp_path)
    assert (assumed.label, assumed.note) == ("OpenTofu 1.11.4", "assumed")
    assert (told.label, told.note) == ("Terraform 1.11.4", ".terraform.lock.hcl says so, in the version that bound it")


async def test_signs_of_both_are_none(tmp_path: Path) -> None:
    for host in ("registry.terraform.io", "registry.opentofu.org"):
        (tmp_path / ".terraform" / "providers" / host).mkdir(parents=True)
    assert (await engine(tmp_path)).note == "assumed"


async def test_what_was_asked_for_beats_every_sign(tmp_path: Path) -> None:
    (tmp_path / ".terraform.lock.hcl").write_text(LOCK.format("terraform"))
    asked, named = await engine(tmp_path, asked="tofu@1.9"), await engine(tmp_path, binary="/usr/bin/tofu")
    assert (asked.label, asked.note) == ("OpenTofu 1.9.0", "")
    assert (named.name, named.note) == ("tofu", "version assumed")


@pytest.mark.parametrize(
    ("version", "name", "note"),
    [("1.5.7", "terraform", "no OpenTofu"), ("1.13.0", "terraform", "no OpenTofu"), ("1.11.4", "tofu", "assumed")],
)
async def test_a_version_that_one_engine_alone_has_names_it(tmp_path: Path, version: str, name: str, note: str) -> None:
    (tmp_path / ".terraform").mkdir()
    (tmp_path / ".terraform" / "terraform.tfstate").write_text(json.dumps({"version": 3, "terraform_version": version}))
    found = await engine(tmp_path)
    assert found.name == name
    assert note in found.note


async def test_the_only_engine_of_this_machine_is_taken_before_the_default(tmp_path: Path) -> None:
    only, both = WhichEngine(installed="terraform".__eq__), WhichEngine(installed=lambda name: True)
    services = [WorkspaceBackendService(Context(name="x"), read_workspace, {}, run_blocking, engines=one) for one in (only, both)]
    alone, default = [(await service.inspect(tmp_path)).engine for service in services]
    assert (alone.name, default.name) == ("terraform", "tofu")
    assert "this machine" in alone.note
