"""Missing is claimed of nothing but whole identifiers of what the listing shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff import Comparison, Listing, StateIds, Status, compare, from_listing
from tests.fakes.clouds import ACCOUNT, PROJECT, SUBSCRIPTION, aws_arns
from tests.model.discovery.states import Resource, state, topics

AZURE, GCP, AWS = CloudProvider.AZURE, CloudProvider.GCP, CloudProvider.AWS
SCOPES = {AZURE: SUBSCRIPTION, GCP: PROJECT, AWS: ACCOUNT}
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg"
NETWORK = f"{GROUP}/providers/Microsoft.Network"
VAULT = f"{GROUP}/providers/Microsoft.KeyVault/vaults/kv"
EAST = f"us-east-1:{ACCOUNT}"
LINK = "https://www.googleapis.com"

HERE: dict[CloudProvider, list[Resource]] = {
    AZURE: [
        ("azurerm_resource_group", "rg", {"id": GROUP, "tags": {}}),
        ("azurerm_key_vault", "kv", {"id": VAULT, "tags": {}}),
    ],
    GCP: [
        ("google_storage_bucket", "b", {"id": "bkt", "self_link": f"{LINK}/storage/v1/b/bkt", "labels": {}}),
        ("google_pubsub_topic", "t", {"id": f"projects/{PROJECT}/topics/t", "labels": {}}),
    ],
    AWS: [
        ("aws_lambda_function", "f", {"arn": f"arn:aws:lambda:{EAST}:function:f", "id": "f", "tags": {}}),
        ("aws_cloudwatch_log_group", "g", {"arn": f"arn:aws:logs:{EAST}:log-group:/g", "id": "/g", "tags": {}}),
        ("aws_kinesis_stream", "s", {"arn": f"arn:aws:kinesis:{EAST}:stream/s", "id": "x", "tags": {}}),
        ("aws_api_gateway_rest_api", "r", {"arn": "arn:aws:apigateway:us-east-1::/restapis/ab", "id": "ab", "tags": {}}),
        ("aws_instance", "i", {"arn": f"arn:aws:ec2:{EAST}:instance/i-1", "id": "i-1", "tags": {}}),
    ],
}
SHOWN = {
    AZURE: [GROUP, VAULT],
    GCP: ["bkt", f"projects/{PROJECT}/topics/t"],
    AWS: [str(attributes["arn"]) for _, _, attributes in HERE[AWS]],
}


def compared(provider: CloudProvider, here: StateIds, shown: list[str] | None = None) -> Comparison:
    ids = SHOWN[provider] if shown is None else shown
    return compare(Listing(provider=provider, scope=SCOPES[provider], ids=ids), here)


def judged(provider: CloudProvider, *more: Resource) -> dict[str, tuple[Status, str]]:
    found = compared(provider, state(*HERE[provider], *more))
    return {item.holders[0].address: (item.status, item.code) for item in found.items if item.holders}


@pytest.mark.parametrize(
    ("provider", "type_", "attributes", "code"),
    [
        (AZURE, "azurerm_monitor_diagnostic_setting", {"id": f"{VAULT}|diag"}, "type_not_shown"),
        (
            AZURE,
            "azurerm_network_interface_security_group_association",
            {"id": f"{NETWORK}/networkInterfaces/nic|{NETWORK}/networkSecurityGroups/nsg"},
            "type_not_shown",
        ),
        (
            AZURE,
            "azurerm_nat_gateway_public_ip_association",
            {"id": f"{NETWORK}/natGateways/n|{NETWORK}/publicIPAddresses/p"},
            "",
        ),
        (AZURE, "azurerm_key_vault_access_policy", {"id": f"{VAULT}/objectId/1"}, ""),
        (AZURE, "azurerm_storage_account_network_rules", {"id": f"{GROUP}/providers/Microsoft.Storage/storageAccounts/s"}, ""),
        (AZURE, "azurerm_subnet", {"id": f"{NETWORK}/virtualNetworks/v/subnets/s"}, "kind_not_shown"),
        (AZURE, "azurerm_resource_group", {"id": f"{GROUP}-m", "managed_by": "/x", "tags": {}}, "left_out"),
        (GCP, "google_storage_bucket_object", {"id": "bkt-a", "self_link": f"{LINK}/storage/v1/b/bkt/o/a"}, "other_form"),
        (GCP, "google_compute_project_metadata_item", {"id": "enable-oslogin"}, "other_form"),
        (GCP, "google_pubsub_topic_iam_member", {"id": f"projects/{PROJECT}/topics/t/roles/x/user:a@b.c"}, "kind_not_shown"),
        (GCP, "google_project_iam_binding", {"id": f"{PROJECT}/roles/viewer"}, ""),
        (AWS, "aws_lambda_alias", {"arn": f"arn:aws:lambda:{EAST}:function:f:live"}, "type_not_shown"),
        (AWS, "aws_cloudwatch_log_stream", {"arn": f"arn:aws:logs:{EAST}:log-group:/g:log-stream:s"}, "type_not_shown"),
        (AWS, "aws_kinesis_stream_consumer", {"arn": f"arn:aws:kinesis:{EAST}:stream/s/consumer/c:1"}, "type_not_shown"),
        (AWS, "aws_api_gateway_stage", {"arn": "arn:aws:apigateway:us-east-1::/restapis/ab/stages/p"}, "type_not_shown"),
        (AWS, "aws_instance", {"arn": f"arn:aws:ec2:ap-south-1:{ACCOUNT}:instance/i-2", "tags": {}}, "region_not_shown"),
        (AWS, "random_pet", {"id": "pet"}, "other_provider"),
    ],
)
def test_what_the_listing_is_not_known_to_show_is_never_missing(
    provider: CloudProvider, type_: str, attributes: dict[str, object], code: str
) -> None:
    status, found = judged(provider, (type_, "x", attributes))[f"{type_}.x"]
    assert status is Status.AMBIGUOUS
    assert code in {"", found}


@pytest.mark.parametrize(
    ("provider", "type_", "attributes"),
    [
        (AZURE, "azurerm_storage_account", {"id": f"{GROUP}/providers/Microsoft.Storage/storageAccounts/s", "tags": {}}),
        (AZURE, "azurerm_windows_virtual_machine", {"id": f"{GROUP}/providers/Microsoft.Compute/virtualMachines/v", "tags": {}}),
        (GCP, "google_storage_bucket", {"id": "gone", "labels": {}}),
        (GCP, "google_pubsub_topic", {"id": f"projects/{PROJECT}/topics/gone", "labels": {}}),
        (AWS, "aws_lambda_function", {"arn": f"arn:aws:lambda:{EAST}:function:gone", "id": "gone", "tags": {}}),
    ],
)
def test_what_the_listing_would_show_is_missing(provider: CloudProvider, type_: str, attributes: dict[str, object]) -> None:
    assert judged(provider, (type_, "x", attributes))[f"{type_}.x"] == (Status.MISSING, "")


WHOLE = {
    AZURE: [GROUP, VAULT, f"{NETWORK}/virtualNetworks/v"],
    GCP: [f"projects/{PROJECT}/topics/t", f"projects/{PROJECT}/zones/z/instances/i", f"{PROJECT}/roles/viewer/user:a@b.c"],
    AWS: [*SHOWN[AWS], f"arn:aws:sns:{EAST}:t", "arn:aws:s3:::b", f"arn:aws:secretsmanager:{EAST}:secret:s-AbCdEf"],
}


@given(
    provider=st.sampled_from([AZURE, GCP, AWS]),
    place=st.integers(0, 7),
    suffix=st.sampled_from(["|x", ":x", ":x:y", "/x/y|z", "/x:y/z", ":*:x"]),
)
def test_without_types_nothing_with_an_unknown_end_is_missing(provider: CloudProvider, place: int, suffix: str) -> None:
    whole = WHOLE[provider]
    longer = whole[place % len(whole)] + suffix
    here = StateIds(key="here", objects=from_listing((*whole, longer)))
    (item,) = [item for item in compared(provider, here, whole).items if item.id == longer]
    assert item.status is Status.AMBIGUOUS


def test_without_types_a_bare_name_is_no_bucket() -> None:
    here = StateIds(key="here", objects=from_listing(("bkt", "enable-oslogin")))
    found = {item.id: item.status for item in compared(GCP, here).items}
    assert (found["bkt"], found["enable-oslogin"]) == (Status.MANAGED_HERE, Status.AMBIGUOUS)


def test_an_object_whose_name_is_a_buckets_is_not_that_bucket() -> None:
    here = state(("google_storage_bucket_object", "o", {"id": "bkt"}), ("random_pet", "p", {"id": "bkt"}))
    assert [item.status for item in compared(GCP, here, ["bkt"]).items] == [Status.UNMANAGED]


def test_another_providers_name_is_near_to_nothing() -> None:
    here = state(*topics(aws_arns(1)), ("random_pet", "p", {"id": "pet-x"}), ("local_file", "f", {"id": "Pet"}))
    found = compared(AWS, here, [*aws_arns(1), "arn:aws:s3:::pet-x"])
    assert [item.id for item in found.items if item.status is Status.UNMANAGED] == ["arn:aws:s3:::pet-x"]


def test_the_very_same_identifier_counts_whatever_provider_has_it() -> None:
    name = "58821ce9-8e4b-074a-c6d5-a8d8789e6b43"
    here = state(("terraform_data", "record", {"id": name}))
    assert [item.status for item in compared(AZURE, here, [name]).items] == [Status.MANAGED_HERE]


# -- a listing that shows nothing of the state ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", [[], ["arn:aws:sns:eu-central-1:123456789012:other"]])
def test_a_listing_that_shows_nothing_of_a_state_is_doubted_as_a_whole(shown: list[str]) -> None:
    arns = aws_arns(40)
    found = compared(AWS, state(*topics(arns)), shown)
    assert (found.counts["missing"], found.counts["ambiguous"]) == (0, 40)
    assert {item.code for item in found.items if item.status is Status.AMBIGUOUS} == {"nothing_shown"}
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("discover.nothing_shown", "warning")


def test_a_listing_that_shows_next_to_nothing_is_doubted_and_one_that_shows_much_is_not() -> None:
    arns = aws_arns(100)
    here = state(*(("aws_sns_topic", f"t{n}", {"arn": arn, "id": arn, "tags": {}}) for n, arn in enumerate(arns)))
    assert compared(AWS, here, arns[:2]).counts["missing"] == 0
    assert compared(AWS, here, arns[:60]).counts["missing"] == 40


def test_an_empty_listing_of_a_subscription_makes_nothing_missing() -> None:
    found = compared(AZURE, state(HERE[AZURE][1]), [])
    assert [(item.status, item.code) for item in found.items] == [(Status.AMBIGUOUS, "nothing_shown")]


# -- Google Cloud: links and grants --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        f"https://sqladmin.googleapis.com/sql/v1beta4/projects/{PROJECT}/instances/db",
        f"sqladmin.googleapis.com/sql/v1beta4/projects/{PROJECT}/instances/db",
        f"https://www.googleapis.com/sql/v1beta4/projects/{PROJECT}/instances/db",
        f"https://sqladmin.mtls.googleapis.com/v1/projects/{PROJECT}/instances/db",
        f"https://europe-west1-sqladmin.googleapis.com/sql/alpha/projects/{PROJECT}/instances/db",
    ],
)
def test_a_link_of_any_service_is_the_name(link: str) -> None:
    name = f"projects/{PROJECT}/instances/db"
    here = state(("google_sql_database_instance", "db", {"id": "db", "self_link": link, "project": PROJECT}))
    assert [(item.id, item.status) for item in compared(GCP, here, [name]).items] == [(name, Status.MANAGED_HERE)]


def test_a_form_that_services_share_is_missing_only_beside_one_of_the_same_type() -> None:
    def instance(type_: str, name: str) -> Resource:
        return type_, name, {"id": f"projects/{PROJECT}/instances/{name}", "labels": {}}

    other = state(instance("google_bigtable_instance", "a"), instance("google_sql_database_instance", "gone"))
    shown = [f"projects/{PROJECT}/instances/a"]
    assert compared(GCP, other, shown).counts["missing"] == 0
    same = state(instance("google_sql_database_instance", "a"), instance("google_sql_database_instance", "gone"))
    assert compared(GCP, same, shown).counts["missing"] == 1


def test_grants_under_the_projects_policy_are_managed_by_it() -> None:
    grant = f"{PROJECT} roles/editor user:x@y.z"
    policy: Resource = ("google_project_iam_policy", "all", {"id": PROJECT, "project": PROJECT})
    (item,) = compared(GCP, state(policy), [grant]).items
    assert (item.status, item.holders[0].address) == (Status.MANAGED_HERE, "google_project_iam_policy.all")
    other: Resource = ("google_project_iam_policy", "all", {"id": "other", "project": "other"})
    assert compared(GCP, state(other), [grant]).counts["unmanaged"] == 1


def test_a_grant_to_an_account_of_googles_services_is_left_out_by_a_listing() -> None:
    agent = f"{PROJECT}/roles/editor/serviceAccount:1@cloudservices.gserviceaccount.com"
    person = f"{PROJECT}/roles/editor/user:a@b.c"
    here = state(
        ("google_project_iam_member", "a", {"id": agent}),
        ("google_project_iam_member", "p", {"id": person}),
        ("google_project_iam_member", "s", {"id": f"{PROJECT}/roles/viewer/user:a@b.c"}),
    )
    found = {item.id: item.code for item in compared(GCP, here, [f"{PROJECT} roles/viewer user:a@b.c"]).items}
    assert (found[agent], found[person]) == ("left_out", "")
