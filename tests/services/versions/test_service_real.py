"""A history on a running store: a real engine writes it, the plan goes back, and the engine takes what was planned."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kumoss_console.clients.blocking import run_blocking
from kumoss_console.clients.lock_objects import LockObjects
from kumoss_console.clients.s3 import S3Store
from kumoss_console.journal import Journal
from kumoss_console.local.sidecar import engine_environ
from kumoss_console.model.context import Context
from kumoss_console.model.override import render
from kumoss_console.services.versions.restore.commands import restore_commands
from kumoss_console.services.versions.service import VersionService
from kumoss_console.services.workspaces.places import Binding
from kumoss_console.sidecar.engine import Engine
from tests.fakes.clock import FakeClock
from tests.stack import RealStore

KEY = f"{'a' * 64}/terraform.tfstate"


@pytest.fixture
async def versions(real_store: RealStore, tmp_path: Path) -> AsyncIterator[VersionService]:
    real_store.client.put_bucket_versioning(Bucket=real_store.bucket, VersioningConfiguration={"Status": "Enabled"})
    store = S3Store(real_store.settings, real_store.credentials)
    journal = Journal.open(tmp_path / "jobs.sqlite3")
    context = Context(name="real", storage=real_store.settings)

    async def bindings() -> tuple[Binding, ...]:
        return ()

    async def places() -> dict[str, frozenset[str]]:
        return {}

    yield VersionService(
        context,
        store,
        lambda: journal,
        FakeClock(),
        places=places,
        bindings=bindings,
        keepers=(LockObjects(store),),
        off_loop=run_blocking,
    )
    for version in await store.versions(KEY):
        await store.delete(KEY, version=version.version_id)
    await store.aclose()
    journal.close()


async def test_an_engine_takes_what_a_restore_plan_gives_it_and_finds_the_old_objects_again(
    versions: VersionService, real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    override = render(real_store.settings, real_store.credentials, KEY)
    (workspace / override.filename).write_text(override.content.reveal())

    def run(*arguments: str, given: str = "") -> str:
        done = subprocess.run(
            [*engine.argv0, f"-chdir={workspace}", *arguments],
            cwd=tmp_path,
            env=engine_environ(os.environ, tmp_path),
            input=given,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def apply(*names: str) -> None:
        (workspace / "main.tf").write_text("\n".join(f'resource "terraform_data" "{name}" {{}}' for name in names))
        run("apply", "-no-color", "-input=false", "-auto-approve")

    (workspace / "main.tf").write_text("")
    await run_blocking(run, "init", "-no-color", "-input=false")
    await run_blocking(apply, "first", "second")
    await run_blocking(apply, "first", "third")

    history = await versions.timeline(KEY)
    found = await versions.diff(KEY)
    restore = await versions.restore_plan(KEY, "previous")
    # As the commands of the plan have it: from another folder, and from stdin.
    assert f" state push - < {restore.files.prepared}" in restore_commands(restore)[1].text
    await run_blocking(run, "state", "push", "-", given=restore.plan.content.reveal())

    serials = [row.serial for row in history.rows]
    assert serials == sorted(serials, key=lambda serial: serial or 0, reverse=True)
    assert history.findings == ()
    assert {change.address for change in found.changes} == {"terraform_data.second", "terraform_data.third"}
    assert [one.before_address for one in restore.plan.unmanaged] == ["terraform_data.third"]
    assert restore.locked is False
    after = await versions.timeline(KEY)
    # Terraform counts once more while it writes what was pushed.
    assert after.rows[0].serial in (restore.plan.serial, restore.plan.serial + 1)
    assert after.findings == ()
    assert "terraform_data.second" in await run_blocking(run, "state", "list")
