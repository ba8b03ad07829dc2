"""The override and the key against a real engine and a real store: what is written is what the engine uses."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

from kumoss_console.clients.s3 import S3Store
from kumoss_console.model.context import Context
from kumoss_console.services.backend.override import BackendService
from kumoss_console.services.keys.service import KeyService, ObjectFact
from kumoss_console.sidecar.engine import Engine
from tests.stack import RealStore

REPO = "https://git.acme.example/team/infra.git"


def run(engine: Engine, folder: Path, *argv: str) -> None:
    settings = folder.parent / "engine.rc"
    settings.touch()
    environ = os.environ | {"TF_CLI_CONFIG_FILE": str(settings), "CHECKPOINT_DISABLE": "1"}
    done = subprocess.run(
        [*engine.argv0, *argv, "-no-color", "-input=false"],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


async def look(context: Context, real: RealStore) -> tuple[ObjectFact, ...]:
    store = S3Store(real.settings, real.credentials)
    try:
        keys = KeyService(context, store)
        return await keys.check(keys.explain(REPO, "prod", "."))
    finally:
        await store.aclose()


def test_what_an_apply_under_the_override_leaves_is_found_under_the_derived_key(
    real_store: RealStore, engine: Engine, tmp_path: Path
) -> None:
    context = Context(name="local", storage=real_store.settings, credentials=real_store.credentials, backend_config="")
    folder = tmp_path / "workspace"
    folder.mkdir()
    # A backend of the repository's own: the override replaces it whole.
    (folder / "main.tf").write_text('terraform {\n  backend "local" {}\n}\nresource "terraform_data" "probe" {}\n')
    assert asyncio.run(look(context, real_store))[0].status == "absent"
    backend = BackendService(context)
    backend.write(backend.preview(REPO, "prod", "."), folder)
    run(engine, folder, "init")
    run(engine, folder, "apply", "-auto-approve")
    found, *twins = asyncio.run(look(context, real_store))
    assert (found.status, found.lock_status) == ("present", "unlocked")
    assert found.state is not None
    assert found.state.readable
    assert found.state.lineage
    assert found.state.counts is not None
    assert found.state.counts.resources_managed == 1
    assert {twin.status for twin in twins} == {"absent"}
