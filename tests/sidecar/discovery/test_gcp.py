from __future__ import annotations

import pytest

from kumoss_console.model.contract import CloudProvider
from tests.fakes.clouds import NUMBER, PROJECT, Answer, gcp_cloud, gcp_ids, gcp_names
from tests.fakes.clouds.gcp import TOKEN
from tests.sidecar.discovery.conftest import Asking

GCP = CloudProvider.GCP
VIEWER = {"role": "roles/viewer", "members": ["user:ops@example.com"]}


async def test_the_number_then_every_page_then_the_grants(asking: Asking) -> None:
    with gcp_cloud(gcp_names(1200), bindings=[VIEWER]) as cloud:
        listed = await asking.ids(cloud, GCP)
    assert listed == [*gcp_ids(1200), f"{PROJECT} roles/viewer user:ops@example.com"]
    assert [asked.operation for asked in cloud.asked] == ["project", "search", "search", "search", "policy"]
    search = {"pageSize": "500", "readMask": "name,assetType,labels"}
    assert [asked.query for asked in cloud.asked[1:4]] == [
        search,
        search | {"pageToken": "page-1"},
        search | {"pageToken": "page-2"},
    ]
    assert cloud.asked[4].document == {"options": {"requestedPolicyVersion": 3}}
    assert all(asked.headers["authorization"] == f"Bearer {TOKEN}" for asked in cloud.asked)
    assert not any("x-goog-user-project" in asked.headers for asked in cloud.asked)


@pytest.mark.parametrize("number", [None, 123456789012, ""])
async def test_without_a_number_names_stay_as_they_are(number: object, asking: Asking) -> None:
    with gcp_cloud(gcp_names(1), number=number) as cloud:
        assert await asking.ids(cloud, GCP) == [f"projects/{NUMBER}/topics/topic-000000"]


@pytest.mark.parametrize(
    "scope",
    [
        "../organizations/123456",
        "proj\n1",
        "p",
        "short",
        "example.com:my-project",
        "Acme-prod-1",
        "acme-prod-",
        "a" * 31,
        "projé-1",
    ],
)
async def test_what_is_no_project_id_is_refused_before_anybody_is_asked(scope: str, asking: Asking) -> None:
    with gcp_cloud([]) as cloud:
        assert await asking.refusal(cloud, GCP, scope) == f"'{scope}' is not a GCP project id"
    assert cloud.asked == []


async def test_two_hundred_pages_are_read_and_the_next_is_not_asked_for(asking: Asking) -> None:
    with gcp_cloud([]) as cloud:
        cloud.instead("search", Answer(body={"results": [], "nextPageToken": "for ever"}), nth=0)
        refusal = await asking.refusal(cloud, GCP)
    assert refusal == f"Cloud Asset Inventory returned more than 200 pages for {PROJECT}"
    assert cloud.calls("search") == 200
    assert cloud.calls("policy") == 0


@pytest.mark.parametrize(
    ("operation", "nth", "source"),
    [("project", 1, "Resource Manager"), ("search", 2, "Cloud Asset Inventory"), ("policy", 1, "Resource Manager")],
)
async def test_a_refusal_anywhere_ends_it_without_another_try(operation: str, nth: int, source: str, asking: Asking) -> None:
    quota = {"error": {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED"}}
    with gcp_cloud(gcp_names(1200)) as cloud:
        cloud.instead(operation, Answer(429, quota, {"Retry-After": "1"}), nth=nth)
        assert await asking.refusal(cloud, GCP) == f"429 from {source}: Quota exceeded"
    assert cloud.calls(operation) == nth
    assert cloud.asked[-1].operation == operation


async def test_an_expired_token_is_told_in_googles_words(asking: Asking) -> None:
    with gcp_cloud([]) as cloud:
        refusal = await asking.refusal(cloud, GCP, None, GOOGLE_OAUTH_ACCESS_TOKEN="ya29.expired-token")
    assert refusal == "401 from Resource Manager: Request had invalid authentication credentials."


@pytest.mark.parametrize(
    "body", [{"results": "text", "nextPageToken": 7}, {"results": [None, "x", 7]}, {"results": {"name": "//h/x"}}, {}]
)
async def test_fields_of_another_type_are_passed_over(body: object, asking: Asking) -> None:
    with gcp_cloud([]) as cloud:
        cloud.instead("search", Answer(body=body))
        cloud.instead("policy", Answer(body={"bindings": 7}))
        assert await asking.ids(cloud, GCP) == []


async def test_the_providers_own_endpoint_variables_lead_elsewhere(asking: Asking) -> None:
    with gcp_cloud(gcp_names(1)) as here, gcp_cloud(gcp_names(3)) as there:
        result = await asking(here, GCP, None, GOOGLE_CLOUD_ASSET_CUSTOM_ENDPOINT=f"{there.url}/v1")
    assert result.exit_code == 0
    assert [asked.operation for asked in here.asked] == ["project", "policy"]
    assert [asked.operation for asked in there.asked] == ["search"]
