"""The workspaces below a root: found by the core's rule on real folders, with bounds, and quickly."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.errors import InputError, Refused
from kumoss_console.model.context import Context, KnownProject
from kumoss_console.model.override import render
from kumoss_console.model.project import derive
from kumoss_console.model.storage import StorageCredentials, StorageSettings
from kumoss_console.services.keys.owners import owners_of
from kumoss_console.services.workspaces.service import WorkspaceListService, WorkspaceRow, WorkspaceSnapshot
from kumoss_console.workspaces import workspace_folders, workspaces_in
from tests.fakes.clock import FakeClock

NET = KnownProject(repo="https://github.com/acme/net", scope="prod", path="envs/eu", name="net eu")
KEY = derive(NET.repo, NET.scope, NET.path).object_key()
MANAGED = StorageSettings(endpoint_url="https://store.acme:9000")


def service(root: Path | None, *, storage: StorageSettings = MANAGED, sidecar: str | None = "") -> WorkspaceListService:
    context = Context(
        name="prod", storage=storage, backend_config=sidecar, projects=(NET,), workspaces_root=str(root) if root else None
    )
    return WorkspaceListService(
        context, workspace_folders, workspaces_in, lambda: owners_of(context.projects).by_id, FakeClock(), run_blocking
    )


def module(folder: Path, files: Mapping[str, str] | None = None, *, bound: str = "", written: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (files if files is not None else {"main.tf": ""}).items():
        (folder / name).write_text(text)
    if written:
        text = render(MANAGED, StorageCredentials(), written).content.reveal()
        (folder / "backend_override.tf").write_text(text)
    if bound:
        config = {"bucket": "kumoss-terraform-state", "key": bound, "endpoints": {"s3": "https://store.acme:9000"}}
        (folder / ".terraform").mkdir()
        pointer = {"version": 3, "terraform_version": "1.11.4", "backend": {"type": "s3", "config": config}}
        (folder / ".terraform" / "terraform.tfstate").write_text(json.dumps(pointer))
    return folder


async def rows(root: Path, **options: object) -> dict[str, WorkspaceRow]:
    found = await service(root, **options).snapshot()  # type: ignore[arg-type]  # each test names options of service()
    return {row.name: row for row in found.rows}


async def test_root_modules_are_found_where_the_core_would_offer_them(tmp_path: Path) -> None:
    module(tmp_path / "net_a1b2" / "envs" / "eu", bound=KEY, written=KEY)
    module(tmp_path / "net_a1b2" / "envs" / "us")
    module(tmp_path / "net_a1b2" / "modules" / "peering")
    module(tmp_path / "dns_c3d4")
    module(tmp_path / "notes", {"README.md": ""})
    (tmp_path / "a-file.tf").write_text("")
    assert sorted(await rows(tmp_path)) == ["dns_c3d4", "net_a1b2/envs/eu", "net_a1b2/envs/us"]


async def test_each_tells_its_model_its_owner_what_is_bound_and_since_when(tmp_path: Path) -> None:
    eu = module(tmp_path / "net" / "envs" / "eu", bound=KEY, written=KEY)
    os.utime(eu / ".terraform" / "terraform.tfstate", (1_700_000_000, 1_700_000_000))
    row = (await rows(tmp_path))["net/envs/eu"]
    assert (row.model, row.status, row.owner, row.differs) == ("managed", "bound", NET, ())
    assert row.bound is not None
    assert (row.bound.bucket, row.bound.key, row.bound.store) == ("kumoss-terraform-state", KEY, "store.acme:9000")
    assert row.at is not None
    assert row.at.timestamp() == 1_700_000_000
    assert row.written == row.bound


async def test_an_override_that_names_another_key_than_is_bound_is_said(tmp_path: Path) -> None:
    module(tmp_path / "net", bound=KEY, written=f"{'ab' * 32}/terraform.tfstate")
    assert (await rows(tmp_path))["net"].differs == ("key",)


@pytest.mark.parametrize(
    ("storage", "sidecar", "text", "model"),
    [
        (MANAGED, "", "", "managed"),
        (MANAGED, "/etc/kumoss/backend.hcl", "", "mixed"),
        (StorageSettings(terraform_state_bucket=""), "f.hcl", "", "sidecar"),
        (StorageSettings(terraform_state_bucket=""), "", 'terraform {\n  backend "s3" {}\n}\n', "repository"),
        (StorageSettings(terraform_state_bucket=""), "", "", "local"),
    ],
)
async def test_the_model_is_that_of_configuration_and_workspace_together(
    tmp_path: Path, storage: StorageSettings, sidecar: str, text: str, model: str
) -> None:
    module(tmp_path / "net", {"main.tf": text})
    assert (await rows(tmp_path, storage=storage, sidecar=sidecar))["net"].model == model


async def test_a_folder_in_which_something_is_bound_counts_without_any_marker(tmp_path: Path) -> None:
    module(tmp_path / "odd" / "deep", {"x.tofu": ""}, bound=KEY)
    assert list(await rows(tmp_path)) == ["odd/deep"]


async def test_links_loops_fifos_and_depth_end_the_look_and_not_the_console(tmp_path: Path) -> None:
    root = tmp_path / "root"
    ws = module(root / "ws")
    (ws / "loop").symlink_to(ws)
    (root / "link").symlink_to(tmp_path)
    os.mkfifo(ws / "backend_override.tf")
    os.mkfifo(ws / "x.tf")
    deep = ws
    for _ in range(30):
        deep = deep / "d"
    module(deep)
    (ws / ".terraform").mkdir()
    (ws / ".terraform" / "terraform.tfstate").write_bytes(b"\x00not json")
    began = time.monotonic()
    found = await rows(root)
    assert time.monotonic() - began < 2
    assert list(found) == ["ws"]
    assert found["ws"].status == "unreadable"


async def test_a_root_that_is_unknown_or_not_there_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="does not say where its workspaces are"):
        await service(None).snapshot()
    with pytest.raises(InputError, match="is not a folder"):
        await service(tmp_path / "nowhere").snapshot()


async def test_an_empty_root_is_an_empty_answer(tmp_path: Path) -> None:
    assert (await service(tmp_path).snapshot()).rows == ()


async def test_a_thousand_workspaces_come_in_small_steps_and_soon(tmp_path: Path) -> None:
    for number in range(1000):
        module(tmp_path / f"ws_{number:04}" / "envs", {"main.tf": "", "variables.tf": ""}, bound=KEY, written=KEY)
    began = time.monotonic()
    first: float | None = None
    last: WorkspaceSnapshot | None = None
    async for snapshot in service(tmp_path).stream():
        first = first if first is not None else time.monotonic() - began
        last = snapshot
    taken = time.monotonic() - began
    assert last is not None
    assert (len(last.rows), last.complete) == (1000, True)
    assert first is not None
    print(f"1,000 workspaces in {taken:.2f} s, the first rows after {first:.3f} s")  # noqa: T201 - pytest -s shows the figure
    assert first < 0.5
    assert taken < 5
