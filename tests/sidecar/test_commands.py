"""How the engine is started: every argument, every variable, and what must never become an option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sidecar.conftest import SCOPED, TOKEN, Service, Serving
from tests.sidecar.recording import RecordingEngine

SCOPE_ID = SCOPED["scope_id"]
VARIABLES = ("ARM_SUBSCRIPTION_ID", "GOOGLE_PROJECT")

COMMANDS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("/v1/init", SCOPED, ["init", "-no-color", "-input=false", "-reconfigure"]),
    ("/v1/validate", {}, ["validate", "-no-color"]),
    (
        "/v1/plan",
        {**SCOPED, "plan_file": "session.plan", "targets": ["module.b", 'a.a["x y"]', "-destroy"]},
        [
            *("plan", "-no-color", "-input=false", "-out", "./session.plan"),
            *("-target", "module.b", "-target", 'a.a["x y"]', "-target", "-destroy"),
        ],
    ),
    ("/v1/show", {"plan_file": "session.plan"}, ["show", "-json", "-no-color", "./session.plan"]),
    (
        "/v1/apply",
        {**SCOPED, "plan_file": "session.plan"},
        ["apply", "-no-color", "-input=false", "-auto-approve", "./session.plan"],
    ),
    (
        "/v1/import",
        {**SCOPED, "address": "a.a", "resource_id": "-b"},
        ["import", "-no-color", "-input=false", "a.a", "-b"],
    ),
    ("/v1/import/state-resource-ids", {}, ["state", "pull"]),
]


@pytest.mark.parametrize(("path", "fields", "argv"), COMMANDS, ids=[path for path, _, _ in COMMANDS])
async def test_the_engine_gets_exactly_these_arguments_in_the_workspace(
    path: str, fields: dict[str, Any], argv: list[str], service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    await service.outcome(path, workspace_path=str(workspace), **fields)
    (call,) = engine.calls
    assert call["argv"] == argv
    assert call["cwd"] == str(workspace)
    assert call["env"].get("ARM_SUBSCRIPTION_ID") == fields.get("scope_id")


@pytest.mark.parametrize(
    ("provider", "overlay"),
    [
        ("azure", {"ARM_SUBSCRIPTION_ID": SCOPE_ID}),
        ("gcp", {"GOOGLE_PROJECT": SCOPE_ID}),
        ("aws", {}),
        ("oci", {}),
        ("kubernetes", {}),
    ],
)
@pytest.mark.parametrize(("path", "fields"), [(path, fields) for path, fields, _ in COMMANDS if "scope_id" in fields])
async def test_a_scoped_command_carries_its_scope_in_the_variable_of_its_provider(
    path: str,
    fields: dict[str, Any],
    provider: str,
    overlay: dict[str, str],
    service: Service,
    workspace: Path,
    engine: RecordingEngine,
) -> None:
    await service.outcome(path, workspace_path=str(workspace), **{**fields, "terraform_provider": provider})
    (call,) = engine.calls
    assert {name: call["env"][name] for name in VARIABLES if name in call["env"]} == overlay


async def test_the_scope_of_the_request_wins_over_the_scope_of_the_service(
    serving: Serving, workspace: Path, engine: RecordingEngine
) -> None:
    service = serving(ARM_SUBSCRIPTION_ID="of the service")
    await service.outcome("/v1/init", workspace_path=str(workspace), **SCOPED)
    await service.outcome("/v1/validate", workspace_path=str(workspace))
    assert [call["env"]["ARM_SUBSCRIPTION_ID"] for call in engine.calls] == [SCOPE_ID, "of the service"]


@pytest.mark.parametrize("configured", ["/etc/kumoss/backend.tfbackend", " backend.hcl\n"])
async def test_a_configured_backend_file_is_the_last_argument_of_init(
    configured: str, serving: Serving, workspace: Path, engine: RecordingEngine
) -> None:
    await serving(IAC_BACKEND_CONFIG=configured).outcome("/v1/init", workspace_path=str(workspace), **SCOPED)
    assert engine.calls[0]["argv"][-2:] == ["-reconfigure", f"-backend-config={configured.strip()}"]


async def test_a_blank_backend_file_is_none_at_all(serving: Serving, workspace: Path, engine: RecordingEngine) -> None:
    await serving(IAC_BACKEND_CONFIG=" \t ").outcome("/v1/init", workspace_path=str(workspace), **SCOPED)
    assert engine.calls[0]["argv"][-1] == "-reconfigure"


async def test_a_child_gets_the_environment_of_the_service_but_never_its_token(
    serving: Serving, workspace: Path, engine: RecordingEngine
) -> None:
    service = serving(bearer=TOKEN, KUMOSS_IAC_TOKEN=TOKEN, AWS_PROFILE="ops")
    await service.outcome("/v1/validate", workspace_path=str(workspace))
    (call,) = engine.calls
    assert call["env"]["AWS_PROFILE"] == "ops"
    assert TOKEN not in call["env"].values()


async def test_a_child_reads_nothing_leads_its_own_group_and_sees_no_terminal(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    await service.outcome("/v1/validate", workspace_path=str(workspace))
    (call,) = engine.calls
    assert (call["stdin"], call["leads_group"], call["terminal"]) == ("", True, False)


@pytest.mark.parametrize("name", ["-destroy", "-lock", "--", ".hidden", "..", "-"])
@pytest.mark.parametrize("path", ["/v1/plan", "/v1/show", "/v1/apply"])
async def test_a_plan_name_that_looks_like_an_option_reaches_the_engine_as_a_file(
    name: str, path: str, service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    scope = {} if path == "/v1/show" else SCOPED
    await service.outcome(path, workspace_path=str(workspace), plan_file=name, **scope)
    (call,) = engine.calls
    assert call["argv"][-1] == f"./{name}"
    assert name not in call["argv"]


@pytest.mark.parametrize("address", ["-help", "--", "-", "-var=x=y", "-config=/elsewhere"])
async def test_an_address_that_looks_like_an_option_never_reaches_the_engine(
    address: str, service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    job = await service.outcome("/v1/import", workspace_path=str(workspace), **SCOPED, address=address, resource_id="x")
    assert job["status"] == "succeeded"
    assert job["result"]["exit_code"] == 1
    assert "begins with '-'" in job["result"]["stderr"]
    assert engine.calls == []


@pytest.mark.parametrize(
    ("path", "fields", "name"),
    [
        ("/v1/init", {**SCOPED, "scope_id": "a\0b"}, "scope_id"),
        ("/v1/plan", {**SCOPED, "plan_file": "p", "targets": ["ok", "a\0"]}, "targets"),
        ("/v1/import", {**SCOPED, "address": "a.a", "resource_id": "\0"}, "resource_id"),
    ],
)
async def test_a_value_that_no_process_can_be_given_is_the_callers_failure(
    path: str, fields: dict[str, Any], name: str, service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    job = await service.outcome(path, workspace_path=str(workspace), **fields)
    assert job["result"]["exit_code"] == 1
    assert name in job["result"]["stderr"]
    assert engine.calls == []


async def test_two_spellings_of_one_workspace_share_a_line_and_each_keeps_its_own(
    service: Service, workspace: Path, tmp_path: Path, engine: RecordingEngine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    link = tmp_path / "link"
    link.symlink_to(workspace)
    spellings = [str(workspace), str(link), f"{workspace}/../link/."]
    for spelling in spellings:
        await service.post("/v1/validate", workspace_path=spelling)
    assert [message for message in caplog.messages if "is busy" in message] == [
        f"workspace {workspace} is busy, {waiting} waiting" for waiting in (1, 2)
    ]
