"""A failed job says what its failure means, wherever the command line shows it."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from tests.cli.harness import Console
from tests.cli.test_jobs import QuickSidecar
from tests.fakes.clock import FakeClock

VALIDATE = ("jobs", "submit", "validate", "--workspace", "/workspaces/net")
LOCKED = """
Error: Error acquiring the state lock

Error message: ConditionalCheckFailedException: The conditional request failed
Lock Info:
  ID:        2f0b9f3c-5f3f-1c1e-8a6e-2f0b9f3c5f3f
"""


@pytest.fixture
def sidecar(clock: FakeClock) -> QuickSidecar:
    made = QuickSidecar(clock)
    made.exit_code, made.stderr = 1, LOCKED
    return made


def codes(data: dict[str, list[dict[str, str]]]) -> list[str]:
    return [finding["code"] for finding in data["diagnosis"]]


def test_a_failed_job_is_diagnosed_when_it_is_waited_for_shown_and_watched(console: Console, sidecar: QuickSidecar) -> None:
    waited = console.run(*VALIDATE, "--wait", "--json").data
    shown = console.run("jobs", "show", waited["job_id"], "--json").data
    watched = console.run("jobs", "watch", waited["job_id"], "--json").items[-1]
    assert "lock" in codes(waited)[0]
    assert codes(waited) == codes(shown) == codes(watched)
    assert "diagnosis" in console.run("jobs", "show", waited["job_id"]).out


def test_a_job_that_did_well_has_no_diagnosis(console: Console, sidecar: QuickSidecar) -> None:
    sidecar.exit_code = 0
    assert console.run(*VALIDATE, "--wait", "--json").data["diagnosis"] == []


def test_a_failure_that_nobody_knows_is_said_to_be_unknown(console: Console, sidecar: QuickSidecar) -> None:
    sidecar.stderr = "Error: the flux capacitor is empty"
    run = console.run(*VALIDATE, "--wait")
    assert "unknown: no rule knows this text" in run.out
    assert "Error: the flux capacitor is empty" in run.out


def test_rules_that_cannot_be_read_do_not_hide_the_job(console: Console, sidecar: QuickSidecar) -> None:
    rules = Path(console.environ["XDG_CONFIG_HOME"]) / "kumoss-console" / "rules"
    rules.mkdir(parents=True)
    (rules / "mine.yaml").write_text("[}")
    run = console.run(*VALIDATE, "--wait", "--json")
    assert run.code == 1
    assert run.data["diagnosis"] is None
    assert "mine.yaml" in run.err


def test_a_chain_that_stops_tells_what_that_means(console: Console, sidecar: QuickSidecar) -> None:
    argv = ("jobs", "run", "/workspaces/net", "--scope", "s", "--provider", "aws", "--no-override", "--json")
    [init, *_] = console.run(*argv).data["steps"]
    assert "lock" in codes(init["job"])[0]
    assert UUID(init["job"]["job_id"]) in sidecar.documents
