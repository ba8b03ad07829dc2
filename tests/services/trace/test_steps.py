"""What is printed to be typed by hand never writes over a state: commands only where they are known to be right."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from kumoss_console.errors import ConfigError, Unreachable
from kumoss_console.model.contract import CloudProvider, InitRequest
from kumoss_console.model.storage import StorageSettings
from kumoss_console.model.trace import Trace
from kumoss_console.model.trace.wording import short
from kumoss_console.services.trace.project import Asked
from tests.screens.objects import resource, state
from tests.services.trace.test_service import ASKED, KEY, REPO, STRANGE, Desk, codes, desk, key_of

__all__ = ["desk"]

OLD = key_of("eu")
LINEAGE = str(json.loads(state(1))["lineage"])


def commands(trace: Trace) -> list[str]:
    return [step.command for step in trace.steps]


def pushes(trace: Trace) -> bool:
    return any(" state pu" in command for command in commands(trace))


def bind(folder: Path, type_: str, **changed: object) -> None:
    """The pointer, as an earlier init left it."""
    pointer = folder / ".terraform" / "terraform.tfstate"
    then = pointer.stat().st_mtime
    document = json.loads(pointer.read_text())
    config = document["backend"]["config"] if type_ == "s3" else {}
    document["backend"] = {"type": type_, "config": {**config, **changed}}
    pointer.write_text(json.dumps(document))
    os.utime(pointer, (then, then))


async def test_another_key_of_the_same_bucket_is_carried_behind_a_check_of_lineage_and_serial(desk: Desk) -> None:
    desk.objects[OLD] = state(41)
    trace = await desk.trace(desk.workspace(bound=OLD), ASKED)
    assert [step.purpose for step in trace.steps] == [
        f"bind the old place once more (s3 kumoss-terraform-state at store.acme:9000 key {short(OLD)})",
        "pull from the old place into old-state.tfstate, which is never written over",
        f"check the file: must show lineage {LINEAGE} and serial 41; stop otherwise",
        f"bind the new place (s3 kumoss-terraform-state at store.acme:9000 key {short(KEY)})",
        "push to the new place, which must be empty",
        "plan, and expect no changes",
    ]
    check = trace.steps[2].command
    assert trace.steps[4].command.startswith(f"{check} && ")


@pytest.mark.parametrize(
    ("serial", "lineage", "passes"), [(41, LINEAGE, True), (0, "", False), (40, LINEAGE, False), (41, "another", False)]
)
async def test_the_check_fails_for_any_other_file(desk: Desk, serial: int, lineage: str, passes: bool) -> None:
    desk.objects[OLD] = state(41)
    trace = await desk.trace(desk.workspace(bound=OLD), ASKED)
    pulled = {"version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": lineage, "outputs": {}, "resources": []}
    (desk.folder / "old-state.tfstate").write_text(json.dumps(pulled, indent=2))
    done = subprocess.run(["/bin/sh", "-c", trace.steps[2].command], cwd=desk.folder, capture_output=True, timeout=10)  # noqa: ASYNC221
    assert (done.returncode == 0) is passes


async def test_a_local_state_is_pushed_as_the_very_file_and_no_key_is_made_of_its_path(desk: Desk) -> None:
    folder = desk.workspace()
    (folder / "old.tfstate").write_bytes(state(7, resources=[resource("a")]))
    bind(folder, "local", path="old.tfstate")
    trace = await desk.trace(folder)
    assert trace.cause == "override_changed"
    assert "the old state (serial 7, 1 resource) is still there" in trace.summary
    assert not any("backend-config" in command or "pull" in command for command in commands(trace))
    check, _, push, _ = trace.steps
    assert check.purpose == f"check the file: must show lineage {LINEAGE} and serial 7; stop otherwise"
    assert push.command == f"{check.command} && tofu -chdir={folder} state push - < {folder}/old.tfstate"


async def test_a_local_file_that_is_gone_or_no_state_is_never_pushed(desk: Desk) -> None:
    folder = desk.workspace()
    bind(folder, "local", path="old.tfstate")
    assert "there is nothing to carry over" in (await desk.trace(folder)).summary
    (folder / ".terraform" / "environment").write_text("blue")
    assert "nothing to carry over" not in (await desk.trace(folder)).summary
    (folder / ".terraform" / "environment").unlink()
    (folder / "old.tfstate").write_text("no state")
    trace = await desk.trace(folder)
    assert not trace.steps
    assert "was not read as a state with lineage and serial" in trace.summary


@pytest.mark.parametrize(
    ("type_", "changed", "said"),
    [
        ("s3", {"endpoints": {"s3": "https://other:9000"}, "key": OLD}, "another endpoint or account than"),
        ("s3", {"region": "eu-west-1", "key": OLD}, "another region than"),
        ("s3", {"bucket": "team", "key": OLD}, "another bucket than"),
        ("azurerm", {"storage_account_name": "acme", "container_name": "c", "key": OLD}, "another type of backend than"),
        ("gcs", {"bucket": "kumoss-terraform-state", "prefix": "x"}, "another type of backend than"),
        ("consul", {"path": "x"}, "another type of backend than"),
    ],
)
async def test_a_place_that_differs_in_more_than_the_key_gets_a_sentence_and_no_command(
    desk: Desk, type_: str, changed: dict[str, object], said: str
) -> None:
    desk.objects[OLD] = state(41)
    folder = desk.workspace()
    bind(folder, type_, **changed)
    trace = await desk.trace(folder, ASKED)
    assert trace.verdict == "disagree"
    assert not trace.steps
    assert said in trace.summary
    assert "with both backends configured" in trace.summary


async def test_an_occupied_place_is_compared_and_never_pushed_over(desk: Desk) -> None:
    desk.objects.update({KEY: state(43), OLD: state(41)})
    trace = await desk.trace(desk.workspace(bound=OLD), ASKED)
    assert commands(trace) == [f"kumoss-console state show {key} --context prod" for key in (OLD, KEY)]
    assert "the one at the new place is newer (43 over 41)" in trace.summary


async def test_a_new_place_that_could_not_be_looked_at_is_not_pushed_to(desk: Desk) -> None:
    desk.objects[OLD] = state(41)
    assert desk.store is not None
    desk.store.errors["head"] = Unreachable("it is down")
    trace = await desk.trace(desk.workspace(bound=OLD), ASKED)
    assert trace.verdict == "disagree"
    assert not pushes(trace)
    assert "What is at the new place is not known" in trace.summary


async def test_nothing_is_pushed_where_the_files_do_not_name_the_new_place_or_a_file_is_laid_over_them(desk: Desk) -> None:
    desk.objects[OLD] = state(41)
    folder = desk.workspace(bound=OLD, written="")
    stale = await desk.trace(folder, ASKED)
    assert stale.verdict == "disagree"
    assert not pushes(stale)
    assert "do not name the new place yet" in stale.summary
    (folder / ".terraform" / "environment").write_text("blue")
    desk.objects[f"env:/blue/{OLD}"] = state(41)
    selected = await desk.trace(desk.workspace(bound=OLD, name="other"), ASKED)
    assert pushes(selected)
    (desk.folder / "other" / ".terraform" / "environment").write_text("blue")
    selected = await desk.trace(desk.folder / "other", ASKED)
    assert not pushes(selected)
    assert "workspace blue is selected" in selected.summary


async def test_a_file_that_was_not_read_leaves_it_unknown_who_keeps_the_state(desk: Desk) -> None:
    desk.context = replace(desk.context, storage=StorageSettings(terraform_state_bucket=""), projects=())
    desk.store = None
    folder = desk.folder / "ws"
    folder.mkdir()
    (folder / "main.tf").write_text('resource "terraform_data" "one" {}\n')
    nobody = await desk.trace(folder)
    assert nobody.cause == "nobody_keeps_it"
    (folder / "loop.tf").symlink_to("loop.tf")
    refused = await desk.trace(folder)
    (folder / "loop.tf").unlink()
    (folder / "large.tf").write_text("# backend\n" * 2_000_000)
    large = await desk.trace(folder)
    for trace in (refused, large):
        assert trace.verdict == "unknown"
        assert "Nobody keeps" not in trace.summary
        assert not trace.evidence.ownership.certain


async def test_another_endpoint_is_named_after_the_key(desk: Desk) -> None:
    folder = desk.workspace()
    bind(folder, "s3", endpoints={"s3": "https://other:9000"}, key=STRANGE)
    trace = await desk.trace(folder)
    assert f"(to key {KEY[:4]}…{KEY[60:]} at store.acme:9000)" in trace.summary


async def test_the_words_of_the_last_init_name_the_engine_and_else_it_is_said_to_be_assumed(desk: Desk) -> None:
    desk.objects[OLD] = state(41)
    folder = desk.workspace(bound=OLD)
    assumed = await desk.trace(folder, ASKED)
    request = InitRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS)
    job = await desk.services.jobs.submit(request)
    desk.sidecar.answer(UUID(job.job_id), 0, stdout="Terraform has been successfully initialized!\n")
    await desk.services.jobs.poll(str(job.job_id))
    told = await desk.trace(folder, ASKED)

    assert "trace.engine_assumed" in codes(assumed)
    assert "trace.engine_assumed" not in codes(told)
    assert told.evidence.engine_label == "Terraform 1.11.4"
    assert commands(told)[0].startswith("terraform -chdir=")


async def test_a_file_that_is_there_already_is_never_pulled_over(desk: Desk) -> None:
    desk.objects[OLD] = state(41)
    trace = await desk.trace(desk.workspace(bound=OLD), ASKED)
    kept, tools = desk.folder / "old-state.tfstate", desk.folder / "bin"
    tools.mkdir()
    (tools / "tofu").write_text("#!/bin/sh\necho new\n")
    (tools / "tofu").chmod(0o700)
    kept.write_text("the only copy")
    environ = {"PATH": f"{tools}:{os.environ['PATH']}"}
    words = ["/bin/sh", "-c", trace.steps[1].command]
    done = subprocess.run(words, cwd=desk.folder, env=environ, capture_output=True, timeout=10)  # noqa: ASYNC221
    assert done.returncode != 0
    assert kept.read_text() == "the only copy"


async def test_what_is_pulled_is_readable_by_its_owner_alone(desk: Desk) -> None:
    desk.objects[OLD] = state(41)
    trace = await desk.trace(desk.workspace(bound=OLD), ASKED)
    tools = desk.folder / "bin"
    tools.mkdir()
    (tools / "tofu").write_text("#!/bin/sh\necho new\n")
    (tools / "tofu").chmod(0o700)
    words = ["/bin/sh", "-c", f"umask 022; {trace.steps[1].command}"]
    environ = {"PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(words, cwd=desk.folder, env=environ, capture_output=True, timeout=10)  # noqa: ASYNC221
    kept = desk.folder / "old-state.tfstate"
    assert (done.returncode, kept.read_text()) == (0, "new\n")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


async def test_a_project_that_is_only_spelled_otherwise_is_to_be_spelled_as_before(desk: Desk) -> None:
    desk.objects[key_of("envs/eu")] = state(41)
    asked = Asked(repo=ASKED.repo, scope=ASKED.scope, path="Envs/EU")
    trace = await desk.trace(desk.unbound(written=key_of("Envs/EU")), asked)
    assert trace.cause == "left_behind", trace.summary
    assert (
        "Spell the project as before (github.com/acme/infra · prod · envs/eu); only where the new spelling is meant:"
        in trace.summary
    )
    assert trace.steps == ()


async def test_a_store_that_takes_the_connection_and_is_silent_is_told_apart_from_one_that_nobody_answers_for(desk: Desk) -> None:
    assert desk.store is not None
    desk.store.errors["head"] = Unreachable("the store cannot be reached", detail="connected, and no answer came in time")
    trace = await desk.trace(desk.workspace(), ASKED)
    assert trace.layers[2].detail == "the store cannot be reached (connected, and no answer came in time)"
    assert trace.summary.endswith(
        "but what is stored there could not be looked at: the store cannot be reached (connected, and no answer came in time)."
    )
    remark = next(finding for finding in trace.findings if finding.code == "backend.endpoint_unreachable")
    assert remark.message.startswith("does not answer this console (connected, and no answer came in time); whether the sidecar")


async def test_a_trace_goes_on_where_what_reads_the_store_is_not_installed(desk: Desk) -> None:
    assert desk.store is not None
    for asked in ("head", "versions"):
        desk.store.errors[asked] = ConfigError("installed without what it needs to read it", code="store.extra_missing")
    trace = await desk.trace(desk.workspace(), ASKED)
    assert trace.layers[2].detail == "installed without what it needs to read it"
    assert trace.unanswered


async def test_one_folder_is_read_for_one_engine_whoever_asks(desk: Desk) -> None:
    folder, services = desk.workspace(), desk.services
    request = InitRequest(workspace_path=str(folder), scope_id="prod", terraform_provider=CloudProvider.AWS)
    job = await services.jobs.submit(request)
    desk.sidecar.answer(UUID(job.job_id), 0, stdout="Terraform has been successfully initialized!\n")
    await services.jobs.poll(str(job.job_id))

    traced = (await desk.trace(folder)).evidence
    read = (await services.workspaces.inspect(folder)).engine
    proved = (await services.override_proof.prove(services.backend.preview(REPO, "prod", "envs/eu"), folder)).engine

    assert traced.engine_label == read.label == proved.label == "Terraform 1.11.4"
    assert traced.engine_note == read.note == proved.note
    assert read.note.endswith("says so, in the version that bound it")
