from __future__ import annotations

import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumoss_console.model.contract import CloudProvider
from kumoss_console.model.importdiff import Comparison, Item, Listing, StateIds, Status, compare, from_listing, settle
from kumoss_console.model.importdiff.spelling import folding
from tests.fakes.clouds import ACCOUNT, NUMBER, PROJECT, SUBSCRIPTION, aws_arns, azure_ids, gcp_ids
from tests.model.discovery.states import Resource, state, topics

AZURE, GCP, AWS = CloudProvider.AZURE, CloudProvider.GCP, CloudProvider.AWS
SCOPES = {AZURE: SUBSCRIPTION, GCP: PROJECT, AWS: ACCOUNT}
IDS = {AZURE: azure_ids, GCP: gcp_ids, AWS: aws_arns}
SUBNET = f"arn:aws:ec2:eu-central-1:{ACCOUNT}:subnet/subnet-"
BUCKET = "arn:aws:s3:::acme-data"

every_cloud = pytest.mark.parametrize("provider", [AZURE, GCP, AWS])


def listing(provider: CloudProvider, ids: Sequence[str], number: str = "", doubt: str = "") -> Listing:
    return Listing(provider=provider, scope=SCOPES[provider], ids=ids, number=number, doubt=doubt)


def listed(ids: Sequence[str], key: str = "") -> StateIds:
    return StateIds(key=key, objects=from_listing(tuple(ids)))


def one(comparison: Comparison, identifier: str) -> Item:
    (item,) = [item for item in comparison.items if item.id == identifier]
    return item


@every_cloud
def test_twenty_thousand_fall_into_the_right_heaps(provider: CloudProvider) -> None:
    ids = IDS[provider](20_001)
    here, other, cloud = listed([*ids[:8000], ids[20_000]]), listed(ids[8000:15_000], "other"), ids[:20_000]
    found = compare(listing(provider, cloud), here, [other])
    assert found.counts == {
        "unmanaged": 5000,
        "missing": 1,
        "ambiguous": 0,
        "managed_elsewhere": 7000,
        "managed_here": 8000,
    }
    by_status = {status: [item.id for item in found.items if item.status is status] for status in Status}
    assert by_status[Status.MISSING] == [ids[20_000]]
    assert by_status[Status.UNMANAGED] == ids[15_000:20_000]
    assert by_status[Status.MANAGED_ELSEWHERE] == ids[8000:15_000]
    assert {holder.key for item in found.items if item.status is Status.MANAGED_ELSEWHERE for holder in item.holders} == {"other"}


def test_memory_is_in_proportion_to_the_identifiers() -> None:
    def peak(count: int) -> int:
        ids = aws_arns(count)
        tracemalloc.start()
        try:
            found = compare(listing(AWS, ids), listed(ids[: count // 2]))
            assert len(found.items) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    few, many = peak(1_000), peak(8_000)
    assert many < 10 * few


def test_azure_is_compared_without_case_and_the_others_are_not() -> None:
    (identifier,) = azure_ids(1)
    found = compare(listing(AZURE, [identifier.upper()]), listed([identifier]))
    assert one(found, identifier.upper()).status is Status.MANAGED_HERE
    (arn,) = aws_arns(1)
    found = compare(listing(AWS, [arn.replace("topic", "Topic")]), listed([arn]))
    (item,) = found.items
    assert (item.status, item.code) == (Status.AMBIGUOUS, "only_case")


def test_a_resource_listed_in_two_spellings_of_azure_is_one_item() -> None:
    (identifier,) = azure_ids(1)
    assert len(compare(listing(AZURE, [identifier, identifier.lower()]), listed([])).items) == 1


def test_either_arn_or_id_will_do_where_the_state_has_both() -> None:
    arn = f"arn:aws:ec2:eu-central-1:{ACCOUNT}:vpc/vpc-1"
    both = state(("aws_vpc", "main", {"arn": arn, "id": "vpc-1", "tags": {}}))
    assert one(compare(listing(AWS, [arn]), both), arn).holders[0].address == "aws_vpc.main"
    other_service = state(("custom_thing", "x", {"arn": "arn:own:thing", "id": arn}))
    assert one(compare(listing(AWS, [arn]), other_service), arn).status is Status.MANAGED_HERE


def test_an_id_that_is_a_part_of_an_arn_is_no_proof() -> None:
    found = compare(listing(AWS, [BUCKET]), state(("aws_s3_bucket_policy", "p", {"id": "acme-data", "bucket": "acme-data"})))
    (item,) = found.items
    assert (item.status, item.code) == (Status.AMBIGUOUS, "part_of_arn")
    assert "aws_s3_bucket_policy.p" in item.reason


def test_the_policy_of_a_topic_is_not_the_topic() -> None:
    (arn,) = aws_arns(1)
    policy: Resource = ("aws_sns_topic_policy", "p", {"arn": arn, "id": arn})
    assert one(compare(listing(AWS, [arn]), state(policy)), arn).code == "companion"
    both = compare(listing(AWS, [arn]), state(policy, *topics([arn])))
    assert one(both, arn).status is Status.MANAGED_HERE


def test_two_addresses_of_one_type_with_one_identifier_are_ambiguous() -> None:
    (arn,) = aws_arns(1)
    item = one(compare(listing(AWS, [arn]), state(*topics([arn, arn]))), arn)
    assert (item.status, item.code) == (Status.AMBIGUOUS, "same_id_twice")
    assert "aws_sns_topic.t0, aws_sns_topic.t1" in item.reason


def test_what_two_states_manage_is_an_error_that_names_both() -> None:
    arns = aws_arns(3)
    found = compare(listing(AWS, arns), state(*topics(arns)), [state(*topics(arns[:2]), key="copy", lineage="b")])
    assert found.counts["managed_here"] == 3
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("discover.managed_twice", "error")
    assert finding.subject == "here/terraform.tfstate and copy"
    assert "2 things" in finding.message


def test_an_older_form_of_a_log_groups_arn_is_the_same_group() -> None:
    arn = f"arn:aws:logs:eu-central-1:{ACCOUNT}:log-group:/app"
    assert one(compare(listing(AWS, [arn]), listed([f"{arn}:*"])), arn).status is Status.MANAGED_HERE


# -- Google Cloud: names, numbers, hosts ---------------------------------------------------------------------------------------


def test_a_projects_number_is_compared_where_it_is_known_and_ambiguous_where_not() -> None:
    name, numbered = f"projects/{PROJECT}/secrets/s", f"projects/{NUMBER}/secrets/s"
    assert one(compare(listing(GCP, [name], number=NUMBER), listed([numbered])), name).status is Status.MANAGED_HERE
    found = compare(listing(GCP, [name]), listed([numbered]))
    (item,) = found.items
    assert (item.status, item.code) == (Status.AMBIGUOUS, "project_number")


@pytest.mark.parametrize(
    "spelled",
    [
        f"//compute.googleapis.com/projects/{PROJECT}/zones/z/instances/i",
        f"https://www.googleapis.com/compute/v1/projects/{PROJECT}/zones/z/instances/i",
    ],
)
def test_a_full_name_and_a_link_are_the_name(spelled: str) -> None:
    name = f"projects/{PROJECT}/zones/z/instances/i"
    assert one(compare(listing(GCP, [name]), listed([spelled])), name).status is Status.MANAGED_HERE


def test_a_grant_is_the_same_with_blanks_and_with_slashes() -> None:
    grant = f"{PROJECT} roles/viewer user:a@acme.example"
    found = compare(listing(GCP, [grant]), listed([f"{PROJECT}/roles/viewer/user:a@acme.example"]))
    assert one(found, grant).status is Status.MANAGED_HERE
    binding = compare(listing(GCP, [grant]), listed([f"{PROJECT}/roles/viewer"]))
    assert one(binding, grant).code == "role_binding"


def test_a_grant_under_a_condition_is_not_taken_for_the_one_without() -> None:
    grant = f"{PROJECT} roles/viewer user:a@acme.example"
    found = compare(listing(GCP, [grant]), listed([f"{PROJECT}/roles/viewer/user:a@acme.example/until-may"]))
    assert [(item.id, item.code) for item in found.items] == [(grant, "conditional_grant")]


def test_a_service_account_is_matched_by_its_number_or_not_at_all() -> None:
    name = f"projects/{PROJECT}/serviceAccounts/1234567"
    mail = f"projects/{PROJECT}/serviceAccounts/ci@{PROJECT}.iam.gserviceaccount.com"
    account = state(("google_service_account", "ci", {"id": mail, "unique_id": "1234567", "project": PROJECT}))
    assert one(compare(listing(GCP, [name]), account), name).status is Status.MANAGED_HERE
    assert one(compare(listing(GCP, [name]), listed([mail])), name).code == "named_by_number"


# -- nothing is lost, nothing is told twice ------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "a",
        "A",
        "b",
        "vpc-1",
        "projects/1/t/a",
        "projects/p/t/a",
        "p r/x m:y",
        "arn:aws:sns:r:1:a",
        "arn:aws:ec2:r:1:vpc/vpc-1",
        "\x1b[",
    ]
)


@given(
    provider=st.sampled_from(CloudProvider),
    cloud=st.lists(PIECES, max_size=8),
    here=st.lists(PIECES, unique=True, max_size=6),
    elsewhere=st.lists(PIECES, unique=True, max_size=6),
)
def test_every_identifier_is_told_once(provider: CloudProvider, cloud: list[str], here: list[str], elsewhere: list[str]) -> None:
    scope = "1" if provider is AWS else "p"
    found = compare(Listing(provider=provider, scope=scope, ids=cloud), listed(here), [listed(elsewhere, "other")])
    ids = [item.id for item in found.items]
    assert len(ids) == len(set(ids))
    assert len(ids) == sum(found.counts.values())
    fold = folding(provider, scope)
    told = {fold(one) for one in ids} | {fold(h.address or "") for item in found.items for h in item.holders}
    assert {fold(one) for one in cloud} <= told
    for item in found.items:
        if item.status is Status.MANAGED_HERE:
            assert fold(item.id) in {fold(one) for one in here}
        if item.status is Status.UNMANAGED:
            assert fold(item.id) not in {fold(one) for one in (*here, *elsewhere)}
        if item.status is Status.MISSING:
            assert fold(item.id) not in {fold(one) for one in cloud}
        assert (item.status is Status.AMBIGUOUS) == bool(item.reason) == bool(item.code)


# -- missing: only where the listing would have shown it -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "identifier", "code"),
    [
        (AZURE, f"/subscriptions/{SUBSCRIPTION}/resourceGroups/MC_aks/providers/Microsoft.Compute/disks/d", "left_out"),
        (AZURE, "/subscriptions/99999999-2222-3333-4444-555555555555/resourceGroups/rg", "other_scope"),
        (AZURE, "https://vault.vault.azure.net/secrets/s/1", "other_form"),
        (AZURE, f"/subscriptions/{SUBSCRIPTION}/resourceGroups/r/providers/Microsoft.Odd/things/t", "kind_not_shown"),
        (AWS, f"arn:aws:ec2:eu-central-1:{ACCOUNT}:network-interface/eni-1", "left_out"),
        (AWS, f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/x/y", "left_out"),
        (AWS, "arn:aws:sns:eu-central-1:999999999999:t", "other_scope"),
        (AWS, "rtbassoc-1", "other_form"),
        (AWS, f"arn:aws:sqs:eu-central-1:{ACCOUNT}:q", "kind_not_shown"),
        (GCP, f"projects/{PROJECT}/zones/z/instances/gke-pool-1", "left_out"),
        (GCP, "run-sources-acme", "left_out"),
        (GCP, "projects/other/topics/t", "other_scope"),
    ],
)
def test_what_a_listing_cannot_show_is_not_called_missing(provider: CloudProvider, identifier: str, code: str) -> None:
    ids = IDS[provider](3)
    found = compare(listing(provider, ids), listed([*ids, identifier]))
    item = one(found, identifier)
    assert (item.status, item.code) == (Status.AMBIGUOUS, code)
    assert item.reason
    assert not item.wrong


def test_a_vault_that_is_gone_is_missing_though_the_listing_shows_no_other() -> None:
    gone = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/r/providers/Microsoft.KeyVault/vaults/v"
    assert one(compare(listing(AZURE, azure_ids(1)), listed([gone])), gone).status is Status.MISSING


@pytest.mark.parametrize(
    ("tags", "status", "code"),
    [
        ({"Name": "a"}, Status.MISSING, ""),
        ({"kubernetes.io/cluster/blue": "shared"}, Status.AMBIGUOUS, "left_out_by_tags"),
    ],
)
def test_the_tags_in_the_state_tell_whether_a_listing_shows_it(tags: dict[str, str], status: Status, code: str) -> None:
    here = state(("aws_subnet", "a", {"arn": f"{SUBNET}a", "id": "subnet-a", "tags": {}, "tags_all": tags}))
    item = one(compare(listing(AWS, [f"{SUBNET}b"]), here), f"{SUBNET}a")
    assert (item.status, item.code) == (status, code)


def test_without_tags_a_subnet_that_is_not_listed_may_be_a_clusters() -> None:
    found = compare(listing(AWS, [f"{SUBNET}a"]), listed([f"{SUBNET}a", f"{SUBNET}b"]))
    assert one(found, f"{SUBNET}b").code == "tags_unknown"


def test_labels_that_googles_provider_adds_hide_what_bears_them() -> None:
    ids = gcp_ids(2)
    labels = {"goog-terraform-provisioned": "true"}
    here = state(("google_pubsub_topic", "t", {"id": ids[0], "labels": None, "effective_labels": labels}))
    assert one(compare(listing(GCP, [ids[1]]), here), ids[0]).code == "left_out_by_tags"
    # A listing that shows none of this state's topics may pass over all of them.
    assert one(compare(listing(GCP, [ids[1]]), listed([ids[0]])), ids[0]).code == "tags_unknown"


def test_nothing_is_missing_by_a_listing_that_may_not_be_whole() -> None:
    ids = aws_arns(3)
    found = compare(listing(AWS, ids[:2], doubt="it warned: page lost"), listed(ids))
    assert one(found, ids[2]).code == "doubt"
    assert "page lost" in next(finding for finding in found.findings if finding.code == "discover.listing_doubtful").message


def test_a_state_that_could_not_be_read_is_told_and_is_not_an_empty_one() -> None:
    unread = StateIds(key="secret/terraform.tfstate", status="could_not_look", reason="OpenTofu state encryption")
    found = compare(listing(AWS, aws_arns(1)), listed([]), [], [unread])
    (finding,) = found.findings
    assert (finding.code, finding.subject) == ("discover.could_not_look", "secret/terraform.tfstate")


# -- whose state is the workspace's --------------------------------------------------------------------------------------------


def test_the_state_with_exactly_the_listed_identifiers_is_the_workspaces() -> None:
    arns = aws_arns(4)
    own, other = state(*topics(arns[:2]), key="own"), state(*topics(arns[2:]), key="other")
    settled = settle(arns[:2], [other, own])
    assert (settled.here.key, [one.key for one in settled.elsewhere], settled.findings) == ("own", ["other"], ())
    assert settled.here.objects[0].address == "aws_sns_topic.t0"


def test_a_state_written_meanwhile_is_assumed_and_the_listing_counts() -> None:
    arns = aws_arns(4)
    settled = settle(arns[:4], [state(*topics(arns[:3]), key="own")])
    assert settled.here.contract_ids == tuple(arns)
    assert [finding.code for finding in settled.findings] == ["discover.state_assumed"]


def test_where_no_state_fits_only_identifiers_are_known() -> None:
    arns = aws_arns(6)
    settled = settle(arns[:3], [state(*topics(arns[3:]), key="other")])
    assert settled.here.key == ""
    assert all(not held.address for held in settled.here.objects)


def test_copies_of_the_state_are_told() -> None:
    arns = aws_arns(2)
    copies = [state(*topics(arns), key="one"), state(*topics(arns), key="two")]
    settled = settle(arns, copies)
    assert [finding.code for finding in settled.findings] == ["discover.states_alike"]
    assert settle(arns, copies, key="two").here.key == "two"


def test_a_scope_is_put_in_place_of_the_projects_number_as_it_is() -> None:
    fold = folding(CloudProvider.GCP, r"odd\1scope", "123")

    assert fold("projects/123/topics/t") == r"projects/odd\1scope/topics/t"
