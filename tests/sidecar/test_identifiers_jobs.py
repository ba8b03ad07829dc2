"""The two import listings: what is in the state, and what is in the cloud."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sidecar.conftest import Service
from tests.sidecar.recording import RecordingEngine

STATE = {
    "version": 4,
    "resources": [
        {"mode": "data", "instances": [{"attributes": {"id": "read only"}}]},
        {"mode": "managed", "instances": [{"attributes": {"id": "b", "arn": "arn:b"}}, {"attributes": {"id": "a"}}]},
        {"mode": "managed", "module": "module.m", "instances": [{"attributes": {"id": "a"}}, {"attributes": {"id": "é\ud800"}}]},
    ],
}


async def listing(service: Service, workspace: Path) -> dict[str, object]:
    job = await service.outcome("/v1/import/state-resource-ids", workspace_path=str(workspace))
    assert job["status"] == "succeeded"
    result: dict[str, object] = job["result"]
    return result


async def test_the_identifiers_of_a_state_are_a_json_array_in_stdout(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.answer(stdout=json.dumps(STATE).encode(), stderr=b"Acquiring state lock.\n")
    result = await listing(service, workspace)
    assert json.loads(str(result["stdout"])) == ["arn:b", "a", "é\ud800"]
    assert (result["exit_code"], result["stderr"]) == (0, "Acquiring state lock.\n")


async def test_an_attribute_that_nests_very_deep_hides_no_identifier(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    deep = b"[" * 5000 + b"]" * 5000
    engine.answer(
        stdout=b'{"resources": [{"mode": "managed", "instances": [{"attributes": {"value": %s, "id": "deep"}}]}]}' % deep
    )
    assert (await listing(service, workspace))["stdout"] == '["deep"]'


@pytest.mark.parametrize("document", [b"", b" \n\t"])
async def test_no_state_is_an_empty_array(document: bytes, service: Service, workspace: Path, engine: RecordingEngine) -> None:
    engine.answer(stdout=document, stderr=b"a word")
    assert await listing(service, workspace) == {"exit_code": 0, "stdout": "[]", "stderr": "a word"}


@pytest.mark.parametrize("document", [b"not json", b"[]", b"42", b'"text"', b"null", b'{"version": 4', b"{}{}", b"[" * 100_000])
async def test_a_document_that_is_no_state_is_exit_code_1(
    document: bytes, service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.answer(stdout=document, stderr=b"dropped")
    assert await listing(service, workspace) == {
        "exit_code": 1,
        "stdout": "",
        "stderr": "state pull returned an unparsable state document",
    }


async def test_a_failed_pull_keeps_its_exit_code_and_its_words_but_no_output(
    service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    engine.answer(exit_code=7, stdout=b"half a document", stderr=b"Error: no lock")
    assert await listing(service, workspace) == {"exit_code": 7, "stdout": "", "stderr": "Error: no lock"}


@pytest.mark.parametrize("provider", ["oci", "kubernetes"])
async def test_clouds_that_the_contract_cannot_list_answer_exit_code_2(
    provider: str, service: Service, workspace: Path, engine: RecordingEngine
) -> None:
    fields = {"scope_id": "x", "terraform_provider": provider}
    job = await service.outcome("/v1/import/scope-resource-ids", workspace_path=str(workspace), **fields)
    assert job["result"] == {"exit_code": 2, "stdout": "", "stderr": f"no scope discovery for provider '{provider}'"}
    assert engine.calls == []


@pytest.mark.parametrize(
    ("provider", "form"), [("azure", "an Azure subscription id"), ("gcp", "a GCP project id"), ("aws", "an AWS account id")]
)
async def test_a_scope_that_no_cloud_could_have_is_answered_with_exit_code_1_and_the_form_it_lacks(
    provider: str, form: str, service: Service, workspace: Path
) -> None:
    fields = {"scope_id": "../organizations/123456", "terraform_provider": provider}
    job = await service.outcome("/v1/import/scope-resource-ids", workspace_path=str(workspace), **fields)
    assert job["result"] == {"exit_code": 1, "stdout": "", "stderr": f"'../organizations/123456' is not {form}"}
