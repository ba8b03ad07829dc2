"""Nothing is stored where all agree: right before the first apply, and a lost state wherever an apply is proven."""

from __future__ import annotations

import json
import os
import zipfile
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.model.contract import ApplyRequest, CloudProvider
from tests.screens.objects import resource, state
from tests.services.trace.test_keys import version
from tests.services.trace.test_service import KEY, Desk, codes, desk

__all__ = ["desk"]

APPLIED = "Apply complete! Resources: {} added, 0 changed, 0 destroyed.\n"


def lock(desk: Desk, *, hours: float) -> bytes:
    created = (desk.clock() - timedelta(hours=hours)).isoformat()
    document = {"ID": "3f2504e0", "Operation": "OperationTypeApply", "Who": "ci", "Version": "1.11.4", "Created": created}
    return json.dumps(document).encode()


async def applied(desk: Desk, folder: Path, *, exit_code: int = 0, added: int = 3) -> None:
    request = ApplyRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS, plan_file="tfplan")
    job = await desk.services.jobs.submit(request)
    desk.sidecar.answer(UUID(job.job_id), exit_code, stdout=APPLIED.format(added))
    await desk.services.jobs.poll(str(job.job_id))


async def test_without_any_sign_of_an_apply_it_is_said_that_this_is_not_known(desk: Desk) -> None:
    trace = await desk.trace(desk.workspace())
    assert (trace.verdict, trace.cause) == ("agree", "")
    assert "right before the first apply only, and whether one ran is not known." in trace.summary


async def test_an_apply_in_the_journal_makes_it_a_lost_state(desk: Desk) -> None:
    folder = desk.workspace()
    await applied(desk, folder)
    trace = await desk.trace(folder)
    assert (trace.verdict, trace.cause) == ("disagree", "state_lost"), trace.summary
    assert "nothing is stored there, though an apply of this workspace succeeded (job " in trace.summary
    assert "trace.state_lost" in codes(trace)
    desk.objects[KEY] = state(41)
    assert (await desk.trace(folder)).verdict == "agree"


@pytest.mark.parametrize(("exit_code", "added"), [(1, 3), (0, 0)])
async def test_an_apply_that_failed_or_changed_nothing_proves_no_state(desk: Desk, exit_code: int, added: int) -> None:
    folder = desk.workspace()
    await applied(desk, folder, exit_code=exit_code, added=added)
    assert (await desk.trace(folder)).cause == ""


async def test_an_apply_of_before_the_last_init_is_told_and_proves_nothing_of_this_key(desk: Desk) -> None:
    folder = desk.workspace(hours=-1)
    (folder / "backend_override.tf").touch()
    await applied(desk, folder)
    trace = await desk.trace(folder)
    assert trace.cause == ""
    assert "before the last init, which may have bound another place then" in trace.summary


async def test_a_state_that_the_engine_could_not_write_is_pointed_at(desk: Desk) -> None:
    folder = desk.workspace()
    (folder / "errored.tfstate").write_bytes(state(7, resources=[resource("a")]))
    trace = await desk.trace(folder)
    assert trace.cause == "state_lost"
    assert "left it in errored.tfstate: serial 7" in trace.summary


async def test_a_lock_of_an_apply_that_lingers_without_a_state_is_a_proof_and_a_fresh_one_is_not(desk: Desk) -> None:
    folder = desk.workspace()
    desk.objects[f"{KEY}.tflock"] = lock(desk, hours=5)
    assert (await desk.trace(folder)).cause == "state_lost"
    desk.objects[f"{KEY}.tflock"] = lock(desk, hours=0)
    fresh = await desk.trace(folder)
    assert fresh.cause == ""
    assert f"the state at key {KEY[:4]}" in next(one.message for one in fresh.findings if one.code == "trace.locked")


async def test_versions_without_a_marker_prove_that_a_state_was_there(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.history[KEY] = [(version(KEY, 1, days=2), b"")]
    assert (await desk.trace(desk.workspace())).cause == "state_deleted"


def plan(path: Path, document: bytes) -> None:
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("tfplan", b"x")
        made.writestr("tfstate", document)


async def test_a_plan_that_was_made_on_a_state_proves_one_and_a_first_plan_or_a_broken_one_does_not(desk: Desk) -> None:
    folder = desk.workspace()
    now = desk.clock().timestamp()
    plan(folder / "tfplan", state(0))
    (folder / "broken").write_bytes(b"PK\x03\x04 and no more")
    first = await desk.trace(folder)
    plan(folder / "tfplan", state(41))
    os.utime(folder / "tfplan", (now, now))
    later = await desk.trace(folder)

    assert first.cause == ""
    assert later.cause == "state_lost", later.summary
    assert "the plan tfplan was made on a state with serial 41" in later.summary
