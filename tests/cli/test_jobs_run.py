"""``jobs run``: the chain from the command line, with the question before the apply."""

from __future__ import annotations

import json

import pytest

from kumoss_console.model.contract import Accepted, JobKind, SubmitRequest
from tests.cli.conftest import SCOPE
from tests.cli.harness import Console, Run
from tests.fakes.clock import FakeClock
from tests.fakes.sidecar import FakeSidecar

RUN = ("jobs", "run", "/workspaces/net", "--scope", SCOPE, "--provider", "azure", "--no-override")


def plan(*actions: str) -> str:
    changes = [
        {
            "address": f"a.r{number}",
            "mode": "managed",
            "type": "a",
            "name": f"r{number}",
            "provider_name": "p",
            "change": {"actions": [action], "before": None, "after": None},
        }
        for number, action in enumerate(actions)
    ]
    return json.dumps({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes})


class ChainSidecar(FakeSidecar):
    """Every job ends at once."""

    shown = plan("create")
    failing: JobKind | None = None

    async def submit(self, request: SubmitRequest) -> Accepted:
        accepted = await super().submit(request)
        failed = request.kind is self.failing
        self.answer(
            accepted.job_id, int(failed), self.shown if request.kind is JobKind.SHOW else "", "Error: no" if failed else ""
        )
        return accepted

    @property
    def sent(self) -> list[str]:
        return [request.kind.value for request in self.requests]


@pytest.fixture
def sidecar(clock: FakeClock) -> ChainSidecar:
    return ChainSidecar(clock)


def test_a_chain_with_its_confirmation_goes_through(console: Console, sidecar: ChainSidecar) -> None:
    run = console.run(*RUN, "--confirm", "workspaces/net", "--json")
    assert run.code == 0
    assert sidecar.sent == ["init", "validate", "plan", "show", "show", "apply"]
    assert (run.data["verdict"], run.data["review"]["add"]) == ("good", 1)
    assert [step["status"] for step in run.data["steps"]] == ["done"] * 6


def test_until_ends_it_and_says_what_would_be_done(console: Console, sidecar: ChainSidecar) -> None:
    sidecar.shown = plan("delete", "create")
    run = console.run(*RUN, "--until", "show")
    assert run.code == 0
    assert "Plan: 1 to add, 0 to change, 1 to destroy." in run.out
    assert sidecar.sent[-1] == "show"


def test_where_something_is_destroyed_the_name_is_asked_for_and_the_loss_is_named(
    console: Console, sidecar: ChainSidecar
) -> None:
    sidecar.shown = plan("delete", "create")
    console.typed = "y"
    refused = console.run(*RUN)
    assert refused.code == 5
    assert "destroys a.r0" in refused.err
    assert "Type workspaces/net to go on: " in refused.err
    assert "apply" not in sidecar.sent

    console.typed = "workspaces/net"
    assert console.run(*RUN).code == 0
    assert sidecar.sent[-1] == "apply"


def test_where_nothing_is_destroyed_a_yes_will_do(console: Console, sidecar: ChainSidecar) -> None:
    console.typed = "no"
    assert console.run(*RUN).code == 5
    console.typed = "y"
    run = console.run(*RUN)
    assert run.code == 0
    assert "Go on? [y/N] " in run.err


def test_where_nobody_can_be_asked_nothing_is_applied_and_the_way_on_is_told(console: Console, sidecar: ChainSidecar) -> None:
    run: Run = console.run(*RUN)
    assert run.code == 5
    assert "apply" not in sidecar.sent
    plan_file = getattr(sidecar.requests[2], "plan_file", "")
    assert f"--from apply --plan-file {plan_file}" in run.err
    assert console.run(*RUN, "--from", "apply", "--plan-file", plan_file, "--confirm", "workspaces/net").code == 0
    assert sidecar.sent[-3:] == ["show", "show", "apply"]


def test_a_failing_step_ends_with_1_and_the_engines_words(console: Console, sidecar: ChainSidecar) -> None:
    sidecar.failing = JobKind.PLAN
    run = console.run(*RUN, "--confirm", "workspaces/net")
    assert run.code == 1
    assert "Error: no" in run.out
    assert "stopped at plan" in run.err
    assert "--from plan" in run.err


def test_a_plan_of_another_digest_is_refused(console: Console, sidecar: ChainSidecar) -> None:
    digest = console.run(*RUN, "--until", "show", "--plan-file", "p", "--json").data["review"]["digest"]
    again = (*RUN, "--from", "apply", "--plan-file", "p", "--confirm", "workspaces/net", "--reviewed", digest)
    assert console.run(*again).code == 0
    sidecar.shown = plan("delete")
    assert console.run(*again).code == 5


def test_read_only_runs_no_chain_that_writes(console: Console, sidecar: ChainSidecar) -> None:
    assert console.run(*RUN, "--read-only", "--confirm", "workspaces/net").code == 5
    assert sidecar.sent == []


def test_a_workspace_that_the_contract_refuses_ends_with_2(console: Console, sidecar: ChainSidecar) -> None:
    assert console.run("jobs", "run", "", "--scope", "s", "--provider", "aws").code == 2
    assert sidecar.sent == []


@pytest.mark.parametrize("workspace", ["net", "/workspaces/net/..", ""])
def test_a_workspace_whose_last_part_is_not_its_name_is_never_run(console: Console, sidecar: FakeSidecar, workspace: str) -> None:
    run = console.run("jobs", "run", workspace, "--scope", "s", "--provider", "gcp")

    assert run.code == 2
    assert "WORKSPACE" in run.err
    assert sidecar.requests == []
