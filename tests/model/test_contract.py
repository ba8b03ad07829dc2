"""A request that exists is one the service accepts, and a job that exists keeps the contract."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from kumoss_console.model.contract import (
    REQUEST_BY_KIND,
    REQUESTS,
    CloudProvider,
    ImportRequest,
    InitRequest,
    JobDocument,
    JobKind,
    JobStatus,
    PlanRequest,
    Problem,
    ShowRequest,
    SubmitRequest,
    ValidateRequest,
)

WHOLE: dict[str, Any] = {
    "workspace_path": "/workspaces/net",
    "scope_id": "1111",
    "terraform_provider": "azure",
    "plan_file": "session.plan",
    "targets": ["a.b"],
    "address": "a.b",
    "resource_id": "r",
}
FIELDS = {
    JobKind.INIT: {"workspace_path", "scope_id", "terraform_provider"},
    JobKind.VALIDATE: {"workspace_path"},
    JobKind.PLAN: {"workspace_path", "scope_id", "terraform_provider", "plan_file", "targets"},
    JobKind.SHOW: {"workspace_path", "plan_file"},
    JobKind.APPLY: {"workspace_path", "scope_id", "terraform_provider", "plan_file"},
    JobKind.IMPORT: {"workspace_path", "scope_id", "terraform_provider", "address", "resource_id"},
    JobKind.STATE_RESOURCE_IDS: {"workspace_path"},
    JobKind.SCOPE_RESOURCE_IDS: {"workspace_path", "scope_id", "terraform_provider"},
}


def body(kind: JobKind) -> dict[str, Any]:
    return {name: WHOLE[name] for name in WHOLE if name in FIELDS[kind]}


def read(kind: JobKind, **changes: Any) -> SubmitRequest:
    return msgspec.json.decode(msgspec.json.encode(body(kind) | changes), type=REQUEST_BY_KIND[kind])


@pytest.mark.parametrize("kind", JobKind)
def test_each_kind_takes_its_own_fields(kind: JobKind) -> None:
    assert msgspec.to_builtins(read(kind)) == {
        name: tuple(value) if isinstance(value, list) else value for name, value in body(kind).items()
    }


@pytest.mark.parametrize("kind", JobKind)
def test_each_kind_refuses_the_fields_of_another(kind: JobKind) -> None:
    for name in (*sorted(set(WHOLE) - FIELDS[kind]), "unknown"):
        with pytest.raises(msgspec.ValidationError, match=name):
            read(kind, **{name: WHOLE.get(name, "x")})


@pytest.mark.parametrize("kind", JobKind)
def test_only_targets_may_be_left_out(kind: JobKind) -> None:
    for name in FIELDS[kind]:
        short = {key: value for key, value in body(kind).items() if key != name}
        raw = msgspec.json.encode(short)
        if name == "targets":
            assert msgspec.json.decode(raw, type=PlanRequest).targets == ()
            continue
        with pytest.raises(msgspec.ValidationError, match=name):
            msgspec.json.decode(raw, type=REQUEST_BY_KIND[kind])


def test_kinds_use_underscores_and_paths_hyphens() -> None:
    assert {request.kind: request.path for request in REQUESTS} == {
        JobKind.INIT: "/v1/init",
        JobKind.VALIDATE: "/v1/validate",
        JobKind.PLAN: "/v1/plan",
        JobKind.SHOW: "/v1/show",
        JobKind.APPLY: "/v1/apply",
        JobKind.IMPORT: "/v1/import",
        JobKind.STATE_RESOURCE_IDS: "/v1/import/state-resource-ids",
        JobKind.SCOPE_RESOURCE_IDS: "/v1/import/scope-resource-ids",
    }
    assert set(REQUEST_BY_KIND) == set(JobKind)


@pytest.mark.parametrize(("field", "least", "most"), [("workspace_path", 1, 4096), ("scope_id", 1, 1024)])
def test_lengths_are_counted_in_characters(field: str, least: int, most: int) -> None:
    for length in (least, most):
        assert getattr(read(JobKind.INIT, **{field: "é" * length}), field) == "é" * length
    for length in (least - 1, most + 1):
        with pytest.raises(msgspec.ValidationError, match=field):
            read(JobKind.INIT, **{field: "é" * length})


@pytest.mark.parametrize("name", [".", "..", "-destroy", ".hidden", "a" * 128])
def test_a_plan_file_may_be_named_as_the_contract_allows(name: str) -> None:
    assert ShowRequest(workspace_path="/w", plan_file=name).plan_file == name


@pytest.mark.parametrize("name", ["", "a/b", "../evil", "a" * 129, "plan\n", "plän", "a b"])
def test_a_plan_file_outside_the_pattern_cannot_be_asked_for(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="plan_file"):
        ShowRequest(workspace_path="/w", plan_file=name)


@pytest.mark.parametrize("provider", ["azurerm", "google", "alibaba", "AZURE", "", None])
def test_only_the_five_providers_exist(provider: str | None) -> None:
    with pytest.raises(msgspec.ValidationError, match="terraform_provider"):
        read(JobKind.INIT, terraform_provider=provider)


@pytest.mark.parametrize("targets", [[""], ["a" * 1025], ["a"] * 257, "a", None])
def test_targets_out_of_bounds_are_refused(targets: object) -> None:
    with pytest.raises(msgspec.ValidationError, match="targets"):
        read(JobKind.PLAN, targets=targets)


def test_a_constructor_checks_what_a_decoder_checks() -> None:
    with pytest.raises(msgspec.ValidationError, match="address"):
        ImportRequest(workspace_path="/w", scope_id="s", terraform_provider=CloudProvider.GCP, address="", resource_id="r" * 4096)
    with pytest.raises(msgspec.ValidationError, match="workspace_path"):
        ValidateRequest(workspace_path="a\ud800")


def test_a_request_holds_what_its_annotations_say() -> None:
    loose: dict[str, Any] = {"workspace_path": "/w", "scope_id": "s", "terraform_provider": "aws"}
    assert InitRequest(**loose).terraform_provider is CloudProvider.AWS
    loose |= {"plan_file": "p", "targets": ["a", "b"]}
    assert PlanRequest(**loose).targets == ("a", "b")


def job(**changes: Any) -> JobDocument:
    plain = {
        "job_id": str(uuid4()),
        "kind": "plan",
        "status": "queued",
        "created_at": "2026-01-02T03:04:05Z",
        "started_at": None,
        "finished_at": None,
        "result": None,
        "error": None,
    }
    return msgspec.json.decode(msgspec.json.encode(plain | changes), type=JobDocument)


RESULT = {"exit_code": 0, "stdout": "", "stderr": ""}
ERROR = {"title": "Internal Server Error", "status": 500, "detail": "boom", "instance": None}


@pytest.mark.parametrize(
    ("status", "result", "error"),
    [("queued", None, None), ("running", None, None), ("succeeded", RESULT, None), ("failed", None, ERROR)],
)
def test_a_job_has_a_result_or_an_error_as_its_status_says(status: str, result: object, error: object) -> None:
    assert job(status=status, result=result, error=error).status is JobStatus(status)


@pytest.mark.parametrize(
    ("status", "result", "error"),
    [
        ("queued", RESULT, None),
        ("running", None, ERROR),
        ("succeeded", None, None),
        ("succeeded", RESULT, ERROR),
        ("succeeded", None, ERROR),
        ("failed", None, None),
        ("failed", RESULT, ERROR),
    ],
)
def test_a_job_that_contradicts_its_status_cannot_exist(status: str, result: object, error: object) -> None:
    with pytest.raises(msgspec.ValidationError, match=status):
        job(status=status, result=result, error=error)


@pytest.mark.parametrize("key", ["job_id", "kind", "status", "created_at", "started_at", "finished_at", "result", "error"])
def test_all_eight_keys_must_be_there(key: str) -> None:
    plain = msgspec.to_builtins(job())
    del plain[key]
    with pytest.raises(msgspec.ValidationError, match=key):
        msgspec.convert(plain, JobDocument)


@pytest.mark.parametrize("written", ["2026-01-02T03:04:05Z", "2026-01-02T05:04:05+02:00", "2026-01-02T03:04:05"])
def test_times_are_utc_however_they_are_written(written: str) -> None:
    moment = job(created_at=written).created_at
    assert moment == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert moment.utcoffset() == timedelta(0)


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
def test_times_at_the_ends_of_the_calendar_are_refused_and_break_nothing(written: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="year"):
        job(created_at=written)


@pytest.mark.parametrize("code", [10**30, -(10**12)])
def test_an_exit_code_that_no_process_has_is_refused(code: int) -> None:
    with pytest.raises(msgspec.ValidationError, match="exit_code"):
        job(status="succeeded", result=RESULT | {"exit_code": code})


def test_a_problem_needs_only_title_and_status_and_may_say_more() -> None:
    problem = msgspec.json.decode(b'{"title": "T", "status": 404, "trace": "x"}', type=Problem)
    assert (problem.type, problem.detail) == ("about:blank", None)
