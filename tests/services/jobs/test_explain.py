"""A job's end explained: the engine's output, the service's problem, or nothing where there is nothing to explain."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from kumoss_console.model.contract import JobKind, Problem
from kumoss_console.model.job import Job, ServicePlane
from kumoss_console.services.jobs.explain import ExplainService

JOB = Job(
    entry=1,
    job_id="7f3a0000-0000-0000-0000-000000000000",
    context="prod",
    kind=JobKind.APPLY,
    workspace="/workspaces/net",
    service=ServicePlane.ANSWERED,
    submitted=datetime(2026, 11, 30, tzinfo=UTC),
    exit_code=1,
    stderr="\nError: Saved plan is stale\n\nThe given plan file can no longer be applied.\n",
)


def codes(job: Job) -> list[str]:
    return [finding.code for finding in ExplainService(os.environ).job(job).diagnosis.findings]


def test_a_failed_command_is_explained_by_its_output() -> None:
    assert codes(JOB) == ["plan.stale"]


def test_a_command_that_did_well_has_nothing_to_explain() -> None:
    explanation = ExplainService(os.environ).job(replace(JOB, exit_code=0, stderr="", stdout="Apply complete!"))
    assert explanation.diagnosis.findings == ()
    assert not explanation.diagnosis.unknown


def test_a_killed_command_is_explained_by_its_exit_code() -> None:
    assert codes(replace(JOB, exit_code=-9, stderr="")) == ["process.killed"]


def test_a_listing_that_is_not_supported_is_no_unknown_failure() -> None:
    job = replace(JOB, kind=JobKind.SCOPE_RESOURCE_IDS, exit_code=2, stderr="no scope discovery for provider 'oci'")
    assert codes(job) == ["discovery.unsupported"]


def test_a_faulted_job_is_explained_by_the_services_problem() -> None:
    problem = Problem(type="about:blank", title="Internal server error", status=500, detail="[Errno 28] No space left on device")
    assert codes(replace(JOB, service=ServicePlane.FAULTED, exit_code=None, stderr="", problem=problem)) == ["workspace.full"]


@pytest.mark.parametrize(
    ("status", "code"),
    [(503, "service.unavailable"), (504, "service.command_timeout"), (500, "service.fault"), (502, "service.fault")],
)
def test_a_fault_in_unfamiliar_words_is_explained_by_its_status(status: int, code: str) -> None:
    problem = Problem(type="about:blank", title="Fault", status=status, detail="the hamster left its wheel")
    explanation = ExplainService(os.environ).job(
        replace(JOB, service=ServicePlane.FAULTED, exit_code=None, stderr="", problem=problem)
    )
    [finding] = explanation.diagnosis.findings
    assert (finding.code, explanation.diagnosis.unknown) == (code, False)
    assert finding.remedy


def test_a_job_document_given_as_text_is_explained_by_its_status_too() -> None:
    text = '{"status": "failed", "error": {"title": "Gateway Timeout", "status": 504, "detail": "so long"}}'
    assert [finding.code for finding in ExplainService(os.environ).text(text).diagnosis.findings] == ["service.command_timeout"]


def test_a_service_that_was_shut_down_says_so() -> None:
    problem = Problem(title="Service Unavailable", status=503, detail="Service shut down before the job finished.")
    assert codes(replace(JOB, service=ServicePlane.FAULTED, exit_code=None, stderr="", problem=problem)) == ["service.shut_down"]


def test_a_job_under_way_or_lost_is_not_explained() -> None:
    for plane in (ServicePlane.QUEUED, ServicePlane.RUNNING, ServicePlane.LOST, ServicePlane.UNKNOWN):
        explanation = ExplainService(os.environ).job(replace(JOB, service=plane, exit_code=None, stderr=""))
        assert explanation.diagnosis.findings == ()
        assert not explanation.diagnosis.unknown


def test_rules_are_read_once_and_only_when_they_are_needed() -> None:
    service = ExplainService(os.environ)
    assert "rules" not in vars(service)
    service.job(JOB)
    assert service.rules is service.rules
