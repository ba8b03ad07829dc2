"""The whole day's work by command line: a real store, the bundled service as a process, a real engine."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kumoss_console.cli.world import World
from kumoss_console.local.sidecar import SidecarEndpoint
from tests.cli.harness import Run, run_in
from tests.stack import RealStore

REPO = "https://git.acme.example/team/infra.git"
SCOPE = "11111111-2222-3333-4444-555555555555"
PROJECT = ("--repo", REPO, "--scope", SCOPE)

Command = Callable[..., Run]


@pytest.fixture
def command(real_store: RealStore, real_sidecar: SidecarEndpoint, isolated: Path) -> Command:
    """Runs the command line on a configuration file that names the real parts; no adapter is given, all are its own."""
    settings, keys = real_store.settings, real_store.credentials
    assert keys.access_key is not None
    assert keys.secret_key is not None
    document = {
        "console": {
            "contexts": [
                {
                    "name": "real",
                    "storage": {
                        "provider": "RUSTFS",
                        "terraform_state_bucket": real_store.bucket,
                        "endpoint_url": settings.endpoint_url,
                        "region": settings.region,
                    },
                    "services": {"iac": {"endpoint": real_sidecar.url}},
                    "sidecar": {"backend_config": ""},
                    "projects": [{"repo": REPO, "scope": SCOPE, "path": "", "provider": "aws", "name": "team/infra"}],
                }
            ]
        }
    }
    (isolated / "kumoss-console.yaml").write_text(json.dumps(document))
    environ = os.environ | {
        "RUSTFS_ACCESS_KEY": keys.access_key.reveal(),
        "RUSTFS_SECRET_KEY": keys.secret_key.reveal(),
        "KUMOSS_IAC_TOKEN": real_sidecar.token.reveal(),
    }

    def run(*argv: str) -> Run:
        world = World(stdin=io.BytesIO(), stdout=io.BytesIO(), stderr=io.BytesIO(), environ=environ, cwd=isolated)
        return run_in(world, *argv)

    return run


def test_override_init_plan_apply_and_the_state_is_found_where_the_key_says(command: Command, tmp_path: Path) -> None:
    workspace = tmp_path / "infra_a1b2"
    workspace.mkdir()
    (workspace / "main.tf").write_text('resource "terraform_data" "it" {\n  input = "x"\n}\n')
    job = ("--workspace", str(workspace), "--wait", "--json")
    scoped = (*job, "--scope", SCOPE, "--provider", "aws")

    assert command("doctor").code == 0
    assert command("override", *PROJECT, "--write", str(workspace), "--confirm", workspace.name).code == 0
    for run in (
        command("jobs", "submit", "init", *scoped),
        command("jobs", "submit", "validate", *job),
        command("jobs", "submit", "plan", *scoped, "--plan-file", "session.plan"),
        command("jobs", "submit", "show", *job, "--plan-file", "session.plan"),
        command(
            "jobs", "submit", "apply", *scoped, "--plan-file", "session.plan", "--confirm", f"{tmp_path.name}/{workspace.name}"
        ),
    ):
        assert run.code == 0, run.out

    checked = command("key", *PROJECT, "--check", "--json").data
    assert checked["object"]["status"] == "present"
    assert checked["object"]["serial"] >= 1
    state = command("state", "show", checked["project_id"], "--json").data
    assert state["lineage"] == checked["object"]["lineage"]
    assert state["counts"]["resources_managed"] == 1
    listed = command("state", "list", "--json").data
    assert [(row["key"], row["owner"]["name"]) for row in listed] == [(checked["key"], "team/infra")]
    ids = command("jobs", "submit", "state_resource_ids", *job).data
    assert json.loads(ids["stdout"]) == state["ids"]
    assert [row["kind"] for row in command("jobs", "list", "--json").data][-1] == "init"
    assert command("overview").code == 0


def test_a_workspace_that_does_not_exist_and_a_command_that_fails_are_told_apart(command: Command, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "main.tf").write_text("this is not HCL {")

    absent = command("jobs", "submit", "validate", "--workspace", str(tmp_path / "absent"), "--wait", "--json")
    failed = command("jobs", "submit", "validate", "--workspace", str(broken), "--wait", "--json")

    assert absent.code == 3
    assert absent.error["hint"]
    assert (failed.code, failed.data["service"], failed.data["verdict"]) == (1, "answered", "bad")
    assert "Error" in failed.data["stdout"] + failed.data["stderr"]
