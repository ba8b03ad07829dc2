from __future__ import annotations

import pytest

from kumoss_console.model.contract import CloudProvider
from kumoss_console.sidecar.discovery.azure_query import query
from tests.fakes.clouds import SUBSCRIPTION, Answer, azure_cloud, azure_ids
from tests.fakes.clouds.server import Row
from tests.sidecar.discovery.conftest import Asking

AZURE = CloudProvider.AZURE


async def test_every_page_is_asked_for_once_and_its_ids_are_kept_as_they_are_written(asking: Asking) -> None:
    ids = azure_ids(2500)
    ids[7] = ids[7].replace("resourceGroups", "RESOURCEGROUPS")
    with azure_cloud(ids) as cloud:
        assert await asking.ids(cloud, AZURE) == ids
    token, *pages = cloud.asked
    assert token.query["resource"] == cloud.url
    assert [page.document["options"] for page in pages] == [
        {"$top": 1000},
        {"$top": 1000, "$skipToken": "page-1"},
        {"$top": 1000, "$skipToken": "page-2"},
    ]
    assert {page.path for page in pages} == {"/providers/Microsoft.ResourceGraph/resources"}
    assert all(page.query == {"api-version": "2022-10-01"} for page in pages)
    assert all(page.document["subscriptions"] == [SUBSCRIPTION] for page in pages)
    assert {page.document["query"] for page in pages} == {query(SUBSCRIPTION)}


async def test_an_id_that_comes_twice_is_listed_where_it_came_first(asking: Asking) -> None:
    with azure_cloud(["/b", "/a", "/b", "/A"]) as cloud:
        assert await asking.ids(cloud, AZURE) == ["/b", "/a", "/A"]


async def test_rows_and_fields_of_another_type_are_passed_over(asking: Asking) -> None:
    rows: list[Row] = [{"id": 7}, {"id": None}, {"id": ""}, {"name": "no id"}, {"id": "/kept"}]
    with azure_cloud(rows) as cloud:
        assert await asking.ids(cloud, AZURE) == ["/kept"]
    for data in ("text", 42, None, {"id": "/x"}, ["text", None, ["/x"]]):
        with azure_cloud([]) as cloud:
            cloud.instead("resources", Answer(body={"data": data, "$skipToken": 7, "resultTruncated": ["true"]}))
            assert await asking.ids(cloud, AZURE) == []


@pytest.mark.parametrize(
    "scope", ["/", "e", "sub-1", f"{SUBSCRIPTION}/x", f"{SUBSCRIPTION}\n", "11111111222233334444555555555555"]
)
async def test_what_is_no_subscription_id_is_refused_before_anybody_is_asked(scope: str, asking: Asking) -> None:
    with azure_cloud([]) as cloud:
        assert await asking.refusal(cloud, AZURE, scope) == f"'{scope}' is not an Azure subscription id"
    assert cloud.asked == []


async def test_a_subscription_id_may_be_written_in_capitals(asking: Asking) -> None:
    scope = "ABCDEF00-2222-3333-4444-55555555abcd"
    with azure_cloud(["/a"]) as cloud:
        assert (await asking(cloud, AZURE, scope)).exit_code == 0
    assert cloud.asked[-1].document["subscriptions"] == [scope]


async def test_a_hundred_pages_are_read_and_a_hundred_and_first_is_not_asked_for(asking: Asking) -> None:
    with azure_cloud([]) as cloud:
        cloud.instead("resources", Answer(body={"data": [{"id": "/a"}], "$skipToken": "for ever"}), nth=0)
        refusal = await asking.refusal(cloud, AZURE)
    assert refusal == f"Resource Graph returned more than 100 pages for {SUBSCRIPTION}"
    assert cloud.calls("resources") == 100


@pytest.mark.parametrize("truncated", [True, "true", "True", " YES ", "1", "on"])
async def test_a_truncated_last_page_is_no_listing(truncated: object, asking: Asking) -> None:
    with azure_cloud(["/a"], truncated=truncated) as cloud:
        assert await asking.refusal(cloud, AZURE) == f"Resource Graph truncated the result set for {SUBSCRIPTION}"


@pytest.mark.parametrize("truncated", [False, "false", "no", "", 1, None])
async def test_a_last_page_that_is_whole_is_one(truncated: object, asking: Asking) -> None:
    with azure_cloud(["/a"], truncated=truncated) as cloud:
        assert await asking.ids(cloud, AZURE) == ["/a"]


async def test_being_throttled_between_two_pages_ends_it_without_another_try(asking: Asking) -> None:
    throttled = {"error": {"code": "RateLimiting", "message": "Please provide below info when asking for support"}}
    with azure_cloud(azure_ids(2500)) as cloud:
        cloud.instead("resources", Answer(429, throttled, {"Retry-After": "1"}), nth=2)
        refusal = await asking.refusal(cloud, AZURE)
    assert refusal == "429 from Resource Graph: Please provide below info when asking for support"
    assert cloud.calls("resources") == 2


async def test_a_token_that_expires_between_two_pages_ends_it_in_azures_words(asking: Asking) -> None:
    expired = {
        "error": {"code": "ExpiredAuthenticationToken", "message": "The access token expiry UTC time is earlier than now."}
    }
    with azure_cloud(azure_ids(2500)) as cloud:
        cloud.instead("resources", Answer(401, expired), nth=3)
        refusal = await asking.refusal(cloud, AZURE)
    assert refusal == "401 from Resource Graph: The access token expiry UTC time is earlier than now."


async def test_an_endpoint_of_a_sovereign_cloud_is_who_is_asked_and_whom_the_token_is_for(asking: Asking) -> None:
    with azure_cloud(["/a"]) as cloud:
        assert (await asking(cloud, AZURE, ARM_ENDPOINT=f" {cloud.url}/ ")).exit_code == 0
        assert cloud.asked[0].query["resource"] == cloud.url
        refusal = await asking.refusal(cloud, AZURE, ARM_ENDPOINT="ftp://management.example")
        assert refusal.startswith("Resource Graph was given an unusable URL: ")


def test_the_query_names_the_subscription_in_each_of_its_three_parts_and_nowhere_else() -> None:
    text = query(SUBSCRIPTION)
    assert text.count(f"subscriptionId =~ '{SUBSCRIPTION}'") == 3
    assert text.count(SUBSCRIPTION) == 3


def test_the_query_is_one_that_resource_graph_can_parse() -> None:
    text = query(SUBSCRIPTION)
    words = text.lower()
    assert not any(unknown in words for unknown in ("let ", "leftanti", "leftsemi", "anti", "semi"))
    assert words.count("join kind=leftouter") == words.count("join") == 2
    assert text.count("(") == text.count(")")
    assert text.endswith("| order by id asc")


def test_the_query_leaves_out_what_azure_and_its_services_keep_for_themselves() -> None:
    resources, containers, assignments = query(SUBSCRIPTION).split(f"| where subscriptionId =~ '{SUBSCRIPTION}'")[1:]
    assert "type !~ 'microsoft.alertsmanagement/smartdetectoralertrules'" in resources
    assert "tostring(tags) !contains '\"hidden-link'" in resources
    assert "isempty(managedBy)" in containers
    assert "name !startswith 'MC_' and name !~ 'NetworkWatcherRG'" in containers
    assert "type =~ 'microsoft.authorization/roleassignments'" in assignments
    for part in (resources, assignments):
        assert "isnotempty(managedBy) or name startswith 'MC_' or name =~ 'NetworkWatcherRG'" in part
        assert "| where isnull(managed)" in part


def test_a_literal_of_the_query_cannot_be_left() -> None:
    assert "subscriptionId =~ 'a\\'b\\\\c'" in query("a'b\\c")
