"""Generated requests, right and wrong, against a service of the contract: every answer is one that the contract knows.

Nothing here knows whose service it asks. The document comes from this repository; each answer is checked for its status, its
media type, its headers and its body. A request that is right must be taken, or be refused for a reason that it cannot know, such
as a folder that is not there; one that is wrong must be refused; and without the token nothing is answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok

from kumoss_console.sidecar import openapi
from tests.conformance.conftest import ANSWERS
from tests.conformance.service import REST, UNKNOWN_JOB, Service

# One worker asks the one service.
pytestmark = [pytest.mark.stack, pytest.mark.xdist_group("conformance")]

# The health check has nothing to generate: it is asked a few times, and the others share the cases.
HEALTH = "GET /healthz"
HEALTH_CASES = 2

Operations = dict[str, Any]


def _operations(document: dict[str, Any]) -> Operations:
    found = schemathesis.openapi.from_dict(document).get_all_operations()
    return {each.ok().label: each.ok() for each in found if isinstance(each, Ok)}


WITH_A_TOKEN = _operations(openapi.document())
# A service that asks nobody for a token cannot refuse the wrong ones.
WITHOUT_A_TOKEN = _operations({**openapi.document(), "security": []})
GENERATED = [label for label in WITH_A_TOKEN if label != HEALTH]


@pytest.fixture(scope="module")
def operations(contract_service: Service) -> Operations:
    return WITH_A_TOKEN if contract_service.token else WITHOUT_A_TOKEN


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    with requests.Session() as shared:
        yield shared


def check(case: Case[Any], service: Service, session: requests.Session) -> schemathesis.Response:
    # 503 is a status of the contract; any other fault of the service is none, and is found by its status.
    return case.call_and_validate(service.url, session, service.headers, excluded_checks=[not_a_server_error], timeout=30)


def aim_at(case: Case[Any], workspace: str) -> None:
    """Ask for a folder that is there, where the case did not mean to be wrong about the folder: else most cases end as a 404."""
    body: Any = case.body
    if isinstance(body, dict) and isinstance(named := body.get("workspace_path"), str) and 1 <= len(named) <= 4096:
        body["workspace_path"] = workspace


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right", "wrong"])
@pytest.mark.parametrize("label", GENERATED)
@pytest.mark.timeout(3000)
def test_every_answer_to_a_generated_request_is_one_of_the_contract(
    label: str,
    mode: GenerationMode,
    contract_service: Service,
    operations: Operations,
    session: requests.Session,
    cases: int,
    request: pytest.FixtureRequest,
) -> None:
    share = max(1, round((cases - HEALTH_CASES) / len(GENERATED) / 2))
    statuses: Counter[int] = Counter()
    taken: list[Case[Any]] = []

    @settings(max_examples=share, suppress_health_check=list(HealthCheck))
    @given(case=operations[label].as_strategy(mode), aimed=st.integers(0, 3))
    def ask(case: Case[Any], aimed: int) -> None:
        if aimed and contract_service.workspace is not None:
            aim_at(case, contract_service.workspace)
        answer = check(case, contract_service, session)
        statuses[answer.status_code] += 1
        if answer.status_code == requests.codes.accepted:
            job = operations["GET /v1/jobs/{job_id}"].Case(path_parameters={"job_id": answer.json()["job_id"]})
            assert job.formatted_path == answer.headers["location"][0]
            found = check(job, contract_service, session)
            assert found.status_code == requests.codes.ok
            assert found.json()["kind"] == label.rpartition("/")[2].replace("-", "_")
            taken.append(job)

    ask()
    for job in taken:
        contract_service.ended(job.path_parameters["job_id"])
        ended = check(job, contract_service, session).json()
        assert ended["status"] in {"succeeded", "failed"}
        # A service may be unable to start a command with what the contract allows, such as a NUL; it is not its end.
        assert ended["status"] == "succeeded" or ended["error"]["status"] in {500, 504}, ended
    request.node.user_properties.append((ANSWERS, dict(statuses)))


def test_the_health_check_is_answered_without_a_token(
    contract_service: Service, operations: Operations, session: requests.Session
) -> None:
    for headers in ({}, contract_service.headers):
        asked = operations[HEALTH].Case()
        answer = asked.call_and_validate(contract_service.url, session, headers, excluded_checks=[not_a_server_error], timeout=30)
        assert answer.json() == {"status": "ok"}


@pytest.mark.parametrize("label", GENERATED)
@pytest.mark.parametrize("presented", [None, "Bearer wrong", "Basic d3Jvbmc6d3Jvbmc=", "Bearer "])
def test_whoever_has_no_token_is_challenged(label: str, presented: str | None, contract_service: Service) -> None:
    if not contract_service.token:
        pytest.skip("the service asks nobody for a token")
    operation = WITH_A_TOKEN[label]
    answer = requests.request(
        operation.method,
        contract_service.url + operation.path.format(job_id=UNKNOWN_JOB),
        json={"workspace_path": "/"} if operation.method == "post" else None,
        headers={"Authorization": presented} if presented else {},
        timeout=30,
    )
    assert answer.status_code == requests.codes.unauthorized
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert answer.json()["status"] == requests.codes.unauthorized


EDGES: dict[str, tuple[list[Any], list[Any]]] = {
    "scope_id": (["x" * 1024, "-x"], ["", None, 7, "x" * 1025]),
    "terraform_provider": (["azure", "gcp", "aws", "oci", "kubernetes"], ["azurerm", "google", "alibaba", "AWS", None]),
    "plan_file": ([".", "..", "-destroy", ".hidden", "x" * 128], ["", "x" * 129, "../evil", "a/b", "p\n", "é", None]),
    "targets": ([[], ["x" * 1024], ["x"] * 256], [[""], ["x" * 1025], ["x"] * 257, "x", None]),
    "address": (["-help", "x" * 4096], ["", "x" * 4097, None]),
    "resource_id": (["-x", "x" * 4096], ["", "x" * 4097, None]),
    "surprise": ([], ["x", None]),
}


@pytest.mark.parametrize("path", REST)
def test_the_edges_of_every_field_are_where_the_contract_has_them(
    path: str, workspace: str, contract_service: Service, session: requests.Session
) -> None:
    valid = {"workspace_path": workspace, **REST[path]}
    for name, (right, wrong) in EDGES.items():
        known = name in valid
        tried = [({**valid, name: value}, known) for value in right] + [({**valid, name: value}, False) for value in wrong]
        if known and name != "targets":
            tried.append(({key: value for key, value in valid.items() if key != name}, False))
        for body, is_right in tried:
            answer = session.post(contract_service.url + path, json=body, headers=contract_service.headers, timeout=30)
            expected = requests.codes.accepted if is_right else requests.codes.unprocessable
            assert answer.status_code == expected, (name, body.get(name), answer.text)
