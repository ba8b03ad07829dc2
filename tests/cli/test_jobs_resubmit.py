"""``jobs resubmit``: the same request once more, shown, and confirmed where that matters."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from kumoss_console.model.contract import JobKind
from kumoss_console.ports.sidecar import SubmissionUnclear
from tests.cli.conftest import SCOPE
from tests.cli.harness import Console
from tests.fakes.sidecar import FakeSidecar

WORKSPACE = "/workspaces/my-iac_a1b2"
SCOPED = ("--workspace", WORKSPACE, "--scope", SCOPE, "--provider", "azure")
VALIDATE = ("jobs", "submit", "validate", "--workspace", WORKSPACE)
APPLY = ("jobs", "submit", "apply", *SCOPED, "--plan-file", "session.plan", "--confirm", "workspaces/my-iac_a1b2")
PLAN = ("jobs", "submit", "plan", *SCOPED, "--plan-file", "p", "--target", "a.b", "--target", "c.d")


def submitted(console: Console, argv: tuple[str, ...]) -> str:
    job_id: str = console.run(*argv, "--json").data["job_id"]
    return job_id


def lost(console: Console, sidecar: FakeSidecar, argv: tuple[str, ...]) -> str:
    job_id = submitted(console, argv)
    sidecar.forget()
    assert console.run("jobs", "show", job_id).code == 3
    return job_id


def test_the_same_request_is_shown_and_sent_as_a_new_job(console: Console, sidecar: FakeSidecar) -> None:
    job_id = lost(console, sidecar, PLAN)

    run = console.run("jobs", "resubmit", job_id[:8])

    assert run.code == 0
    assert f"once more: plan workspace_path={WORKSPACE} scope_id={SCOPE}" in run.err
    assert "targets=a.b, c.d" in run.err
    assert "What became of it is not known" in run.err
    first, second = sidecar.requests
    assert first == second
    assert job_id not in run.out


def test_an_apply_wants_its_name_again(console: Console, sidecar: FakeSidecar) -> None:
    job_id = lost(console, sidecar, APPLY)
    assert console.run("jobs", "resubmit", job_id).code == 5
    assert console.run("jobs", "resubmit", job_id, "--confirm", "yes").code == 5
    assert len(sidecar.requests) == 1
    assert console.run("jobs", "resubmit", job_id, "--confirm", "workspaces/my-iac_a1b2").code == 0
    assert len(sidecar.requests) == 2


def test_a_job_that_was_never_answered_may_be_running_and_wants_its_name(console: Console, sidecar: FakeSidecar) -> None:
    sidecar.errors["submit"] = SubmissionUnclear("sent, no answer")
    console.run(*VALIDATE)
    del sidecar.errors["submit"]

    refused = console.run("jobs", "resubmit", "#1")
    assert refused.code == 5
    assert "it may be running now" in refused.err
    assert sidecar.requests == []

    console.typed = "workspaces/my-iac_a1b2"
    assert console.run("jobs", "resubmit", "#1").code == 0
    assert len(sidecar.requests) == 1


def test_a_job_that_has_not_ended_wants_its_name(console: Console, sidecar: FakeSidecar) -> None:
    job_id = submitted(console, VALIDATE)
    assert console.run("jobs", "resubmit", job_id).code == 5
    sidecar.answer(UUID(job_id), 1)
    console.run("jobs", "list")
    assert console.run("jobs", "resubmit", job_id).code == 0


@pytest.mark.parametrize("argv", [APPLY, PLAN], ids=["apply", "plan"])
def test_read_only_sends_nothing_again(console: Console, sidecar: FakeSidecar, argv: tuple[str, ...]) -> None:
    job_id = lost(console, sidecar, argv)
    assert console.run("jobs", "resubmit", job_id, "--confirm", "workspaces/my-iac_a1b2", "--read-only").code == 5
    assert len(sidecar.requests) == 1


def test_a_job_of_which_only_the_id_is_known_cannot_be_sent_again(console: Console, sidecar: FakeSidecar) -> None:

    job_id = str(sidecar.add(JobKind.PLAN).job_id)
    run = console.run("jobs", "resubmit", job_id, "--json")
    assert (run.code, run.error["code"]) == (2, "job.request_unknown")


def test_a_request_with_a_masked_part_cannot_be_sent_again(console: Console, sidecar: FakeSidecar) -> None:
    import_ = ("jobs", "submit", "import", *SCOPED, "--address", "a.b", "--resource-id", "https://u:pass-word@h/x")
    job_id = submitted(console, (*import_, "--confirm", "workspaces/my-iac_a1b2"))
    line = json.loads(console.run("jobs", "export", job_id).stdout) | {"job_id": None}
    console.run("jobs", "import", "-", stdin=json.dumps(line | {"service": "unknown"}).encode())
    run = console.run("jobs", "resubmit", "#2", "--confirm", "workspaces/my-iac_a1b2", "--json")
    assert (run.code, run.error["code"]) == (2, "job.request_masked")
